//! `mcp.connect`, `mcp.acceptTools` and `mcp.readResource`.

use plait_adapters::McpServers;
use plait_adapters::tools::mcp::{McpResourceContent, McpServerDetails};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

/// `mcp.connect`: connects a server if it is not connected, and lists its tools, resources and prompts. The first time, its
/// tools become the accepted ones. `mcp.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ConnectMcpServer {
    pub name: String,
}

impl Command for ConnectMcpServer {
    const NAME: &'static str = "mcp.connect";
    type Service = McpServers;
    type Reply = McpServerDetails;

    async fn run(self, servers: &McpServers) -> Result<McpServerDetails, ErrorReply> {
        Ok(servers.connect(&self.name).await?)
    }
}

/// `mcp.acceptTools`: accepts the tools of a server as they are now. `mcp.tools_changed` if they changed once more since
/// they were shown.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AcceptMcpTools {
    pub name: String,
    /// The definitions that were shown, as `changes.definitions` identifies them.
    pub definitions: String,
}

impl Command for AcceptMcpTools {
    const NAME: &'static str = "mcp.acceptTools";
    type Service = McpServers;
    type Reply = McpServerDetails;

    async fn run(self, servers: &McpServers) -> Result<McpServerDetails, ErrorReply> {
        servers.accept_tools(&self.name, &self.definitions).await?;
        Ok(servers.connect(&self.name).await?)
    }
}

/// `mcp.readResource`: the content of a resource. Bytes are described by their type and size. `mcp.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ReadMcpResource {
    pub name: String,
    pub uri: String,
}

impl Command for ReadMcpResource {
    const NAME: &'static str = "mcp.readResource";
    type Service = McpServers;
    type Reply = McpResourceContent;

    async fn run(self, servers: &McpServers) -> Result<McpResourceContent, ErrorReply> {
        Ok(servers.read_resource(&self.name, &self.uri).await?)
    }
}
