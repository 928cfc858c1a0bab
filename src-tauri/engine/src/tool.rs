//! Tools: what a model may call, and who carries the call out.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::error::Fault;

/// A tool as a model sees it. This is what travels on tools edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Its name, unique among the tools of a call.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    #[ts(type = "Record<string, unknown>")]
    pub parameters: Value,
    /// Where it comes from: `native` for Plait's own.
    pub source: String,
    /// How to use it well; becomes a block of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instructions: Option<String>,
}

/// One call to carry out.
#[derive(Clone, Debug)]
pub struct ToolInvocation {
    /// The tool's name.
    pub name: String,
    /// The arguments, as the model gave them.
    pub arguments: Value,
    /// The folder of the flow's file; files a tool reads are confined to it. None for a flow that was never saved.
    pub folder: Option<String>,
}

/// Carries out tool calls.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// The tools there are, by name.
    fn list(&self) -> Vec<ToolSpec>;
    /// Calls one. Unknown tools and bad arguments are faults coded `tool.*`; the model receives them.
    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault>;
}
