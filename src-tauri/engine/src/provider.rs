//! What Plait asks of a model provider, and what it gets.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use ts_rs::TS;

use crate::context::{SharedMessage, ToolCall};
use crate::error::Fault;
use crate::id::Activation;
use crate::models::TokenUsage;
use crate::tool::ToolSpec;

/// One call of a model: all of what the model is to receive.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Who asks: the author its answer will have.
    pub activation: Activation,
    /// Which try of that activation this is, from 1.
    pub attempt: u32,
    /// The provider's name for the model.
    pub model: String,
    /// The system instructions, sent once.
    pub system: Option<String>,
    /// The conversation, oldest first, ending with what is to be answered.
    pub messages: Vec<SharedMessage>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
    /// Sampling temperature, where set.
    pub temperature: Option<f64>,
    /// The most tokens of reply, where set.
    pub max_tokens: Option<u32>,
    /// The model's window, in tokens of prompt and reply together, where it is known.
    pub window: Option<u64>,
    /// JSON Schema the reply is to follow, where set.
    pub response_schema: Option<Value>,
    /// The id under which the provider may keep this conversation on its side. Nothing is kept unless the options or the
    /// provider's settings ask for it, and what is sent means the same either way.
    pub session: Option<String>,
    /// Anything a particular provider understands; for the offline provider its script.
    pub options: Value,
}

/// A piece of a reply as it streams in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Text.
    Text(String),
    /// Reasoning.
    Reasoning(String),
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// It was done.
    #[default]
    End,
    /// It asks for tools.
    ToolCalls,
    /// It reached the most tokens it may give.
    MaxTokens,
    /// The provider withheld the reply.
    ContentFilter,
    /// Anything else, in the provider's words.
    Other(String),
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelReply {
    /// The text.
    pub text: String,
    /// The reasoning, where the provider gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    /// The tools it asks for, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ToolCall>>")]
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// What the provider says it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<TokenUsage>,
    /// The provider's id of this reply, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub response_id: Option<String>,
    /// What the provider wants back with this reply while the turn goes on; see [`Message`](crate::context::Message).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub provider_state: Option<Value>,
}

/// Takes the pieces of a reply while it streams.
pub type ChunkSink<'a> = dyn FnMut(Chunk) + Send + 'a;

/// A model provider.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Sends the request, gives each piece to `sink` as it comes, and returns the whole reply.
    ///
    /// Dropping the returned future closes the connection. Faults are coded `provider.*` and marked retryable where
    /// trying again can help. A reply that was cut short is a fault, never a shorter reply.
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault>;

    /// The models it offers; empty where it can't tell.
    async fn models(&self) -> Result<Vec<String>, Fault>;
}

/// The providers a run may use, by name.
pub trait Providers: Send + Sync {
    /// The provider of that name; a fault `provider.unknown` that names the ones there are.
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault>;
    /// Their names, sorted.
    fn names(&self) -> Vec<String>;
}
