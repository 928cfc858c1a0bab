//! `plait`: runs, checks and inspects flows without a window. Parses the command line, calls commands of the api, and prints
//! the results. Contains no logic of flows or runs.

mod cli;
mod commands;
mod ctrl_c;
mod diagnostics;
mod excerpt;
mod exit;
mod flow_source;
mod format;
mod json_positions;
mod open_app;
mod printable;
mod progress;
mod prompt;
mod run_follower;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    if let Some(code) = plait_api::serve_if_worker() {
        return code;
    }
    match cli::Cli::parse().execute() {
        Ok(status) => status.into(),
        Err(error) => error.report(),
    }
}
