//! The shapes that come over this wire, as loosely as its versions differ: everything is optional, unknown fields pass.

use plait_engine::run::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{count, usage, with_parts};

/// One event of a stream, or a whole answer: both have one shape.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Event {
    pub(super) candidates: Vec<Candidate>,
    pub(super) prompt_feedback: Option<Feedback>,
    pub(super) usage_metadata: Option<Usage>,
    pub(super) response_id: Option<String>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate {
    pub(super) index: u64,
    pub(super) content: Content,
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) parts: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) text: Option<String>,
    /// Whether the text is a thought.
    pub(super) thought: bool,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<FunctionCall>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionCall {
    /// Only newer models give one.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Feedback {
    pub(super) block_reason: Option<String>,
}

/// What was used, as anything at all: see [`count`].
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Usage(Value);

impl Usage {
    /// The same in Plait's terms, where thoughts are of the reply and what tools of the provider read is of the prompt.
    pub(super) fn read(&self) -> Option<TokenUsage> {
        let at = |key: &str| count(self.0.get(key));
        let input = at("promptTokenCount")? + at("toolUsePromptTokenCount").unwrap_or(0);
        let thoughts = at("thoughtsTokenCount");
        // Where all of it went into thoughts the reply has no count.
        let reply = at("candidatesTokenCount").or(thoughts.and(Some(0)));
        let output = reply.map(|reply| reply + thoughts.unwrap_or(0));
        usage(Some(input), output)
            .map(|usage| with_parts(usage, at("cachedContentTokenCount"), None, thoughts))
    }
}

/// One page of the list of models.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Models {
    #[serde(default)]
    pub(super) models: Vec<Model>,
    #[serde(default)]
    pub(super) next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Model {
    pub(super) name: String,
    #[serde(default)]
    pub(super) supported_generation_methods: Vec<String>,
}
