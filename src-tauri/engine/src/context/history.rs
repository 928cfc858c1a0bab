//! What was said in a context, and beside it what a prompt has to know of all of it before it looks at any of it.

use std::ops::Deref;

use imbl::Vector;
use serde::{Deserialize, Serialize};

use super::{Message, Role, SharedMessage};

/// Everything said in a context, oldest first. Persistent: a copy costs the same at any length. Reads as the vector of its
/// messages, and is one in JSON.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vector<SharedMessage>", into = "Vector<SharedMessage>")]
pub struct History {
    messages: Vector<SharedMessage>,
    /// One for each message. They lie close together, where messages are anywhere in memory: whoever goes through ten
    /// thousand of them before each call waits for little else.
    weights: Vector<Weight>,
    /// Where the system messages stand, first to last. They are few, and every call takes them out.
    system: Vector<usize>,
}

/// What trimming looks at of a message.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// What it takes.
    pub tokens: u32,
    /// Whether a person says it.
    pub is_user: bool,
    /// Whether it calls tools or is a tool's result.
    pub has_tools: bool,
}

impl From<&Message> for Weight {
    fn from(message: &Message) -> Self {
        Self {
            tokens: message.tokens,
            is_user: message.role == Role::User,
            has_tools: message.tool_call_id.is_some() || !message.tool_calls.is_empty(),
        }
    }
}

impl History {
    /// The weights of the messages in chunks, the newest chunk first; each chunk is ordered from old to new.
    pub fn weights_newest_first(&self) -> impl Iterator<Item = &[Weight]> {
        self.weights.leaves().rev()
    }

    /// The history without its last message.
    pub fn pop(&mut self) {
        self.weights.pop_back();
        if self.messages.pop_back().is_some_and(|message| is_system(&message)) {
            self.system.pop_back();
        }
    }

    /// Takes the system messages out and gives them, in order. What it costs depends on how many they are, and hardly on
    /// how many others there are.
    pub fn take_system(&mut self) -> Vec<SharedMessage> {
        let mut taken = Vec::with_capacity(self.system.len());
        // From the last on, so that those before stay where they are.
        while let Some(place) = self.system.pop_back() {
            self.weights.remove(place);
            taken.push(self.messages.remove(place));
        }
        taken.reverse();
        taken
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
            self.weights.push_back(Weight::from(&*message));
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
