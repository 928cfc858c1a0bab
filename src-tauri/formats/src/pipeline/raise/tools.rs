//! The tools and MCP servers of an agent, from the nodes that offer them to its step.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Raising;
use super::refusal::on_node;
use crate::pipeline::lower::{SERVER_SUFFIX, TOOLS_SUFFIX, server_id};
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::Node;
use plait_core::id::NodeId;

impl<'f> Raising<'f> {
    /// Adds what is offered to a step to its agent, by the keys of pipelines.
    pub(super) fn tools(
        &mut self,
        id: &NodeId,
        agent: &mut Map<String, Value>,
    ) -> Result<(), Box<Diagnostic>> {
        let edges = self.incoming.get(id).into_iter().flatten().copied();
        let sources: BTreeSet<&'f NodeId> =
            edges.filter(|edge| edge.target_input.as_str() == "tools").map(|edge| &edge.source).collect();
        let (mut servers, mut has_own) = (Vec::new(), false);
        for source in sources {
            if self.node_type(source) == "mcpServer" {
                servers.push(source);
            } else if !std::mem::replace(&mut has_own, true) {
                let Some(tools) = self.alone(id, "tools", source, "tools", &format!("{id}{TOOLS_SUFFIX}"))?
                else {
                    continue;
                };
                let selection = tools.config.get("tools").cloned().unwrap_or_else(|| "auto".into());
                let http = tools.config.get("http").cloned();
                // Without a selection, an agent with HTTP tools has no others.
                if http.is_none() || selection.as_array().is_none_or(|names| !names.is_empty()) {
                    agent.insert("tools".to_owned(), selection);
                }
                agent.extend(http.map(|http| ("http_tools".to_owned(), http)));
            } else {
                return Err(on_node(
                    id,
                    "It gets tools of several `tools` nodes. In a pipeline, an agent has one list.",
                ));
            }
        }
        // In the order of the list that they come from; `10` comes after `9`.
        let number = |server: &&NodeId| {
            let (_, number) = server.as_str().rsplit_once(SERVER_SUFFIX)?;
            number.parse::<usize>().ok()
        };
        servers.sort_by_key(|server| (number(server).unwrap_or(usize::MAX), *server));
        let mut listed = Vec::new();
        for (index, server) in servers.into_iter().enumerate() {
            let Some(node) = self.alone(id, "tools", server, "mcpServer", &server_id(id.as_str(), index))?
            else {
                continue;
            };
            listed.push(server_entry(node));
        }
        if !listed.is_empty() {
            agent.insert("mcp_servers".to_owned(), listed.into());
        }
        Ok(())
    }
}

/// An entry of `mcp_servers`: its name if nothing else is set.
fn server_entry(node: &Node) -> Value {
    let mut entry = Map::new();
    for (key, value) in &node.config {
        let value = match (key.as_str(), value) {
            ("policy", Value::Object(policy)) => {
                let renamed = policy.iter().map(|(key, value)| {
                    let key = if key == "timeoutMs" { "timeout_ms" } else { key };
                    (key.to_owned(), value.clone())
                });
                Value::Object(renamed.collect())
            }
            _ => value.clone(),
        };
        let key = if key == "sendContext" { "send_context" } else { key };
        entry.insert(key.to_owned(), value);
    }
    match entry.get("server") {
        Some(Value::String(name)) if entry.len() == 1 => name.as_str().into(),
        _ => Value::Object(entry),
    }
}
