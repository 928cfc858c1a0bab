//! Conversations that OpenAI stores, so that only new items have to be sent. Off by default, in state only, and purely an
//! optimization: the local history is the source of truth.
//!
//! Each stored reply is identified by a hash of everything up to and including it: session, model, instructions, tools and
//! every item. A request continues from its longest prefix with a known hash. A history that was trimmed, edited, injected,
//! summarized or forked has no known hash, so everything is sent.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::request::RequestDraft;

/// Limit for all conversations together.
const MAX_STORED_REPLIES: usize = 4096;

type Hash = [u8; 32];

/// The hashes of all prefixes of a request.
pub(super) struct PrefixHashes {
    /// The hash without any item, then with each further item.
    hashes: Vec<Hash>,
}

impl PrefixHashes {
    pub(super) fn new(session: &str, draft: &RequestDraft) -> Self {
        let fixed = serde_json::json!([session, draft.fixed_fields()]);
        let mut prefix = Self { hashes: vec![Sha256::digest(fixed.to_string()).into()] };
        prefix.push(&draft.items);
        prefix
    }

    /// The hash of the whole request followed by the items of its reply.
    pub(super) fn with_reply(mut self, reply: &[Value]) -> Hash {
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

/// A stored reply, and how many items of the request precede and include it.
pub(super) struct StoredReply {
    hash: Hash,
    pub(super) response_id: String,
    pub(super) items: usize,
}

/// The replies that OpenAI has stored, by prefix hash.
#[derive(Default)]
pub(super) struct SessionCache(Mutex<CacheState>);

#[derive(Default)]
struct CacheState {
    replies: HashMap<Hash, String>,
    /// Oldest first; may contain hashes that were removed.
    order: VecDeque<Hash>,
}

impl SessionCache {
    /// The latest stored reply that the request continues from; at least one item must follow it.
    pub(super) fn find(&self, prefix: &PrefixHashes) -> Option<StoredReply> {
        let state = self.0.lock();
        let (_, shorter) = prefix.hashes.split_last()?;
        shorter.iter().enumerate().rev().find_map(|(items, hash)| {
            let response_id = state.replies.get(hash)?.clone();
            Some(StoredReply { hash: *hash, response_id, items })
        })
    }

    pub(super) fn insert(&self, hash: Hash, response_id: &str) {
        let mut state = self.0.lock();
        if state.replies.insert(hash, response_id.to_owned()).is_none() {
            state.order.push_back(hash);
        }
        while state.order.len() > MAX_STORED_REPLIES {
            let oldest = state.order.pop_front().unwrap_or_default();
            state.replies.remove(&oldest);
        }
    }

    pub(super) fn forget(&self, stored: &StoredReply) {
        let mut state = self.0.lock();
        state.replies.remove(&stored.hash);
    }
}

#[cfg(test)]
mod tests;
