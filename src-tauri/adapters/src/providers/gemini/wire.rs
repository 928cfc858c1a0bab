//! The JSON of responses. API versions differ, so every field is optional and unknown fields are ignored.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{or_default, token_count, usage, with_breakdown};

/// One event of a stream, or a whole response: both have the same shape.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct StreamEvent {
    #[serde(deserialize_with = "or_default")]
    pub(super) candidates: Vec<Candidate>,
    pub(super) prompt_feedback: Option<Feedback>,
    pub(super) usage_metadata: Option<Usage>,
    pub(super) response_id: Option<String>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate {
    #[serde(deserialize_with = "or_default")]
    pub(super) index: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Content,
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    #[serde(deserialize_with = "or_default")]
    pub(super) parts: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) text: Option<String>,
    /// Whether the text is a thought summary.
    #[serde(deserialize_with = "or_default")]
    pub(super) thought: bool,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<FunctionCall>,
    pub(super) inline_data: Option<InlineData>,
}

/// An image of the reply.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct InlineData {
    /// In base64.
    pub(super) data: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionCall {
    /// Only newer models send one.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Feedback {
    pub(super) block_reason: Option<String>,
}

/// The reported usage, of any shape: see [`token_count`].
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Usage(Value);

impl Usage {
    /// Converts to Plait's terms: thoughts belong to the reply, and what the provider's own tools read belongs to the prompt.
    pub(super) fn read(&self) -> Option<TokenUsage> {
        let at = |key: &str| token_count(self.0.get(key));
        let input = at("promptTokenCount")? + at("toolUsePromptTokenCount").unwrap_or(0);
        let thoughts = at("thoughtsTokenCount");
        // A reply that consists only of thoughts has no count of its own.
        let reply = at("candidatesTokenCount").or(thoughts.and(Some(0)));
        let output = reply.map(|reply| reply + thoughts.unwrap_or(0));
        usage(Some(input), output)
            .map(|usage| with_breakdown(usage, at("cachedContentTokenCount"), None, thoughts))
    }
}
