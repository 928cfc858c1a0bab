//! `plait`: runs, checks and inspects flows without a window. Parses the command line, calls commands of the api, and prints
//! the results. Contains no logic of flows or runs.

mod attach;
mod cli;
mod codes;
mod commands;
mod ctrl_c;
mod debugger;
mod diagnostics;
mod environment;
mod excerpt;
mod exit;
mod flow_source;
mod format;
mod grant_rules;
mod json_lines;
mod need_list;
mod open_app;
mod output_file;
mod printable;
mod progress;
mod prompt;
mod reply_source;
mod run_follower;
mod stdin_lines;
mod stop_actions;
mod terminal;
mod text_export;

use std::process::ExitCode;

use clap::Parser as _;

/// Flows and journals are many small values: this allocator makes and frees them faster than those of the systems.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = plait_api::serve_if_worker() {
        return code;
    }
    // Help and errors of the command line itself are printed before it is parsed.
    terminal::set_color(cli::color_choice(std::env::args_os()));
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version.
        Err(shown) if !shown.use_stderr() => return print_help(&shown),
        Err(error) => return report_usage(&error),
    };
    match cli.execute() {
        Ok(status) => status.into(),
        Err(error) => error.report(),
    }
}

/// Prints help or the version to standard output.
fn print_help(shown: &clap::Error) -> ExitCode {
    let text = shown.render();
    let color = terminal::stdout_color();
    terminal::print_styled_output(&if color { text.ansi().to_string() } else { text.to_string() });
    ExitCode::SUCCESS
}

/// Prints an error of the command line, which may quote a value that was passed.
fn report_usage(error: &clap::Error) -> ExitCode {
    let text = error.render();
    terminal::print_styled(&if terminal::style().color { text.ansi().to_string() } else { text.to_string() });
    exit::ExitStatus::Invalid.into()
}
