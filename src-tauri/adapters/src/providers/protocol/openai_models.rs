//! The model list of OpenAI and compatible servers.

use plait_engine::error::Fault;
use serde::Deserialize;

use crate::providers::http::HttpClient;

#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// The names of the models, sorted.
pub(in crate::providers) async fn list(client: &HttpClient) -> Result<Vec<String>, Fault> {
    client.models("models", |list: Models| list.data.into_iter().map(|model| model.id).collect()).await
}
