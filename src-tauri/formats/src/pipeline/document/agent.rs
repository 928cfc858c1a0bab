//! Agents, with their tools, servers and quotas.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use plait_core::quota::{FallbackModel, OnExceeded, Quota};
use plait_llm::http_tool::HttpTool;

/// A model with its instructions and settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct Agent {
    /// The provider, for example `offline`. Without one, that of the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) provider: Option<String>,
    /// The provider's name for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) model: Option<String>,
    /// System instructions, sent once in every call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) system_prompt: Option<String>,
    /// Sampling temperature, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub(in crate::pipeline) temperature: Option<f64>,
    /// Maximum tokens of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) max_tokens: Option<NonZeroU32>,
    /// JSON Schema that replies must match. The output of the step is then the parsed reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) response_schema: Option<Value>,
    /// Maximum rounds of tool calls before the model must answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) max_tool_rounds: Option<u32>,
    /// The model's context window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) context_window: Option<NonZeroU32>,
    /// Provider-specific options. For the offline simulator's model `script`, its replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) options: Option<Map<String, Value>>,
    /// The tools that it may call: names, or `auto` for all that change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) tools: Option<Tools>,
    /// MCP servers whose tools it may call: names, or mappings with a `server`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) mcp_servers: Option<Vec<McpServerRef>>,
    /// Tools that send an HTTP request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) http_tools: Option<Vec<DeclaredTool>>,
}

/// An HTTP tool as it is declared, with the names of the node type `tools`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(in crate::pipeline) struct DeclaredTool(Value);

impl<'de> Deserialize<'de> for DeclaredTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let declared = Value::deserialize(deserializer)?;
        // Kept as it is written: what is not set stays so.
        HttpTool::deserialize(&declared).map_err(serde::de::Error::custom)?;
        Ok(Self(declared))
    }
}

impl JsonSchema for DeclaredTool {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HttpTool".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        HttpTool::json_schema(generator)
    }
}

/// An MCP server whose tools an agent may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an MCP server is its name, or a mapping with `server`, `tools`, `prefix`, `instructions`, `send_context` and \
        `policy`"
)]
pub(in crate::pipeline) enum McpServerRef {
    /// All of its tools.
    Name(String),
    Settings(Box<McpServer>),
}

/// An MCP server, and how its tools are offered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::pipeline) struct McpServer {
    /// The name of the server, as it is under *MCP servers*.
    pub(in crate::pipeline) server: String,
    /// The tools to offer, by name. Without any, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::pipeline) tools: Vec<String>,
    /// A text before the name of each tool. It keeps tools of two servers apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(in crate::pipeline) prefix: String,
    /// Instructions for a tool's use, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(in crate::pipeline) instructions: BTreeMap<String, String>,
    /// Whether the server gets what its tools may know of the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::pipeline) send_context: bool,
    /// How its tools are called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) policy: Option<CallPolicy>,
}

/// How the tools of a server are called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::pipeline) struct CallPolicy {
    /// The longest time a call may take, in milliseconds; 60,000 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub(in crate::pipeline) timeout_ms: Option<u64>,
    /// How often a call is tried, if it fails with an error that may pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub(in crate::pipeline) attempts: Option<u32>,
    /// Whether a person is asked before each call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::pipeline) approval: bool,
}

/// What model calls may use: tokens, money, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub(in crate::pipeline) struct StepQuota {
    /// Tokens of prompts and replies together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(in crate::pipeline) tokens: Option<u64>,
    /// US dollars. A call of a model without a known price is not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) usd: Option<f64>,
    /// What happens to a call that would exceed it: `stop` fails it, `ask` asks the person, `fallback` calls a cheaper model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) on_exceeded: Option<OnExceeded>,
    /// The model that is called instead, for `fallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::pipeline) fallback: Option<FallbackModel>,
}

impl StepQuota {
    /// The quota as nodes have it.
    pub(in crate::pipeline) fn to_quota(&self) -> Quota {
        let Self { tokens, usd, on_exceeded, fallback } = self.clone();
        Quota { tokens, usd, on_exceeded: on_exceeded.unwrap_or_default(), fallback }
    }

    /// The quota of a node as pipelines have it.
    pub(in crate::pipeline) fn of(quota: &Quota) -> Self {
        let Quota { tokens, usd, on_exceeded, fallback } = quota.clone();
        let on_exceeded = Some(on_exceeded).filter(|action| *action != OnExceeded::default());
        Self { tokens, usd, on_exceeded, fallback }
    }
}

/// The tools of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::pipeline) enum Tools {
    /// All of Plait's own tools that change nothing and read nothing personal.
    All(AllTools),
    /// These.
    Names(Vec<String>),
}

/// The keyword for all tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(in crate::pipeline) enum AllTools {
    #[serde(rename = "auto")]
    Auto,
}

/// An agent: a name under `agents`, or its definition.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "`agent` is the name of an agent under `agents`, or a mapping with its settings"
)]
pub(in crate::pipeline) enum AgentRef {
    Name(String),
    Inline(Box<Agent>),
}
