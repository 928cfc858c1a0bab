//! The JSON of responses. Servers differ, so every field is optional and unknown fields are ignored.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::providers::http::{or_default, token_count, usage, with_breakdown};

/// One event of a stream, or the whole response of a server that does not stream.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent {
    /// A string, if the server follows the protocol.
    pub(super) id: Option<Value>,
    #[serde(deserialize_with = "or_default")]
    pub(super) choices: Vec<Choice>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Value>,
    /// `error` in the errors of older vLLM, which have their fields beside it.
    pub(super) object: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    #[serde(deserialize_with = "or_default")]
    pub(super) index: u64,
    /// In a stream.
    pub(super) delta: Option<Delta>,
    /// In a whole response.
    pub(super) message: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Option<Text>,
    /// `DeepSeek`'s name, also used by llama.cpp and vLLM.
    pub(super) reasoning_content: Option<String>,
    /// The name used by Ollama and `OpenRouter`.
    pub(super) reasoning: Option<String>,
    /// `OpenRouter`'s blocks of reasoning, or parts of them.
    #[serde(deserialize_with = "or_default")]
    pub(super) reasoning_details: Vec<Map<String, Value>>,
    pub(super) refusal: Option<String>,
    /// `OpenRouter`'s field.
    #[serde(deserialize_with = "or_default")]
    pub(super) images: Vec<Image>,
    #[serde(deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<CallDelta>,
}

/// An image of the reply.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Image {
    #[serde(deserialize_with = "or_default")]
    pub(super) image_url: ImageUrl,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ImageUrl {
    /// A URL of the scheme `data`.
    pub(super) url: String,
}

/// A text, or parts that may contain texts.
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
    #[serde(deserialize_with = "or_default")]
    pub(super) function: FunctionDelta,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    /// A fragment of text; a few servers send the object itself.
    pub(super) arguments: Option<Value>,
}

/// The reported usage, of any shape: see [`http::token_count`](crate::providers::http::token_count).
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Usage(Value);

impl Usage {
    pub(super) fn read(&self) -> Option<TokenUsage> {
        let at = |pointer: &str| token_count(self.0.pointer(pointer));
        let cached = at("/prompt_tokens_details/cached_tokens")
            // DeepSeek's field.
            .or_else(|| at("/prompt_cache_hit_tokens"));
        usage(at("/prompt_tokens"), at("/completion_tokens")).map(|usage| {
            with_breakdown(usage, cached, None, at("/completion_tokens_details/reasoning_tokens"))
        })
    }
}
