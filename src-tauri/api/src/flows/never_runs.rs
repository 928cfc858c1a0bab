//! What can never run: nodes that would fail each time for a reason that the flow and this machine show beforehand. They name a tool,
//! an MCP server, a knowledge base or a provider that does not exist, or offer the workflow's memory to a model that may not
//! read it. `check` reports them, and no run starts with one.
//!
//! A node whose `error` output is connected handles its failure, so these are warnings there.

mod models;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use plait_core::config::Inheritance;
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::ErrorCode;
use plait_core::flow::{Flow, MemoryMode, Node, Unconfirmed};
use plait_core::id::NodeId;
use plait_core::port::ERROR_PORT;
use plait_llm::memory::WORKFLOW_MEMORY_TOOLS;
use plait_run::node::Registry;
use serde_json::Value;

use super::installed::Installed;
use super::unknown_names::unknown_names;
use crate::codes;
pub(super) use models::MODEL_NODES;
use models::uncallable_models;

/// The problems of a flow with what is not there. `contexts` is, by node, the node that makes its context.
pub(super) fn never_runs(
    flow: &Flow,
    contexts: &BTreeMap<NodeId, NodeId>,
    registry: &Registry,
    installed: &Installed,
    tools: &BTreeSet<String>,
) -> Vec<Diagnostic> {
    let handled = flow.edges.values().filter(|edge| edge.source_output.as_str() == ERROR_PORT);
    let inheritance = Inheritance::of(flow);
    let mut finder = Finder {
        flow,
        registry,
        installed,
        nodes: flow.executable_nodes().map(|(id, node)| (id, inheritance.apply(id, node))).collect(),
        handled: handled.map(|edge| &edge.source).collect(),
        found: Vec::new(),
    };
    finder.names(tools);
    finder.memory_tools();
    let models = uncallable_models(&finder, contexts);
    // A provider that is called is more than one that is named.
    finder.found.retain(|other| !models.contains_key(&other.pointer));
    finder.found.extend(models.into_values());
    finder.name_placeholders();
    finder.found
}

/// What one machine may have and another not.
const ON_A_MACHINE: [ErrorCode; 3] =
    [codes::PROVIDER_UNKNOWN, codes::KNOWLEDGE_UNKNOWN, codes::MCP_UNKNOWN_SERVER];

struct Finder<'f> {
    flow: &'f Flow,
    registry: &'f Registry,
    installed: &'f Installed,
    /// The nodes that may be executed, with what they inherit.
    nodes: BTreeMap<&'f NodeId, Cow<'f, Node>>,
    /// The nodes whose failure the flow handles.
    handled: BTreeSet<&'f NodeId>,
    found: Vec<Diagnostic>,
}

impl Finder<'_> {
    /// What is not on this machine.
    fn names(&mut self, tools: &BTreeSet<String>) {
        for found in unknown_names(self.flow, self.registry, self.installed, tools) {
            let is_handled = found.node.as_ref().is_some_and(|id| self.handled.contains(id));
            self.found.push(if is_handled { found.warning() } else { found });
        }
    }

    /// Tools that read the workflow's memory, offered to a model that may not.
    fn memory_tools(&mut self) {
        let of_flow = self.flow.settings.memory.as_ref().map(|memory| memory.mode).unwrap_or_default();
        let mut found = Vec::new();
        for edge in self.flow.edges.values().filter(|edge| edge.target_input.as_str() == "tools") {
            let (Some(tools), Some((id, node))) =
                (self.nodes.get(&edge.source), self.nodes.get_key_value(&edge.target))
            else {
                continue;
            };
            if self.node_type(tools) != "tools" || self.node_type(node) != "chat" {
                continue;
            }
            let names = tools.config.get("tools").and_then(Value::as_array).into_iter().flatten();
            let Some((index, name)) = names
                .enumerate()
                .filter_map(|(index, name)| Some((index, name.as_str()?)))
                .find(|(_, name)| WORKFLOW_MEMORY_TOOLS.contains(name))
            else {
                continue;
            };
            let own = node.config.get("memory").and_then(|memory| memory.get("mode"));
            let own = own.and_then(|mode| serde_json::from_value::<MemoryMode>(mode.clone()).ok());
            if own.unwrap_or(of_flow).reads() {
                continue;
            }
            let message = format!(
                "The tool `{name}` reads the workflow's memory, and `{id}`, which it is offered to, has no access to it."
            );
            let mut problem = self.on(id, codes::MEMORY_OFF, message).hint(
                "Set `memory.mode` of the node or of the flow to `read` or `readWrite`, or do not offer the tool.",
            );
            problem.pointer = format!("/nodes/{}/config/tools/{index}", escape(edge.source.as_str()));
            found.push(problem);
        }
        self.found.extend(found);
    }

    /// What an import says a node uses, and this machine has not, makes the node a placeholder for it.
    fn name_placeholders(&mut self) {
        for found in &mut self.found {
            let Some((id, node)) = found.node.as_ref().and_then(|id| self.flow.nodes.get_key_value(id))
            else {
                continue;
            };
            let start = format!("/nodes/{}/config", escape(id.as_str()));
            let Some(place) = found.pointer.strip_prefix(&start) else { continue };
            let config = Value::Object(node.config.clone());
            let Some(name) = config.pointer(place).and_then(Value::as_str) else { continue };
            if ON_A_MACHINE.contains(&found.code)
                && node.unconfirmed.contains(&Unconfirmed::StandsFor { name: name.to_owned() })
            {
                found.code = codes::IMPORT_PLACEHOLDER;
                found.message =
                    format!("In the file that was imported, this node uses `{name}`. {}", found.message);
            }
        }
    }

    fn node_type<'n>(&'n self, node: &'n Node) -> &'n str {
        self.registry.descriptor(&node.node_type).map_or(&node.node_type, |found| &found.node_type)
    }

    /// A problem of a node: a warning if the flow handles its failure.
    fn on(&self, id: &NodeId, code: ErrorCode, message: String) -> Diagnostic {
        let problem = Diagnostic::on_node(code, id, message);
        if self.handled.contains(id) { problem.warning() } else { problem }
    }
}

#[cfg(test)]
mod tests;
