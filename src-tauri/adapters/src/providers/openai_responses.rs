//! OpenAI's Responses, streamed. By default nothing is kept on their side; see [`session`] for when it is.

mod assembly;
mod request;
mod session;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

use super::http::{self, Answer, Assembly as _, Link, Manner, Place, wants_session};
use super::openai_models;
use assembly::Assembly;
use request::{Body, Draft};
use session::{Prefix, Sessions};

/// How such servers are spoken to.
pub(super) static MANNER: Manner = Manner {
    server: "a server that speaks OpenAI's Responses",
    base_url: "It usually ends in /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// A provider that speaks Responses.
pub(super) struct OpenAiResponses {
    link: Arc<Link>,
    /// Whether conversations are kept on their side where the call does not say.
    keeps: bool,
    sessions: Sessions,
}

impl OpenAiResponses {
    pub(super) fn new(link: Arc<Link>, keeps: bool) -> Self {
        Self { link, keeps, sessions: Sessions::default() }
    }

    async fn post(&self, body: Body<'_>, place: &Place) -> Result<Answer, Fault> {
        self.link.post("responses", "", Assembly::FRAMING, &body, place).await
    }

    /// Sends as little as the session allows, or all.
    async fn send(&self, draft: &Draft, prefix: Option<&Prefix>, place: &Place) -> Result<Answer, Fault> {
        let Some(known) = prefix.and_then(|prefix| self.sessions.find(prefix)) else {
            return self.post(draft.whole(prefix.is_some()), place).await;
        };
        match self.post(draft.following(&known.response_id, known.items), place).await {
            // They may have let go of it, and say so in more than one way. Whatever else is wrong is said again.
            Err(fault)
                if matches!(fault.code, ErrorCode::ProviderNotFound | ErrorCode::ProviderBadRequest) =>
            {
                self.sessions.forget(&known);
                self.post(draft.whole(true), place).await
            }
            sent => sent,
        }
    }
}

#[async_trait]
impl Provider for OpenAiResponses {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.link.place(Some(&request.model));
        let is_kept = wants_session(&request.options)?.unwrap_or(self.keeps);
        let draft = Draft::new(&request)?;
        let session = request.session.as_deref().filter(|_| is_kept);
        let prefix = session.map(|session| Prefix::new(session, &draft));
        let answer = self.send(&draft, prefix.as_ref(), &place).await?;
        let reply = http::read(answer, Assembly::new(&place), sink).await?;
        if let (Some(prefix), Some(id)) = (prefix, &reply.response_id) {
            self.sessions.keep(prefix.and(&request::reply(&reply)), id);
        }
        Ok(reply)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        openai_models::list(&self.link).await
    }
}
