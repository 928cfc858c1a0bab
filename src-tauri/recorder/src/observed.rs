//! A call of a model as it was observed, whatever protocol or trace it comes from; and how exchanges are read as such calls. Each protocol
//! is one file: the inverse of the request that Plait writes in it.

mod anthropic;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::StreamExt as _;
use plait_adapters::ProviderSettings;
use plait_adapters::providers::{ProviderKind, RecordedResponse, decode_response};
use plait_core::error::Fault;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::{Chunk, ModelReply};
use plait_llm::stream_pace::{PaceRecorder, StreamPace};
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value};

use crate::codes;
use crate::exchange::Exchange;
use crate::upstream::protocol;

/// The source of the tools that a program ran itself.
const PROGRAM_SOURCE: &str = "program";

/// A message of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub role: Role,
    /// Images and files are named in it.
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    /// For the result of a tool: the id of its call.
    pub tool_call_id: Option<String>,
}

impl Said {
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    pub fn result(call: &str, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call.to_owned()), ..Self::new(Role::Tool, text) }
    }
}

/// What a request says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRequest {
    pub model: String,
    pub system: Option<String>,
    pub messages: Vec<Said>,
    pub tools: Vec<ToolSpec>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
    pub response_schema: Option<Value>,
    /// The other fields of the request.
    pub options: Map<String, Value>,
    /// The id of the stored reply that it continues, if the server stores the conversation.
    pub continues: Option<String>,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Replied(Box<ModelReply>),
    Failed(Box<Fault>),
    /// Nobody knows: the recorder ended before.
    Open,
}

/// A call of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedCall {
    /// The name of the agent that called, where traces say it.
    pub agent: Option<String>,
    /// The provider, by the name of the settings.
    pub provider: String,
    pub request: ObservedRequest,
    pub outcome: Outcome,
    pub begun_ms: u64,
    pub ended_ms: u64,
    pub pace: StreamPace,
}

impl ObservedCall {
    /// The reply, if there is one.
    pub fn reply(&self) -> Option<&ModelReply> {
        match &self.outcome {
            Outcome::Replied(reply) => Some(reply),
            _ => None,
        }
    }
}

/// Reads an exchange. None if it is no call of a model by a protocol that Plait has, with a body of that protocol. `provider` is the name and
/// the settings of the provider that stands for its server.
pub async fn read_call(
    exchange: &Exchange,
    provider: impl Fn(ProviderKind, &str) -> (String, ProviderSettings),
) -> Option<ObservedCall> {
    let kind = protocol(&exchange.method, &exchange.path)?;
    let body: Value = serde_json::from_slice(&exchange.body).ok()?;
    let request = match kind {
        ProviderKind::OpenAi => openai_chat::read(&body),
        ProviderKind::OpenAiResponses => openai_responses::read(&body),
        ProviderKind::Anthropic => anthropic::read(&body),
        ProviderKind::Gemini => gemini::read(&body, &exchange.path),
        ProviderKind::Ollama => ollama::read(&body),
        ProviderKind::GeminiInteractions | ProviderKind::Offline => None,
    }?;
    let (name, settings) = provider(kind, &exchange.base_url);
    let mut pace = PaceRecorder::new(exchange.begun_ms);
    let outcome = match exchange.ended_ms {
        None => Outcome::Open,
        Some(_) => decode(exchange, &name, &settings, &request.model, &mut pace).await,
    };
    let last = exchange.chunks.last().map_or(exchange.begun_ms, |(at, _)| *at);
    Some(ObservedCall {
        agent: None,
        provider: name,
        request,
        outcome,
        begun_ms: exchange.begun_ms,
        ended_ms: exchange.ended_ms.unwrap_or(last),
        pace: pace.into_pace(),
    })
}

async fn decode(
    exchange: &Exchange,
    name: &str,
    settings: &ProviderSettings,
    model: &str,
    pace: &mut PaceRecorder,
) -> Outcome {
    if exchange.status == 0 {
        let why = exchange.failure.as_deref().unwrap_or("there was no response").trim_end_matches('.');
        let message = format!("`{name}` at {}, model `{model}`: {why}.", exchange.base_url);
        let mut fault = Fault::new(codes::PROVIDER_UNREACHABLE, message);
        fault.retryable = true;
        return Outcome::Failed(Box::new(fault));
    }
    let arrived = Arc::new(AtomicU64::new(exchange.begun_ms));
    let now = Arc::clone(&arrived);
    let chunks = exchange.chunks.clone().into_iter().map(move |(at, bytes)| {
        now.store(at, Ordering::Relaxed);
        Ok(Bytes::from(bytes))
    });
    let cut = exchange.failure.clone().map(|why| Err(std::io::Error::other(why)));
    let response = RecordedResponse {
        status: exchange.status,
        content_type: exchange.content_type.clone(),
        chunks: futures::stream::iter(chunks.chain(cut)).boxed(),
    };
    let mut sink = |chunk: Chunk| pace.note(&chunk, arrived.load(Ordering::Relaxed));
    match decode_response(name, settings, model, response, &mut sink).await {
        Ok(reply) => Outcome::Replied(Box::new(reply)),
        Err(fault) => Outcome::Failed(Box::new(fault)),
    }
}

/// A tool that a program offered. What runs it is not known.
pub(crate) fn tool(name: &str, description: &str, parameters: Value) -> ToolSpec {
    let parameters = if parameters.is_object() {
        parameters
    } else {
        serde_json::json!({ "type": "object", "properties": {} })
    };
    ToolSpec::new(name, description, parameters, PROGRAM_SOURCE)
}

/// A text, or the texts of a list of parts. What is no text is named.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts =
                parts.iter().map(|part| match (part, part.get("text").or_else(|| part.get("refusal"))) {
                    (Value::String(text), _) | (_, Some(Value::String(text))) => text.clone(),
                    _ => format!("[{}]", part["type"].as_str().unwrap_or("attachment")),
                });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The arguments of a call, which some protocols write as text.
pub(crate) fn arguments(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    }
}

/// A number that fits.
pub(crate) fn limit(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0)
}

/// The fields of a request besides these, without those that say nothing.
pub(crate) fn others(body: &Value, read: &[&str]) -> Map<String, Value> {
    let fields = body.as_object().into_iter().flatten();
    let says_something = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let kept = fields.filter(|(name, value)| !read.contains(&name.as_str()) && says_something(value));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Adds instructions to those before.
pub(crate) fn add_system(system: &mut Option<String>, text: String) {
    match system {
        Some(before) => {
            before.push_str("\n\n");
            before.push_str(&text);
        }
        None if text.is_empty() => {}
        None => *system = Some(text),
    }
}

#[cfg(test)]
mod tests;
