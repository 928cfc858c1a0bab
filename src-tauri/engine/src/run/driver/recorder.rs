//! The run's pen: numbers facts, appends them, and shows them to the watcher.
//!
//! What somebody relies on once it is seen (a question, an answer that was taken, a committed turn, the run's end) is
//! shown when it survives a crash, and not before; what follows it waits behind it.

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
    /// What is shown once it is flushed, in order.
    held: Vec<Entry>,
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
        Self { journal, watcher, clock, entries: Vec::new(), next, unflushed: false, held: Vec::new(), end }
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
        if !self.held.is_empty() || self.entries.iter().any(|entry| is_relied_on(&entry.fact)) {
            self.held.append(&mut self.entries);
        } else {
            (self.watcher)(&self.entries);
        }
        Ok(())
    }

    /// Shows what is for watching only.
    pub fn show(&mut self, fact: Fact) {
        let entry = Entry { seq: None, at: self.clock.now_ms(), fact };
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

    /// How the run ended.
    pub fn end(&self) -> Result<RunEnd, Fault> {
        self.end.ok_or_else(|| Fault::new("engine.no_end", "The run ended without a fact that says how."))
    }
}

/// Whether somebody who sees this acts on it: it must not be undone by a crash.
fn is_relied_on(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::RunPaused { .. }
            | Fact::RunWaiting { .. }
            | Fact::InputProvided { .. }
            | Fact::TurnCommitted { .. }
    ) || end_of(fact).is_some()
}

fn end_of(fact: &Fact) -> Option<RunEnd> {
    match fact {
        Fact::RunFinished { .. } => Some(RunEnd::Finished),
        Fact::RunFailed { .. } => Some(RunEnd::Failed),
        Fact::RunCancelled { .. } => Some(RunEnd::Cancelled),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use futures::FutureExt;
    use futures::channel::oneshot;
    use futures::future::BoxFuture;
    use serde_json::{Value, json};

    use super::*;
    use crate::id::{Epoch, NodeId};
    use crate::testing::FakeClock;

    /// A journal whose flush takes until the other end says so.
    struct Slow(Option<oneshot::Receiver<()>>);

    impl Journal for Slow {
        fn append(&mut self, _: &[Entry]) -> Result<(), Fault> {
            Ok(())
        }

        fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
            Box::pin(async {
                if let Some(on_disk) = self.0.take() {
                    on_disk.await.map_err(|_| Fault::new("test.gone", "The test is over."))?;
                }
                Ok(())
            })
        }
    }

    #[test]
    fn a_question_is_shown_when_it_is_on_disk_and_what_follows_waits_behind_it() {
        let (on_disk, wait) = oneshot::channel();
        let shown: Arc<Mutex<Vec<Value>>> = Arc::default();
        let seen = Arc::clone(&shown);
        let watcher: Watcher = Box::new(move |entries| {
            let told = entries.iter().map(|entry| serde_json::to_value(&entry.fact).unwrap()["type"].clone());
            seen.lock().unwrap_or_else(PoisonError::into_inner).extend(told);
        });
        let shown = || shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let clock = Arc::new(FakeClock::default());
        let mut recorder = Recorder::new(Box::new(Slow(Some(wait))), watcher, clock, &[]);
        let node = NodeId::from("ask");
        let epoch = Epoch::root();

        recorder
            .append([Fact::NodeStarted { node: node.clone(), epoch: epoch.clone(), attempt: 1 }])
            .unwrap();
        assert_eq!(shown(), ["node.started"]);

        let paused = Fact::RunPaused {
            node: node.clone(),
            epoch: epoch.clone(),
            prompt: "?".into(),
            schema: json!({}),
        };
        recorder.append([paused]).unwrap();
        recorder.append([Fact::NodeStarted { node, epoch, attempt: 1 }]).unwrap();
        assert_eq!(shown(), ["node.started"], "the question would be gone after a crash");

        let mut flushed = Box::pin(recorder.flush());
        assert!(flushed.as_mut().now_or_never().is_none());
        assert_eq!(shown(), ["node.started"]);
        on_disk.send(()).unwrap();
        futures::executor::block_on(flushed).unwrap();
        assert_eq!(shown(), ["node.started", "run.paused", "node.started"]);
    }
}
