//! Figures that are no criterion estimate: one long run's stretches, sizes, memory. `cargo xtask bench` reads them.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

/// The figures of one benchmark.
#[derive(Default)]
pub struct Figures(Vec<Value>);

impl Figures {
    /// Notes that `by` takes `value` for `group`, and tells whoever watches.
    pub fn note(&mut self, group: &str, by: &str, value: f64, unit: &str) {
        println!("{group:<28} {by:<28} {value:>12.2} {unit}");
        self.0.push(json!({ "group": group, "by": by, "value": value, "unit": unit }));
    }

    /// Keeps them as `<name>.json` in `figures/` of the build directory.
    pub fn keep(&self, name: &str) -> io::Result<()> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("figures");
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("{name}.json")), Value::from(self.0.clone()).to_string())
    }
}

/// Whether the command line asks for the benchmark `name`: it does unless it names something else.
pub fn is_asked_for(name: &str) -> bool {
    let mut named = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).peekable();
    named.peek().is_none() || named.any(|filter| name.contains(&filter))
}
