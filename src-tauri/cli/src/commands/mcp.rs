//! `plait mcp`.

mod add;
mod list;
mod log;
mod remove;
mod serve;
mod test;
mod tools;

use std::pin::pin;
use std::time::Duration;

use clap::{Args, Subcommand};
use plait_api::Connection;
use plait_api::mcp::ConnectMcpServer;
use plait_api::mcp_servers::{McpPin, McpServerDetails};
use plait_llm::tool::ToolProgress;

use crate::exit::{CliError, ExitStatus};
use crate::format::format_time;
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
MCP servers are yours, not the flow's: a flow names a server, and this data directory says how it is started. \
A server starts when a run needs it, or with `plait mcp test`, and never because a flow is opened or checked. \
At its first connection its tools are accepted and pinned; when they change, no flow can use them until you accept that.

During a call a server may ask you something, or request the reply of a model. The run waits (exit code 3): \
answer with `plait resume RUN --answer TEXT`, where `no` declines.

Examples:
  plait mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  plait mcp add docs --url https://example.com/mcp
  plait mcp add --json claude_desktop_config.json
  plait mcp test files
  plait mcp tools files --accept")]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    command: McpCommand,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Serve Plait to agents: what they may read of flows and runs, and what else you allow.
    Serve(serve::ServeArgs),
    #[command(flatten)]
    Servers(ServersCommand),
}

/// What is done with the servers whose tools flows use.
#[derive(Debug, Subcommand)]
enum ServersCommand {
    /// List the servers.
    List(list::ListArgs),
    /// Add a server, or those of a JSON file of another client.
    Add(add::AddArgs),
    /// Remove servers, with their secrets.
    #[command(alias = "rm")]
    Remove(remove::RemoveArgs),
    /// Start a server and list what it offers.
    Test(test::TestArgs),
    /// Show the tools of a server and how they differ from the accepted ones.
    Tools(tools::ToolsArgs),
    /// Print what a server wrote to its standard error, the last time it was used.
    Log(log::LogArgs),
}

/// Connects a server. Says who is waited for, and for how long.
pub(crate) async fn connect(app: &Connection, name: &str) -> Result<McpServerDetails, CliError> {
    let mut connecting = pin!(app.call(ConnectMcpServer { name: name.to_owned() }));
    let mut waited = Duration::ZERO;
    loop {
        let interval = if waited.is_zero() { FIRST_WAIT } else { WAIT_INTERVAL };
        tokio::select! {
            details = &mut connecting => return Ok(details?),
            () = tokio::time::sleep(interval) => waited += interval,
        }
        if let Some(message) = ToolProgress::of_starting_server(name, waited).message {
            print_error(&format!("{message}\n"));
        }
    }
}

/// When it is first said that a server is waited for, and how often after that.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const WAIT_INTERVAL: Duration = Duration::from_secs(10);

/// The tools that were accepted, as one line.
pub(crate) fn describe_pin(pin: &McpPin) -> String {
    let when = pin.at.map(|at| format!(" on {}", format_time(at))).unwrap_or_default();
    let how = if pin.as_first_seen { " as first seen" } else { "" };
    let hash = pin.definitions.get(..12).unwrap_or_default();
    let s = if pin.tools == 1 { "" } else { "s" };
    format!("{} tool{s} accepted{when}{how}, sha256:{hash}…", pin.tools)
}

impl McpArgs {
    /// Whether it serves agents, in place of working with the servers of flows.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self.command, McpCommand::Serve(_))
    }
}

pub(crate) async fn execute(home: &Home, args: McpArgs) -> Result<ExitStatus, CliError> {
    let command = match args.command {
        McpCommand::Serve(args) => return serve::execute(home, args).await,
        McpCommand::Servers(command) => command,
    };
    let app = match &command {
        ServersCommand::List(_) | ServersCommand::Log(_) => open_app::for_reading(home).await?,
        _ => open_app::for_writing(home).await?,
    };
    let result = match command {
        ServersCommand::List(args) => list::execute(&app, &args).await,
        ServersCommand::Add(args) => add::execute(&app, args).await,
        ServersCommand::Remove(args) => remove::execute(&app, args).await,
        ServersCommand::Test(args) => test::execute(&app, args).await,
        ServersCommand::Tools(args) => tools::execute(&app, args).await,
        ServersCommand::Log(args) => log::execute(&app, args).await,
    };
    // Servers that were started must end, also after an error.
    app.close().await?;
    result
}
