//! The agents that summarize the histories of loops: `chat` nodes that loops name as `summarizer_agent`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::codes;
use crate::node::Registry;
use plait_core::config::summarizer_with_default;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Flow, SummarizerAgent};
use plait_core::id::NodeId;
use plait_core::similar_name::similar_name;

/// The type of a node that can summarize.
const AGENT_TYPE: &str = "chat";

/// The agents of a flow, by node. Those without a model of their own have that of the default one.
pub(super) fn agents(
    flow: &Flow,
    default: Option<&SummarizerAgent>,
) -> BTreeMap<NodeId, Arc<SummarizerAgent>> {
    let agents = named(flow).filter_map(|(_, agent)| {
        let (id, node) = flow.nodes.get_key_value(agent)?;
        let config = Value::Object(node.config.clone());
        let agent = serde_json::from_value(config).unwrap_or_default();
        Some((id.clone(), Arc::new(summarizer_with_default(agent, default))))
    });
    agents.collect()
}

/// The agents that are not connected: they write summaries only, and never run as steps.
pub(super) fn unconnected(flow: &Flow) -> FxHashSet<&str> {
    let mut agents: FxHashSet<&str> = named(flow).map(|(_, agent)| agent).collect();
    if !agents.is_empty() {
        for edge in flow.edges.values() {
            agents.remove(edge.source.as_str());
            agents.remove(edge.target.as_str());
        }
    }
    agents
}

/// Reports agents that do not exist or cannot summarize.
pub fn check(flow: &Flow, registry: &Registry, diagnostics: &mut Vec<Diagnostic>) {
    for (container, agent) in named(flow) {
        let node_type = flow.nodes.get(agent).map(|node| node.node_type.as_str());
        let is_agent =
            |name: &str| registry.descriptor(name).is_some_and(|found| found.node_type == AGENT_TYPE);
        if node_type.is_some_and(is_agent) {
            continue;
        }
        let message = match node_type {
            Some(_) => format!("The node `{agent}` cannot summarize: it is no `{AGENT_TYPE}` node."),
            None => format!("There is no node `{agent}` that could summarize."),
        };
        let chats = flow.nodes.iter().filter(|(_, node)| is_agent(&node.node_type));
        let similar = similar_name(agent, chats.map(|(id, _)| id.as_str()));
        let hint = similar.map_or_else(
            || format!("Add a `{AGENT_TYPE}` node with this id. It needs no edges."),
            |similar| format!("Did you mean `{similar}`?"),
        );
        let found = Diagnostic::on_node(codes::CONFIG_UNKNOWN_SOURCE, container, message);
        diagnostics.push(found.below("/config/history_management/summarizer_agent").hint(hint));
    }
}

/// The loops of a flow that name an agent, and its name.
fn named(flow: &Flow) -> impl Iterator<Item = (&NodeId, &str)> {
    let loops = flow.nodes.iter().filter(|(_, node)| node.node_type == "loop");
    loops.filter_map(|(id, node)| {
        let agent = node.config.get("history_management")?.get("summarizer_agent")?.as_str()?;
        Some((id, agent))
    })
}
