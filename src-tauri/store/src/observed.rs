//! Runs that are seen and not stored: those of programs that are being recorded. What is on disk of such a run is the log of its
//! recorder; this is what that amounts to so far, and it is replaced as a whole when the log says more. Nothing of it is written, so no
//! journal, record or sum ever has what was only a first reading of a log.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_journal::Entry;

use crate::codes;
use crate::journal_reader::EntryReader;
use crate::log_file::Key;
use crate::record::RunRecord;
use crate::run_index::{RunFilter, unknown};
use crate::tree::{run_id, run_key};

/// How the entries of an observed run follow those that it had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedChange {
    /// Those before stay, and this many are there now that were not.
    Grown(usize),
    /// What is there now does not go on from what was there.
    Replaced,
}

struct ObservedRun {
    record: RunRecord,
    /// The entries as a journal has them.
    lines: Arc<Vec<Vec<u8>>>,
    flow: Flow,
}

struct Flow {
    hash: String,
    text: String,
}

/// The observed runs of a store.
#[derive(Default)]
pub(crate) struct ObservedRuns(RwLock<BTreeMap<Key, ObservedRun>>);

impl ObservedRuns {
    /// Puts what is known of a run in place of what was known. `flow` is the document that the entries are of.
    pub(crate) fn put(&self, run: &RunId, entries: &[Entry], flow: String) -> Result<ObservedChange, Fault> {
        let key = run_key(run)?;
        let first = entries.first().and_then(RunRecord::begin);
        let mut record = first.ok_or_else(|| unknown(run.as_str()))?;
        for entry in &entries[1..] {
            record.apply(entry);
        }
        let encode = |entry: &Entry| {
            serde_json::to_vec(entry).map_err(|error| {
                Fault::new(codes::JOURNAL_UNWRITABLE, format!("An event cannot be written: {error}."))
            })
        };
        let lines = entries.iter().map(encode).collect::<Result<Vec<_>, Fault>>()?;
        let flow = Flow { hash: content_hash(flow.as_bytes()), text: flow };
        let mut runs = self.0.write();
        let change = match runs.get(&key) {
            Some(before) if !lines.starts_with(&before.lines) => ObservedChange::Replaced,
            before => ObservedChange::Grown(lines.len() - before.map_or(0, |before| before.lines.len())),
        };
        runs.insert(key, ObservedRun { record, lines: Arc::new(lines), flow });
        Ok(change)
    }

    pub(crate) fn remove(&self, run: Key) {
        self.0.write().remove(&run);
    }

    pub(crate) fn contains(&self, run: Key) -> bool {
        self.0.read().contains_key(&run)
    }

    pub(crate) fn record(&self, run: Key) -> Option<RunRecord> {
        self.0.read().get(&run).map(|observed| observed.record.clone())
    }

    /// The runs that a filter lets through.
    pub(crate) fn records(&self, filter: &RunFilter) -> Vec<RunRecord> {
        let runs = self.0.read();
        // None of them has a file or a parent.
        let records = runs.values().map(|observed| &observed.record).filter(|record| {
            filter.flow_path.is_none() && filter.user.as_ref().is_none_or(|user| *user == record.user)
        });
        records.cloned().collect()
    }

    /// The ids that begin with `prefix`.
    pub(crate) fn find(&self, prefix: &str) -> Vec<RunId> {
        let ids = self.0.read().keys().map(|key| run_id(*key)).collect::<Vec<_>>();
        ids.into_iter().filter(|id| id.as_str().starts_with(prefix)).collect()
    }

    /// A reader of the entries from `from_seq` on.
    pub(crate) fn read(&self, run: Key, from_seq: u64) -> Option<EntryReader> {
        let lines = Arc::clone(&self.0.read().get(&run)?.lines);
        Some(EntryReader::of_lines(run, from_seq, &lines))
    }

    pub(crate) fn flow(&self, hash: &str) -> Option<String> {
        let runs = self.0.read();
        let found = runs.values().find(|observed| observed.flow.hash == hash);
        found.map(|observed| observed.flow.text.clone())
    }

    /// Refuses what would write to a run that is only seen.
    pub(crate) fn refuse(&self, run: Key) -> Result<(), Fault> {
        if !self.contains(run) {
            return Ok(());
        }
        let id = run_id(run);
        Err(Fault::new(codes::RUN_BUSY, format!("Run `{id}` is that of a program that is being recorded."))
            .hint("It is kept as a run when the program ends. Until then it can be watched."))
    }
}

#[cfg(test)]
mod tests;
