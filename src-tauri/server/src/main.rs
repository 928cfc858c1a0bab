//! `plait-server`: flows of a data directory over HTTP, for people and programs with tokens.
//!
//! Transports the commands of the api, as the window does; decides who may execute them; serves published flows. Contains no logic
//! of flows or runs. The window and `plait` do not link it.

mod access;
mod audit;
mod blocking;
mod board;
mod callbacks;
mod caller;
mod certificate;
mod chat;
mod chat_threads;
mod cli;
mod codes;
mod command_values;
mod connections;
mod database_commands;
mod database_events;
mod database_execution;
mod database_runs;
mod end_signals;
mod events;
mod failure;
mod file_stamp;
mod flows_folder;
mod host;
mod host_commands;
mod identities;
mod kept_runs;
mod limits;
mod list_file;
mod metrics;
mod phase;
mod published;
mod publishing;
mod request_rate;
mod restate;
mod retention;
mod roles;
mod routes;
mod run_changes;
mod run_copies;
mod run_reports;
mod run_transfer;
mod schedule;
mod scheduled_runs;
mod serve;
mod tenant;
mod tenant_folders;
mod tenants;
mod text_cursor;
mod token_runs;
mod tokens;
mod tree_notices;
mod worker;

use std::process::ExitCode;

use clap::Parser as _;

/// Flows and journals are many small values: this allocator makes and frees them faster than those of the systems.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = plait_api::serve_if_worker() {
        return code;
    }
    match cli::Cli::parse().execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = &error.hint {
                eprintln!("  {hint}");
            }
            ExitCode::FAILURE
        }
    }
}
