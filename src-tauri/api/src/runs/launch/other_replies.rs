//! Replies that other runs of the same user bought, found by the keys of their requests: in the store, or in the database where several
//! processes share them. The store counts no run that is still going on, no run of another user, none of the tree that asks, and no reply
//! that a person has forgotten.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{ReplyKey, RunId};
use plait_core::user::UserName;
use plait_journal::Entry;
use plait_journal::earlier_run::{EarlierReply, OtherReplies, ReplyTurn, reusable_replies};
use plait_journal::view::RunStatus;
use plait_store::{ForgottenReplies, Store, WantedReply};

/// The replies of a run that can be reused, by the position of their events.
type RunReplies = HashMap<u64, (ReplyKey, EarlierReply)>;

pub(super) struct StoredReplies {
    store: Store,
    user: UserName,
    /// The run that asks, or that started those that do.
    root: RunId,
    forgotten: ForgottenReplies,
    /// The runs that were read. Nothing of one that does not count.
    read: Mutex<HashMap<RunId, Arc<RunReplies>>>,
}

/// What the runs of the tree with this root may take. Fault `store.corrupt` if nobody can say what is forgotten.
pub(super) fn replies_for(
    store: &Store,
    user: UserName,
    root: RunId,
) -> Result<Arc<dyn OtherReplies>, Fault> {
    let store = store.clone();
    if store.database().is_some() {
        return Ok(Arc::new(SharedReplies { store, user, root }));
    }
    let forgotten = store.forgotten_replies()?;
    Ok(Arc::new(StoredReplies { store, user, root, forgotten, read: Mutex::default() }))
}

impl StoredReplies {
    fn replies_of(&self, run: &RunId) -> Arc<RunReplies> {
        let mut read = self.read.lock();
        if let Some(known) = read.get(run) {
            return Arc::clone(known);
        }
        // What can't be read is bought.
        let replies = Arc::new(self.read(run).unwrap_or_default());
        read.insert(run.clone(), Arc::clone(&replies));
        replies
    }

    fn read(&self, run: &RunId) -> Result<RunReplies, Fault> {
        let record = self.store.run(run)?;
        let is_own = self.store.tree(&self.root).is_ok_and(|tree| tree.iter().any(|own| own.run == *run));
        if record.user != self.user || record.status == RunStatus::Running || is_own {
            return Ok(RunReplies::new());
        }
        self.store.keep_attachments_of(run)?;
        let entries: Vec<Entry> = self.store.read_journal(run, 0)?.collect::<Result<_, Fault>>()?;
        let bought_at: HashMap<u64, u64> =
            entries.iter().filter_map(|entry| Some((entry.seq?, entry.at))).collect();
        let is_forgotten = |seq: u64| bought_at.get(&seq).is_none_or(|at| self.forgotten.contains(run, *at));
        let replies = reusable_replies(run, &entries).into_iter();
        let replies = replies.filter(|(_, reply)| !is_forgotten(reply.event.seq));
        Ok(replies.map(|(key, reply)| (reply.event.seq, (key, reply))).collect())
    }
}

impl OtherReplies for StoredReplies {
    fn find(&self, key: &ReplyKey, take: &mut dyn FnMut(&EarlierReply) -> bool) -> Option<EarlierReply> {
        self.store.find_replies(key).into_iter().rev().find_map(|(run, seq)| {
            let replies = self.replies_of(&run);
            // The index may be wrong about a place; the journal is right.
            let (_, reply) = replies.get(&seq).filter(|(recorded, _)| recorded == key)?;
            take(reply).then(|| reply.clone())
        })
    }
}

impl std::fmt::Debug for StoredReplies {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StoredReplies").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Those that the database of a host has.
struct SharedReplies {
    store: Store,
    user: UserName,
    root: RunId,
}

impl OtherReplies for SharedReplies {
    /// The store has nothing but copies of what this process drives.
    fn find(&self, _: &ReplyKey, _: &mut dyn FnMut(&EarlierReply) -> bool) -> Option<EarlierReply> {
        None
    }

    fn turn<'a>(
        &'a self,
        key: &'a ReplyKey,
        take: &'a mut (dyn FnMut(&EarlierReply) -> bool + Send),
    ) -> BoxFuture<'a, Result<ReplyTurn, Fault>> {
        Box::pin(async move {
            let Some(database) = self.store.database() else { return Ok(ReplyTurn::Buy(None)) };
            let wanted = WantedReply { root: &self.root, user: self.user.as_str(), key };
            database.reply_turn(wanted, take).await
        })
    }
}

impl std::fmt::Debug for SharedReplies {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SharedReplies").field("root", &self.root).finish_non_exhaustive()
    }
}
