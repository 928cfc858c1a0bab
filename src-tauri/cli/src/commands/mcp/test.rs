//! `plait mcp test`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;

use super::connect;
use super::tools::print_changes;
use crate::exit::{CliError, ExitStatus};
use crate::format::{first_line, to_json};
use crate::terminal::stdout;

const MAX_DESCRIPTION_CHARS: usize = 90;

#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// Name of the server.
    name: String,
    /// Print what it offers as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: TestArgs) -> Result<ExitStatus, CliError> {
    let details = connect(app, &args.name).await?;
    let mut out = stdout();
    let status = if details.status.changes.is_some() { ExitStatus::Failure } else { ExitStatus::Success };
    if args.json {
        writeln!(out, "{}", to_json(&details)?)?;
        return Ok(status);
    }
    writeln!(out, "{} is {}, protocol {}.", args.name, details.title, details.protocol)?;
    let mut section = |title: &str, lines: Vec<(&str, &str)>| -> Result<(), CliError> {
        if !lines.is_empty() {
            writeln!(out, "\n{title}")?;
        }
        for (name, description) in lines {
            writeln!(out, "  {name}  {}", first_line(description, MAX_DESCRIPTION_CHARS))?;
        }
        Ok(())
    };
    section(
        "Tools",
        details
            .tools
            .iter()
            .map(|tool| (tool.name.as_str(), tool.problem.as_deref().unwrap_or(&tool.description)))
            .collect(),
    )?;
    section(
        "Resources",
        details.resources.iter().map(|one| (one.uri.as_str(), one.name.as_str())).collect(),
    )?;
    section(
        "Prompts",
        details.prompts.iter().map(|one| (one.name.as_str(), one.description.as_str())).collect(),
    )?;
    if let Some(changes) = &details.status.changes {
        print_changes(&args.name, changes)?;
    }
    Ok(status)
}
