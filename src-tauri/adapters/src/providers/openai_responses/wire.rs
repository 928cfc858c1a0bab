//! The JSON of responses. Everything but an event's type is optional; unknown fields are ignored.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{or_default, token_count, usage, with_breakdown};

/// The type of an event.
#[derive(Deserialize)]
pub(super) struct EventHead {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// A fragment of an item.
#[derive(Deserialize)]
pub(super) struct ItemDelta {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) output_index: u64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) summary_index: u64,
    #[serde(rename = "delta", default, deserialize_with = "or_default")]
    pub(super) more: String,
}

/// An item that was added or is done.
#[derive(Deserialize)]
pub(super) struct ItemEvent {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) output_index: u64,
    pub(super) item: Value,
}

/// One item of a model's output.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) call_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Vec<Part>,
    #[serde(deserialize_with = "or_default")]
    pub(super) summary: Vec<Part>,
    pub(super) encrypted_content: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ResponseEvent {
    pub(super) response: Response,
}

/// The response object: in its first event, in its last, or as a whole response.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Response {
    pub(super) object: Option<String>,
    pub(super) id: Option<String>,
    pub(super) status: Option<String>,
    pub(super) error: Option<Value>,
    pub(super) incomplete_details: Option<Incomplete>,
    #[serde(deserialize_with = "or_default")]
    pub(super) output: Vec<Value>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Incomplete {
    pub(super) reason: Option<String>,
}

impl Response {
    pub(super) fn usage(&self) -> Option<TokenUsage> {
        let reported = self.usage.as_ref()?;
        let at = |pointer: &str| token_count(reported.pointer(pointer));
        let usage = usage(at("/input_tokens"), at("/output_tokens"))?;
        let cached = at("/input_tokens_details/cached_tokens");
        Some(with_breakdown(usage, cached, None, at("/output_tokens_details/reasoning_tokens")))
    }
}
