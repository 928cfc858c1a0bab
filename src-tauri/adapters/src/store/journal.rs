//! Appending to the journal of one run. Owns the order of its entries and the upkeep of its record; writing is the
//! writer's.

use std::collections::hash_map::Entry as MapEntry;
use std::sync::{Arc, PoisonError};

use futures::future::BoxFuture;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::RunId;
use plait_engine::journal::Journal;
use plait_engine::run::{Entry, Event};

use super::conversation::Taking;
use super::inner::{Inner, LiveRecord, answer};
use super::key::{self, RunKey, Space};
use super::piece::Lines;
use super::record::RunRecord;
use super::sealed::{self, Stretch};
use super::writer::{Change, Write};
use super::{entries, index};

/// The journal of one run, to append to. A run has at most one of them at a time, and while it has one it counts as
/// running in this process.
pub struct RunJournal {
    inner: Arc<Inner>,
    key: RunKey,
    owner: Arc<str>,
    next_seq: u64,
    generation: u64,
    record: LiveRecord,
    /// What it does to its conversation, if it goes on in one.
    taking: Option<Taking>,
    /// From here on nothing is sealed, and how many bytes that is.
    unsealed: (u64, usize),
}

impl RunJournal {
    pub(super) fn open(inner: &Arc<Inner>, run: &RunId) -> Result<Self, Fault> {
        let key = key::run(run)?;
        // Before anything is read: a database that broke is opened again first, so that what is read is on disk.
        inner.writer.settle()?;
        let generation = inner.writer.generation();
        let record = LiveRecord::default();
        match inner.live().entry(key) {
            MapEntry::Vacant(place) => place.insert(Arc::clone(&record)),
            MapEntry::Occupied(_) => {
                return Err(Fault::new(
                    ErrorCode::RunBusy,
                    format!("Run `{run}` is already being carried on."),
                )
                .hint("Wait for it, or cancel it first."));
            }
        };
        let mut journal = Self {
            inner: Arc::clone(inner),
            key,
            owner: key::run_id(key).as_str().into(),
            next_seq: 0,
            generation,
            record,
            taking: None,
            unsealed: (0, 0),
        };
        // From here on dropping `journal` gives the run free again.
        journal.next_seq = entries::next_seq(inner, key)?;
        let stored = index::stored_record(inner, key)?;
        journal.taking = taking(inner, key, stored.as_ref())?;
        *journal.record.lock().unwrap_or_else(PoisonError::into_inner) = stored;
        Ok(journal)
    }

    /// The seq the next entry must have: how many entries there are.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Has everything so far sealed.
    fn seal(&mut self) {
        let (from_seq, _) = std::mem::replace(&mut self.unsealed, (self.next_seq, 0));
        self.inner.writer.seal(Stretch { run: self.key, from_seq });
    }

    /// Takes the entries into the record; gives the record's change where a list should show it at once.
    fn fold(&self, entries: &[Entry]) -> Result<Vec<Change>, Fault> {
        let mut live = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notable = false;
        let mut changes = Vec::new();
        for entry in entries {
            if let Some(record) = live.as_mut() {
                notable |= record.apply(entry);
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
                record.paid_by = index::current(&self.inner, parent)?
                    .and_then(|parent| parent.conversation.or(parent.paid_by));
            }
            *live = Some(record);
            notable = true;
        }
        if let Some(record) = live.as_ref().filter(|_| notable) {
            changes.push((key::of(Space::Run, &self.key), Some(json(record)?)));
        }
        Ok(changes)
    }

    /// Queues a write, and what of its entries belongs to the conversation with it: both are kept, or neither.
    fn queue(&mut self, entries: &[Entry], mut write: Write) -> Result<(), Fault> {
        let generation = self.generation;
        if let Some(Entry { event: Event::RunStarted { .. }, .. }) = entries.first() {
            let record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
            self.taking = record.as_ref().map(Taking::of).transpose()?.flatten();
        }
        let Some(taking) = &mut self.taking else {
            return self.inner.writer.write(Some(generation), write);
        };
        let mut heads = self.inner.conversations();
        let taken = taking.take(&self.inner, &mut heads, entries)?;
        let Some(mut taken) = taken else { return self.inner.writer.write(Some(generation), write) };
        taken.beside(&mut write)?;
        self.inner.writer.write(Some(generation), write)?;
        taken.done(&mut heads, generation);
        Ok(())
    }
}

/// What a run that is taken up again does to its conversation.
fn taking(inner: &Arc<Inner>, key: RunKey, record: Option<&RunRecord>) -> Result<Option<Taking>, Fault> {
    let Some(record) = record.filter(|record| !record.status.is_final()) else { return Ok(None) };
    let Some(mut taking) = Taking::of(record)? else { return Ok(None) };
    for entry in entries::Entries::from(inner, key, 0)? {
        taking.follow(&entry?);
    }
    Ok(Some(taking))
}

impl Journal for RunJournal {
    /// Queues the entries for the writer and returns. Faults: `journal.out_of_order` where their seqs do not go on from
    /// what is there, and what the writer met on an earlier append (`store.*`).
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
        self.queue(entries, Write { owner, changes, beside: None, lines: Some(lines) })?;
        self.next_seq += entries.len() as u64;
        self.unsealed.1 += length;
        if self.unsealed.1 >= sealed::BLOCK {
            self.seal();
        }
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        let wait = self.inner.writer.flush(Some(self.generation));
        Box::pin(async move { answer(wait.await) })
    }
}

impl Drop for RunJournal {
    /// Writes the record as it stands and gives the run free.
    fn drop(&mut self) {
        // A copy: whoever looks until the run is free finds the record there.
        let record = self.record.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A run whose first event was refused never began.
        if let Some(bytes) = record.filter(|_| self.next_seq > 0).and_then(|record| json(&record).ok()) {
            let changes = vec![(key::of(Space::Run, &self.key), Some(bytes))];
            // Refused only after an error of the disk; the record is then made up from the journal when it is read.
            let _ =
                self.inner.writer.write(Some(self.generation), Write::of(Arc::clone(&self.owner), changes));
        }
        self.seal();
        self.inner.live().remove(&self.key);
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
