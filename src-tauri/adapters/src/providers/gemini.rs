//! Google's Gemini API, streamed. [`request`] builds exactly what is sent; [`response_decoder`] builds the reply.
//!
//! Thoughts are included where the options of a call ask for them:
//! `{"generationConfig": {"thinkingConfig": {"includeThoughts": true}}}`. Thought signatures always arrive; they are sent
//! back with the results of the functions that the model called.

mod contents;
pub(super) mod models;
pub(super) mod reply_format;
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

/// The key of this protocol's data in a reply's `provider_state`.
const STATE_KEY: &str = "gemini";

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "gemini",
    server: "a server that speaks Gemini",
    base_url_hint: "It is usually https://generativelanguage.googleapis.com, without /v1beta.",
    key_header: "x-goog-api-key",
    key_prefix: "",
    headers: &[],
};

/// A provider of the Gemini API.
pub(super) struct Gemini {
    client: Arc<HttpClient>,
}

impl Gemini {
    pub(super) fn new(client: Arc<HttpClient>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Provider for Gemini {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let body = request::encode(&request)?;
        let path = endpoint(&request.model);
        let response = self.client.post(&path, "alt=sse", Decoder::FRAMING, &body, &context).await?;
        http::read_reply(response, Decoder::new(&context), sink).await
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.hash_request(&(endpoint(&request.model), request::encode(request)?))
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let (path, body) = (endpoint(&request.model), request::encode(request)?);
        self.client.describe(&path, "alt=sse", Decoder::FRAMING, &body).map(Some)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        models::take_attachment(media_type)
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        reply_format::schema_form(request)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        models::list(&self.client).await
    }
}

/// The path for calls of a model. The names of tuned models include their collection.
fn endpoint(model: &str) -> String {
    let name = models::short_name(model);
    let collection = if name.contains('/') { "" } else { "models/" };
    format!("v1beta/{collection}{name}:streamGenerateContent")
}
