//! Appends to the journal of one run. Owns the order of its entries and keeps its record current; the writer writes.

use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_journal::{Entry, Journal};

use crate::codes;
use crate::conversation::{ConversationProjector, ConversationUpdate};
use crate::log_file::Key;
use crate::record::RunRecord;
use crate::store_core::{LiveRecord, StoreCore};
use crate::tree::{EncodedEntries, Tree, run_id, run_key};
use crate::tree_summary::bought_reply;
use crate::writer::flush_result;

/// The journal of one run, for appending. A run has at most one at a time, and counts as running while it has one.
pub struct RunJournal {
    core: Arc<StoreCore>,
    run: RunId,
    key: Key,
    next_seq: u64,
    record: LiveRecord,
    /// The run tree, from the first entry on.
    tree: Option<Arc<Tree>>,
    /// Updates the conversation, if the run belongs to one.
    projector: Option<ConversationProjector>,
}

impl RunJournal {
    pub(crate) fn open(core: &Arc<StoreCore>, run: &RunId) -> Result<Self, Fault> {
        core.writer()?;
        let key = run_key(run)?;
        core.shared.observed.refuse(key)?;
        let record = LiveRecord::default();
        match core.live().entry(key) {
            MapEntry::Vacant(place) => place.insert(Arc::clone(&record)),
            MapEntry::Occupied(_) => {
                return Err(Fault::new(codes::RUN_BUSY, format!("Run `{run}` is already active."))
                    .hint("Wait until it ends, or cancel it first."));
            }
        };
        let (core, run) = (Arc::clone(core), run_id(key));
        let mut journal = Self { core, run, key, next_seq: 0, record, tree: None, projector: None };
        // From here on, dropping `journal` releases the run.
        let shared = Arc::clone(&journal.core.shared);
        let Some(root) = shared.index().root_of(key) else { return Ok(journal) };
        let tree = journal.tree.insert(shared.attach(root)?);
        journal.next_seq = tree.next_seq(&key);
        let stored = shared.index().get(&key).map(|entry| entry.record.clone());
        journal.projector =
            stored.as_ref().map(|record| journal.restore_projector(record)).transpose()?.flatten();
        *journal.record.lock() = stored.filter(|_| journal.next_seq > 0);
        Ok(journal)
    }

    /// The projector of a resumed run, after replaying its journal.
    fn restore_projector(&self, record: &RunRecord) -> Result<Option<ConversationProjector>, Fault> {
        if record.status.is_final() {
            return Ok(None);
        }
        let Some(mut projector) = ConversationProjector::of(self.key, record)? else { return Ok(None) };
        let mut reader = self.core.shared.read(self.key, 0)?;
        while let Some(entry) = reader.next()? {
            projector.project(&entry);
        }
        Ok(Some(projector))
    }

    /// The seq of the next entry, which is the number of entries.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Opens the tree of a run that begins, and creates its record.
    fn begin(&mut self, first: &Entry) -> Result<Arc<Tree>, Fault> {
        let mut record = RunRecord::begin(first)
            .ok_or_else(|| out_of_order("The first event of a run must be `run.started`."))?;
        if run_key(&record.run)? != self.key {
            return Err(out_of_order("These are the events of another run."));
        }
        let shared = Arc::clone(&self.core.shared);
        let mut root = self.key;
        if let Some(parent) = &record.parent_run_id {
            let parent_key = run_key(parent)?;
            let index = shared.index();
            root = index.root_of(parent_key).unwrap_or(self.key);
            let parent = index.get(&parent_key).map(|entry| &entry.record);
            record.paid_by =
                parent.and_then(|parent| parent.conversation.clone().or_else(|| parent.paid_by.clone()));
        }
        self.projector = ConversationProjector::of(self.key, &record)?;
        // First the record, then the look: a conversation can't be deleted once the record is there.
        record.events = 0;
        *self.record.lock() = Some(record);
        if let Some(projector) = self.projector.as_ref().filter(|projector| projector.adds_turns()) {
            let usable = shared.conversations.check_usable(projector.conversation());
            if let Err(fault) = usable {
                *self.record.lock() = None;
                return Err(fault);
            }
        }
        let tree = match &self.tree {
            Some(tree) => Arc::clone(tree),
            None => Arc::clone(self.tree.insert(shared.attach(root)?)),
        };
        Ok(tree)
    }

    /// Lets a database know of entries before it gets the records that hold them.
    fn tell_database(&self, tree: &Tree, entries: &[Entry]) {
        if let Some(database) = self.core.shared.disk.database()
            && let Some(record) = &*self.record.lock()
        {
            database.follow(&run_id(tree.root()), &self.run, record.user.as_str(), entries);
        }
    }

    /// Applies the entries to the record, and to the index if lists should show them immediately. The index gets each reply.
    fn fold(&self, tree: &Tree, entries: &[Entry]) {
        let mut live = self.record.lock();
        let Some(record) = live.as_mut() else { return };
        let mut is_notable = false;
        for entry in entries {
            if let Some((seq, reply)) = bought_reply(entry) {
                self.core.shared.derived_index.put_reply(reply, (self.key, seq));
            }
            if entry.seq == Some(0) {
                record.events = 1;
                is_notable = true;
            } else {
                is_notable |= record.apply(entry);
            }
        }
        let notable = is_notable.then(|| record.clone());
        // Lists lock the index first and the records then.
        drop(live);
        if let Some(record) = notable {
            self.core.shared.index().put(self.key, tree.root(), record);
        }
    }
}

impl Journal for RunJournal {
    /// Buffers the entries for the writer and returns. Faults: `journal.out_of_order` if their seqs do not continue the journal,
    /// `conversation.*` if the run's conversation can't be continued, and the writer's fault on an earlier append (`store.*`).
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        for (entry, expected) in entries.iter().zip(self.next_seq..) {
            if entry.seq != Some(expected) {
                let found = entry.seq.map_or_else(|| "none".to_owned(), |seq| seq.to_string());
                return Err(out_of_order(&format!(
                    "The next entry must have seq {expected}, but this one has {found}."
                )));
            }
        }
        let Some(first) = entries.first() else { return Ok(()) };
        let encoded = EncodedEntries::of(&self.run, entries)?;
        let tree = match &self.tree {
            Some(tree) if self.next_seq > 0 => Arc::clone(tree),
            _ => self.begin(first)?,
        };
        let updates: Vec<ConversationUpdate> = match &mut self.projector {
            Some(projector) => entries.iter().filter_map(|entry| projector.project(entry)).collect(),
            None => Vec::new(),
        };
        self.tell_database(&tree, entries);
        let buffered = tree.append(self.key, self.next_seq, &encoded, updates)?;
        self.fold(&tree, entries);
        self.next_seq += entries.len() as u64;
        self.core.writer()?.wrote(&tree, buffered);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        let Some(tree) = &self.tree else { return Box::pin(async { Ok(()) }) };
        let wait = self.core.writer().map(|writer| writer.flush(Some(Arc::clone(tree))));
        Box::pin(async move { flush_result(wait?.await) })
    }
}

impl Drop for RunJournal {
    /// Leaves the current record in the index and releases the run.
    fn drop(&mut self) {
        let record = self.record.lock().clone().filter(|_| self.next_seq > 0);
        if let Some(tree) = self.tree.take() {
            // What a failed tree had not synced is gone: its records are taken from the file when it is released.
            if let Some(record) = record.filter(|_| tree.failure().is_none()) {
                let mut index = self.core.shared.index();
                if index.get(&self.key).is_none_or(|known| known.record.events != record.events) {
                    index.put(self.key, tree.root(), record);
                }
            } else if tree.failure().is_some() {
                // What can't be read now is read when the store opens.
                let _ = self.core.shared.refold_failed(&tree);
            }
            if tree.detach() == 0
                && let Ok(writer) = self.core.writer()
            {
                writer.release(tree);
            }
        }
        self.core.live().remove(&self.key);
    }
}

fn out_of_order(message: &str) -> Fault {
    Fault::new(codes::JOURNAL_OUT_OF_ORDER, message)
}
