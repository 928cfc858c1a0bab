//! `cargo xtask bench`: measures Plait and the references of its figures in one run, and compares them with the targets.
//!
//! Runs the Rust benchmarks (criterion), the editor's (`ui/perf`), the real window's, and on request those of other engines
//! (`peers`), and writes one report. A missed target is not an error, since machines differ.

mod criterion;
mod editor;
mod figures;
mod peers;
mod report;
mod targets;
mod window;

use std::fs;
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::repo;
use crate::requirements::{self, Purpose};
use crate::steps::{self, Step, cargo, print_note};

/// A part of the benchmarks.
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

/// The arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// Also install and measure other engines
    #[arg(long)]
    peers: bool,
    /// Only this part; may be repeated
    #[arg(long, value_enum)]
    only: Vec<Part>,
    /// Also write the rows of these figures into BENCHMARKS.md
    #[arg(long)]
    record: bool,
    /// Only benchmarks of the engine and the store whose name contains this
    filter: Option<String>,
}

impl BenchArgs {
    fn includes(&self, part: Part) -> bool {
        match part {
            _ if !self.only.is_empty() => self.only.contains(&part),
            Part::Engine => true,
            Part::Peers => self.peers,
            Part::Editor | Part::Window => self.filter.is_none(),
        }
    }

    /// The command line that repeats this measurement.
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

/// Runs the selected benchmarks and writes the report.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let begin = SystemTime::now();
    if args.includes(Part::Engine) {
        requirements::ensure_installed(&[Purpose::Database])?;
        steps::install_npm_packages("tests/restate", "Restate for the load of a worker")?;
        let mut command = cargo(&["bench", "--bench", "*"]);
        if let Some(filter) = &args.filter {
            command.args(["--", filter]);
        }
        Step::new("Measure engine and store (the first time compiles them with optimizations)", command)
            .run_with_output()?;
    }
    let own = criterion::read_since(&repo::target().join("criterion"), begin)?;
    let mut figures = figures::read_since(&repo::target().join("figures"), begin)?;
    let mut collect = |what: &str, measured: Result<Vec<figures::Figure>>| match measured {
        Ok(measured) => figures.extend(measured),
        Err(error) => print_note(&format!("{what} is skipped: {error:#}")),
    };
    if args.includes(Part::Editor) {
        collect("The editor in Chromium", editor::measure());
    }
    if args.includes(Part::Window) {
        collect("The real window", window::measure());
    }
    let others = if args.includes(Part::Peers) { peers::measure() } else { Vec::new() };
    let measured = targets::Measurements { own: &own, figures: &figures, peers: &others };
    let text = report::write(&args.command(), measured);
    let path = repo::target().join("benchmarks.md");
    fs::write(&path, &text).with_context(|| format!("{} could not be written", path.display()))?;
    println!("\n{text}");
    print_note(&format!("Also in {}", path.display()));
    if args.record {
        let path = repo::root().join("BENCHMARKS.md");
        let old =
            fs::read_to_string(&path).with_context(|| format!("{} could not be read", path.display()))?;
        fs::write(&path, report::record(&old, &args.command(), measured)?)?;
        print_note(&format!("Recorded in {}", path.display()));
    }
    Ok(())
}
