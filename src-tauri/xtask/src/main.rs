//! `cargo xtask`: the development tasks of this repository, including setup.
//!
//! This file owns the command line. Each task has a module; `requirements` lists and installs what a machine needs, and
//! `steps` runs external programs and shows their progress.

mod bench;
mod bindings;
mod browser;
mod dev;
mod editor;
mod environment;
mod fuzz;
mod gallery;
mod icons;
mod images;
mod models;
mod package;
mod platform;
mod python;
mod repo;
mod requirements;
mod run;
mod steps;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development tasks of the Plait repository. Each task installs what it needs first.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Open the editor on a flow; without a display, run the example in the terminal
    Run {
        /// The flow to open; by default an example that needs no key and no network
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
        /// The flow to open; by default the example `chat-loop`
        flow: Option<PathBuf>,
    },
    /// Run all tests and lints, and print a summary
    Test {
        /// Only this part; may be repeated
        #[arg(long, value_enum)]
        only: Vec<test::Part>,
    },
    /// Check words, import circles and lists in documents (takes seconds)
    Lint,
    /// Run the benchmarks and compare them with their references and targets
    Bench(bench::BenchArgs),
    /// Feed mutated inputs to each part that reads them, and look for crashes, hangs and memory without bound
    Fuzz(fuzz::FuzzArgs),
    /// Install what `run` and `test` need
    Setup,
    /// Regenerate ui/src/bindings and docs/error-codes.md from the Rust types
    Bindings,
    /// Regenerate the icons from icons/plait.svg
    Icons,
    /// Refresh the table of context windows and prices from `LiteLLM`'s, with pip
    Models(models::ModelsArgs),
    /// Make packages of the window and the terminal command for this system
    Package {
        /// Without optimizations, to try the packages
        #[arg(long)]
        debug: bool,
    },
    /// Take the pictures of the guide again, from the tests of the real window
    Images,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    steps::kill_children_on_exit();
    let result = match cli.task {
        Task::Run { flow, terminal, release } => run::run(flow.as_deref(), terminal, release),
        Task::Dev { flow } => dev::run(flow.as_deref()),
        Task::Test { only } => test::run(&only),
        Task::Lint => test::lint_sources(),
        Task::Bench(args) => bench::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Setup => requirements::ensure_installed(requirements::Purpose::ALL)
            .and_then(|()| editor::install_packages()),
        Task::Bindings => bindings::write(),
        Task::Icons => icons::draw(),
        Task::Models(args) => models::refresh(&args),
        Task::Package { debug } => package::run(debug),
        Task::Images => images::write(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
