//! Replies that other runs of the same user bought, for a run that may take those of any run.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use futures::future::{BoxFuture, ready};

use super::EarlierReply;
use super::record::RecordedRun;
use crate::{Entry, EventRef};
use plait_core::error::Fault;
use plait_core::id::{ReplyKey, RunId};

/// Finds them by the keys of their requests.
pub trait OtherReplies: Debug + Send + Sync {
    /// The newest reply to a request with this key that `take` accepts. Never one of the run tree that asks, or of another user. `take` is
    /// asked about each reply once it is known to be one that can be reused.
    fn find(&self, key: &ReplyKey, take: &mut dyn FnMut(&EarlierReply) -> bool) -> Option<EarlierReply>;

    /// What a run does that has found none. Waits, where several processes share their replies, until no other run tree buys one for
    /// the same key.
    fn turn<'a>(
        &'a self,
        _key: &'a ReplyKey,
        _take: &'a mut (dyn FnMut(&EarlierReply) -> bool + Send),
    ) -> BoxFuture<'a, Result<ReplyTurn, Fault>> {
        Box::pin(ready(Ok(ReplyTurn::Buy(None))))
    }
}

/// What a run does that lacks a reply.
#[derive(Debug)]
pub enum ReplyTurn {
    /// It takes this one, which was bought meanwhile.
    Take(Box<EarlierReply>),
    /// It buys one.
    Buy(Option<PurchaseClaim>),
}

/// The right to buy a reply for a key alone. Once it is dropped, others look for the reply that was recorded, or buy one.
pub struct PurchaseClaim(
    #[expect(dead_code, reason = "dropping it is what counts")] Box<dyn Any + Send + Sync>,
);

impl PurchaseClaim {
    pub fn new(held: impl Any + Send + Sync) -> Self {
        Self(Box::new(held))
    }
}

impl Debug for PurchaseClaim {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PurchaseClaim")
    }
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
