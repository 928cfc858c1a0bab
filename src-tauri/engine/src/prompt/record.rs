//! The record of one prompt: which messages were sent and what they took of the window.
//!
//! Messages that are in a history are referred to by id, so that a journal grows with what happened and not with
//! history × calls.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::context::Role;
use crate::id::MessageId;

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PromptPart {
    /// A run of messages that are in the context's history, by their ids' first and last.
    History {
        /// The first message.
        first: MessageId,
        /// The last message.
        last: MessageId,
        /// How many they are.
        #[ts(type = "number")]
        count: u64,
        /// What they take together.
        #[ts(type = "number")]
        tokens: u64,
    },
    /// A message that stands in no history: the instructions, the question, a tool step.
    Message {
        /// Who speaks.
        role: Role,
        /// What is said.
        text: String,
        /// What it takes.
        #[ts(type = "number")]
        tokens: u64,
    },
}

/// What was sent to a model in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptRecord {
    /// Who is asked.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// The messages, in order.
    pub parts: Vec<PromptPart>,
    /// The names of the tools offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub tools: Vec<String>,
    /// What the tools' schemas take.
    #[ts(type = "number")]
    pub tool_tokens: u64,
    /// What the whole prompt takes.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The model's window.
    #[ts(type = "number")]
    pub window: u64,
    /// What is kept free for the reply.
    #[ts(type = "number")]
    pub reserve: u64,
}
