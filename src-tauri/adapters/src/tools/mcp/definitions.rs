//! The tools of a server as it defines them, the definitions that the person accepted, and the difference.
//!
//! A model does what a tool's description says. So a description that changes after it was accepted is never shown to a model:
//! the server's tools cannot be used until the person accepts what changed.

use std::collections::{BTreeMap, HashSet};

use plait_core::error::Fault;
use plait_core::expression::schema::check_schema;
use plait_core::hash::content_hash;
use plait_llm::tool::{ToolEffect, ToolSpec};
use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

use super::log::now_ms;
use crate::codes;
use crate::tools::hosts::MCP;

pub(super) const MAX_TOOLS: usize = 512;
/// The longest name that all providers take.
const MAX_NAME_BYTES: usize = 64;
const MAX_DESCRIPTION_BYTES: usize = 16 << 10;
const MAX_DEFINITION_BYTES: usize = 256 << 10;

/// A tool as its server defines it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpTool {
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments.
    #[ts(type = "unknown")]
    pub parameters: Value,
    /// Whether the server says that it changes nothing.
    pub read_only: bool,
    /// Why it is not offered, if it is invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

impl McpTool {
    pub(super) fn new(tool: Tool) -> Self {
        let description =
            tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default().to_owned();
        let read_only = tool.annotations.as_ref().and_then(|hints| hints.read_only_hint).unwrap_or_default();
        let parameters = tool.schema_as_json_value();
        let mut read =
            Self { name: tool.name.into_owned(), description, parameters, read_only, problem: None };
        read.problem = read.find_problem();
        read
    }

    /// A tool as it is in the message. One that cannot be read has a problem.
    pub(super) fn read(definition: Value) -> Self {
        let text = |key: &str| definition[key].as_str().unwrap_or_default().to_owned();
        let (name, description) = (text("name"), text("description"));
        let has_schema = definition["inputSchema"].is_object();
        match serde_json::from_value(definition) {
            Ok(tool) => Self::new(tool),
            Err(error) => {
                let problem = if has_schema {
                    format!("Its definition cannot be read: {error}.")
                } else {
                    "It has no `inputSchema`, which says what its arguments are.".to_owned()
                };
                let parameters = Value::Null;
                Self { name, description, parameters, read_only: false, problem: Some(problem) }
            }
        }
    }

    fn find_problem(&self) -> Option<String> {
        if self.name.is_empty() {
            return Some("It has no name.".to_owned());
        }
        if self.description.len() > MAX_DESCRIPTION_BYTES {
            return Some(format!("Its description is longer than {} KB.", MAX_DESCRIPTION_BYTES >> 10));
        }
        if self.parameters.to_string().len() > MAX_DEFINITION_BYTES {
            return Some(format!("Its schema is larger than {} KB.", MAX_DEFINITION_BYTES >> 10));
        }
        if self.parameters.get("type").is_some_and(|kind| kind != "object") {
            return Some("Its schema does not describe an object.".to_owned());
        }
        check_schema(&self.parameters)
    }

    /// Identifies the definition.
    pub(super) fn hash(&self) -> String {
        let mut definition = json!({
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
            "readOnly": self.read_only,
        });
        definition.sort_all_objects();
        content_hash(definition.to_string().as_bytes())
    }
}

/// The content of a tool's binding: the tool of the server, and its definition.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct McpBinding {
    pub(super) tool: String,
    pub(super) definition: String,
    /// Whether it receives a part of the conversation, regardless of the entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) send_context: bool,
}

/// How the tools of a server differ from the accepted ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpToolChanges {
    /// Identifies the server's definitions. Accepting names it, so that what is accepted is what was shown.
    pub definitions: String,
    pub added: Vec<McpTool>,
    pub changed: Vec<McpToolChange>,
    /// The names of tools that are gone.
    pub removed: Vec<String>,
}

/// A tool whose definition changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpToolChange {
    pub accepted: McpTool,
    pub current: McpTool,
}

impl McpToolChanges {
    /// The difference between the accepted tools and the server's current tools.
    pub(super) fn between(accepted: &BTreeMap<String, McpTool>, current: &[McpTool]) -> Self {
        let mut changes = Self { definitions: definitions_hash(current), ..Self::default() };
        for tool in current {
            match accepted.get(&tool.name) {
                None => changes.added.push(tool.clone()),
                Some(known) if known.hash() != tool.hash() => {
                    changes.changed.push(McpToolChange { accepted: known.clone(), current: tool.clone() });
                }
                Some(_) => {}
            }
        }
        let is_gone = |name: &&String| current.iter().all(|tool| tool.name != **name);
        changes.removed = accepted.keys().filter(is_gone).cloned().collect();
        changes
    }

    /// Whether the tools cannot be used. A tool that is gone does no harm.
    pub(super) fn needs_acceptance(&self) -> bool {
        !self.added.is_empty() || !self.changed.is_empty()
    }

    pub(super) fn fault(&self, server: &str) -> Fault {
        let names = |tools: &mut dyn Iterator<Item = &str>| {
            tools.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        if !self.changed.is_empty() {
            let changed = names(&mut self.changed.iter().map(|change| change.current.name.as_str()));
            parts.push(format!("changed: {changed}"));
        }
        if !self.added.is_empty() {
            parts.push(format!("new: {}", names(&mut self.added.iter().map(|tool| tool.name.as_str()))));
        }
        if !self.removed.is_empty() {
            parts.push(format!("gone: {}", names(&mut self.removed.iter().map(String::as_str))));
        }
        let message = format!(
            "The tools of the MCP server `{server}` are not those that were accepted ({}).",
            parts.join("; ")
        );
        Fault::new(codes::MCP_TOOLS_CHANGED, message)
            .hint(format!(
                "Look at what changed with `plait mcp tools {server}` or under *MCP servers*, then accept it."
            ))
            .details(json!({ "server": server, "changes": self }))
    }
}

/// The accepted tools of a server, with the definitions that were accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "StoredTools")]
pub(super) struct AcceptedTools {
    /// When, in milliseconds since the Unix epoch. Early versions did not store it.
    at: Option<u64>,
    /// Whether no person has seen them: they are the tools of the first connection.
    as_first_seen: bool,
    pub(super) tools: BTreeMap<String, McpTool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StoredTools {
    #[serde(rename_all = "camelCase")]
    Current { at: Option<u64>, as_first_seen: bool, tools: BTreeMap<String, McpTool> },
    /// Early versions stored nothing else.
    Early(BTreeMap<String, McpTool>),
}

impl From<StoredTools> for AcceptedTools {
    fn from(stored: StoredTools) -> Self {
        match stored {
            StoredTools::Current { at, as_first_seen, tools } => Self { at, as_first_seen, tools },
            StoredTools::Early(tools) => Self { at: None, as_first_seen: false, tools },
        }
    }
}

impl AcceptedTools {
    /// Accepts these tools now.
    pub(super) fn new(tools: &[McpTool], as_first_seen: bool) -> Self {
        let tools = tools.iter().map(|tool| (tool.name.clone(), tool.clone())).collect();
        Self { at: Some(now_ms()), as_first_seen, tools }
    }

    /// What a person sees of it.
    pub(super) fn pin(&self) -> McpPin {
        McpPin {
            tools: self.tools.len(),
            definitions: definitions_hash(self.tools.values()),
            at: self.at,
            as_first_seen: self.as_first_seen,
        }
    }
}

/// The tools of a server that were accepted. A tool with another definition cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpPin {
    /// How many there are.
    pub tools: usize,
    /// The hash of their definitions.
    pub definitions: String,
    /// When they were accepted, in milliseconds since the Unix epoch. Early versions did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub at: Option<u64>,
    /// Whether they were accepted as the server had them at its first connection. Otherwise the person accepted a change.
    pub as_first_seen: bool,
}

/// Identifies the definitions of all tools of a server, in any order.
pub(super) fn definitions_hash<'a>(tools: impl IntoIterator<Item = &'a McpTool>) -> String {
    let mut hashes: Vec<String> = tools.into_iter().map(McpTool::hash).collect();
    hashes.sort_unstable();
    content_hash(hashes.join("\n").as_bytes())
}

/// The tools as models see them: valid tools, each with a name that every provider takes. `send_context`: whether they
/// receive a part of the conversation.
pub(super) fn to_specs(server: &str, tools: &[McpTool], send_context: bool) -> Vec<ToolSpec> {
    let mut names = HashSet::new();
    let valid = tools.iter().filter(|tool| tool.problem.is_none());
    let specs = valid.map(|tool| {
        let binding = McpBinding { tool: tool.name.clone(), definition: tool.hash(), send_context };
        ToolSpec {
            binding: serde_json::to_value(binding).unwrap_or_default(),
            effect: if tool.read_only { ToolEffect::Read } else { ToolEffect::Write },
            ..ToolSpec::new(
                unique_name(&tool.name, &mut names),
                tool.description.clone(),
                with_object_type(&tool.parameters),
                format!("{MCP}:{server}"),
            )
        }
    });
    specs.collect()
}

/// Providers refuse schemas that do not say so.
fn with_object_type(parameters: &Value) -> Value {
    let mut parameters = parameters.clone();
    if let Some(members) = parameters.as_object_mut() {
        members.entry("type").or_insert_with(|| "object".into());
        members.entry("properties").or_insert_with(|| json!({}));
    }
    parameters
}

fn unique_name(name: &str, taken: &mut HashSet<String>) -> String {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let base: String =
        name.chars().map(|char| if is_allowed(char) { char } else { '_' }).take(MAX_NAME_BYTES).collect();
    let mut unique = base.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        let suffix = format!("_{number}");
        unique = format!("{}{suffix}", &base[..base.len().min(MAX_NAME_BYTES - suffix.len())]);
        number += 1;
    }
    unique
}

#[cfg(test)]
mod tests;
