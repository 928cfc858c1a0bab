//! OpenAI's Responses API, streamed.

mod request;
mod response_decoder;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, SchemaForm};
use serde_json::Value;

use super::http::{
    self, ErrorContext, Framing, HttpClient, ProtocolConfig, ResponseBody, ResponseDecoder as _,
};
use super::protocol::openai_models;
use super::protocol::stored_session::{RequestDraft, SessionProtocol, StoredSessionProvider};
use super::protocol::tool_call_ids::CallIdForm;
use response_decoder::Decoder;

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "openAiResponses",
    server: "a server that speaks OpenAI's Responses API",
    base_url_hint: "It usually ends in /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// `OpenAI` answers 400 to longer ids of tool calls.
const MAX_CALL_ID_CHARS: usize = 64;

/// The Responses API of one server.
pub(super) struct OpenAiResponses {
    call_ids: CallIdForm,
}

impl OpenAiResponses {
    pub(super) fn provider(
        client: Arc<HttpClient>,
        stores_conversations: bool,
    ) -> StoredSessionProvider<Self> {
        let call_ids =
            if client.is_openai() { CallIdForm::AtMost(MAX_CALL_ID_CHARS) } else { CallIdForm::Any };
        StoredSessionProvider::new(client, Self { call_ids }, stores_conversations)
    }
}

#[async_trait]
impl SessionProtocol for OpenAiResponses {
    const PATH: &'static str = "responses";
    const FRAMING: Framing = Decoder::FRAMING;
    const INSTRUCTIONS: &'static str = "instructions";
    const PREVIOUS_ID: &'static str = "previous_response_id";

    fn encode(&self, request: &ModelRequest) -> Result<RequestDraft, Fault> {
        request::encode(request, self.call_ids)
    }

    fn encode_reply(&self, reply: &ModelReply) -> Vec<Value> {
        request::encode_reply(reply, self.call_ids)
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
        request::schema_form(request)
    }

    async fn models(&self, client: &HttpClient) -> Result<Vec<String>, Fault> {
        openai_models::list(client).await
    }
}
