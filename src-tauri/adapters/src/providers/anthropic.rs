//! Anthropic's Messages, streamed. What is sent is exactly [`request`]; what comes back is put together by [`assembly`].
//!
//! The provider reads long prompts once and keeps them: see [`cache`]. Thinking is asked for in the options of a call, for
//! example `{"thinking": {"type": "adaptive"}}`; its signed blocks go back with the results of the tools it asked for.

mod assembly;
mod cache;
mod messages;
mod request;
mod schema;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

use super::http::{self, Assembly as _, Link, Manner};
use assembly::Assembly;

/// The key of what this protocol keeps in a reply's `provider_state`.
const PROTOCOL: &str = "anthropic";

/// How such servers are spoken to.
pub(super) static MANNER: Manner = Manner {
    server: "a server that speaks Anthropic's Messages",
    base_url: "It is usually https://api.anthropic.com, without /v1.",
    key_header: "x-api-key",
    key_prefix: "",
    headers: &[("anthropic-version", "2023-06-01")],
};

/// A provider that speaks Anthropic's Messages.
pub(super) struct Anthropic {
    link: Arc<Link>,
}

impl Anthropic {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }
}

#[async_trait]
impl Provider for Anthropic {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.link.place(Some(&request.model));
        let sent = request::request(&request)?;
        let answer = self.link.post("v1/messages", "", Assembly::FRAMING, &sent.body, &place).await?;
        http::read(answer, Assembly::new(&place, sent.answer_tool), sink).await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let names = |page: wire::Models| {
            let names = page.data.into_iter().map(|model| model.id).collect();
            (names, page.last_id.filter(|_| page.has_more))
        };
        self.link.models_in_pages("v1/models", "limit=1000", "after_id", names).await
    }
}
