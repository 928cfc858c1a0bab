//! The run's pen: numbers events, appends them, and shows them to the watcher.
//!
//! What somebody relies on once it is seen (a question, an answer that was taken, a committed turn, the run's end) is
//! shown when it survives a crash, and not before; what follows it waits behind it.

use std::sync::Arc;

use super::Watcher;
use crate::codes;
use crate::host::Clock;
use crate::journal::{ContextEvent, DebugEvent, Entry, Event, Journal, NodeEvent, RunEnd, RunEvent};
use crate::quota::{TreeAccount, TreeCount};
use plait_core::error::Fault;

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
    unflushed: bool,
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
            unflushed: false,
            held: Vec::new(),
            end,
        }
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
        let seq = self.next + self.entries.len() as u64;
        self.entries.push(Entry { seq: Some(seq), at: self.now, event });
    }

    /// Appends what was put together, all or none.
    pub fn commit(&mut self) -> Result<(), Fault> {
        let Some(last) = self.entries.last() else { return Ok(()) };
        self.journal.append(&self.entries)?;
        self.next += self.entries.len() as u64;
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
        let entry = Entry { seq: None, at: self.clock.now_ms(), event };
        if self.held.is_empty() {
            (self.watcher)(&[entry]);
        } else {
            self.held.push(entry);
        }
    }

    /// Resolves when everything appended survives a crash.
    pub async fn flush(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.unflushed) {
            self.journal.flush().await?;
        }
        if !self.held.is_empty() {
            (self.watcher)(&self.held);
            self.held.clear();
        }
        Ok(())
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
