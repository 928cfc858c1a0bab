//! Conversations: main contexts that live on across the runs of a flow.
//!
//! A run's first event says which conversation it goes on in and how far that had come ([`ConversationRef`]); what it
//! remembers of it follows from that and the `contextStart`'s config alone, so a resumed run remembers
//! the same. Owns which messages are remembered ([`start_of`]); refuses to keep any: a store does, behind [`ConversationReader`].

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Message, Role, SharedMessage};
use crate::error::Fault;
use crate::id::{Activation, ConversationId, MessageId, RunId};

/// How many messages are remembered at most, where nobody says otherwise.
pub const MESSAGES: u32 = 20;
/// How many tokens they take at most, where nobody says otherwise.
pub const TOKENS: u32 = 16_000;

/// A conversation as it stood when a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRef {
    /// Which conversation.
    pub id: ConversationId,
    /// What a provider that keeps sessions knows it by.
    pub thread: String,
    /// How many messages it held: those of the places 0 up to this.
    #[ts(type = "number")]
    pub messages: u64,
    /// The newest summary, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
}

/// A summary of a conversation's beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRef {
    /// How many messages it stands for, from the first on.
    #[ts(type = "number")]
    pub places: u64,
    /// The run that had it written.
    pub run: RunId,
}

/// The text of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// What it says, heading included.
    pub text: String,
    /// What it takes as a message, counted once when it was written.
    pub tokens: u32,
}

/// What was said in a conversation before a run. Messages and summaries never change once they are there.
pub trait ConversationReader: Send + Sync {
    /// The message at a place, from 0. Its id is [`message_id`]'s. Faults `conversation.unknown` once it was deleted,
    /// `conversation.corrupt`, `store.*`.
    fn message(&self, place: u64) -> Result<SharedMessage, Fault>;
    /// A summary. Faults likewise.
    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault>;
}

/// The conversation a run goes on in.
#[derive(Clone)]
pub struct Conversation {
    /// Which, and how far it had come.
    pub at: Arc<ConversationRef>,
    /// What was said.
    pub past: Arc<dyn ConversationReader>,
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.at, f)
    }
}

/// What a run remembers of its conversation.
///
/// A journal names the places and leaves `messages` out: they are stored once, with the conversation, and come back
/// when the journal is read. They stay away where the conversation was deleted since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Recalled {
    /// Which conversation.
    pub conversation: ConversationId,
    /// The place of the first message.
    #[ts(type = "number")]
    pub first: u64,
    /// How many messages from there on, the summary not counted.
    #[ts(type = "number")]
    pub count: u64,
    /// The summary of what came before. It stands first, as a system message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<SummaryRef>,
    /// The summary and the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Message>>")]
    pub messages: Vec<SharedMessage>,
}

/// The id that the message at a place has in a run. No message of the run itself has such a one: they end in `/` and a
/// number.
pub fn message_id(place: u64) -> MessageId {
    format!("conversation:{place}").into()
}

/// A summary as a run has it: a system message, so that it is sent with the instructions and never trimmed.
pub fn summary_message(summary: Summary, author: Activation) -> SharedMessage {
    let Summary { text, tokens } = summary;
    Arc::new(Message::plain("conversation:summary".into(), Role::System, text, author, tokens))
}

/// How much is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At most so many messages.
    pub messages: u64,
    /// At most so many tokens.
    pub tokens: u64,
}

/// From which of `count` messages on they are remembered: the earliest user message from which all are within both
/// bounds and every tool call stands with its results; `count` where there is no such.
///
/// The messages come newest first and are taken only as far as they are within the bounds. A history that was edited
/// into an order no model takes (a result without its call, a call without its result) is remembered from behind that.
pub fn start_of(
    newest_first: impl Iterator<Item = Result<SharedMessage, Fault>>,
    count: u64,
    bounds: Bounds,
) -> Result<u64, Fault> {
    let (mut start, mut tokens) = (count, 0);
    let mut results = HashSet::new();
    // Never one more is read than may be remembered: it might be damaged.
    let places = (count.saturating_sub(bounds.messages)..count).rev();
    for (place, message) in places.zip(newest_first) {
        let message = message?;
        tokens += u64::from(message.tokens);
        if tokens > bounds.tokens {
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
            start = place;
        }
    }
    Ok(start)
}

#[cfg(test)]
mod tests;
