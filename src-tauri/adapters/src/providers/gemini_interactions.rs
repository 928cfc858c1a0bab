//! Google's Interactions API, streamed: the Gemini models with conversations that Google can store.

mod request;
mod response_decoder;
mod steps;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, SchemaForm};
use serde_json::Value;

use super::gemini::{models, reply_format};
use super::http::{
    self, ErrorContext, Framing, HttpClient, ProtocolConfig, ResponseBody, ResponseDecoder as _,
};
use super::protocol::stored_session::{RequestDraft, SessionProtocol, StoredSessionProvider};
use response_decoder::Decoder;

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "geminiInteractions",
    server: "a server that speaks Gemini's Interactions API",
    base_url_hint: "It is usually https://generativelanguage.googleapis.com, without /v1beta.",
    key_header: "x-goog-api-key",
    key_prefix: "",
    headers: &[],
};

/// The Interactions API.
pub(super) struct GeminiInteractions;

impl GeminiInteractions {
    pub(super) fn provider(
        client: Arc<HttpClient>,
        stores_conversations: bool,
    ) -> StoredSessionProvider<Self> {
        StoredSessionProvider::new(client, Self, stores_conversations)
    }
}

#[async_trait]
impl SessionProtocol for GeminiInteractions {
    const PATH: &'static str = "v1beta/interactions";
    const FRAMING: Framing = Decoder::FRAMING;
    const INSTRUCTIONS: &'static str = "system_instruction";
    const PREVIOUS_ID: &'static str = "previous_interaction_id";

    fn encode(&self, request: &ModelRequest) -> Result<RequestDraft, Fault> {
        request::encode(request)
    }

    fn encode_reply(&self, reply: &ModelReply) -> Vec<Value> {
        steps::encode_reply(reply)
    }

    async fn read_reply(
        &self,
        response: ResponseBody,
        context: &ErrorContext,
        sink: &mut ChunkSink<'_>,
    ) -> Result<ModelReply, Fault> {
        http::read_reply(response, Decoder::new(context), sink).await
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        reply_format::schema_form(request)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        models::take_attachment(media_type)
    }

    async fn models(&self, client: &HttpClient) -> Result<Vec<String>, Fault> {
        models::list(client).await
    }
}
