//! `cargo xtask test`: everything there is, in parts, with a summary. A failing step does not stop the others.
//!
//! Knows the order and what each part needs; the steps stand in one file per part.

mod banned_words;
mod lint;
mod module_cycles;
mod rust;
mod ui;
mod window;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::editor;
use crate::needs::{self, Purpose};
use crate::steps::{note, seconds};

/// One part of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Formatting, clippy, types, and what tools there are
    Lint,
    /// The headless crates: unit tests, scenarios, properties, doc tests, fresh bindings
    Rust,
    /// The editor: unit tests, then in Chromium
    Ui,
    /// The real window on a display of its own
    Window,
}

impl Part {
    fn purposes(self) -> &'static [Purpose] {
        match self {
            Self::Lint => &[Purpose::Lint, Purpose::Window, Purpose::Editor],
            Self::Rust => &[],
            Self::Ui => &[Purpose::Editor, Purpose::Browser],
            Self::Window => &[Purpose::Window, Purpose::Editor, Purpose::Driver],
        }
    }
}

/// The outcome of the steps so far.
#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<(String, Outcome)>,
}

enum Outcome {
    Passed(Duration),
    Failed(Duration, anyhow::Error),
    Skipped(&'static str),
}

impl Report {
    /// Carries out one step and keeps how it went.
    pub(crate) fn step(&mut self, name: impl Into<String>, act: impl FnOnce() -> Result<()>) {
        let start = Instant::now();
        let outcome = match act() {
            Ok(()) => Outcome::Passed(start.elapsed()),
            Err(error) => {
                eprintln!("✘ {error:#}");
                Outcome::Failed(start.elapsed(), error)
            }
        };
        self.lines.push((name.into(), outcome));
    }

    /// Says that a step is left out, and why.
    pub(crate) fn skip(&mut self, name: impl Into<String>, why: &'static str) {
        let name = name.into();
        note(&format!("{name}: skipped, {why}"));
        self.lines.push((name, Outcome::Skipped(why)));
    }

    fn sum_up(&self, took: Duration) -> Result<()> {
        println!("\nSummary");
        let mut failed = 0;
        for (name, outcome) in &self.lines {
            match outcome {
                Outcome::Passed(time) => println!("  ✔ {name:<34} {:>12}", seconds(*time)),
                Outcome::Skipped(why) => println!("  – {name:<34} skipped: {why}"),
                Outcome::Failed(time, error) => {
                    failed += 1;
                    let text = format!("{error:#}");
                    let first_line = text.lines().next().unwrap_or_default();
                    println!("  ✘ {name:<34} {:>12}  {first_line}", seconds(*time));
                }
            }
        }
        println!("  {} in all", seconds(took));
        match failed {
            0 => Ok(()),
            1 => bail!("1 step failed"),
            _ => bail!("{failed} steps failed"),
        }
    }
}

/// The lints that read the sources and compile nothing.
pub(crate) fn lint_sources() -> Result<()> {
    let start = Instant::now();
    let mut report = Report::default();
    lint::check_sources(&mut report);
    report.sum_up(start.elapsed())
}

/// Runs the parts in `only`, or all of them.
pub(crate) fn run(only: &[Part]) -> Result<()> {
    let start = Instant::now();
    let all = only.is_empty();
    let parts: Vec<Part> =
        Part::value_variants().iter().copied().filter(|part| all || only.contains(part)).collect();
    let mut purposes: Vec<Purpose> = parts.iter().flat_map(|part| part.purposes()).copied().collect();
    if !cfg!(target_os = "linux") {
        purposes.retain(|purpose| *purpose != Purpose::Driver);
    }
    needs::provide(&purposes)?;

    let mut report = Report::default();
    if purposes.contains(&Purpose::Editor) {
        // The window carries the built editor inside, so even checking it needs that.
        report.step("The editor builds", editor::build);
    }
    // One selection of crates for all steps of a full run: each other selection would compile anew what they share.
    let selection =
        if parts.contains(&Part::Window) { rust::Selection::Everything } else { rust::Selection::Headless };
    for part in parts {
        match part {
            Part::Lint => lint::run(&mut report),
            Part::Rust => rust::run(&mut report, selection),
            Part::Ui => ui::run(&mut report),
            Part::Window => window::run(&mut report),
        }
    }
    report.sum_up(start.elapsed())
}
