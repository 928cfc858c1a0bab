//! The view of an MCP server that a person sees.

use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::definitions::{McpPin, McpTool, McpToolChanges};
use super::entry::McpEntry;

/// An MCP server and what it does now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpServerStatus {
    pub name: String,
    pub entry: McpEntry,
    pub phase: McpServerPhase,
    /// How long it has been starting, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub starting_seconds: Option<u64>,
    /// Why it could not be started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<Fault>,
    /// The tools that were accepted. Absent if it never connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pin: Option<McpPin>,
    /// How its tools differ from the accepted ones, if the person has to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub changes: Option<McpToolChanges>,
}

/// What an MCP server does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum McpServerPhase {
    /// It was not needed yet.
    Idle,
    Starting,
    Connected,
    /// It ended. It is started again when it is needed.
    Ended,
    /// It could not be started.
    Failed,
}

/// What an MCP server offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpServerDetails {
    pub status: McpServerStatus,
    /// The name that the server gives itself, with its version.
    pub title: String,
    /// The version of the protocol.
    pub protocol: String,
    /// What the server says about its use. Models do not receive it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instructions: Option<String>,
    pub tools: Vec<McpTool>,
    pub resources: Vec<McpResource>,
    pub prompts: Vec<McpPrompt>,
}

/// A resource of an MCP server, or a template of some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpResource {
    /// Its URI, or the template of them.
    pub uri: String,
    pub name: String,
    pub description: String,
    pub is_template: bool,
}

/// A prompt of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpPrompt {
    pub name: String,
    pub description: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
}

/// What adding servers did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpImport {
    /// The names of the servers, as they were added.
    pub added: Vec<String>,
    /// Variables and headers whose values went to the key store, as `SERVER: NAME`.
    pub secrets: Vec<String>,
    /// Settings of other clients that have no meaning here, as `SERVER: NAME`.
    pub ignored: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct McpResourceContent {
    #[ts(type = "unknown")]
    pub contents: Value,
}
