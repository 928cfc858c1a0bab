//! `mcp.*`: the MCP servers of the person. Only `mcp.connect`, `mcp.acceptTools` and `mcp.readResource` start one.

use plait_adapters::McpServers;
use plait_adapters::tools::mcp::{
    McpImport, McpLogLine, McpResourceContent, McpServerDetails, McpServerStatus,
};
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
        servers.check_readable()?;
        Ok(servers.list())
    }
}

/// `mcp.add`: adds the servers of a JSON document as other clients have it, and starts none. `mcp.entry_invalid`,
/// `mcp.server_exists`, `settings.holds_secret`, `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AddMcpServers {
    /// `{"mcpServers": {NAME: {…}}}`, `{NAME: {…}}` or a single entry. Secrets in it go to the key store.
    pub json: String,
    /// The name of the server, if there is one only.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
    /// Whether servers of these names are replaced.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replace: bool,
}

impl Command for AddMcpServers {
    const NAME: &'static str = "mcp.add";
    type Service = McpServers;
    type Reply = McpImport;

    async fn run(self, servers: &McpServers) -> Result<McpImport, ErrorReply> {
        Ok(servers.add(&self.json, self.name.as_deref(), self.replace).await?)
    }
}

/// `mcp.remove`: stops and removes a server, with its secrets and the tools that were accepted. `mcp.unknown_server`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveMcpServer {
    pub name: String,
}

impl Command for RemoveMcpServer {
    const NAME: &'static str = "mcp.remove";
    type Service = McpServers;
    type Reply = ();

    async fn run(self, servers: &McpServers) -> Result<(), ErrorReply> {
        Ok(servers.remove(&self.name).await?)
    }
}

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
