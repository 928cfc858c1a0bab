//! How servers of chat completions differ from OpenAI's own, as data. Nothing here depends on the name of a provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The field of a request that limits the tokens of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimitField {
    /// The older name, which most servers know.
    MaxTokens,
    /// OpenAI's newer name, which its newer models require.
    MaxCompletionTokens,
}

/// The field in which the reasoning of a message with tool calls goes back to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// The name of `DeepSeek`, which rejects a tool round without it.
    ReasoningContent,
    /// The name of `OpenRouter`.
    Reasoning,
}

/// How a request asks for a reply that follows a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum StructuredOutput {
    /// As `response_format` with the schema.
    JsonSchema,
    /// As `response_format` for any JSON object, and the schema in words.
    JsonObject,
    /// The schema in words only.
    Instructions,
}

/// How a server's chat completions differ from OpenAI's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ChatQuirks {
    /// The field of the token limit; by default `max_completion_tokens` at api.openai.com and `max_tokens` elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub token_limit: Option<TokenLimitField>,
    /// The field in which reasoning goes back in tool rounds; by default it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<ReasoningField>,
    /// How a reply that follows a schema is asked for; by default with the schema as `response_format`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub structured_output: Option<StructuredOutput>,
    /// Whether schemas may be sent with `strict: true`; on by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub strict: Option<bool>,
    /// Whether `stream_options` is sent, which asks for the usage at the end of a stream; on by default. Some servers reject it and
    /// report the usage anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stream_options: Option<bool>,
    /// Whether ids of tool calls are sent as nine letters and digits, the only ones that Mistral accepts; off by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub short_tool_call_ids: Option<bool>,
    /// Whether consecutive messages of one role are sent as one; off by default. Some chat templates accept only roles that alternate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub merge_roles: Option<bool>,
}

impl ChatQuirks {
    /// Whether none is set.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
