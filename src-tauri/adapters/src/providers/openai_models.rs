//! The list of models, as OpenAI and its likes give it.

use plait_engine::error::Fault;
use serde::Deserialize;

use super::http::Link;

#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// Their names, sorted.
pub(super) async fn list(link: &Link) -> Result<Vec<String>, Fault> {
    link.models("models", |list: Models| list.data.into_iter().map(|model| model.id).collect()).await
}
