//! Anthropic's Messages API, streamed. [`request`] builds exactly what is sent; [`response_decoder`] builds the reply.
//!
//! The provider caches the beginning of long prompts: see [`prompt_cache`]. The options of a call turn thinking on, for
//! example `{"thinking": {"type": "adaptive"}}`; signed thinking blocks are sent back with the results of the tools that
//! the model called.

mod messages;
mod prompt_cache;
mod reply_schema;
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
const STATE_KEY: &str = "anthropic";

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "anthropicMessages",
    server: "a server that speaks Anthropic's Messages API",
    base_url_hint: "It is usually https://api.anthropic.com, without /v1.",
    key_header: "x-api-key",
    key_prefix: "",
    headers: &[("anthropic-version", "2023-06-01")],
};

/// A provider of Anthropic's Messages API.
pub(super) struct Anthropic {
    client: Arc<HttpClient>,
}

impl Anthropic {
    pub(super) fn new(client: Arc<HttpClient>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl Provider for Anthropic {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let encoded = request::encode(&request)?;
        let response = self.client.post("v1/messages", "", Decoder::FRAMING, &encoded.body, &context).await?;
        http::read_reply(response, Decoder::new(&context, encoded.reply_tool), sink).await
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.hash_request(&request::encode(request)?.body)
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let encoded = request::encode(request)?;
        self.client.describe("v1/messages", "", Decoder::FRAMING, &encoded.body).map(Some)
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        reply_schema::schema_form(request)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let read_page = |page: wire::Models| {
            let names = page.data.into_iter().map(|model| model.id).collect();
            (names, page.last_id.filter(|_| page.has_more))
        };
        self.client.paginated_models("v1/models", "limit=1000", "after_id", read_page).await
    }
}
