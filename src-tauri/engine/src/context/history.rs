//! The messages of a context, with the statistics that trimming reads for every message before each call.

use std::ops::Deref;

use imbl::Vector;
use serde::{Deserialize, Serialize};

use super::{Message, Role, SharedMessage};

/// The messages of a context, oldest first. Persistent: cloning takes the same time at any length. Derefs to the vector of
/// messages and serializes as one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vector<SharedMessage>", into = "Vector<SharedMessage>")]
pub struct History {
    messages: Vector<SharedMessage>,
    /// One per message. They are contiguous in memory, messages are not: reading ten thousand of them before each call
    /// would otherwise be dominated by cache misses.
    stats: Vector<MessageStats>,
    /// The indexes of the system messages, ascending. They are few, and every call removes them.
    system: Vector<usize>,
}

/// What trimming needs to know about a message.
#[derive(Clone, Copy, Debug)]
pub struct MessageStats {
    pub tokens: u32,
    pub is_user: bool,
    /// Whether it calls tools or is the result of a tool.
    pub has_tools: bool,
}

impl From<&Message> for MessageStats {
    fn from(message: &Message) -> Self {
        Self {
            tokens: message.tokens,
            is_user: message.role == Role::User,
            has_tools: message.tool_call_id.is_some() || !message.tool_calls.is_empty(),
        }
    }
}

impl History {
    /// The statistics in chunks, the newest chunk first; within a chunk, oldest first.
    pub fn stats_newest_first(&self) -> impl Iterator<Item = &[MessageStats]> {
        self.stats.leaves().rev()
    }

    /// Removes the last message.
    pub fn pop(&mut self) {
        self.stats.pop_back();
        if self.messages.pop_back().is_some_and(|message| is_system(&message)) {
            self.system.pop_back();
        }
    }

    /// Removes the system messages and returns them in order. The cost depends on their number, and hardly on the number
    /// of other messages.
    pub fn take_system(&mut self) -> Vec<SharedMessage> {
        let mut removed = Vec::with_capacity(self.system.len());
        // From the last, so that the indexes of those before stay valid.
        while let Some(index) = self.system.pop_back() {
            self.stats.remove(index);
            removed.push(self.messages.remove(index));
        }
        removed.reverse();
        removed
    }
}

fn is_system(message: &SharedMessage) -> bool {
    message.role == Role::System
}

impl Deref for History {
    type Target = Vector<SharedMessage>;

    fn deref(&self) -> &Vector<SharedMessage> {
        &self.messages
    }
}

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

impl Extend<SharedMessage> for History {
    fn extend<I: IntoIterator<Item = SharedMessage>>(&mut self, messages: I) {
        for message in messages {
            self.stats.push_back(MessageStats::from(&*message));
            if is_system(&message) {
                self.system.push_back(self.messages.len());
            }
            self.messages.push_back(message);
        }
    }
}

impl FromIterator<SharedMessage> for History {
    fn from_iter<I: IntoIterator<Item = SharedMessage>>(messages: I) -> Self {
        let mut history = Self::default();
        history.extend(messages);
        history
    }
}

impl From<Vector<SharedMessage>> for History {
    fn from(messages: Vector<SharedMessage>) -> Self {
        messages.into_iter().collect()
    }
}

impl From<History> for Vector<SharedMessage> {
    fn from(history: History) -> Self {
        history.messages
    }
}

#[cfg(test)]
mod tests;
