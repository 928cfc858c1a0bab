//! Conversations that OpenAI keeps on its side, so that only what is new has to be sent. Off unless asked for, in memory
//! only, and never more than a saving: what counts is the local history.
//!
//! What is remembered of a reply is a hash of everything up to and with it: the session, model, instructions, tools and
//! every item. A request may lean on the longest part of itself that has such a hash. So whatever was trimmed, edited,
//! injected, summarised or forked simply is not found, and all is sent.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::request::Draft;

/// How many replies are remembered, of all conversations together.
const MOST: usize = 4096;

type Hash = [u8; 32];

/// The hashes of every part of a request that begins with its beginning.
pub(super) struct Prefix {
    /// Of the frame alone, and with each further item.
    hashes: Vec<Hash>,
}

impl Prefix {
    pub(super) fn new(session: &str, draft: &Draft) -> Self {
        let frame = serde_json::json!([session, draft.frame()]);
        let mut prefix = Self { hashes: vec![Sha256::digest(frame.to_string()).into()] };
        prefix.push(&draft.items);
        prefix
    }

    /// The hash of the whole with the items of its reply.
    pub(super) fn and(mut self, reply: &[Value]) -> Hash {
        self.push(reply);
        self.last()
    }

    fn push(&mut self, items: &[Value]) {
        for item in items {
            let next = Sha256::new().chain_update(self.last()).chain_update(item.to_string()).finalize();
            self.hashes.push(next.into());
        }
    }

    fn last(&self) -> Hash {
        self.hashes.last().copied().unwrap_or_default()
    }
}

/// A reply they have kept, and how many items of the request it stands behind.
pub(super) struct Known {
    hash: Hash,
    pub(super) response_id: String,
    pub(super) items: usize,
}

/// The replies they have kept.
#[derive(Default)]
pub(super) struct Sessions(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    replies: HashMap<Hash, String>,
    /// Oldest first; may still name what was forgotten.
    order: VecDeque<Hash>,
}

impl Sessions {
    /// The last reply that the request goes on from; never one with nothing behind it to answer.
    pub(super) fn find(&self, prefix: &Prefix) -> Option<Known> {
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, shorter) = prefix.hashes.split_last()?;
        shorter.iter().enumerate().rev().find_map(|(items, hash)| {
            let response_id = memory.replies.get(hash)?.clone();
            Some(Known { hash: *hash, response_id, items })
        })
    }

    pub(super) fn keep(&self, hash: Hash, response_id: &str) {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.replies.insert(hash, response_id.to_owned()).is_none() {
            memory.order.push_back(hash);
        }
        while memory.order.len() > MOST {
            let oldest = memory.order.pop_front().unwrap_or_default();
            memory.replies.remove(&oldest);
        }
    }

    pub(super) fn forget(&self, known: &Known) {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.replies.remove(&known.hash);
    }
}

#[cfg(test)]
mod tests;
