//! `plait check`.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Args;
use plait_api::engine::diagnostic::{Diagnostic, Severity};
use plait_api::engine::nodes;
use plait_api::flows::check_with_subflows;

use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::terminal::{print_error, print_styled, redact_value, stdout};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait check my.flow.json\n  plait check my.flow.json --json | jq '.diagnostics[].code'"
)]
pub(crate) struct CheckArgs {
    /// Flow file (`.flow.json`) or pipeline (`.yaml`), the ID of an example flow, or `-` for standard input.
    flow: OsString,
    /// Print the diagnostics as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn execute(args: &CheckArgs) -> Result<ExitStatus, CliError> {
    let source = match FlowSource::load(&args.flow) {
        Err(CliError::InvalidFlow { diagnostics, .. }) if args.json => return print_json(&diagnostics),
        other => other?,
    };
    let diagnostics =
        check_with_subflows(&source.flow, source.path_text().as_deref(), &nodes::registry()).diagnostics;
    if args.json {
        return print_json(&diagnostics);
    }
    print_styled(&source.render(&diagnostics));
    print_error(&source.summary(&diagnostics));
    Ok(exit_status(&diagnostics))
}

fn print_json(diagnostics: &[Diagnostic]) -> Result<ExitStatus, CliError> {
    let status = exit_status(diagnostics);
    let report = serde_json::json!({ "valid": status == ExitStatus::Success, "diagnostics": diagnostics });
    writeln!(stdout(), "{}", redact_value(report))?;
    Ok(status)
}

fn exit_status(diagnostics: &[Diagnostic]) -> ExitStatus {
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if has_errors { ExitStatus::Invalid } else { ExitStatus::Success }
}
