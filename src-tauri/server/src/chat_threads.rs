//! Which conversation here has the messages that a request carries: the next request of a chat goes on with it.
//!
//! Clients send the whole chat each time. Without this, each request would begin another conversation with a copy of all messages.
//! What is forgotten here, after a restart for example, costs such a copy and nothing else.

use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;
use plait_api::runs::{SaidMessage, Speaker};
use plait_core::id::ConversationId;
use sha2::{Digest as _, Sha256};

/// How many chats are remembered.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// What was said in a chat of one token with one flow.
type Key = [u8; 32];

pub(crate) struct ChatThreads(Mutex<LruCache<Key, Thread>>);

/// A conversation, as long as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) conversation: ConversationId,
    pub(crate) messages: u64,
}

impl Default for ChatThreads {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_THREADS)))
    }
}

impl ChatThreads {
    /// The conversation that has exactly these messages. Taken once: of two requests that go on from the same place, the second one
    /// begins a conversation of its own.
    pub(crate) fn take(&self, token: &str, flow: &str, said: &[SaidMessage]) -> Option<Thread> {
        self.0.lock().pop(&key(token, flow, said))
    }

    /// Remembers what a conversation has now.
    pub(crate) fn put(&self, token: &str, flow: &str, said: &[SaidMessage], thread: Thread) {
        self.0.lock().put(key(token, flow, said), thread);
    }
}

fn key(token: &str, flow: &str, said: &[SaidMessage]) -> Key {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    add(token);
    add(flow);
    for SaidMessage { role, text } in said {
        add(match role {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        });
        add(text);
    }
    hash.finalize().into()
}
