//! The models of Google's API, and their names.

use plait_core::error::Fault;
use serde::Deserialize;

use crate::providers::http::HttpClient;

/// A model's name without the `models/` prefix.
pub(in crate::providers) fn short_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The names of the models that answer prompts.
pub(in crate::providers) async fn list(client: &HttpClient) -> Result<Vec<String>, Fault> {
    let generates = |methods: &[String]| methods.iter().any(|method| method == "generateContent");
    let read_page = |page: Models| {
        let models = page.models.iter().filter(|model| generates(&model.supported_generation_methods));
        let names = models.map(|model| short_name(&model.name).to_owned()).collect();
        (names, page.next_page_token.filter(|token| !token.is_empty()))
    };
    client.paginated_models("v1beta/models", "pageSize=1000", "pageToken", read_page).await
}

/// One page of the list of models.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Models {
    #[serde(default)]
    models: Vec<Model>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    name: String,
    #[serde(default)]
    supported_generation_methods: Vec<String>,
}

/// Whether Gemini's models take attachments of this media type: of images they take PNG, JPEG, WebP, HEIC and HEIF
/// (<https://ai.google.dev/gemini-api/docs/image-understanding>).
pub(in crate::providers) fn take_attachment(media_type: &str) -> bool {
    media_type != "image/gif"
}
