//! `/embeddings` of OpenAI and compatible servers, which Ollama has, too.

use std::sync::Arc;

use plait_core::error::Fault;
use serde::Deserialize;
use serde_json::json;

use super::http::HttpClient;
use super::settings::ProviderKind;

/// The embeddings of one provider.
pub(super) struct Embeddings {
    client: Arc<HttpClient>,
    path: &'static str,
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    /// Which of the texts it belongs to.
    index: usize,
    embedding: Vec<f32>,
}

impl Embeddings {
    /// `None` for a kind of provider without such an endpoint.
    pub(super) fn of(kind: ProviderKind, client: Arc<HttpClient>) -> Option<Self> {
        let path = match kind {
            ProviderKind::OpenAi | ProviderKind::OpenAiResponses => "embeddings",
            // Its base URL has no version.
            ProviderKind::Ollama => "v1/embeddings",
            ProviderKind::Offline
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::GeminiInteractions => return None,
        };
        Some(Self { client, path })
    }

    /// The embedding of each text, in order. Faults `provider.*`.
    pub(super) async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault> {
        let context = self.client.error_context(Some(model));
        let body = json!({ "model": model, "input": texts, "encoding_format": "float" });
        let Response { mut data } =
            self.client.post_json(self.path, &body, &context, "sent no embeddings").await?;
        data.sort_by_key(|one| one.index);
        if data.len() != texts.len() || data.iter().enumerate().any(|(position, one)| one.index != position) {
            return Err(context.invalid_response("sent embeddings for other texts", ""));
        }
        Ok(data.into_iter().map(|one| one.embedding).collect())
    }
}
