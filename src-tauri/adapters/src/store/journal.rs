//! Appends to the journal of one run. Owns the order of its entries and keeps its record current; the writer writes.

use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::RunId;
use plait_engine::journal::{Entry, Event, Journal, RunEvent};

use super::compressed_segment::{self, JournalRange};
use super::conversation::ConversationProjector;
use super::key::{self, RunKey, Space};
use super::record::RunRecord;
use super::segment::Lines;
use super::store_core::{LiveRecord, StoreCore, flush_result};
use super::writer::{Change, Write};
use super::{journal_reader, run_index};

/// The journal of one run, for appending. A run has at most one at a time, and counts as running while it has one.
pub struct RunJournal {
    core: Arc<StoreCore>,
    key: RunKey,
    owner: Arc<str>,
    next_seq: u64,
    generation: u64,
    record: LiveRecord,
    /// Updates the conversation, if the run belongs to one.
    projector: Option<ConversationProjector>,
    /// The first seq that is not in a compressed segment, and the number of bytes from there on.
    uncompressed: (u64, usize),
}

impl RunJournal {
    pub(super) fn open(core: &Arc<StoreCore>, run: &RunId) -> Result<Self, Fault> {
        let key = key::run(run)?;
        // Reopens a database that failed before anything is read, so that what is read is on disk.
        core.writer.settle()?;
        let generation = core.writer.generation();
        let record = LiveRecord::default();
        match core.live().entry(key) {
            MapEntry::Vacant(place) => place.insert(Arc::clone(&record)),
            MapEntry::Occupied(_) => {
                return Err(Fault::new(ErrorCode::RunBusy, format!("Run `{run}` is already active."))
                    .hint("Wait until it ends, or cancel it first."));
            }
        };
        let mut journal = Self {
            core: Arc::clone(core),
            key,
            owner: key::run_id(key).as_str().into(),
            next_seq: 0,
            generation,
            record,
            projector: None,
            uncompressed: (0, 0),
        };
        // From here on, dropping `journal` releases the run.
        journal.next_seq = journal_reader::next_seq(core, key)?;
        let stored = run_index::stored_record(core, key)?;
        journal.projector = projector(core, key, stored.as_ref())?;
        *journal.record.lock() = stored;
        Ok(journal)
    }

    /// The seq of the next entry, which is the number of entries.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Requests the compression of everything written so far.
    fn compress(&mut self) {
        let (from_seq, _) = std::mem::replace(&mut self.uncompressed, (self.next_seq, 0));
        self.core.writer.compress(JournalRange { run: self.key, from_seq });
    }

    /// Applies the entries to the record. Returns the record's change if lists should show it immediately.
    fn fold(&self, entries: &[Entry]) -> Result<Vec<Change>, Fault> {
        let mut live = self.record.lock();
        let mut is_notable = false;
        let mut changes = Vec::new();
        for entry in entries {
            if let Some(record) = live.as_mut() {
                is_notable |= record.apply(entry);
                continue;
            }
            let mut record = RunRecord::begin(entry)
                .ok_or_else(|| out_of_order("The first event of a run must be `run.started`."))?;
            if key::run(&record.run)? != self.key {
                return Err(out_of_order("These are the events of another run."));
            }
            changes.push((key::run_of_flow(&record.flow.hash, self.key), Some(Vec::new())));
            if let Some(parent) = &record.parent_run_id {
                let parent = key::run(parent)?;
                changes.push((key::child_of(parent, self.key), Some(Vec::new())));
                record.paid_by = run_index::current(&self.core, parent)?
                    .and_then(|parent| parent.conversation.or(parent.paid_by));
            }
            *live = Some(record);
            is_notable = true;
        }
        if let Some(record) = live.as_ref().filter(|_| is_notable) {
            changes.push((key::of(Space::Run, &self.key), Some(json(record)?)));
        }
        Ok(changes)
    }

    /// Queues a write together with the changes of the conversation: both are stored, or neither.
    fn queue(&mut self, entries: &[Entry], mut write: Write) -> Result<(), Fault> {
        let generation = self.generation;
        if let Some(Entry { event: Event::Run(RunEvent::Started { .. }), .. }) = entries.first() {
            let record = self.record.lock();
            self.projector = record.as_ref().map(ConversationProjector::of).transpose()?.flatten();
        }
        let Some(projector) = &mut self.projector else {
            return self.core.writer.write(Some(generation), write);
        };
        let mut heads = self.core.conversations();
        let update = projector.project(&self.core, &mut heads, entries)?;
        let Some(mut update) = update else { return self.core.writer.write(Some(generation), write) };
        update.add_to(&mut write)?;
        self.core.writer.write(Some(generation), write)?;
        update.cache_record(&mut heads, generation);
        Ok(())
    }
}

/// The projector of a resumed run, after replaying its journal.
fn projector(
    core: &Arc<StoreCore>,
    key: RunKey,
    record: Option<&RunRecord>,
) -> Result<Option<ConversationProjector>, Fault> {
    let Some(record) = record.filter(|record| !record.status.is_final()) else { return Ok(None) };
    let Some(mut projector) = ConversationProjector::of(record)? else { return Ok(None) };
    for entry in journal_reader::JournalEntries::from(core, key, 0)? {
        projector.replay(&entry?);
    }
    Ok(Some(projector))
}

impl Journal for RunJournal {
    /// Queues the entries for the writer and returns. Faults: `journal.out_of_order` if their seqs do not continue the journal,
    /// and the writer's fault on an earlier append (`store.*`).
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        for (entry, expected) in entries.iter().zip(self.next_seq..) {
            if entry.seq != Some(expected) {
                let found = entry.seq.map_or_else(|| "none".to_owned(), |seq| seq.to_string());
                return Err(out_of_order(&format!(
                    "The next entry must have seq {expected}, but this one has {found}."
                )));
            }
        }
        let lines = Lines::of(self.key, self.next_seq, entries)?;
        let length = lines.len();
        let changes = self.fold(entries)?;
        let owner = Arc::clone(&self.owner);
        self.queue(entries, Write { owner, changes, extra_changes: None, lines: Some(lines) })?;
        self.next_seq += entries.len() as u64;
        self.uncompressed.1 += length;
        if self.uncompressed.1 >= compressed_segment::BLOCK {
            self.compress();
        }
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        let wait = self.core.writer.flush(Some(self.generation));
        Box::pin(async move { flush_result(wait.await) })
    }
}

impl Drop for RunJournal {
    /// Writes the current record and releases the run.
    fn drop(&mut self) {
        // A copy: readers find the record there until the run is released.
        let record = self.record.lock().clone();
        // A run whose first event was refused never started.
        if let Some(bytes) = record.filter(|_| self.next_seq > 0).and_then(|record| json(&record).ok()) {
            let changes = vec![(key::of(Space::Run, &self.key), Some(bytes))];
            // Refused only after a disk error; then the record is rebuilt from the journal when it is read.
            let _ =
                self.core.writer.write(Some(self.generation), Write::of(Arc::clone(&self.owner), changes));
        }
        self.compress();
        self.core.live().remove(&self.key);
    }
}

fn out_of_order(message: &str) -> Fault {
    Fault::new(ErrorCode::JournalOutOfOrder, message)
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| {
        Fault::new(ErrorCode::JournalUnwritable, format!("An event can't be written as JSON: {error}."))
    })
}
