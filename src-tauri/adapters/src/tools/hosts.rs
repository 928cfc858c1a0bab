//! Several tool hosts as one: a call goes to the host of the tool's `source`.
//!
//! The source is `native`, `http` or `mcp:SERVER`; what stands before the colon names the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::tool::{KnownServer, ToolHost, ToolInvocation, ToolSpec};
use serde_json::Value;

use crate::codes;

/// The part of a tool's source that MCP servers have in common.
pub(super) const MCP: &str = "mcp";

/// Tool hosts by the kind of source that they serve. Cheap to clone.
#[derive(Clone, Default)]
pub struct ToolHosts {
    hosts: Vec<(&'static str, Arc<dyn ToolHost>)>,
}

impl ToolHosts {
    /// Adds `host` for the tools of the source `kind` or of a source that begins with `kind:`.
    #[must_use]
    pub fn with(mut self, kind: &'static str, host: Arc<dyn ToolHost>) -> Self {
        self.hosts.push((kind, host));
        self
    }

    fn find(&self, source: &str) -> Option<&Arc<dyn ToolHost>> {
        let kind = source.split_once(':').map_or(source, |(kind, _)| kind);
        self.hosts.iter().find_map(|(known, host)| (*known == kind).then_some(host))
    }
}

#[async_trait]
impl ToolHost for ToolHosts {
    fn list(&self) -> Vec<ToolSpec> {
        let mut tools: Vec<_> = self.hosts.iter().flat_map(|(_, host)| host.list()).collect();
        tools.sort_by(|left, right| left.name.cmp(&right.name));
        tools
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        self.find(MCP).map(|host| host.servers()).unwrap_or_default()
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        let host = self.find(MCP).ok_or_else(|| {
            Fault::new(codes::MCP_UNKNOWN_SERVER, format!("There is no MCP server `{server}`."))
        })?;
        host.list_server(server).await
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        if let Some(host) = self.find(&call.tool.source) {
            return host.call(call).await;
        }
        let ToolSpec { name, source, .. } = &*call.tool;
        let message = format!("Nothing here can call the tool `{name}`: its source is `{source}`.");
        Err(Fault::new(codes::TOOL_UNKNOWN, message))
    }
}

#[cfg(test)]
mod tests;
