//! Replies that other runs of the same user bought, for a run that may take those of any run.

use std::fmt::Debug;
use std::sync::Arc;

use super::EarlierReply;
use super::record::RecordedRun;
use crate::{Entry, EventRef};
use plait_core::id::{ReplyKey, RunId};

/// Finds them by the keys of their requests.
pub trait OtherReplies: Debug + Send + Sync {
    /// The newest reply to a request with this key that `take` accepts. Never one of the run tree that asks, or of another user. `take` is
    /// asked about each reply once it is known to be one that can be reused.
    fn find(&self, key: &ReplyKey, take: &mut dyn FnMut(&EarlierReply) -> bool) -> Option<EarlierReply>;
}

/// The replies that a run bought and that can be reused, by its journal or the beginning of it, with the keys of their requests. A
/// reply that made its node fail is none of them.
pub fn reusable_replies(run: &RunId, entries: &[Entry]) -> Vec<(ReplyKey, EarlierReply)> {
    let recorded = RecordedRun::of(run, entries);
    let replies = recorded.activations.into_values().flat_map(|recorded| recorded.replies.into_values());
    replies
        .filter(|(_, reply)| reply.bought.is_none())
        .map(|(key, reply)| (key, Arc::unwrap_or_clone(reply)))
        .collect()
}

impl EarlierReply {
    /// The events that hold the same purchase: that it is taken from, and that of the run that bought it.
    pub(super) fn events(&self) -> impl Iterator<Item = &EventRef> {
        std::iter::once(&self.event).chain(&self.bought)
    }
}
