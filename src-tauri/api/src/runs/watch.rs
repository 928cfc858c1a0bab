//! Watching a run: its journal from any sequence number on, then its events as they happen, without gap or duplicate.
//!
//! A watcher that falls behind loses partial output only: it reads the events that it missed from the journal. It can never
//! slow down the run.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use plait_core::id::{Activation, RunId};
use plait_journal::{CallEvent, Entry, Event, NodeEvent};
use plait_store::JournalEntries;
use plait_store::Store;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::broadcast::{RunBroadcast, WatchEvent};
use crate::ErrorReply;
use crate::blocking::run_blocking;

/// The largest batch. Sending more would take longer than a frame and delay the next one.
const MAX_BATCH_ENTRIES: usize = 2_000;

/// How many times a frame a batch collects what has arrived. Often enough that the channel of a watcher does not overflow.
const POLLS_PER_FRAME: u32 = 2;

/// How many entries are read without waiting before other tasks run.
const YIELD_EVERY: usize = 256;

/// How long to wait for the writer of the store before the journal is read again.
const JOURNAL_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A run being watched. Ends after the final event of the run.
pub struct Watch {
    store: Store,
    run: RunId,
    broadcast: Arc<RunBroadcast>,
    /// The sequence number of the next entry to return.
    next: u64,
    journal: Option<JournalEntries>,
    /// Where the journal is no longer needed: every event from here on is received live.
    live_from: u64,
    partial_output: VecDeque<Entry>,
    receiver: mpsc::Receiver<WatchEvent>,
    ended: bool,
    /// Why the run was stopped, if that was before this watch subscribed or among the events that it missed.
    stopped: Option<Arc<ErrorReply>>,
    failed: Option<ErrorReply>,
    read_since_yield: usize,
    last_batch: Option<Instant>,
}

impl Watch {
    pub(crate) fn new(
        store: Store,
        run: RunId,
        broadcast: Arc<RunBroadcast>,
        from_seq: u64,
    ) -> Result<Self, ErrorReply> {
        // Subscribes before the journal is read. What happens in between is in both, and skipped once.
        let subscription = broadcast.subscribe();
        let journal = Some(store.read_journal(&run, from_seq)?);
        Ok(Self {
            store,
            run,
            broadcast,
            next: from_seq,
            journal,
            live_from: subscription.next_seq,
            partial_output: subscription.partial_output.into(),
            receiver: subscription.receiver,
            ended: false,
            stopped: subscription.stopped,
            failed: None,
            read_since_yield: 0,
            last_batch: None,
        })
    }

    /// The sequence number of the next entry of the journal.
    pub fn next_seq(&self) -> u64 {
        self.next
    }

    /// The next entry; `None` after the final one of the run. An error (`journal.corrupt`, `store.*`) is the last item.
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
                if self.read_since_yield == YIELD_EVERY - 1 {
                    self.read_since_yield = 0;
                    tokio::task::yield_now().await;
                }
                match self.read_next_from_journal() {
                    Some(entry) => return Some(Ok(entry)),
                    None => continue,
                }
            }
            // A run that was stopped by an error of the disk has shown more than its journal holds.
            if self.is_behind() && self.stopped.is_none() {
                // The writer of the store has not caught up with the broadcast yet.
                tokio::time::sleep(JOURNAL_POLL_INTERVAL).await;
                self.catch_up().await;
                continue;
            }
            if let Some(entry) = self.partial_output.pop_front() {
                return Some(Ok(entry));
            }
            if let Some(error) = self.stopped.take() {
                self.failed = Some(ErrorReply::clone(&error));
                continue;
            }
            match self.receiver.recv().await {
                Some(WatchEvent::Entry(entry)) => match entry.seq {
                    None => return Some(Ok(Arc::unwrap_or_clone(entry))),
                    Some(seq) if seq < self.next => {}
                    Some(seq) if seq == self.next => {
                        return Some(Ok(self.advance(Arc::unwrap_or_clone(entry))));
                    }
                    Some(_) => self.catch_up().await,
                },
                Some(WatchEvent::Stopped(error)) => self.failed = Some(ErrorReply::clone(&error)),
                // This watch keeps the broadcast alive, so it has fallen too far behind.
                None => self.catch_up().await,
            }
        }
    }

    /// Every entry that arrived within a frame, at least one. Consecutive partial output of a node is merged. `None` as in
    /// [`Watch::next`]. Called in a loop, it returns at most one batch per `frame`.
    pub async fn next_batch(&mut self, frame: Duration) -> Option<Result<Vec<Entry>, ErrorReply>> {
        let mut batch = match self.next().await? {
            Ok(first) => vec![first],
            Err(error) => return Some(Err(error)),
        };
        let deadline = self.last_batch.map_or_else(Instant::now, |last| last + frame);
        loop {
            self.add_available(&mut batch);
            let remaining = deadline.saturating_duration_since(Instant::now());
            let complete = remaining.is_zero()
                || batch.len() >= MAX_BATCH_ENTRIES
                || self.ended
                || self.failed.is_some();
            if complete || self.is_behind() {
                break;
            }
            if self.journal.is_some() {
                tokio::task::yield_now().await;
            } else {
                // Polling is cheaper than waking up for each entry.
                tokio::time::sleep(remaining.min(frame / POLLS_PER_FRAME)).await;
            }
        }
        self.last_batch = Some(Instant::now());
        Some(Ok(batch))
    }

    /// Adds the entries that are available without waiting.
    fn add_available(&mut self, batch: &mut Vec<Entry>) {
        while batch.len() < MAX_BATCH_ENTRIES && !self.is_behind() {
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

    fn read_next_from_journal(&mut self) -> Option<Entry> {
        let item = if self.next < self.live_from { self.journal.as_mut()?.next() } else { None };
        match item {
            Some(Ok(entry)) if entry.seq.is_some_and(|seq| seq < self.next) => None,
            Some(Ok(entry)) => {
                self.read_since_yield += 1;
                Some(self.advance(entry))
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

    /// Whether the journal was read to its end but has not reached the start of the live events.
    fn is_behind(&self) -> bool {
        self.journal.is_none()
            && self.failed.is_none()
            && self.next < self.live_from
            && self.live_from != u64::MAX
    }

    /// Moves past an entry that is about to be returned.
    fn advance(&mut self, entry: Entry) -> Entry {
        self.next = entry.seq.map_or(self.next, |seq| seq + 1);
        self.ended = entry.event.is_terminal();
        entry
    }

    /// Goes back to the journal for events that were missed. Partial output that was missed is not repeated: the final
    /// event of the node has the whole text.
    async fn catch_up(&mut self) {
        let subscription = self.broadcast.subscribe();
        self.receiver = subscription.receiver;
        self.live_from = subscription.next_seq;
        self.stopped = subscription.stopped;
        // Reading may wait for the writer of the store.
        let (store, run, next) = (self.store.clone(), self.run.clone(), self.next);
        match run_blocking(move || Ok(store.read_journal(&run, next)?)).await {
            Ok(entries) => self.journal = Some(entries),
            Err(error) => self.failed = Some(error),
        }
    }
}

/// Adds an entry. Partial output is appended to that of the same activation, and the progress of an activation or a tool call
/// replaces what it reported before, unless another event lies between.
fn push_merged(batch: &mut Vec<Entry>, entry: Entry) {
    if progressed(&entry.event).is_some() {
        return push_progress(batch, entry);
    }
    let Event::Node(activation, NodeEvent::Delta { text: more_text, reasoning: more_reasoning }) =
        &entry.event
    else {
        return batch.push(entry);
    };
    for earlier in batch.iter_mut().rev() {
        let Event::Node(earlier_activation, NodeEvent::Delta { text, reasoning }) = &mut earlier.event else {
            break;
        };
        if earlier_activation == activation {
            text.push_str(more_text);
            reasoning.push_str(more_reasoning);
            return;
        }
    }
    batch.push(entry);
}

fn push_progress(batch: &mut Vec<Entry>, entry: Entry) {
    let new = progressed(&entry.event);
    let mut latest = batch.iter().rposition(|earlier| progressed(&earlier.event) == new);
    latest = latest.filter(|at| batch[*at..].iter().all(|later| progressed(&later.event).is_some()));
    match latest {
        Some(at) => batch[at] = entry,
        None => batch.push(entry),
    }
}

/// Whose progress the event reports: that of an activation, or of one of its tool calls.
fn progressed(event: &Event) -> Option<(&Activation, Option<(u32, &str)>)> {
    match event {
        Event::Node(activation, NodeEvent::Progressed { .. }) => Some((activation, None)),
        Event::Call(activation, CallEvent::ToolProgressed { step, call_id, .. }) => {
            Some((activation, Some((*step, call_id))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
