//! The model list of OpenAI and compatible servers.

use plait_core::error::Fault;
use serde::Deserialize;

use crate::providers::http::HttpClient;

/// The list, as an object of the protocol or, as Together sends it, alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Models {
    Object { data: Vec<Model> },
    List(Vec<Model>),
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// The names of the models, sorted.
pub(in crate::providers) async fn list(client: &HttpClient) -> Result<Vec<String>, Fault> {
    let names = |list| {
        let (Models::Object { data } | Models::List(data)) = list;
        data.into_iter().map(|model| model.id).collect()
    };
    client.models("models", names).await
}
