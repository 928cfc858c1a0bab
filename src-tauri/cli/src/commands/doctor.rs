//! `plait doctor`.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use plait_api::doctor::{self, Report};

use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
Reads every record of every file and prints what can't be read. Rebuilds the index and compresses the journals of runs that \
have ended. While another process uses the data directory, it only checks.

Exit codes: 0 nothing is lost, 1 something is lost or damaged, 2 invalid usage

Examples:
  plait doctor
  plait doctor --salvage
  plait doctor --accept-edits
  plait doctor --json | jq '.findings'")]
pub(crate) struct DoctorArgs {
    /// Move damaged files to the folder `damaged` and go on with copies of what can be read, or without them.
    #[arg(long)]
    salvage: bool,
    /// Accept settings, users, grants, MCP servers and their tools as they are now, after you have changed their files outside of Plait.
    #[arg(long, conflicts_with = "salvage")]
    accept_edits: bool,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn execute(home: &Path, args: &DoctorArgs) -> Result<ExitStatus, CliError> {
    if args.accept_edits {
        for path in doctor::accept_edits(home)? {
            print_error(&format!("Accepted `{}` as it is now.\n", path.display()));
        }
    }
    let report = doctor::check(home, args.salvage, &mut |_, _| ())?;
    print(&report, args.json)?;
    Ok(if report.has_losses() { ExitStatus::Failure } else { ExitStatus::Success })
}

fn print(report: &Report, json: bool) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", to_json(report)?)?;
        return Ok(());
    }
    for finding in &report.findings {
        let kind = if finding.is_loss { "damaged" } else { "note" };
        writeln!(out, "{kind}: {}: {}", finding.path.display(), finding.message)?;
    }
    for action in &report.actions {
        writeln!(out, "{action}")?;
    }
    let Report { runs, entries, conversations, messages, memories, .. } = report;
    writeln!(
        out,
        "Read {entries} entries of {runs} runs, {messages} messages of {conversations} conversations and {memories} memories."
    )?;
    if !report.has_losses() {
        writeln!(out, "No problems found.")?;
    } else if report.actions.iter().all(|action| !action.starts_with("Salvaged")) {
        print_error(
            "`plait doctor --salvage` keeps damaged files aside and goes on with what can be read.\n",
        );
    }
    Ok(())
}
