//! `mcp.disconnect` and `mcp.log`.

use plait_adapters::McpServers;
use plait_adapters::tools::mcp::McpLogLine;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

/// `mcp.disconnect`: ends a server. It is started again when a run needs it. `mcp.unknown_server`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DisconnectMcpServer {
    pub name: String,
}

impl Command for DisconnectMcpServer {
    const NAME: &'static str = "mcp.disconnect";
    type Service = McpServers;
    type Reply = ();

    async fn run(self, servers: &McpServers) -> Result<(), ErrorReply> {
        Ok(servers.disconnect(&self.name).await?)
    }
}

/// `mcp.log`: the last lines that a server wrote to its standard error, and what Plait noticed about it, oldest first.
/// `mcp.unknown_server`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetMcpLog {
    pub name: String,
}

impl Command for GetMcpLog {
    const NAME: &'static str = "mcp.log";
    type Service = McpServers;
    type Reply = Vec<McpLogLine>;

    async fn run(self, servers: &McpServers) -> Result<Vec<McpLogLine>, ErrorReply> {
        Ok(servers.log(&self.name).await?)
    }
}
