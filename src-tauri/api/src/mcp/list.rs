//! `mcp.list`.

use plait_adapters::McpServers;
use plait_adapters::tools::mcp::McpServerStatus;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

/// `mcp.list`: the servers and what they do now, by name.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListMcpServers {}

impl Command for ListMcpServers {
    const NAME: &'static str = "mcp.list";
    type Service = McpServers;
    type Reply = Vec<McpServerStatus>;

    async fn run(self, servers: &McpServers) -> Result<Vec<McpServerStatus>, ErrorReply> {
        Ok(servers.list())
    }
}
