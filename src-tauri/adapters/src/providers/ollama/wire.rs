//! The JSON of responses. Every field is optional; unknown fields are ignored.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{or_default, token_count, usage};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub(super) message: Option<Message>,
    pub(super) done: Option<bool>,
    pub(super) done_reason: Option<String>,
    pub(super) error: Option<Value>,
    prompt_eval_count: Option<Value>,
    eval_count: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub(super) content: Option<String>,
    pub(super) thinking: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<Call>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) function: Function,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Function {
    #[serde(deserialize_with = "or_default")]
    pub(super) name: String,
    /// An object, if the server follows the protocol.
    pub(super) arguments: Option<Value>,
}

impl Line {
    pub(super) fn usage(&self) -> Option<TokenUsage> {
        usage(token_count(self.prompt_eval_count.as_ref()), token_count(self.eval_count.as_ref()))
    }
}

#[derive(Deserialize)]
pub(super) struct Models {
    pub(super) models: Vec<Model>,
}

#[derive(Deserialize)]
pub(super) struct Model {
    pub(super) name: String,
}
