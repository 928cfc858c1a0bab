//! Google's Gemini, streamed. What is sent is exactly [`request`]; what comes back is put together by [`assembly`].
//!
//! Thoughts are shown where the options of a call ask for them:
//! `{"generationConfig": {"thinkingConfig": {"includeThoughts": true}}}`. Signatures over them, which come unasked, go back
//! with the results of the functions it called.

mod assembly;
mod contents;
mod request;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

use super::http::{self, Assembly as _, Link, Manner};
use assembly::Assembly;

/// The key of what this protocol keeps in a reply's `provider_state`.
const PROTOCOL: &str = "gemini";

/// How such servers are spoken to.
pub(super) static MANNER: Manner = Manner {
    server: "a server that speaks Gemini",
    base_url: "It is usually https://generativelanguage.googleapis.com, without /v1beta.",
    key_header: "x-goog-api-key",
    key_prefix: "",
    headers: &[],
};

/// A provider that speaks Gemini.
pub(super) struct Gemini {
    link: Arc<Link>,
}

impl Gemini {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self { link }
    }
}

#[async_trait]
impl Provider for Gemini {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.link.place(Some(&request.model));
        let body = request::body(&request)?;
        let answer =
            self.link.post(&path(&request.model), "alt=sse", Assembly::FRAMING, &body, &place).await?;
        http::read(answer, Assembly::new(&place), sink).await
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let generates = |methods: &[String]| methods.iter().any(|method| method == "generateContent");
        let names = |page: wire::Models| {
            let models = page.models.iter().filter(|model| generates(&model.supported_generation_methods));
            let names = models.map(|model| contents::own_name(&model.name).to_owned()).collect();
            (names, page.next_page_token.filter(|token| !token.is_empty()))
        };
        self.link.models_in_pages("v1beta/models", "pageSize=1000", "pageToken", names).await
    }
}

/// Where a model is called. Tuned models stand in a collection of their own, which is part of their name.
fn path(model: &str) -> String {
    let name = contents::own_name(model);
    let collection = if name.contains('/') { "" } else { "models/" };
    format!("v1beta/{collection}{name}:streamGenerateContent")
}
