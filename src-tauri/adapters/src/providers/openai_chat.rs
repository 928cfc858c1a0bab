//! OpenAI-compatible chat completions, streamed: llama.cpp, LM Studio, vLLM, OpenAI itself and whoever else speaks it.

mod assembly;
mod request;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

use super::http::{self, Assembly as _, Link, Manner};
use super::openai_models;
use assembly::Assembly;

/// How such servers are spoken to.
pub(super) static MANNER: Manner = Manner {
    server: "an OpenAI-compatible server",
    base_url: "It usually ends in /v1.",
    key_header: "authorization",
    key_prefix: "Bearer ",
    headers: &[],
};

/// A provider that speaks chat completions.
pub(super) struct OpenAiChat {
    link: Arc<Link>,
}

impl OpenAiChat {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }
}

#[async_trait]
impl Provider for OpenAiChat {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.link.place(Some(&request.model));
        let body = request::body(&request, self.link.address().is_openai())?;
        let answer = self.link.post("chat/completions", "", Assembly::FRAMING, &body, &place).await?;
        http::read(answer, Assembly::new(&place), sink).await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        openai_models::list(&self.link).await
    }
}
