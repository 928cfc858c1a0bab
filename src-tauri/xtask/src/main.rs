//! `cargo xtask`: the chores of this repository, set-up included.
//!
//! Owns the command line only. Each chore has a module; `needs` lists what a machine must have,
//! `install` installs it, and `steps` runs outside programs and shows their progress.
//! It builds no product code and reads nothing over the network itself.

mod bench;
mod bindings;
mod browser;
mod dev;
mod editor;
mod icons;
mod needs;
mod platform;
mod repo;
mod run;
mod screenshot;
mod steps;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the Plait repository. Each sets up what it needs first, and says so.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Open the editor on a flow; without a display, run the example in the terminal
    Run {
        /// The flow to open; an example that needs no key and no network if left out
        flow: Option<PathBuf>,
        /// Run in the terminal even if there is a display
        #[arg(long)]
        terminal: bool,
        /// Build with optimizations
        #[arg(long)]
        release: bool,
    },
    /// Open the editor with hot reload: Vite serves the page, the binary loads it from there
    Dev {
        /// The flow to open; the example `chat-loop` if left out
        flow: Option<PathBuf>,
    },
    /// Run every test there is, lints included, and sum up
    Test {
        /// Only this part; may be repeated
        #[arg(long, value_enum)]
        only: Vec<test::Part>,
    },
    /// Check only what takes a second: banned words and import circles
    Lint,
    /// Measure, beside the references the figures are compared with
    Bench(bench::Wish),
    /// Install what `run` and `test` need, and do nothing else
    Setup,
    /// Regenerate ui/src/bindings and docs/error-codes.md from the Rust types
    Bindings,
    /// Regenerate the icons from icons/plait.svg
    Icons,
    /// Take screenshots of the real window, light and dark
    Screenshot {
        /// Where the pictures go
        #[arg(default_value = "target/screenshots")]
        into: PathBuf,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    steps::end_children_with_us();
    let done = match cli.chore {
        Chore::Run { flow, terminal, release } => run::run(flow.as_deref(), terminal, release),
        Chore::Dev { flow } => dev::run(flow.as_deref()),
        Chore::Test { only } => test::run(&only),
        Chore::Lint => test::lint_sources(),
        Chore::Bench(wish) => bench::run(&wish),
        Chore::Setup => needs::provide(needs::Purpose::ALL).and_then(|()| editor::packages()),
        Chore::Bindings => bindings::write(),
        Chore::Icons => icons::draw(),
        Chore::Screenshot { into } => screenshot::take(&into),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
