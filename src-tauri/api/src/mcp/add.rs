//! `mcp.add` and `mcp.remove`.

use plait_adapters::McpServers;
use plait_adapters::tools::mcp::McpImport;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

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
