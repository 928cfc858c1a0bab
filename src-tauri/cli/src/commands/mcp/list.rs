//! `plait mcp list`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::mcp::ListMcpServers;
use plait_api::mcp_servers::McpTransport;

use super::describe_pin;
use crate::exit::{CliError, ExitStatus};
use crate::format::{first_line, new_table, to_json};
use crate::terminal::stdout;

const MAX_COMMAND_CHARS: usize = 70;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print the servers as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: &ListArgs) -> Result<ExitStatus, CliError> {
    let servers = app.call(ListMcpServers {}).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&servers)?)?;
        return Ok(ExitStatus::Success);
    }
    if servers.is_empty() {
        writeln!(out, "There are no MCP servers. Add one with `plait mcp add`.")?;
        return Ok(ExitStatus::Success);
    }
    let mut table = new_table(&["Server", "Command or URL", "Accepted tools"]);
    for server in &servers {
        let target = match &server.entry.transport {
            McpTransport::Stdio { command, args, .. } => format!("{command} {}", args.join(" ")),
            McpTransport::Http { url, .. } => url.clone(),
        };
        let tools = server.pin.as_ref().map_or_else(|| "never connected".to_owned(), describe_pin);
        table.add_row([server.name.clone(), first_line(&target, MAX_COMMAND_CHARS), tools]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(ExitStatus::Success)
}
