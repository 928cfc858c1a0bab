//! `plait check`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use clap::Args;
use plait_api::flows::{Installed, check_with_subflows};
use plait_core::diagnostic::{Diagnostic, Severity};

use crate::exit::{CliError, ExitStatus, warning_text};
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

/// `home` is the data directory with the known providers, servers and knowledge bases; it need not exist.
pub(crate) fn execute(home: &Path, args: &CheckArgs) -> Result<ExitStatus, CliError> {
    let source = match FlowSource::load(&args.flow) {
        Err(CliError::InvalidFlow { diagnostics, .. }) if args.json => return print_json(&diagnostics),
        other => other?,
    };
    let (installed, faults) = Installed::read(home);
    // The flow can be checked all the same.
    for fault in &faults {
        print_error(&warning_text(fault));
    }
    let path = source.path_text();
    let checked = check_with_subflows(&source.flow, path.as_deref(), &plait_nodes::registry(), &installed);
    let mut diagnostics = checked.diagnostics;
    diagnostics.extend(source.warnings.iter().cloned());
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
