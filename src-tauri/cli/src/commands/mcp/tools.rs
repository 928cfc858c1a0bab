//! `plait mcp tools`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::mcp::AcceptMcpTools;
use plait_api::mcp_servers::{McpTool, McpToolChanges};

use super::{connect, describe_pin};
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ToolsArgs {
    /// Name of the server.
    name: String,
    /// Accept the tools as they are now.
    #[arg(long)]
    accept: bool,
    /// Print the tools as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: ToolsArgs) -> Result<ExitStatus, CliError> {
    let mut details = connect(app, &args.name).await?;
    if let Some(changes) = details.status.changes.take_if(|_| args.accept) {
        let accept = AcceptMcpTools { name: args.name.clone(), definitions: changes.definitions };
        details = app.call(accept).await?;
    }
    let status = if details.status.changes.is_some() { ExitStatus::Failure } else { ExitStatus::Success };
    if args.json {
        writeln!(stdout(), "{}", to_json(&details)?)?;
        return Ok(status);
    }
    for tool in &details.tools {
        print_tool(tool)?;
    }
    if let Some(changes) = &details.status.changes {
        print_changes(&args.name, changes)?;
    } else if let Some(pin) = &details.status.pin {
        writeln!(stdout(), "\n{}.", describe_pin(pin))?;
    }
    Ok(status)
}

fn print_tool(tool: &McpTool) -> Result<(), CliError> {
    let mut out = stdout();
    writeln!(out, "{}{}", tool.name, if tool.read_only { " (read-only)" } else { "" })?;
    if let Some(problem) = &tool.problem {
        writeln!(out, "  Not offered: {problem}")?;
    }
    for line in tool.description.lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "  {}", tool.parameters)?;
    Ok(())
}

/// How the tools differ from the accepted ones.
pub(super) fn print_changes(server: &str, changes: &McpToolChanges) -> Result<(), CliError> {
    let mut out = stdout();
    writeln!(
        out,
        "\nThe tools are not those that you accepted. No flow can use them until you accept them:"
    )?;
    for tool in &changes.added {
        writeln!(out, "+ {}: {}\n+   {}", tool.name, tool.description, tool.parameters)?;
    }
    for change in &changes.changed {
        let (before, now) = (&change.accepted, &change.current);
        writeln!(out, "- {}: {}\n-   {}", before.name, before.description, before.parameters)?;
        writeln!(out, "+ {}: {}\n+   {}", now.name, now.description, now.parameters)?;
        if before.read_only != now.read_only {
            writeln!(out, "  It was {}read-only.", if before.read_only { "" } else { "not " })?;
        }
    }
    for name in &changes.removed {
        writeln!(out, "- {name}")?;
    }
    writeln!(out, "\nAccept them with `plait mcp tools {server} --accept`.")?;
    Ok(())
}
