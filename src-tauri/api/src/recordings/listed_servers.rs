//! The tools that MCP servers had when runs came to their nodes: what a replay offers without starting a server.

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use plait_journal::{Entry, Event, NodeEvent};
use plait_llm::tool::{ToolPolicy, ToolSpec};
use serde::Deserialize as _;
use serde_json::Value;

/// The type of the nodes that do.
const MCP_SERVER: &str = "mcpServer";

/// By server, the tools as the server named them: what nodes offered, without what their configs add.
#[derive(Default)]
pub(crate) struct ListedServers(pub(super) BTreeMap<String, Vec<ToolSpec>>);

impl ListedServers {
    /// Whether the flow with this text may have nodes that list servers.
    pub(crate) fn may_be_of(text: &str) -> bool {
        text.contains(MCP_SERVER)
    }

    /// Adds what a run of a flow listed.
    pub(crate) fn add(&mut self, flow: &Flow, entries: &[Entry]) {
        for entry in entries {
            let Event::Node(activation, NodeEvent::Finished { outputs, .. }) = &entry.event else { continue };
            let node = flow.nodes.get(&activation.node).filter(|node| node.node_type == MCP_SERVER);
            let Some((node, offered)) = node.zip(outputs.get("tools")) else { continue };
            let text =
                |key: &str| node.config.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (server, prefix) = (text("server").trim().to_owned(), text("prefix"));
            let known = self.0.entry(server).or_default();
            for tool in Vec::<ToolSpec>::deserialize(&**offered).unwrap_or_default() {
                let name = tool.name.strip_prefix(&*prefix).unwrap_or(&tool.name).to_owned();
                if known.iter().any(|known| known.name == name) {
                    continue;
                }
                let mut tool = ToolSpec { name, instructions: None, policy: ToolPolicy::default(), ..tool };
                if let Value::Object(binding) = &mut tool.binding {
                    binding.remove("sendContext");
                }
                known.push(tool);
            }
        }
    }
}
