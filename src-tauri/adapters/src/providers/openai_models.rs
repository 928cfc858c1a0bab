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
    let listed: Models = link.get("models", "", "list of models", &link.place(None)).await?;
    let mut names: Vec<String> = listed.data.into_iter().map(|model| model.id).collect();
    names.sort();
    Ok(names)
}
