//! `cargo xtask test`: all tests and lints, in parts, with a summary. A failing step does not stop the others.
//!
//! Owns the order of the parts and their requirements. The steps of each part are in its own file.

mod acceptance;
mod banned_words;
mod contributing;
mod feature_selection;
mod lint;
mod module_cycles;
mod rust;
mod silent_faults;
mod ui;
mod vendors;
pub(crate) mod window;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::requirements::{self, Purpose};
use crate::steps::{format_duration, print_note};
use crate::{editor, gallery};

/// One part of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Formatting, clippy, types, and optional tools
    Lint,
    /// The headless crates: unit tests, scenarios, properties, doc tests, bindings
    Rust,
    /// The vendors' own Python packages as judges of requests and replies, and a `LiteLLM` proxy; needs Python and `PyPI`
    Vendors,
    /// The editor: unit tests, then in Chromium
    Ui,
    /// The real window on a virtual display
    Window,
}

impl Part {
    fn purposes(self) -> &'static [Purpose] {
        match self {
            Self::Lint => &[Purpose::Lint, Purpose::Window, Purpose::Editor],
            Self::Rust => &[Purpose::Trace, Purpose::Database],
            Self::Vendors => &[],
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
    /// Runs one step and records its outcome.
    pub(crate) fn step(&mut self, name: impl Into<String>, run_step: impl FnOnce() -> Result<()>) {
        let start = Instant::now();
        let outcome = match run_step() {
            Ok(()) => Outcome::Passed(start.elapsed()),
            Err(error) => {
                eprintln!("✘ {error:#}");
                Outcome::Failed(start.elapsed(), error)
            }
        };
        self.lines.push((name.into(), outcome));
    }

    /// Records that a step is skipped, and why.
    pub(crate) fn skip(&mut self, name: impl Into<String>, why: &'static str) {
        let name = name.into();
        print_note(&format!("{name}: skipped, {why}"));
        self.lines.push((name, Outcome::Skipped(why)));
    }

    /// Runs two lists of steps at the same time: one that keeps the processors busy, and one that leaves them idle or uses what
    /// the other one leaves. The outcomes of the first one come first.
    fn side_by_side(&mut self, first: impl FnOnce(&mut Self) + Send, second: impl FnOnce(&mut Self) + Send) {
        let mut other = Self::default();
        std::thread::scope(|scope| {
            scope.spawn(|| second(&mut other));
            first(self);
        });
        self.lines.append(&mut other.lines);
    }

    fn print_summary(&self, took: Duration) -> Result<()> {
        println!("\nSummary");
        let mut failed = 0;
        for (name, outcome) in &self.lines {
            match outcome {
                Outcome::Passed(time) => println!("  ✔ {name:<34} {:>12}", format_duration(*time)),
                Outcome::Skipped(why) => println!("  – {name:<34} skipped: {why}"),
                Outcome::Failed(time, error) => {
                    failed += 1;
                    let text = format!("{error:#}");
                    let first_line = text.lines().next().unwrap_or_default();
                    println!("  ✘ {name:<34} {:>12}  {first_line}", format_duration(*time));
                }
            }
        }
        println!("  {} in total", format_duration(took));
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
    report.print_summary(start.elapsed())
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
    requirements::ensure_installed(&purposes)?;

    let mut report = Report::default();
    if purposes.contains(&Purpose::Editor) {
        // The window embeds the built editor, so even `cargo check` needs it.
        report.step("The editor builds", editor::build);
    }
    // All steps use one selection of crates: another selection would recompile shared dependencies.
    let selection =
        if parts.contains(&Part::Window) { rust::Selection::Everything } else { rust::Selection::Headless };
    let runs_rust = parts.contains(&Part::Rust);
    let takes_pictures = parts.contains(&Part::Ui) || parts.contains(&Part::Window);
    let compile = |report: &mut Report| {
        if parts.iter().any(|part| *part != Part::Lint) {
            report.step("Rust compiles", || rust::compile(selection));
        }
    };
    if parts.contains(&Part::Lint) {
        lint::run(&mut report, compile);
    } else {
        compile(&mut report);
    }
    for part in &parts {
        match part {
            Part::Rust => vendors::forget_requests()?,
            Part::Ui => gallery::clear(gallery::CHROMIUM)?,
            Part::Window => gallery::clear(gallery::WINDOW)?,
            Part::Lint | Part::Vendors => {}
        }
    }
    let test_editor = |report: &mut Report| {
        if parts.contains(&Part::Ui) {
            ui::run(report);
        }
    };
    let judge = |report: &mut Report| {
        if parts.contains(&Part::Vendors) {
            vendors::run(report, selection, runs_rust);
        }
    };
    let test_headless = |report: &mut Report| {
        if runs_rust {
            rust::run(report, selection);
        }
        // The vendors' packages judge the requests of the Rust tests, and mostly wait for Python.
        report.side_by_side(test_editor, judge);
    };
    let test_window = |report: &mut Report| {
        if parts.contains(&Part::Window) {
            window::run(report);
        }
        if parts.contains(&Part::Ui) {
            ui::run_units(report);
        }
    };
    // A test of the window mostly waits for it, and ends long before the others.
    report.side_by_side(test_headless, test_window);
    if takes_pictures {
        print_note(&format!("Pictures of every screen: {}", gallery::write()?.display()));
    }
    report.print_summary(start.elapsed())
}
