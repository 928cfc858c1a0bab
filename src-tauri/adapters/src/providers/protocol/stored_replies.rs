//! Conversations that a provider stores, so that only new messages have to be sent. Off by default, in memory only, and
//! purely an optimization: the local history is the source of truth.
//!
//! Each stored reply is identified by a hash of everything up to and including it: session, model, instructions, tools
//! and every item of the conversation. A request continues from its longest prefix with a known hash. A history that
//! was trimmed, edited, injected, summarized or forked has no known hash, so everything is sent.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use plait_core::error::Fault;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::codes;

/// Limit for all conversations together.
const MAX_STORED_REPLIES: usize = 4096;

type Hash = [u8; 32];

pub(in crate::providers) struct PrefixHashes {
    /// The hash without any item, then with each further item.
    hashes: Vec<Hash>,
}

impl PrefixHashes {
    /// `fixed` is what determines a reply besides the `items` of the conversation.
    pub(in crate::providers) fn new(session: &str, fixed: &[Option<&Value>], items: &[Value]) -> Self {
        let fixed = serde_json::json!([session, fixed]);
        let mut prefix = Self { hashes: vec![Sha256::digest(fixed.to_string()).into()] };
        prefix.push(items);
        prefix
    }

    /// The hash of the whole request followed by the items of its reply.
    fn with_reply(mut self, reply: &[Value]) -> Hash {
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
pub(in crate::providers) struct StoredReply {
    hash: Hash,
    /// The provider's id of it.
    pub(in crate::providers) id: String,
    pub(in crate::providers) items: usize,
}

/// The replies that a provider has stored, by prefix hash.
#[derive(Default)]
pub(in crate::providers) struct StoredReplies(Mutex<State>);

#[derive(Default)]
struct State {
    ids: HashMap<Hash, String>,
    /// Oldest first; may contain hashes that were removed.
    order: VecDeque<Hash>,
}

impl StoredReplies {
    /// The latest stored reply that the request continues from; at least one item must follow it.
    pub(in crate::providers) fn find(&self, prefix: &PrefixHashes) -> Option<StoredReply> {
        let state = self.0.lock();
        let (_, shorter) = prefix.hashes.split_last()?;
        shorter.iter().enumerate().rev().find_map(|(items, hash)| {
            let id = state.ids.get(hash)?.clone();
            Some(StoredReply { hash: *hash, id, items })
        })
    }

    /// Remembers the reply to the request of `prefix`, as the items that it becomes once it is part of the conversation.
    pub(in crate::providers) fn insert(&self, prefix: PrefixHashes, reply: &[Value], id: &str) {
        self.insert_hash(prefix.with_reply(reply), id);
    }

    fn insert_hash(&self, hash: Hash, id: &str) {
        let mut state = self.0.lock();
        if state.ids.insert(hash, id.to_owned()).is_none() {
            state.order.push_back(hash);
        }
        while state.order.len() > MAX_STORED_REPLIES {
            let oldest = state.order.pop_front().unwrap_or_default();
            state.ids.remove(&oldest);
        }
    }

    /// Whether a request that continued from `stored` and failed with `fault` is to be sent as a whole. The provider may have
    /// dropped the reply, and says that in more than one way. If the request is wrong for another reason, the whole one fails
    /// the same way.
    pub(in crate::providers) fn forget_after(&self, stored: &StoredReply, fault: &Fault) -> bool {
        let may_be_gone = [codes::PROVIDER_NOT_FOUND, codes::PROVIDER_BAD_REQUEST].contains(&fault.code);
        if may_be_gone {
            self.0.lock().ids.remove(&stored.hash);
        }
        may_be_gone
    }
}

#[cfg(test)]
mod tests;
