//! The run's pen: numbers facts, appends them, and shows them to the watcher.

use std::sync::Arc;

use super::{RunEnd, Watcher};
use crate::error::Fault;
use crate::host::Clock;
use crate::journal::Journal;
use crate::run::{Entry, Fact};

pub(super) struct Recorder {
    journal: Box<dyn Journal>,
    watcher: Watcher,
    clock: Arc<dyn Clock>,
    /// What is being appended; kept for its room.
    entries: Vec<Entry>,
    next: u64,
    unflushed: bool,
    end: Option<RunEnd>,
}

impl Recorder {
    /// A pen that goes on behind `entries`.
    pub fn new(
        journal: Box<dyn Journal>,
        watcher: Watcher,
        clock: Arc<dyn Clock>,
        entries: &[Entry],
    ) -> Self {
        let next = entries.iter().rev().find_map(|entry| entry.seq).map_or(0, |last| last + 1);
        let end = entries.last().and_then(|entry| end_of(&entry.fact));
        Self { journal, watcher, clock, entries: Vec::new(), next, unflushed: false, end }
    }

    /// Appends facts, all or none.
    pub fn append(&mut self, facts: impl IntoIterator<Item = Fact>) -> Result<(), Fault> {
        let at = self.clock.now_ms();
        self.entries.clear();
        self.entries.extend((self.next..).zip(facts).map(|(seq, fact)| Entry { seq: Some(seq), at, fact }));
        let Some(last) = self.entries.last() else { return Ok(()) };
        self.journal.append(&self.entries)?;
        self.next += self.entries.len() as u64;
        self.unflushed = true;
        self.end = end_of(&last.fact).or(self.end);
        (self.watcher)(&self.entries);
        Ok(())
    }

    /// Shows what is for watching only.
    pub fn show(&mut self, fact: Fact) {
        (self.watcher)(&[Entry { seq: None, at: self.clock.now_ms(), fact }]);
    }

    /// Resolves when everything appended survives a crash.
    pub async fn flush(&mut self) -> Result<(), Fault> {
        if std::mem::take(&mut self.unflushed) {
            self.journal.flush().await?;
        }
        Ok(())
    }

    /// How the run ended.
    pub fn end(&self) -> Result<RunEnd, Fault> {
        self.end.ok_or_else(|| Fault::new("engine.no_end", "The run ended without a fact that says how."))
    }
}

fn end_of(fact: &Fact) -> Option<RunEnd> {
    match fact {
        Fact::RunFinished { .. } => Some(RunEnd::Finished),
        Fact::RunFailed { .. } => Some(RunEnd::Failed),
        Fact::RunCancelled { .. } => Some(RunEnd::Cancelled),
        _ => None,
    }
}
