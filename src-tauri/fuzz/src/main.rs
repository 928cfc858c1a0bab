//! `plait-fuzz`: feeds one part of Plait mutated inputs and looks for inputs that crash it, hang it or exhaust its
//! memory.
//!
//! Stable Rust has no coverage-guided fuzzing, so inputs are mutated without knowing which code they reach. Their
//! outcomes guide the search instead: each target names the outcome of an input (an error code, a size), and an input
//! with an outcome not seen before is mutated further ([`corpus`]).
//!
//! The inputs are handled in a process of their own ([`worker`]), which the supervisor limits and restarts
//! ([`supervisor`]). A finding is an input that ends that process, keeps it busy for more than two seconds or makes it
//! use more than 500 MB.

mod corpus;
mod mutator;
mod supervisor;
mod targets;
mod worker;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;

use supervisor::Bounds;
use targets::Target;

/// Feeds one part of Plait mutated inputs and looks for crashes, hangs and memory without bound.
#[derive(Parser)]
struct Cli {
    /// What to test
    target: Target,
    /// For how long
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// At most so many inputs
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true)]
    inputs: u64,
    /// Chooses the inputs; random by default, and printed
    #[arg(long)]
    seed: Option<u64>,
    /// Where inputs that fail are saved
    #[arg(long, default_value = "target/fuzz")]
    findings: PathBuf,
    /// Handle this input once, in this process, and print its outcome
    #[arg(long, conflicts_with_all = ["seconds", "inputs", "seed"])]
    input: Option<PathBuf>,
    /// Handle the inputs that arrive on standard input
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    if let Some(code) = plait_api::serve_if_worker() {
        return code;
    }
    let cli = Cli::parse();
    let result = if cli.worker {
        worker::serve(cli.target).map(|()| ExitCode::SUCCESS)
    } else if let Some(path) = &cli.input {
        handle_once(cli.target, path)
    } else {
        let seed = cli.seed.unwrap_or_else(|| fastrand::u64(..));
        let bounds = Bounds { duration: Duration::from_secs(cli.seconds), inputs: cli.inputs };
        supervisor::run(cli.target, seed, bounds, &cli.findings)
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Handles one input, and prints its outcome.
fn handle_once(target: Target, path: &Path) -> anyhow::Result<ExitCode> {
    let input = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    println!("{}", target.start()?.handle(&input)?);
    Ok(ExitCode::SUCCESS)
}
