//! A journal in memory.

use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use crate::{Entry, Journal};
use plait_core::error::Fault;

/// A journal in memory, for tests, benchmarks and temporary runs. Clones share the entries.
#[derive(Clone, Default)]
pub struct MemoryJournal(Arc<Mutex<Vec<Entry>>>);

impl MemoryJournal {
    /// A copy of the entries appended so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().clone()
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.lock().extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
