//! `plait mcp log`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::mcp::GetMcpLog;
use plait_api::mcp_servers::McpLogOrigin;

use crate::exit::{CliError, ExitStatus};
use crate::format::{format_time, to_json};
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct LogArgs {
    /// Name of the server.
    name: String,
    /// Print the lines as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute(app: &Connection, args: LogArgs) -> Result<ExitStatus, CliError> {
    let lines = app.call(GetMcpLog { name: args.name }).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&lines)?)?;
        return Ok(ExitStatus::Success);
    }
    for line in &lines {
        let origin = match line.origin {
            McpLogOrigin::Stderr => "",
            McpLogOrigin::Stdout => "stdout: ",
            McpLogOrigin::Message => "message: ",
            McpLogOrigin::Plait => "plait: ",
        };
        writeln!(out, "{}  {origin}{}", format_time(line.at), line.text)?;
    }
    Ok(ExitStatus::Success)
}
