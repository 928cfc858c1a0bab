//! The shapes that come over this wire. Everything but an event's type is optional, unknown fields pass.

use plait_engine::run::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{count, or_default, usage, with_parts};

/// What every event says first.
#[derive(Deserialize)]
pub(super) struct Head {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// A piece of an item.
#[derive(Deserialize)]
pub(super) struct Piece {
    #[serde(default)]
    pub(super) output_index: u64,
    /// Which part of the summary.
    #[serde(default)]
    pub(super) summary_index: u64,
    #[serde(rename = "delta")]
    pub(super) more: String,
}

/// An item that begins or is whole.
#[derive(Deserialize)]
pub(super) struct OfItem {
    #[serde(default)]
    pub(super) output_index: u64,
    pub(super) item: Value,
}

/// One item of what a model gives.
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

/// An event about the whole response.
#[derive(Deserialize)]
pub(super) struct OfResponse {
    pub(super) response: Response,
}

/// The response itself, as it begins, ends, or comes whole.
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
        let said = self.usage.as_ref()?;
        let at = |pointer: &str| count(said.pointer(pointer));
        let usage = usage(at("/input_tokens"), at("/output_tokens"))?;
        let cached = at("/input_tokens_details/cached_tokens");
        Some(with_parts(usage, cached, None, at("/output_tokens_details/reasoning_tokens")))
    }
}
