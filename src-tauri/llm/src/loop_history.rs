//! The history of a conversational loop: the turns that its iterations added, and which of them a model receives.
//!
//! A turn is the final output of a node, said by the user or by the assistant; what a node did on the way (tool calls, rejected
//! replies) never is one. This module owns the settings, the turns, the bounds and the plan of a summary. It calls no model and knows no prompts: the prompt pipeline puts the turns between a
//! context's messages and the user message.

mod answers;
mod bound;
mod content;
mod conversation;
mod settings;
mod summary;

use std::sync::Arc;

use imbl::Vector;

use crate::context::{Content, History, Message, Role, SharedMessage};
use plait_core::id::{Activation, MessageId};
use plait_core::origin::Origins;

pub use answers::{PersonAnswer, PersonAnswers};
pub use bound::{BoundReason, BoundedHistory, LeftOutTurns, bound_history};
pub use content::turn_content;
pub use conversation::{ConversationScope, Insertion, LoopConversation, ReceivedText};
pub use settings::{
    AiTurnSource, ConversationSettings, HITL, HistoryBounds, HistoryInit, HistoryManagement, HistoryStart,
    HistoryStrategy, NAMED_STEPS, StartWith,
};
pub use summary::{HistorySummary, RejectedSummary, SummaryAttempt, SummaryPlan};

/// Something that was said in a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryTurn {
    /// Role, content, author (node and epoch), origins, and tokens, which were counted once. Its id is that of the message of a
    /// context, if the turn is one.
    pub message: SharedMessage,
    /// Whether a person wants it to be sent always.
    pub pinned: bool,
}

impl HistoryTurn {
    /// A turn that `author` added, with its tokens as counted for a message. `id` is the message of a context that it is, if it
    /// is one.
    pub fn new(
        role: Role,
        content: impl Into<Content>,
        author: Activation,
        id: Option<MessageId>,
        origins: Origins,
        tokens: u32,
    ) -> Self {
        let id = id.unwrap_or_else(|| format!("{author}/turn").into());
        let message = Message { origins, ..Message::plain(id, role, content, author, tokens) };
        Self { message: Arc::new(message), pinned: false }
    }

    /// The same, kept in spite of the bounds.
    #[must_use]
    pub fn pinned(self) -> Self {
        Self { pinned: true, ..self }
    }
}

/// The turns of a loop, oldest first. Persistent: cloning takes the same time at any length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopHistory {
    turns: History,
    /// The positions of the pinned turns, ascending.
    pinned: Vector<usize>,
    /// Whether anything is attached to a turn.
    has_attachments: bool,
}

impl LoopHistory {
    /// How many turns there are.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The messages of the turns.
    pub fn messages(&self) -> &History {
        &self.turns
    }

    /// The positions of the pinned turns, ascending.
    pub fn pinned(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.pinned.iter().copied()
    }

    /// Whether anything is attached to a turn.
    pub fn has_attachments(&self) -> bool {
        self.has_attachments
    }

    /// Adds a turn.
    pub fn push(&mut self, turn: HistoryTurn) {
        if turn.pinned {
            self.pinned.push_back(self.turns.len());
        }
        self.has_attachments |= turn.message.content.attachments().next().is_some();
        self.turns.extend([turn.message]);
    }

    /// Pins the turn at this position, or takes the pin off.
    pub fn set_pinned(&mut self, position: usize, pinned: bool) {
        match (self.pinned.binary_search(&position), pinned) {
            (Err(at), true) => self.pinned.insert(at, position),
            (Ok(at), false) => {
                self.pinned.remove(at);
            }
            _ => {}
        }
    }

    /// The same turns with content converted by `convert` and tokens counted by `count`. For models with another
    /// tokenizer, and models that take no attachments.
    #[must_use]
    pub fn converted(&self, convert: impl Fn(&Content) -> Content, count: impl Fn(&Content) -> u32) -> Self {
        let convert = |message: &SharedMessage| {
            let content = convert(&message.content);
            Arc::new(Message { tokens: count(&content), content, ..Message::clone(message) })
        };
        Self { turns: self.turns.iter().map(convert).collect(), ..self.clone() }
    }
}

impl FromIterator<HistoryTurn> for LoopHistory {
    fn from_iter<I: IntoIterator<Item = HistoryTurn>>(turns: I) -> Self {
        let mut history = Self::default();
        turns.into_iter().for_each(|turn| history.push(turn));
        history
    }
}

#[cfg(test)]
mod tests;
