//! The tools of servers, as flows use them: only those that a person accepted, as they were then.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use plait_core::attachment::{Attachment, AttachmentStore};
use plait_core::error::Fault;
use plait_llm::tool::{KnownServer, KnownTool, ToolHost, ToolInvocation, ToolProgress, ToolSpec};
use serde_json::{Value, json};

use super::McpServers;
use crate::codes;
use crate::tools::mcp::definitions::{McpBinding, McpTool, to_specs};

/// How often watchers of a call see how long its server has been starting.
const WAIT_INTERVAL: Duration = Duration::from_secs(2);

/// A connection for a call. Watchers of the call see how long the start of the server takes.
async fn show_start<T>(start: impl Future<Output = T>, server: &str, call: &ToolInvocation) -> T {
    let mut start = pin!(start);
    let mut waited = Duration::ZERO;
    loop {
        tokio::select! {
            started = &mut start => return started,
            () = tokio::time::sleep(WAIT_INTERVAL) => waited += WAIT_INTERVAL,
        }
        (call.progress)(ToolProgress::of_starting_server(server, waited));
    }
}

/// Tools by the names that models call them by.
fn known_tools(specs: Vec<ToolSpec>) -> BTreeMap<String, KnownTool> {
    let known = specs.into_iter().map(|spec| {
        let own = spec.binding.get("tool").and_then(Value::as_str).unwrap_or(&spec.name).to_owned();
        (spec.name, KnownTool { name: own, effect: spec.effect })
    });
    known.collect()
}

#[async_trait]
impl ToolHost for McpServers {
    /// Empty: a flow gets tools of a server that it names.
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    fn servers(&self) -> BTreeMap<String, KnownServer> {
        let accepted = self.0.accepted.lock();
        let servers = self.0.servers.lock();
        let known = servers.iter().map(|(name, server)| {
            let tools = accepted.get(name).map(|accepted| {
                let tools: Vec<McpTool> = accepted.tools.values().cloned().collect();
                known_tools(to_specs(name, &tools, false))
            });
            (name.clone(), KnownServer { address: server.entry.address(name), tools })
        });
        known.collect()
    }

    async fn list_server(&self, name: &str) -> Result<Vec<ToolSpec>, Fault> {
        let server = self.find(name)?;
        let tools = self.connection(&server).await?.tools().await?;
        match self.changes(&server, &tools) {
            None => self.accept_first(&server, &tools).await?,
            Some(changes) if changes.needs_acceptance() => return Err(changes.fault(name)),
            Some(_) => {}
        }
        Ok(to_specs(name, &tools, server.entry.send_context))
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let tool = Arc::clone(&call.tool);
        let name = tool.source.split_once(':').map_or("", |(_, name)| name);
        let server = self.find(name)?;
        let binding: McpBinding = serde_json::from_value(tool.binding.clone()).map_err(|_| {
            Fault::new(
                codes::TOOL_UNKNOWN,
                format!("The tool `{}` is not bound to an MCP server.", tool.name),
            )
        })?;
        let connection = show_start(Box::pin(self.connection(&server)), name, &call).await?;
        let tools = connection.tools().await?;
        let current = tools.iter().find(|one| one.name == binding.tool);
        let is_accepted = self
            .0
            .accepted
            .lock()
            .get(name)
            .and_then(|accepted| accepted.tools.get(&binding.tool))
            .is_some_and(|accepted| accepted.hash() == binding.definition);
        if !is_accepted || current.is_none_or(|current| current.hash() != binding.definition) {
            let what = if current.is_some() { "changed" } else { "is gone" };
            let message = format!(
                "The tool `{}` of the MCP server `{name}` {what} since it was offered, so it is not called.",
                binding.tool
            );
            let changes = self.changes(&server, &tools);
            return Err(Fault::new(codes::MCP_TOOLS_CHANGED, message)
                .hint(format!(
                    "Look at what changed with `plait mcp tools {name}`, accept it, then run again."
                ))
                .details(json!({ "server": name, "changes": changes })));
        }
        let sends_context = server.entry.send_context || binding.send_context;
        let (result, images) =
            connection.call(&binding, &call, sends_context.then_some(&*call.context)).await?;
        for Attachment { hash, data, .. } in images {
            if let Some(data) = data {
                AttachmentStore::put(&self.0.store, &hash, data).await?;
            }
        }
        Ok(result)
    }
}
