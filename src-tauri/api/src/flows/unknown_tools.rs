//! Tools that a flow names and that do not exist: its nodes would fail with `tools.unknown` when they run.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use plait_adapters::{FileAccess, KeyStore, NativeTools, ToolEnvironment};
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::flow::{Flow, Node};
use plait_core::id::NodeId;
use serde_json::Value;

use crate::codes;
use crate::tools::own_tools;

/// The input by which a node gets tools of other nodes.
const TOOLS_INPUT: &str = "tools";

/// The names of Plait's own tools. Starts nothing.
pub fn own_tool_names() -> &'static BTreeSet<String> {
    // Names do not depend on files and keys. To make the tools compiles a schema for each, so that is done once.
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let environment = ToolEnvironment::new(FileAccess::default(), KeyStore::in_memory());
        own_tools(&NativeTools::new(&environment)).into_iter().map(|tool| tool.name).collect()
    });
    &NAMES
}

/// An error for each name of a tool that is not among `known`, Plait's own tools. What a `tools` edge offers is known only
/// when the flow runs, so a node with one is not tested.
pub(super) fn unknown_tools(flow: &Flow, known: &BTreeSet<String>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, node) in flow.enabled_nodes() {
        match node.node_type.as_str() {
            "tools" => found.extend(in_tools_node(id, node, known)),
            "callTool" if !gets_tools(flow, id) => {
                let name = node.config.get("tool").and_then(Value::as_str).map(str::trim).unwrap_or_default();
                if !known.contains(name) {
                    let message = if name.is_empty() {
                        "This node names no tool.".to_owned()
                    } else {
                        format!("There is no tool `{name}`.")
                    };
                    found.push(unknown(id, "/tool", message, known));
                }
            }
            _ => {}
        }
    }
    found
}

fn in_tools_node(id: &NodeId, node: &Node, known: &BTreeSet<String>) -> Vec<Diagnostic> {
    let Some(Value::Array(chosen)) = node.config.get("tools") else { return Vec::new() };
    let names = chosen.iter().enumerate().filter_map(|(index, name)| Some((index, name.as_str()?)));
    names
        .filter(|(_, name)| !known.contains(*name))
        .map(|(index, name)| {
            unknown(id, &format!("/tools/{index}"), format!("There is no tool `{name}`."), known)
        })
        .collect()
}

fn gets_tools(flow: &Flow, id: &NodeId) -> bool {
    flow.edges.values().any(|edge| edge.target == *id && edge.target_input.as_str() == TOOLS_INPUT)
}

fn unknown(id: &NodeId, setting: &str, message: String, known: &BTreeSet<String>) -> Diagnostic {
    let all: Vec<&str> = known.iter().map(String::as_str).collect();
    Diagnostic::error(
        codes::TOOLS_UNKNOWN,
        format!("/nodes/{}/config{setting}", escape(id.as_str())),
        message,
    )
    .hint(format!("Choose one of: {}.", all.join(", ")))
    .node(id)
}

#[cfg(test)]
mod tests;
