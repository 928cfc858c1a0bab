//! The shapes that come over this wire. Kinds of events, blocks and deltas that are not known pass, as the protocol asks
//! of its clients.

use plait_engine::run::TokenUsage;
use serde::Deserialize;
use serde_json::Value;

use crate::providers::http::{count, usage, with_parts};

/// One event of a stream, or a whole answer of a server that does not stream.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
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
    /// `ping`, `content_block_stop`, and what is yet to be invented.
    #[serde(other)]
    Other,
}

/// An error that does not say it is an event.
#[derive(Deserialize)]
pub(super) struct Untyped {
    pub(super) error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) content: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Value,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        #[serde(default)]
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

/// Tokens, each count the latest told. `input` is what no cache had to do with.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_creation: Option<u64>,
    thinking: Option<u64>,
}

impl Usage {
    /// Takes what is told now over what was told before.
    pub(super) fn update(&mut self, told: &Value) {
        let latest = |pointer: &str, before: Option<u64>| count(told.pointer(pointer)).or(before);
        *self = Self {
            input: latest("/input_tokens", self.input),
            output: latest("/output_tokens", self.output),
            cache_read: latest("/cache_read_input_tokens", self.cache_read),
            cache_creation: latest("/cache_creation_input_tokens", self.cache_creation),
            thinking: latest("/output_tokens_details/thinking_tokens", self.thinking),
        };
    }

    /// The same in Plait's terms, where `input` is all of the prompt.
    pub(super) fn tokens(self) -> Option<TokenUsage> {
        let cache = self.cache_read.unwrap_or(0) + self.cache_creation.unwrap_or(0);
        let whole = usage(self.input.map(|input| input + cache), self.output)?;
        Some(with_parts(whole, self.cache_read, self.cache_creation, self.thinking))
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
