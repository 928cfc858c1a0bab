//! Names of what is not on this machine: providers, tools, MCP servers and knowledge bases. A setting is checked because its schema says
//! what it names ([`names_in`]), so one that is new is checked as well.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use plait_adapters::{FileAccess, KeyStore, NativeTools, ToolEnvironment};
use plait_core::config::{NameKind, SettingName, flow_settings_schema, forms, may_name, names_in};
use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::ErrorCode;
use plait_core::flow::{Flow, Limits, Node};
use plait_core::id::NodeId;
use plait_core::similar_name::similar_name;
use plait_llm::tool::ToolHost as _;
use plait_run::node::{NodeDescriptor, Registry};
use serde_json::{Map, Value};

use super::installed::Installed;
use crate::codes;

/// The input by which a node gets tools of other nodes.
const TOOLS_INPUT: &str = "tools";

/// The schemas of what flows set beside the configs of nodes.
static SETTINGS: LazyLock<Value> = LazyLock::new(flow_settings_schema);
static LIMITS: LazyLock<Value> = LazyLock::new(|| forms().limits);

/// The names of Plait's own tools. Starts nothing.
pub fn own_tool_names(registry: &Registry) -> BTreeSet<String> {
    // Names do not depend on files and keys. To make the tools compiles a schema for each, so that is done once.
    static NATIVE: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let environment = ToolEnvironment::new(FileAccess::default(), KeyStore::in_memory());
        NativeTools::new(&environment).list().into_iter().map(|tool| tool.name).collect()
    });
    NATIVE.iter().chain(registry.tools().iter().map(|tool| &tool.name)).cloned().collect()
}

/// A problem for each name in a flow that is not known here. The node that uses it fails, except that a provider may be named where no model
/// is called: that is a warning.
pub(super) fn unknown_names(
    flow: &Flow,
    registry: &Registry,
    installed: &Installed,
    tools: &BTreeSet<String>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let settings = serde_json::to_value(&flow.settings).unwrap_or_default();
    for name in names_in(&SETTINGS, &settings, "/settings") {
        found.extend(problem(&name, installed, tools));
    }
    let mut naming_types: BTreeMap<&str, Option<&NodeDescriptor>> = BTreeMap::new();
    for (id, node) in flow.executable_nodes() {
        let descriptor = *naming_types.entry(&node.node_type).or_insert_with(|| {
            registry.descriptor(&node.node_type).filter(|descriptor| may_name(&descriptor.config_schema))
        });
        // Most nodes name nothing, and need no pointers.
        let has_limits = node.limits != Limits::default();
        if descriptor.is_none() && !(has_limits && registry.descriptor(&node.node_type).is_some()) {
            continue;
        }
        let place = format!("/nodes/{}", escape(id.as_str()));
        let config = Value::Object(node.config.clone());
        let limits =
            if has_limits { serde_json::to_value(&node.limits).unwrap_or_default() } else { Value::Null };
        let mut names = descriptor
            .map(|found| names_in(&found.config_schema, &config, &format!("{place}/config")))
            .unwrap_or_default();
        names.extend(names_in(&LIMITS, &limits, &format!("{place}/limits")));
        names.retain(|name| match name.kind {
            // What an edge offers is known only when the flow runs.
            NameKind::Tool => !gets_tools(flow, id),
            NameKind::KnowledgeBase => searches(&node.config),
            NameKind::Provider | NameKind::McpServer => true,
        });
        found.extend(names.iter().filter_map(|name| problem(name, installed, tools)).map(|one| one.node(id)));
        found.extend(options_of_others(id, node));
    }
    found
}

/// The problem with a name that this machine does not have.
fn problem(name: &SettingName<'_>, installed: &Installed, tools: &BTreeSet<String>) -> Option<Diagnostic> {
    let SettingName { kind, pointer, name } = name;
    let unknown = |code: ErrorCode, what: &str| {
        Diagnostic::error(code, pointer, format!("There is no {what} `{name}` on this machine."))
    };
    let is_missing_from = |known: &&BTreeSet<String>| !known.contains(*name);
    match kind {
        NameKind::Provider => {
            let known = installed.providers.as_ref().filter(is_missing_from)?;
            Some(unknown_provider(pointer, name, known).warning())
        }
        NameKind::Tool => {
            let known = Some(tools).filter(is_missing_from)?;
            if name.is_empty() {
                let problem = Diagnostic::error(codes::TOOLS_UNKNOWN, pointer, "This entry names no tool.");
                return Some(problem.hint("Choose a tool, or remove the entry."));
            }
            let message = format!("There is no tool `{name}`.");
            let hint = format!("Choose one of: {}.", join_names(known));
            Some(Diagnostic::error(codes::TOOLS_UNKNOWN, pointer, message).hint(hint))
        }
        NameKind::McpServer => {
            if let Some(fault) = &installed.servers_fault {
                let found = Diagnostic::error(fault.code.clone(), pointer, fault.message.clone());
                return Some(fault.hint.iter().fold(found, |found, hint| found.hint(hint.clone())));
            }
            let known = installed.servers.as_ref().filter(is_missing_from)?;
            let hint = add_hint(name, known, "under *MCP servers* or with `plait mcp add`");
            Some(unknown(codes::MCP_UNKNOWN_SERVER, "MCP server").hint(hint))
        }
        NameKind::KnowledgeBase => {
            let known = installed.bases.as_ref().filter(is_missing_from)?;
            let hint = add_hint(name, known, "in the Knowledge panel or with `plait knowledge add`");
            Some(unknown(codes::KNOWLEDGE_UNKNOWN, "knowledge base").hint(hint))
        }
    }
}

/// The error of a provider that is not among `known`.
pub(super) fn unknown_provider(pointer: &str, name: &str, known: &BTreeSet<String>) -> Diagnostic {
    let message = format!("There is no provider `{name}` on this machine.");
    let hint = format!(
        "Add it with `plait providers add {name}` or in the settings, or name one of: {}.",
        join_names(known)
    );
    Diagnostic::error(codes::PROVIDER_UNKNOWN, pointer, message).hint(hint)
}

/// `perTool` of a `tools` node that names its tools, for a tool that is not among them.
fn options_of_others(id: &NodeId, node: &Node) -> Vec<Diagnostic> {
    let config = &node.config;
    let (Some(Value::Array(names)), None) = (config.get("tools"), config.get("openapi")) else {
        return Vec::new();
    };
    let http = config.get("http").and_then(Value::as_array).into_iter().flatten();
    let offered: BTreeSet<&str> =
        names.iter().filter_map(Value::as_str).chain(http.filter_map(|tool| tool["name"].as_str())).collect();
    let options = config.get("perTool").and_then(Value::as_object);
    let others = options.into_iter().flat_map(Map::keys).filter(|name| !offered.contains(name.as_str()));
    let problem = |name: &String| {
        let message = format!("`perTool` has options for `{name}`, which this node does not offer.");
        Diagnostic::on_node(codes::TOOLS_UNKNOWN, id, message)
            .below(&format!("/config/perTool/{}", escape(name)))
            .hint("Add it to `tools`, or remove its options.")
    };
    others.map(problem).collect()
}

fn gets_tools(flow: &Flow, id: &NodeId) -> bool {
    flow.edges.values().any(|edge| edge.target == *id && edge.target_input.as_str() == TOOLS_INPUT)
}

/// Whether a node searches what its `knowledge` names.
fn searches(config: &Map<String, Value>) -> bool {
    let order = config.get("blocks").and_then(|blocks| blocks.get("order")).and_then(Value::as_array);
    order.is_none_or(|order| order.is_empty() || order.iter().any(|block| block == "retrieval"))
}

fn add_hint(name: &str, known: &BTreeSet<String>, place: &str) -> String {
    match similar_name(name, known.iter().map(String::as_str)) {
        Some(similar) => format!("Did you mean `{similar}`? Otherwise add it {place}."),
        None => format!("Add it {place}, or correct the name."),
    }
}

fn join_names(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
