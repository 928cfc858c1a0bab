//! Ollama's own protocol. Unlike its OpenAI-compatible one, it can set the size of the window a model is loaded with, and
//! does not silently cut prompts at 4,096 tokens.

mod request;
mod response_decoder;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm};

use super::http::{self, HttpClient, ProtocolConfig, ResponseDecoder as _};
use response_decoder::Decoder;

/// A local Ollama needs no key; Ollama's cloud does.
pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "ollama",
    server: "an Ollama server",
    base_url_hint: "It is usually http://127.0.0.1:11434, without /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// A provider of Ollama's own protocol.
pub(super) struct Ollama {
    client: Arc<HttpClient>,
}

impl Ollama {
    pub(super) fn new(client: Arc<HttpClient>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Provider for Ollama {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let body = request::encode(&request)?;
        let response = self.client.post("api/chat", "", Decoder::FRAMING, &body, &context).await?;
        http::read_reply(response, Decoder::new(&context), sink).await
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.hash_request(&request::encode(request)?)
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        self.client.describe("api/chat", "", Decoder::FRAMING, &request::encode(request)?).map(Some)
    }

    fn returns_reasoning(&self) -> bool {
        true
    }

    /// A message of Ollama has images, and no place for other files.
    fn takes_attachment(&self, media_type: &str) -> bool {
        media_type.starts_with("image/")
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        request::schema_form(request)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let names = |list: wire::Models| list.models.into_iter().map(|model| model.name).collect();
        self.client.models("api/tags", names).await
    }
}
