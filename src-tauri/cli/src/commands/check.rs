//! `plait check`.

pub(crate) mod on_host;
mod waiting;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use clap::Args;
use plait_api::flows::{Installed, check_with_subflows};
use plait_core::diagnostic::{Diagnostic, Severity};

use crate::exit::{CliError, ExitStatus, warning_text};
use crate::flow_source::FlowSource;
use crate::open_app::Home;
use crate::terminal::{print_error, print_styled, redact_value, stdout};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait check my.flow.json\n  plait check my.flow.json --json | jq '.diagnostics[].code'\n  \
                  plait check my.flow.json --against-waiting\n  plait check my.flow.json --against-waiting --move\n  \
                  plait --host team check my.flow.json    What the host lacks for it"
)]
pub(crate) struct CheckArgs {
    /// Flow file (`.flow.json`) or pipeline (`.yaml`), the ID of an example flow, or `-` for standard input.
    flow: OsString,
    /// Print the diagnostics as JSON, or with `--against-waiting` the runs.
    #[arg(long)]
    json: bool,
    /// Say what becomes of the runs of this file that wait for a person if they are moved to the flow as it is now: each is rehearsed.
    /// They themselves go on with the flow that they began with.
    #[arg(long)]
    pub(crate) against_waiting: bool,
    /// Move those that ask the same to the flow as it is now: each goes on as a fork, and the run itself is canceled.
    #[arg(long, requires = "against_waiting")]
    r#move: bool,
}

/// The same, and what becomes of the runs that wait.
pub(crate) async fn execute_against_waiting(home: &Home, args: &CheckArgs) -> Result<ExitStatus, CliError> {
    match execute(home, args)? {
        ExitStatus::Success => waiting::execute(home, args).await,
        status => Ok(status),
    }
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
    let is_followed_by_runs = args.against_waiting && exit_status(&diagnostics) == ExitStatus::Success;
    if args.json && !is_followed_by_runs {
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
