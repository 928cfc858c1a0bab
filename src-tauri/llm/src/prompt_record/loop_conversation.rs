//! What a prompt has of the conversation of a loop.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::context::Role;
use crate::loop_history::HistoryStrategy;
use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId};

/// Why turns of a conversation were not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum OmissionReason {
    /// They exceed the loop's `max_tokens`.
    MaxTokens,
    /// They exceed the loop's `max_turns`.
    MaxTurns,
    /// They exceed the model's window.
    Window,
    /// The summary covers them.
    Summarized,
    /// The node sends it as its own message.
    OwnMessage,
}

/// Turns of a conversation that were not sent, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OmittedTurns {
    pub reason: OmissionReason,
    /// The position of the first, from 0.
    #[ts(type = "number")]
    pub first: u64,
    /// How many they are.
    #[ts(type = "number")]
    pub count: u64,
}

/// What a prompt has of the conversation of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoopConversationRecord {
    pub node: NodeId,
    /// Its iteration outside.
    pub epoch: Epoch,
    pub strategy: HistoryStrategy,
    /// The most tokens of turns, if they are bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_tokens: Option<u32>,
    /// The most turns, if they are bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_turns: Option<u32>,
    /// The tokens that the model's window had left for turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub room: Option<u64>,
    /// How many turns were sent, the summary included.
    #[ts(type = "number")]
    pub sent: u64,
    /// Their tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<OmittedTurns>>")]
    pub left_out: Vec<OmittedTurns>,
    /// The iteration that wrote the summary, if one was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<Epoch>,
    /// What did not go as the settings say: a summary that was not written, a template that was not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
}

/// A turn of a conversation, as a prompt had it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SentTurn {
    pub role: Role,
    pub text: String,
    /// The node that said it.
    pub node: NodeId,
    /// The images and files that are sent with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
}
