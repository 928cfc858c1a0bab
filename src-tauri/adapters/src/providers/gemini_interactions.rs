//! Google's Interactions API, streamed: the Gemini models with conversations that Google can store. By default it stores nothing;
//! [`stored_replies`](super::protocol::stored_replies) describes when it does.

mod request;
mod response_decoder;
mod steps;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::id::ReplyKey;
use plait_engine::provider::{ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm};

use super::gemini::{models, reply_format};
use super::http::{
    self, ErrorContext, HttpClient, ProtocolConfig, ResponseBody, ResponseDecoder as _, wants_session,
};
use super::protocol::stored_replies::{PrefixHashes, StoredReplies};
use request::{Body, RequestDraft};
use response_decoder::Decoder;

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "geminiInteractions",
    server: "a server that speaks Gemini's Interactions API",
    base_url_hint: "It is usually https://generativelanguage.googleapis.com, without /v1beta.",
    key_header: "x-goog-api-key",
    key_prefix: "",
    headers: &[],
};

const PATH: &str = "v1beta/interactions";

/// A provider of the Interactions API.
pub(super) struct GeminiInteractions {
    client: Arc<HttpClient>,
    /// Whether the provider stores conversations unless the call's options say otherwise.
    stores_conversations: bool,
    stored: StoredReplies,
}

impl GeminiInteractions {
    pub(super) fn new(client: Arc<HttpClient>, stores_conversations: bool) -> Self {
        Self { client, stores_conversations, stored: StoredReplies::default() }
    }

    async fn post(&self, body: Body<'_>, context: &ErrorContext) -> Result<ResponseBody, Fault> {
        self.client.post(PATH, "", Decoder::FRAMING, &body, context).await
    }

    /// Sends only what follows the longest stored part of the conversation, or everything if nothing is stored.
    async fn send(
        &self,
        draft: &RequestDraft,
        prefix: Option<&PrefixHashes>,
        context: &ErrorContext,
    ) -> Result<ResponseBody, Fault> {
        let Some(stored) = prefix.and_then(|prefix| self.stored.find(prefix)) else {
            return self.post(draft.full_body(prefix.is_some()), context).await;
        };
        match self.post(draft.continuation(&stored.id, stored.items), context).await {
            Err(fault) if self.stored.forget_after(&stored, &fault) => {
                self.post(draft.full_body(true), context).await
            }
            response => response,
        }
    }
}

#[async_trait]
impl Provider for GeminiInteractions {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let stores = wants_session(&request.options)?.unwrap_or(self.stores_conversations);
        let draft = RequestDraft::new(&request)?;
        let session = request.session.as_deref().filter(|_| stores);
        let prefix = session.map(|session| PrefixHashes::new(session, &draft.fixed_fields(), &draft.steps));
        let response = self.send(&draft, prefix.as_ref(), &context).await?;
        let reply = http::read_reply(response, Decoder::new(&context), sink).await?;
        if let (Some(prefix), Some(id)) = (prefix, &reply.response_id) {
            self.stored.insert(prefix, &steps::encode_reply(&reply), id);
        }
        Ok(reply)
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.reply_key(&RequestDraft::new(request)?.full_body(false))
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let stores = wants_session(&request.options)?.unwrap_or(self.stores_conversations);
        let draft = RequestDraft::new(request)?;
        self.client.describe(PATH, "", Decoder::FRAMING, &draft.full_body(stores)).map(Some)
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        reply_format::schema_form(request)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        models::list(&self.client).await
    }
}
