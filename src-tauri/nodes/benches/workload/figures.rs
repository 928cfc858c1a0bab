//! Measured figures that are not criterion estimates: medians of one long run, sizes, memory. `cargo xtask bench` reads them.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

/// That of the programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The figures of one benchmark.
#[derive(Default)]
pub struct Figures(Vec<Value>);

impl Figures {
    pub fn add(&mut self, group: &str, by: &str, value: f64, unit: &str) {
        println!("{group:<28} {by:<28} {value:>12.2} {unit}");
        self.0.push(json!({ "group": group, "by": by, "value": value, "unit": unit }));
    }

    /// Writes them to `figures/<name>.json` in the build directory.
    pub fn write(&self, name: &str) -> io::Result<()> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("figures");
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("{name}.json")), Value::from(self.0.clone()).to_string())
    }
}

/// Whether the command line selects the benchmark `name`. Without filters it selects all.
pub fn is_selected(name: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).peekable();
    filters.peek().is_none() || filters.any(|filter| name.contains(&filter))
}
