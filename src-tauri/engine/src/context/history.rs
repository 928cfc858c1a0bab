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
    /// The weights of the messages in stretches, the newest stretch first; in each they stand oldest first.
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
mod tests {
    use std::sync::Arc;

    use cpu_time::ThreadTime;
    use proptest::prelude::*;

    use super::*;
    use crate::context::ToolCall;
    use crate::id::{Activation, Epoch};

    fn message(role: Role, tokens: u32, called: bool) -> SharedMessage {
        let call = ToolCall { id: "1".into(), name: "t".into(), arguments: serde_json::Value::Null };
        Arc::new(Message {
            id: "m".into(),
            role,
            content: "".into(),
            reasoning: None,
            tool_calls: if called { vec![call] } else { Vec::new() },
            tool_call_id: (role == Role::Tool).then(|| "1".into()),
            provider_state: None,
            author: Activation { node: "n".into(), epoch: Epoch::root() },
            tokens,
        })
    }

    fn any_message() -> impl Strategy<Value = SharedMessage> {
        let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
        (role, 0_u32..100, any::<bool>()).prop_map(|(role, tokens, called)| message(role, tokens, called))
    }

    /// What is kept beside the messages is what they say, however they came to be there.
    fn is_true(history: &History) -> bool {
        let seen = |weight: Weight| (weight.tokens, weight.is_user, weight.has_tools);
        let kept = history.weights_newest_first().flat_map(|stretch| stretch.iter().rev()).copied().map(seen);
        let said = history.iter().rev().map(|message| {
            let has_tools = message.role == Role::Tool || !message.tool_calls.is_empty();
            (message.tokens, message.role == Role::User, has_tools)
        });
        let system = (0..).zip(history.iter()).filter(|(_, message)| is_system(message));
        kept.eq(said) && history.system.iter().copied().eq(system.map(|(place, _)| place))
    }

    #[test]
    fn taking_one_system_message_out_does_not_cost_the_whole_history() {
        let mut messages = vec![message(Role::User, 1, false); 50_000];
        messages[0] = message(Role::System, 1, false);
        let time = |work: &dyn Fn()| {
            let before = ThreadTime::now();
            work();
            before.elapsed()
        };
        let history: History = messages.iter().cloned().collect();
        let whole = time(&|| assert_eq!(messages.iter().cloned().collect::<History>().len(), 50_000));
        let taken = time(&|| {
            for _ in 0..20 {
                assert_eq!(history.clone().take_system().len(), 1);
            }
        });
        assert!(taken < whole * 2, "20 times took {taken:?}, the whole {whole:?}");
    }

    proptest! {
        #[test]
        fn weights_keep_step_with_messages(
            messages in prop::collection::vec(any_message(), 0..300),
            more in prop::collection::vec(any_message(), 0..100),
            popped in 0_usize..5,
        ) {
            let mut history: History = messages.iter().cloned().collect();
            history.extend(more.iter().cloned());
            (0..popped).for_each(|_| history.pop());
            prop_assert!(is_true(&history));
            let mut all: Vec<_> = messages.into_iter().chain(more).collect();
            all.truncate(all.len().saturating_sub(popped));
            prop_assert!(history.iter().eq(&all));

            let system = history.take_system();
            prop_assert!(is_true(&history) && history.system.is_empty());
            let (wanted, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_system);
            prop_assert!(system.iter().eq(&wanted) && history.iter().eq(&others));
        }
    }
}
