//! The JSON of responses. Unknown types of events, blocks and deltas are ignored, as the protocol requires.

use plait_llm::models::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{or_default, token_count, usage, with_breakdown};

/// One event of a stream, or the whole response of a server that does not stream.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamEvent {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: ContentBlock,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Stop,
        #[serde(default)]
        usage: Value,
    },
    MessageStop,
    Error {
        error: Value,
    },
    Message(Message),
    /// `ping`, `content_block_stop`, and future types.
    #[serde(other)]
    Other,
}

/// An error without an event type.
#[derive(Deserialize)]
pub(super) struct Untyped {
    pub(super) error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Vec<ContentBlock>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Value,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ContentBlock {
    Text {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    Thinking {
        #[serde(default, deserialize_with = "or_default")]
        thinking: String,
        #[serde(default, deserialize_with = "or_default")]
        signature: String,
    },
    RedactedThinking {
        #[serde(default, deserialize_with = "or_default")]
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(super) struct Stop {
    pub(super) stop_reason: Option<String>,
}

/// Token counts, each the latest that was reported. `input` excludes cached tokens.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_creation: Option<u64>,
    thinking: Option<u64>,
}

impl Usage {
    /// Replaces the counts that `reported` contains.
    pub(super) fn update(&mut self, reported: &Value) {
        let latest = |pointer: &str, before: Option<u64>| token_count(reported.pointer(pointer)).or(before);
        *self = Self {
            input: latest("/input_tokens", self.input),
            output: latest("/output_tokens", self.output),
            cache_read: latest("/cache_read_input_tokens", self.cache_read),
            cache_creation: latest("/cache_creation_input_tokens", self.cache_creation),
            thinking: latest("/output_tokens_details/thinking_tokens", self.thinking),
        };
    }

    /// Converts to Plait's terms, where `input` is the whole prompt.
    pub(super) fn tokens(self) -> Option<TokenUsage> {
        let cache = self.cache_read.unwrap_or(0) + self.cache_creation.unwrap_or(0);
        let whole = usage(self.input.map(|input| input + cache), self.output)?;
        Some(with_breakdown(whole, self.cache_read, self.cache_creation, self.thinking))
    }
}

/// One page of the list of models.
#[derive(Deserialize)]
pub(super) struct Models {
    pub(super) data: Vec<Model>,
    #[serde(default)]
    pub(super) has_more: bool,
    #[serde(default)]
    pub(super) last_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Model {
    pub(super) id: String,
}
