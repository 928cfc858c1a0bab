//! The JSON of responses. Everything but an event's type is optional; unknown fields are ignored.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{or_default, token_count, usage, with_breakdown};

#[derive(Deserialize)]
pub(super) struct StreamEvent {
    #[serde(rename = "event_type", default)]
    pub(super) kind: String,
    /// The step that it is about.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) index: u64,
    #[serde(default)]
    pub(super) step: Option<Value>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) delta: Delta,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) interaction: Interaction,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// A fragment of a step.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    /// A fragment of the JSON text of a call's arguments.
    pub(super) arguments: Option<String>,
    pub(super) signature: Option<String>,
    /// A part of a thought's summary.
    pub(super) content: Option<Content>,
    /// An image, in base64.
    pub(super) data: Option<String>,
}

/// A step in full, or as it starts.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Step {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Vec<Content>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<Value>,
    pub(super) signature: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) summary: Vec<Content>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) text: Option<String>,
    /// An image, in base64.
    pub(super) data: Option<String>,
}

/// The interaction: in its first event, in its last, or as a whole response.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Interaction {
    pub(super) id: Option<String>,
    pub(super) status: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) steps: Vec<Value>,
    #[serde(deserialize_with = "or_default")]
    pub(super) errors: Vec<Value>,
    usage: Option<Value>,
}

impl Interaction {
    /// Converts to Plait's terms: thoughts belong to the reply, and what the provider's own tools read belongs to the prompt.
    pub(super) fn usage(&self) -> Option<TokenUsage> {
        let reported = self.usage.as_ref()?;
        let at = |key: &str| token_count(reported.get(key));
        let input = at("total_input_tokens")? + at("total_tool_use_tokens").unwrap_or(0);
        let thoughts = at("total_thought_tokens");
        // A reply that consists only of thoughts has no count of its own.
        let reply = at("total_output_tokens").or(thoughts.and(Some(0)));
        let output = reply.map(|reply| reply + thoughts.unwrap_or(0));
        usage(Some(input), output)
            .map(|usage| with_breakdown(usage, at("total_cached_tokens"), None, thoughts))
    }
}
