//! Where events are kept. The engine appends and flushes; a store decides how.

use futures::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Fault;
use crate::run::Entry;

/// The journal of one run.
pub trait Journal: Send {
    /// Appends entries in order, all of them or none. They may be lost in a crash until the next [`Journal::flush`];
    /// what is lost then is always a suffix.
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault>;

    /// Resolves when everything appended so far survives a crash.
    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>>;
}

/// A journal in memory, for tests, benchmarks and throw-away runs. Clones share the entries.
#[derive(Clone, Default)]
pub struct MemoryJournal(Arc<Mutex<Vec<Entry>>>);

impl MemoryJournal {
    /// What was appended so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
