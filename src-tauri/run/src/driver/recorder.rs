//! The run's pen: numbers events, appends them, and shows them to the watcher.
//!
//! What somebody relies on once it is seen (a question, an answer that was taken, a committed turn, the run's end) is
//! shown when it survives a crash, and not before; what follows it waits behind it.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;

use super::Watcher;
use crate::codes;
use crate::host::Clock;
use plait_core::error::Fault;
use plait_journal::{ContextEvent, DebugEvent, Entry, Event, Journal, NodeEvent, RunEnd, RunEvent};
use plait_llm::quota::{TreeAccount, TreeCount};

pub(super) struct Recorder {
    journal: Box<dyn Journal>,
    watcher: Watcher,
    clock: Arc<dyn Clock>,
    tree: Arc<TreeAccount>,
    /// The entries of the current append; kept for their capacity.
    entries: Vec<Entry>,
    /// When that happens, in milliseconds since 1970.
    now: u64,
    next: u64,
    /// When the latest event of the process before this one happened, until this one appends its first.
    interrupted_at: Option<u64>,
    unflushed: bool,
    /// What is on its way to disk, and how many of the held entries it has.
    flushing: Option<(BoxFuture<'static, Result<(), Fault>>, usize)>,
    /// The entries to show once they are flushed, in order.
    held: Vec<Entry>,
    end: Option<RunEnd>,
}

impl Recorder {
    /// A pen that goes on behind `entries`.
    pub fn new(
        journal: Box<dyn Journal>,
        watcher: Watcher,
        clock: Arc<dyn Clock>,
        tree: Arc<TreeAccount>,
        entries: &[Entry],
    ) -> Self {
        let next = entries.iter().rev().find_map(|entry| entry.seq).map_or(0, |last| last + 1);
        let end = entries.last().and_then(|entry| entry.event.run_end());
        Self {
            journal,
            watcher,
            clock,
            tree,
            entries: Vec::new(),
            now: 0,
            next,
            interrupted_at: entries.last().map(|entry| entry.at),
            unflushed: false,
            flushing: None,
            held: Vec::new(),
            end,
        }
    }

    /// When the latest event was appended, in milliseconds since 1970. 0 before the first.
    pub fn now_ms(&self) -> u64 {
        self.now
    }

    /// The number of the next event.
    pub fn next_seq(&self) -> u64 {
        self.next
    }

    /// Appends events, all or none.
    pub fn append(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), Fault> {
        self.begin();
        events.into_iter().for_each(|event| self.stage(event));
        self.commit()
    }

    /// Begins a group of events for one append, and forgets the events of an unfinished group.
    pub fn begin(&mut self) {
        self.entries.clear();
        self.now = self.clock.now_ms();
    }

    /// Adds an event to the group.
    pub fn stage(&mut self, event: Event) {
        let before = self.interrupted_at.filter(|_| self.entries.is_empty());
        let interrupted_ms = before.map_or(0, |before| self.now.saturating_sub(before));
        let seq = self.next + self.entries.len() as u64;
        self.entries.push(Entry { seq: Some(seq), at: self.now, event, interrupted_ms });
    }

    /// Adds what follows from an event of the group.
    pub fn stage_derived(&mut self, events: impl Iterator<Item = Event>) {
        let (first, at) = (self.next + self.entries.len() as u64, self.now);
        let numbered = (first..).zip(events);
        self.entries.extend(numbered.map(|(seq, event)| Entry {
            seq: Some(seq),
            at,
            event,
            interrupted_ms: 0,
        }));
    }

    /// Appends what was put together, all or none.
    pub fn commit(&mut self) -> Result<(), Fault> {
        let Some(last) = self.entries.last() else { return Ok(()) };
        self.journal.append(&self.entries)?;
        self.next += self.entries.len() as u64;
        self.interrupted_at = None;
        self.tree.charge(TreeCount::Events, self.entries.len());
        self.unflushed = true;
        self.end = last.event.run_end().or(self.end);
        if !self.held.is_empty() || self.entries.iter().any(|entry| is_relied_on(&entry.event)) {
            self.held.append(&mut self.entries);
        } else {
            (self.watcher)(&self.entries);
        }
        Ok(())
    }

    /// Shows an event that is never journaled.
    pub fn show(&mut self, event: Event) {
        let entry = Entry { seq: None, at: self.clock.now_ms(), event, interrupted_ms: 0 };
        if self.held.is_empty() {
            (self.watcher)(&[entry]);
        } else {
            self.held.push(entry);
        }
    }

    /// Resolves when everything appended survives a crash.
    pub async fn flush(&mut self) -> Result<(), Fault> {
        // The journal flushes what is on its way with the rest.
        let is_flushing = self.flushing.take().is_some();
        if std::mem::take(&mut self.unflushed) || is_flushing {
            self.journal.flush().await?;
        }
        self.show_held(self.held.len());
        Ok(())
    }

    /// Has everything appended go to disk while other things happen, unless something is on its way there.
    pub fn begin_flush(&mut self) {
        if self.flushing.is_none() && std::mem::take(&mut self.unflushed) {
            self.flushing = Some((self.journal.flush(), self.held.len()));
        }
    }

    /// Ready when what was on its way to disk has arrived there. Pending if nothing is.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let Some((flushing, held)) = &mut self.flushing else { return Poll::Pending };
        let (arrived, held) = (ready!(flushing.as_mut().poll(cx)), *held);
        self.flushing = None;
        Poll::Ready(arrived.map(|()| self.show_held(held)))
    }

    pub fn is_flushing(&self) -> bool {
        self.flushing.is_some()
    }

    /// Shows the first of the entries that were held back until they are on disk.
    fn show_held(&mut self, count: usize) {
        if count > 0 {
            (self.watcher)(&self.held[..count]);
            self.held.drain(..count);
        }
    }

    pub fn end(&self) -> Result<RunEnd, Fault> {
        self.end
            .ok_or_else(|| Fault::new(codes::ENGINE_NO_END, "The run ended without an event that says how."))
    }
}

/// Whether watchers act on this event, so that a crash must not undo it.
fn is_relied_on(event: &Event) -> bool {
    matches!(
        event,
        Event::Node(_, NodeEvent::Paused { .. } | NodeEvent::Answered { .. })
            | Event::Run(RunEvent::Waiting { .. })
            | Event::Context(_, ContextEvent::TurnCommitted { .. })
            | Event::Debug(DebugEvent::Stopped { .. } | DebugEvent::Continued { .. })
    ) || event.is_terminal()
}

#[cfg(test)]
mod tests;
