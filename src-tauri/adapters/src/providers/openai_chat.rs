//! OpenAI-compatible chat completions, streamed: llama.cpp, LM Studio, vLLM, OpenAI itself and other servers.

mod reasoning_details;
mod request;
mod response_decoder;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm};
use serde_json::Value;

use super::http::{self, HttpClient, ProtocolConfig, ResponseDecoder as _};
use super::protocol::openai_models;
use super::protocol::tool_call_ids::CallIdForm;
use super::quirks::{ChatQuirks, TokenLimitField};
use response_decoder::Decoder;

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "openAiChat",
    server: "an OpenAI-compatible server",
    base_url_hint: "It usually ends in /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// `OpenAI` answers 400 to longer ids of tool calls.
const MAX_CALL_ID_CHARS: usize = 40;

/// A provider of chat completions.
pub(super) struct OpenAiChat {
    client: Arc<HttpClient>,
    quirks: ChatQuirks,
    call_ids: CallIdForm,
}

impl OpenAiChat {
    /// `OpenAI` itself accepts the token limit of its newer models only under its newer name, and no long ids of tool calls. Other servers
    /// do not know that name, and match ids as they sent them.
    pub(super) fn new(client: Arc<HttpClient>, mut quirks: ChatQuirks) -> Self {
        if client.is_openai() {
            quirks.token_limit.get_or_insert(TokenLimitField::MaxCompletionTokens);
        }
        let call_ids = match quirks.short_tool_call_ids {
            Some(true) => CallIdForm::Short,
            _ if client.is_openai() => CallIdForm::AtMost(MAX_CALL_ID_CHARS),
            _ => CallIdForm::Any,
        };
        Self { client, quirks, call_ids }
    }

    /// Fault `provider.bad_options`.
    fn encode(&self, request: &ModelRequest) -> Result<Value, Fault> {
        request::encode(request, self.quirks, self.call_ids)
    }
}

#[async_trait]
impl Provider for OpenAiChat {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let body = self.encode(&request)?;
        let response = self.client.post("chat/completions", "", Decoder::FRAMING, &body, &context).await?;
        http::read_reply(response, Decoder::new(&context), sink).await
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.hash_request(&self.encode(request)?)
    }

    fn message_form(&self) -> String {
        let ChatQuirks { reasoning, short_tool_call_ids, merge_roles, .. } = self.quirks;
        if (reasoning, short_tool_call_ids, merge_roles) == (None, None, None) {
            return String::new();
        }
        format!("{reasoning:?} {short_tool_call_ids:?} {merge_roles:?}")
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let body = self.encode(request)?;
        self.client.describe("chat/completions", "", Decoder::FRAMING, &body).map(Some)
    }

    fn returns_reasoning(&self) -> bool {
        self.quirks.reasoning.is_some()
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        request::schema_form(request, self.quirks)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        openai_models::list(&self.client).await
    }
}
