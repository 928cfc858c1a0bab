//! The shapes that come over this wire, as loosely as servers differ: everything is optional, unknown fields pass.

use plait_engine::run::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{count, or_default, usage, with_parts};

/// One event of a stream, or a whole answer of a server that does not stream.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    /// Text, where the server knows the protocol.
    pub(super) id: Option<Value>,
    #[serde(deserialize_with = "or_default")]
    pub(super) choices: Vec<Choice>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) index: u64,
    /// In a stream.
    pub(super) delta: Option<Delta>,
    /// In a whole answer.
    pub(super) message: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Option<Text>,
    /// `DeepSeek`'s name, which llama.cpp and vLLM took up.
    pub(super) reasoning_content: Option<String>,
    /// Ollama's and `OpenRouter`'s.
    pub(super) reasoning: Option<String>,
    pub(super) refusal: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<CallDelta>,
}

/// Text, or parts of which some are text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    Plain(String),
    Parts(Vec<TextPart>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TextPart {
    text: Option<String>,
}

impl Text {
    pub(super) fn into_string(self) -> String {
        match self {
            Self::Plain(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: FunctionDelta,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    /// A piece of text; a few servers send the object itself.
    pub(super) arguments: Option<Value>,
}

/// What was used, as anything at all: see [`http::count`](crate::providers::http::count).
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Usage(Value);

impl Usage {
    pub(super) fn read(&self) -> Option<TokenUsage> {
        let at = |pointer: &str| count(self.0.pointer(pointer));
        let cached = at("/prompt_tokens_details/cached_tokens")
            // DeepSeek's.
            .or_else(|| at("/prompt_cache_hit_tokens"));
        usage(at("/prompt_tokens"), at("/completion_tokens"))
            .map(|usage| with_parts(usage, cached, None, at("/completion_tokens_details/reasoning_tokens")))
    }
}
