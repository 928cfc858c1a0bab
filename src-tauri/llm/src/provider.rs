//! Model providers: the trait, its request and its reply.

mod reply_key;
mod schema_form;
mod stop_reason;

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::codes;
use crate::context::{Message, SharedMessage, ToolCall};
use crate::models::TokenUsage;
use crate::tool::ToolSpec;
use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_core::hash::json_hash;
use plait_core::id::{Activation, Epoch, ReplyKey};
use plait_core::origin::Origins;
pub use reply_key::is_whole_hash;
pub use schema_form::SchemaForm;
pub use stop_reason::{StopOutcome, StopReason};

/// A call of a model. Serialized, it is what decides the reply: without the attempt and the session.
#[derive(Clone, Debug, Serialize)]
pub struct ModelRequest {
    /// The activation that calls; the author of the reply.
    pub activation: Activation,
    /// The attempt of that activation, from 1.
    #[serde(skip)]
    pub attempt: u32,
    /// The provider's name for the model.
    pub model: String,
    /// The system instructions.
    pub system: Option<String>,
    /// The messages, oldest first, ending with the one to answer.
    pub messages: Vec<SharedMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// Sampling temperature, if set.
    pub temperature: Option<f64>,
    /// The maximum tokens of the reply, if set.
    pub max_tokens: Option<u32>,
    /// The model's window in tokens of prompt and reply together, if known.
    pub window: Option<u64>,
    /// The JSON Schema of the reply, if set.
    pub response_schema: Option<Value>,
    /// The id under which the provider may store this conversation. It stores nothing unless the options or the provider's
    /// settings request it. The meaning of the request is the same either way.
    #[serde(skip)]
    pub session: Option<String>,
    /// Provider-specific options; for the offline provider its script.
    pub options: Value,
}

impl ModelRequest {
    /// The same without messages.
    fn without_messages(&self) -> Self {
        Self {
            activation: self.activation.clone(),
            attempt: self.attempt,
            model: self.model.clone(),
            system: self.system.clone(),
            messages: Vec::new(),
            tools: self.tools.clone(),
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            window: self.window,
            response_schema: self.response_schema.clone(),
            session: self.session.clone(),
            options: self.options.clone(),
        }
    }

    /// Its [hash](Provider::whole_hash) for a provider that decides nothing itself. Fault `provider.bad_request`.
    pub fn key(&self) -> Result<ReplyKey, Fault> {
        // Who wrote a message, and where it comes from, is not part of the request.
        let nobody = Activation { node: "".into(), epoch: Epoch::root() };
        let plain = |message: &SharedMessage| {
            let (id, author) = ("".into(), nobody.clone());
            Arc::new(Message { id, author, repeats: None, origins: Origins::NONE, ..Message::clone(message) })
        };
        let messages = self.messages.iter().map(plain).collect();
        hash_request(&Self { messages, ..self.clone() })
    }
}

/// A part of a reply while it streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    Text(String),
    Reasoning(String),
}

/// A complete reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelReply {
    pub text: String,
    /// The images and files of the reply, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
    /// The reasoning, if the provider reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    /// The tool calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ToolCall>>")]
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// The usage that the provider reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<TokenUsage>,
    /// The provider's id of this reply, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub response_id: Option<String>,
    /// Data that must be sent back with this reply during the turn; see [`Message`](crate::context::Message).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub provider_state: Option<Value>,
}

/// Receives the parts of a reply while it streams.
pub type ChunkSink<'a> = dyn FnMut(Chunk) + Send + 'a;

#[async_trait]
pub trait Provider: Send + Sync {
    /// Sends the request, passes each part to `sink` as it arrives, and returns the complete reply.
    ///
    /// Dropping the future closes the connection. Fault codes are `provider.*`; faults that a retry could fix are marked
    /// retryable. A truncated reply is a fault, never a shorter reply.
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault>;

    /// The key of a request: a hash of everything that decides what the model is asked. Requests that differ only in the
    /// attempt, or in how much of a conversation the provider has stored, have the same key. It is made from the hashes that are kept
    /// with the messages, so a longer history costs no more than its new messages. Faults are those of
    /// [`call`](Self::call) for a request that cannot be sent.
    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        let frame = self.whole_hash(&request.without_messages())?;
        Ok(reply_key::of_messages(&frame, &self.message_form(), self.returns_reasoning(), &request.messages))
    }

    /// A hash of the request as its protocol writes it, at the cost of writing all of it. Earlier versions took it as the key.
    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        request.key()
    }

    /// What besides the messages decides how they are written, if settings of the provider do.
    fn message_form(&self) -> String {
        String::new()
    }

    /// The HTTP request that [`call`](Self::call) sends, without the key; none if it sends no HTTP request. Sends nothing. Faults
    /// are those of [`call`](Self::call) for a request that cannot be sent.
    fn http_request(&self, _request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        Ok(None)
    }

    /// Whether the reasoning of a message with tool calls goes back to it as text, in the tool rounds of the turn. It then counts as
    /// part of the prompt.
    fn returns_reasoning(&self) -> bool {
        false
    }

    /// How [`call`](Self::call) asks for a reply that follows the request's schema; none without a schema, or if it does not say.
    fn schema_form(&self, _request: &ModelRequest) -> Option<SchemaForm> {
        None
    }

    /// Whether its protocol has a form for attachments of this media type. What a model takes is another matter.
    fn takes_attachment(&self, _media_type: &str) -> bool {
        true
    }

    /// The models it offers; empty if it cannot list them.
    async fn models(&self) -> Result<Vec<String>, Fault>;
}

/// An HTTP request without its key.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpRequest {
    /// The URL, without a password.
    pub url: String,
    /// The headers, without the one that carries the key.
    pub headers: Vec<(String, String)>,
    /// The header that carries the key, if the provider takes one.
    pub key: Option<KeyPlaceholder>,
    /// The JSON body.
    pub body: Value,
}

/// Where the key of a request belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPlaceholder {
    /// The name of the header.
    pub header: String,
    /// What stands before the key.
    pub prefix: String,
    /// The environment variable that may hold the key.
    pub variable: String,
}

/// The key of a request that consists of `parts`: their SHA-256 hash as JSON. Fault `provider.bad_request` if they cannot be
/// written as JSON.
pub fn hash_request(parts: &impl Serialize) -> Result<ReplyKey, Fault> {
    json_hash(parts).map(ReplyKey::from).map_err(|error| {
        Fault::new(codes::PROVIDER_BAD_REQUEST, format!("The request cannot be written as JSON: {error}."))
    })
}

/// The providers that a run may use, by name.
pub trait Providers: Send + Sync {
    /// The provider of that name. The fault `provider.unknown` lists the available ones.
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault>;
    /// Their names, sorted.
    fn names(&self) -> Vec<String>;
}
