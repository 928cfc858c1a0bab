//! Conversations: main contexts that live on across the runs of a flow.
//!
//! A run's first event names the conversation that it continues and how long that was ([`ConversationRef`]). Which messages
//! it recalls follows from that and the config of `contextStart` alone, so a resumed run recalls the same. This module
//! decides which messages are recalled ([`find_recall_start`]). It stores none: a store does, behind [`ConversationReader`].

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Message, Role, SharedMessage};
use crate::memory::WorkflowMemory;
use plait_core::error::Fault;
use plait_core::id::{Activation, ConversationId, MessageId, RunId};
use plait_core::origin::Origins;

/// The default maximum of recalled messages.
pub const DEFAULT_MAX_MESSAGES: u32 = 20;
/// The default maximum of their tokens together.
pub const DEFAULT_MAX_TOKENS: u32 = 16_000;

/// A conversation as it was when a run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRef {
    pub id: ConversationId,
    /// Its id at a provider that keeps sessions.
    pub thread: String,
    /// How many messages it had: those at the positions from 0 up to this number.
    #[ts(type = "number")]
    pub messages: u64,
    /// The latest summary, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
    /// The workflow's memory as the latest run left it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<WorkflowMemory>")]
    pub memory: Option<Arc<WorkflowMemory>>,
}

/// A summary of the beginning of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRef {
    /// How many messages it summarizes, from the first.
    #[ts(type = "number")]
    pub places: u64,
    /// The run that created it.
    pub run: RunId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The text with its heading.
    pub text: String,
    /// Its size as a message, counted once when it was created.
    pub tokens: u32,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    pub origins: Origins,
}

/// Reads the messages of a conversation before a run. Stored messages and summaries never change.
pub trait ConversationReader: Send + Sync {
    /// The message at a position, from 0. Its id is [`message_id`]'s. Faults: `conversation.unknown` if the conversation
    /// was deleted, `conversation.corrupt`, `store.*`.
    fn message(&self, position: u64) -> Result<SharedMessage, Fault>;
    /// The text of a summary. The same faults.
    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault>;
}

/// The conversation that a run continues.
#[derive(Clone)]
pub struct Conversation {
    pub at: Arc<ConversationRef>,
    pub past: Arc<dyn ConversationReader>,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.at, f)
    }
}

/// The part of its conversation that a run recalls.
///
/// A journal has only the positions. `messages` are stored once, with the conversation, and are filled in when the
/// journal is read. They stay empty if the conversation was deleted meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Recalled {
    pub conversation: ConversationId,
    /// The position of the first message.
    #[ts(type = "number")]
    pub first: u64,
    /// How many messages, without the summary.
    #[ts(type = "number")]
    pub count: u64,
    /// The summary of the messages before. It comes first, as a system message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
    /// Why no summary was written, although one was due. The older messages are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// The summary, then the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Message>>")]
    pub messages: Vec<SharedMessage>,
}

/// How the id of a recalled message begins.
pub const MESSAGE_ID_PREFIX: &str = "conversation:";

/// The id in a run of the message at a position. It never equals the id of a message of the run itself: those end in `/`
/// and a number.
pub fn message_id(position: u64) -> MessageId {
    format!("{MESSAGE_ID_PREFIX}{position}").into()
}

/// The message for a summary in a run: a system message, so that it is sent with the instructions and never trimmed.
pub fn summary_message(summary: Summary, author: Activation) -> SharedMessage {
    let Summary { text, tokens, origins } = summary;
    let message = Message::plain("conversation:summary".into(), Role::System, text, author, tokens);
    Arc::new(Message { origins, ..message })
}

/// The limits of what a run recalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecallLimits {
    pub messages: u64,
    pub tokens: u64,
}

/// The position of the first of `count` messages to recall: the earliest user message from which all messages are within
/// both limits and each tool call has its results; `count` if there is none.
///
/// `newest_first` is read only as far as the limits allow. If a history was edited into an order that models reject (a
/// result without its call, a call without its result), recall starts after that point.
pub fn find_recall_start(
    newest_first: impl Iterator<Item = Result<SharedMessage, Fault>>,
    count: u64,
    limits: RecallLimits,
) -> Result<u64, Fault> {
    let (mut start, mut tokens) = (count, 0);
    let mut results = HashSet::new();
    // Never reads a message beyond the limit: it may be damaged.
    let positions = (count.saturating_sub(limits.messages)..count).rev();
    for (position, message) in positions.zip(newest_first) {
        let message = message?;
        tokens += u64::from(message.tokens);
        if tokens > limits.tokens {
            break;
        }
        if message.tool_call_id.as_ref().is_some_and(|id| !results.insert(id.clone())) {
            break;
        }
        let answered = message.tool_calls.iter().all(|call| results.remove(&call.id));
        if !answered || (message.role != Role::Tool && !results.is_empty()) {
            break;
        }
        if message.role == Role::User {
            start = position;
        }
    }
    Ok(start)
}

#[cfg(test)]
mod tests;
