//! Ollama's own protocol: unlike its OpenAI-compatible one it can be told how large a window to load the model with, and
//! does not silently cut what goes beyond 4,096 tokens.

mod assembly;
mod request;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

use super::http::{self, Assembly as _, Link, Manner};
use assembly::Assembly;

/// How it is spoken to. It takes no key on one's own machine, and one in the cloud.
pub(super) static MANNER: Manner = Manner {
    server: "an Ollama",
    base_url: "It usually is http://127.0.0.1:11434, without /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// A provider that speaks Ollama's own protocol.
pub(super) struct Ollama {
    link: Arc<Link>,
}

impl Ollama {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }
}

#[async_trait]
impl Provider for Ollama {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.link.place(Some(&request.model));
        let body = request::body(&request)?;
        let answer = self.link.post("api/chat", "", Assembly::FRAMING, &body, &place).await?;
        http::read(answer, Assembly::new(&place), sink).await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let names = |list: wire::Models| list.models.into_iter().map(|model| model.name).collect();
        self.link.models("api/tags", names).await
    }
}
