//! `cargo xtask bench`: figures beside the references they are compared with, measured in the same run, and beside what is
//! asked.
//!
//! Runs Plait's own benchmarks (criterion), the editor's (`ui/perf`), the real window's, on request other engines (`peers`),
//! and puts all into one report. A figure that is missed fails nothing: machines differ, and people read it.

mod editor;
mod estimates;
mod notes;
mod peers;
mod report;
mod verdict;
mod window;

use std::fs;
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::repo;
use crate::steps::{Step, cargo, note};

/// One part of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Engine and store
    Engine,
    /// The editor in Chromium
    Editor,
    /// The real window
    Window,
    /// Other engines, installed below the build directory
    Peers,
}

/// What is to be measured, and what becomes of it.
#[derive(clap::Args)]
pub(crate) struct Wish {
    /// Also install and measure other engines
    #[arg(long)]
    peers: bool,
    /// Only one part; may be given several times
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// Also write the figures into BENCHMARKS.md
    #[arg(long)]
    record: bool,
    /// Only benchmarks of engine and store whose name contains this
    filter: Option<String>,
}

impl Wish {
    fn wants(&self, part: Part) -> bool {
        match part {
            _ if !self.only.is_empty() => self.only.contains(&part),
            Part::Engine => true,
            Part::Peers => self.peers,
            Part::Editor | Part::Window => self.filter.is_none(),
        }
    }

    /// What a person would type to measure the same again.
    fn command(&self) -> String {
        let mut command = String::from("cargo xtask bench");
        if self.peers {
            command.push_str(" --peers");
        }
        for part in self.only.iter().filter_map(Part::to_possible_value) {
            command.push_str(" --only ");
            command.push_str(part.get_name());
        }
        if let Some(filter) = &self.filter {
            command.push(' ');
            command.push_str(filter);
        }
        command
    }
}

/// Measures what is wished for and reports it.
pub(crate) fn run(wish: &Wish) -> Result<()> {
    let begin = SystemTime::now();
    if wish.wants(Part::Engine) {
        let mut command = cargo(&["bench", "--benches"]);
        if let Some(filter) = &wish.filter {
            command.args(["--", filter]);
        }
        Step::new("Measure engine and store (the first time compiles them with optimizations)", command)
            .aloud()?;
    }
    let own = estimates::since(&repo::target().join("criterion"), begin)?;
    let mut noted = notes::since(&repo::target().join("figures"), begin)?;
    let mut take = |what: &str, measured: Result<Vec<notes::Note>>| match measured {
        Ok(measured) => noted.extend(measured),
        Err(error) => note(&format!("{what} is left out: {error:#}")),
    };
    if wish.wants(Part::Editor) {
        take("The editor in Chromium", editor::measure());
    }
    if wish.wants(Part::Window) {
        take("The real window", window::measure());
    }
    let others = if wish.wants(Part::Peers) { peers::measure()? } else { Vec::new() };
    let measured = verdict::Measured { own: &own, notes: &noted, peers: &others };
    let text = report::write(&wish.command(), measured);
    let path = repo::target().join("benchmarks.md");
    fs::write(&path, &text).with_context(|| format!("{} could not be written", path.display()))?;
    println!("\n{text}");
    note(&format!("Also in {}", path.display()));
    if wish.record {
        let path = repo::root().join("BENCHMARKS.md");
        let old =
            fs::read_to_string(&path).with_context(|| format!("{} could not be read", path.display()))?;
        fs::write(&path, report::record(&old, &text)?)?;
        note(&format!("Recorded in {}", path.display()));
    }
    Ok(())
}
