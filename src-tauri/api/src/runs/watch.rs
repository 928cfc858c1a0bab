//! Watching a run: its journal from any place on, then what happens live, without gap or duplicate.
//!
//! A watcher that falls behind loses partial output only: events it missed are read from the journal again. It can never
//! hold up the run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use plait_adapters::Store;
use plait_adapters::store::Entries;
use plait_engine::id::RunId;
use plait_engine::run::{Entry, Event};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::Instant;

use crate::runs::broadcast::{RunBroadcast, WatchEvent};
use crate::{ErrorReply, blocking};

/// No batch is larger: what takes longer than a frame to send would hold up the next.
const BATCH: usize = 2_000;

/// How many times a frame a batch takes in what has come: often enough that little waits in between ([`RunBroadcast`] keeps a few
/// thousand entries for each watcher).
const LOOKS: u32 = 2;

/// After so many entries read without waiting, other tasks get their turn.
const BREATH: usize = 256;

/// How long the store's writer is given to take in what was told.
const SOON: Duration = Duration::from_millis(2);

/// A run being watched. Ends after the run's final event.
pub struct Watch {
    store: Store,
    run: RunId,
    hub: Arc<RunBroadcast>,
    /// The place in the journal that is given next.
    next: u64,
    journal: Option<Entries>,
    /// Where the journal stops being needed: from here on everything comes live.
    until: u64,
    partial: VecDeque<Entry>,
    live: broadcast::Receiver<WatchEvent>,
    ended: bool,
    /// Why the run was stopped, where that was before one began to watch or among the news that were missed.
    stopped: Option<Arc<ErrorReply>>,
    failed: Option<ErrorReply>,
    read: usize,
    last_batch: Option<Instant>,
}

impl Watch {
    pub(crate) fn new(
        store: Store,
        run: RunId,
        hub: Arc<RunBroadcast>,
        from_seq: u64,
    ) -> Result<Self, ErrorReply> {
        // Subscribed before the journal is read: what happens in between is in both, and skipped once.
        let joined = hub.join();
        let journal = Some(store.read_journal(&run, from_seq)?);
        Ok(Self {
            store,
            run,
            hub,
            next: from_seq,
            journal,
            until: joined.next_seq,
            partial: joined.partial.into(),
            live: joined.live,
            ended: false,
            stopped: joined.stopped,
            failed: None,
            read: 0,
            last_batch: None,
        })
    }

    /// The next entry; `None` after the run's final one. An error (`journal.corrupt`, `store.*`) is the last item too.
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Entry, ErrorReply>> {
        loop {
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Some(Err(error));
            }
            if self.ended {
                return None;
            }
            if self.journal.is_some() {
                if self.read % BREATH == BREATH - 1 {
                    self.read = 0;
                    tokio::task::yield_now().await;
                }
                match self.read_journal_on() {
                    Some(entry) => return Some(Ok(entry)),
                    None => continue,
                }
            }
            if self.is_behind() {
                // What was told is still on its way into the store.
                tokio::time::sleep(SOON).await;
                self.catch_up().await;
                continue;
            }
            if let Some(entry) = self.partial.pop_front() {
                return Some(Ok(entry));
            }
            if let Some(error) = self.stopped.take() {
                self.failed = Some(ErrorReply::clone(&error));
                continue;
            }
            match self.live.recv().await {
                Ok(WatchEvent::Entry(entry)) => match entry.seq {
                    None => return Some(Ok(Arc::unwrap_or_clone(entry))),
                    Some(seq) if seq < self.next => {}
                    Some(seq) if seq == self.next => {
                        return Some(Ok(self.given(Arc::unwrap_or_clone(entry))));
                    }
                    Some(_) => self.catch_up().await,
                },
                Ok(WatchEvent::Stopped(error)) => self.failed = Some(ErrorReply::clone(&error)),
                Err(RecvError::Lagged(_)) => self.catch_up().await,
                // The hub lives as long as this watch.
                Err(RecvError::Closed) => self.ended = true,
            }
        }
    }

    /// All that came within a frame, one entry at least; partial output of one node in one piece. `None` as in
    /// [`Watch::next`]. Called in a loop it gives at most one batch per `frame`.
    pub async fn next_batch(&mut self, frame: Duration) -> Option<Result<Vec<Entry>, ErrorReply>> {
        let mut batch = match self.next().await? {
            Ok(first) => vec![first],
            Err(error) => return Some(Err(error)),
        };
        let until = self.last_batch.map_or_else(Instant::now, |last| last + frame);
        loop {
            self.add_what_is_there(&mut batch);
            let left = until.saturating_duration_since(Instant::now());
            let over = left.is_zero() || batch.len() >= BATCH || self.ended || self.failed.is_some();
            if over || self.is_behind() {
                break;
            }
            if self.journal.is_some() {
                tokio::task::yield_now().await;
            } else {
                // Not woken for each entry: that would cost more than all that is done with it.
                tokio::time::sleep(left.min(frame / LOOKS)).await;
            }
        }
        self.last_batch = Some(Instant::now());
        Some(Ok(batch))
    }

    /// Adds entries as long as they are to be had without waiting.
    fn add_what_is_there(&mut self, batch: &mut Vec<Entry>) {
        while batch.len() < BATCH && !self.is_behind() {
            match tokio::task::unconstrained(self.next()).now_or_never() {
                Some(Some(Ok(entry))) => push_merged(batch, entry),
                Some(Some(Err(error))) => {
                    self.failed = Some(error);
                    break;
                }
                Some(None) | None => break,
            }
        }
    }

    fn read_journal_on(&mut self) -> Option<Entry> {
        let item = if self.next < self.until { self.journal.as_mut()?.next() } else { None };
        match item {
            Some(Ok(entry)) if entry.seq.is_some_and(|seq| seq < self.next) => None,
            Some(Ok(entry)) => {
                self.read += 1;
                Some(self.given(entry))
            }
            Some(Err(fault)) => {
                self.failed = Some(fault.into());
                None
            }
            None => {
                self.journal = None;
                None
            }
        }
    }

    /// Whether the journal was read to its end, but not as far as was told.
    fn is_behind(&self) -> bool {
        self.journal.is_none() && self.failed.is_none() && self.next < self.until && self.until != u64::MAX
    }

    fn given(&mut self, entry: Entry) -> Entry {
        self.next = entry.seq.map_or(self.next, |seq| seq + 1);
        self.ended = is_final(&entry.event);
        entry
    }

    /// Goes back to the journal for events that were missed. Partial output that was missed stays so: the whole text
    /// comes with the node's end.
    async fn catch_up(&mut self) {
        let joined = self.hub.join();
        self.live = joined.live;
        self.until = joined.next_seq;
        self.stopped = joined.stopped;
        // The store's writer may be busy with the disk.
        let (store, run, next) = (self.store.clone(), self.run.clone(), self.next);
        match blocking(move || Ok(store.read_journal(&run, next)?)).await {
            Ok(entries) => self.journal = Some(entries),
            Err(error) => self.failed = Some(error),
        }
    }
}

/// Whether nothing follows this event.
pub(crate) fn is_final(event: &Event) -> bool {
    matches!(event, Event::RunFinished { .. } | Event::RunFailed { .. } | Event::RunCancelled { .. })
}

/// Adds an entry; partial output is joined to what came of the same activation before, if no other event lies between.
fn push_merged(batch: &mut Vec<Entry>, entry: Entry) {
    let Event::NodeDelta { node, epoch, text: more, reasoning: thought } = &entry.event else {
        return batch.push(entry);
    };
    for before in batch.iter_mut().rev() {
        let Event::NodeDelta { node: other, epoch: when, text, reasoning } = &mut before.event else { break };
        if (node, epoch) == (&*other, &*when) {
            text.push_str(more);
            reasoning.push_str(thought);
            return;
        }
    }
    batch.push(entry);
}

#[cfg(test)]
mod tests;
