//! Tools that a model may call: the trait, its specification and its call.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::error::Fault;

/// A tool as a model sees it; also the value on tools edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Unique among the tools of a call.
    pub name: String,
    /// Written for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    #[ts(type = "Record<string, unknown>")]
    pub parameters: Value,
    /// Its origin: `native` for built-in tools.
    pub source: String,
    /// Instructions for its use; they become a block of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instructions: Option<String>,
}

/// A tool call to execute.
#[derive(Clone, Debug)]
pub struct ToolInvocation {
    /// The tool's name.
    pub name: String,
    /// The arguments from the model.
    pub arguments: Value,
    /// The folder of the flow's file, to which file access is confined. `None` for a flow that was never saved.
    pub folder: Option<String>,
}

/// Executes tool calls.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// The available tools, sorted by name.
    fn list(&self) -> Vec<ToolSpec>;
    /// Executes a call. Unknown tools and invalid arguments are faults `tool.*`; the model receives them.
    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault>;
}
