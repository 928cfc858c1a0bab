//! OpenAI's Responses API, streamed. By default OpenAI stores nothing; [`session`] describes when it does.

mod request;
mod response_decoder;
mod session;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::ReplyKey;
use plait_engine::provider::{ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider};

use super::http::{
    self, ErrorContext, HttpClient, ProtocolConfig, ResponseBody, ResponseDecoder as _, wants_session,
};
use super::protocol::openai_models;
use request::{Body, RequestDraft};
use response_decoder::Decoder;
use session::{PrefixHashes, SessionCache};

pub(super) static CONFIG: ProtocolConfig = ProtocolConfig {
    protocol: "openAiResponses",
    server: "a server that speaks OpenAI's Responses API",
    base_url_hint: "It usually ends in /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// A provider of the Responses API.
pub(super) struct OpenAiResponses {
    client: Arc<HttpClient>,
    /// Whether the provider stores conversations unless the call's options say otherwise.
    stores_conversations: bool,
    sessions: SessionCache,
}

impl OpenAiResponses {
    pub(super) fn new(client: Arc<HttpClient>, stores_conversations: bool) -> Self {
        Self { client, stores_conversations, sessions: SessionCache::default() }
    }

    async fn post(&self, body: Body<'_>, context: &ErrorContext) -> Result<ResponseBody, Fault> {
        self.client.post("responses", "", Decoder::FRAMING, &body, context).await
    }

    /// Sends only what follows the longest stored part of the conversation, or everything if nothing is stored.
    async fn send(
        &self,
        draft: &RequestDraft,
        prefix: Option<&PrefixHashes>,
        context: &ErrorContext,
    ) -> Result<ResponseBody, Fault> {
        let Some(stored) = prefix.and_then(|prefix| self.sessions.find(prefix)) else {
            return self.post(draft.full_body(prefix.is_some()), context).await;
        };
        match self.post(draft.continuation(&stored.response_id, stored.items), context).await {
            // The provider may have dropped the stored reply, and reports that in more than one way. If the request is
            // wrong for another reason, the full request fails the same way.
            Err(fault)
                if matches!(fault.code, ErrorCode::ProviderNotFound | ErrorCode::ProviderBadRequest) =>
            {
                self.sessions.forget(&stored);
                self.post(draft.full_body(true), context).await
            }
            response => response,
        }
    }
}

#[async_trait]
impl Provider for OpenAiResponses {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let stores = wants_session(&request.options)?.unwrap_or(self.stores_conversations);
        let draft = RequestDraft::new(&request)?;
        let session = request.session.as_deref().filter(|_| stores);
        let prefix = session.map(|session| PrefixHashes::new(session, &draft));
        let response = self.send(&draft, prefix.as_ref(), &context).await?;
        let reply = http::read_reply(response, Decoder::new(&context), sink).await?;
        if let (Some(prefix), Some(id)) = (prefix, &reply.response_id) {
            self.sessions.insert(prefix.with_reply(&request::encode_reply(&reply)), id);
        }
        Ok(reply)
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.reply_key(&RequestDraft::new(request)?.full_body(false))
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let stores = wants_session(&request.options)?.unwrap_or(self.stores_conversations);
        let draft = RequestDraft::new(request)?;
        self.client.describe("responses", "", Decoder::FRAMING, &draft.full_body(stores)).map(Some)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        openai_models::list(&self.client).await
    }
}
