//! A run tree that is being written: its buffer, its file, and what waits for its next sync.
//!
//! | state | append | write or sync fails |
//! |---|---|---|
//! | sound | buffered; the order of appends is the order in the file | failed |
//! | failed | refused with the error that made it so | – |
//!
//! A failed tree stays failed: what it had not synced is cut from the file, and runs go on with a new [`Tree`] from what is
//! there.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;

use super::EncodedEntries;
use super::layout::{RunLayout, TreeLayout, Values};
use crate::codes;
use crate::conversation::ConversationUpdate;
use crate::disk::Disk;
use crate::fault;
use crate::large_value::ValueHash;
use crate::log_file::{FileHeader, FileKind, Key, LogAppender};

/// So much may be buffered before an append writes it out itself.
const MAX_BUFFER_BYTES: usize = 8 << 20;

/// A tree that has a writer.
pub(crate) struct Tree {
    root: Key,
    disk: Arc<dyn Disk>,
    state: Mutex<State>,
}

struct State {
    log: LogAppender,
    layout: TreeLayout,
    /// Updates of conversations, each with the end of the record that it results from.
    updates: Vec<(u64, ConversationUpdate)>,
    failed: Option<Fault>,
    /// How many journals are open.
    journals: usize,
}

/// What a reader needs to know.
pub(crate) struct RunSnapshot {
    pub(crate) run: RunLayout,
    pub(crate) values: Values,
}

impl Tree {
    /// A tree that has no file yet.
    pub(crate) fn create(disk: Arc<dyn Disk>, path: PathBuf, root: Key) -> Self {
        let header = FileHeader { kind: FileKind::RunTree, sealed: false, id: root };
        let log = LogAppender::create(path, header);
        Self::with(disk, root, log, TreeLayout::default())
    }

    /// A tree that goes on behind what is stored, given the layout of its file, which is not damaged.
    pub(crate) fn open(disk: Arc<dyn Disk>, path: PathBuf, root: Key, layout: TreeLayout) -> Self {
        if layout.end == 0 {
            return Self::create(disk, path, root);
        }
        let log = LogAppender::open(path, layout.end);
        Self::with(disk, root, log, layout)
    }

    fn with(disk: Arc<dyn Disk>, root: Key, log: LogAppender, layout: TreeLayout) -> Self {
        let state = State { log, layout, updates: Vec::new(), failed: None, journals: 0 };
        Self { root, disk, state: Mutex::new(state) }
    }

    pub(crate) fn root(&self) -> Key {
        self.root
    }

    pub(crate) fn failure(&self) -> Option<Fault> {
        self.state.lock().failed.clone()
    }

    /// Counts a journal that is opened.
    pub(crate) fn attach(&self) {
        self.state.lock().journals += 1;
    }

    /// The journal is closed. Gives how many are left.
    pub(crate) fn detach(&self) -> usize {
        let mut state = self.state.lock();
        state.journals -= 1;
        state.journals
    }

    pub(crate) fn journals(&self) -> usize {
        self.state.lock().journals
    }

    pub(crate) fn next_seq(&self, run: &Key) -> u64 {
        self.state.lock().layout.next_seq(run)
    }

    /// Buffers entries of a run and what results from them for conversations. Gives how much is buffered.
    pub(crate) fn append(
        &self,
        run: Key,
        first_seq: u64,
        entries: &EncodedEntries,
        updates: Vec<ConversationUpdate>,
    ) -> Result<usize, Fault> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if let Some(fault) = &state.failed {
            return Err(fault.clone());
        }
        let (written, begun) = (state.log.end() - state.log.buffer.len() as u64, state.log.buffer.len());
        let values = Arc::clone(&state.layout.values);
        let mut stored = values.lock();
        let is_new = |hash: &ValueHash, at: usize| {
            let is_new = !stored.contains_key(hash);
            if is_new {
                stored.insert(*hash, written + at as u64);
            }
            is_new
        };
        let Some((header, start)) = entries.write(&mut state.log.buffer, run, first_seq, is_new) else {
            // Neither the entries nor their values.
            state.log.buffer.truncate(begun);
            stored.retain(|_, at| *at < written + begun as u64);
            return Err(Fault::new(codes::JOURNAL_UNWRITABLE, "An event is larger than 4 GB."));
        };
        drop(stored);
        let offset = written + start as u64;
        let end = state.log.end();
        state.layout.add(&header, offset..end, &[]);
        state.updates.extend(updates.into_iter().map(|update| (end, update)));
        if state.log.buffer.len() > MAX_BUFFER_BYTES {
            self.write_out_locked(state)?;
        }
        Ok(state.log.buffer.len())
    }

    /// Writes what is buffered, so that it can be read. Faults `store.*`.
    pub(crate) fn write_out(&self) -> Result<(), Fault> {
        self.write_out_locked(&mut self.state.lock())
    }

    fn write_out_locked(&self, state: &mut State) -> Result<(), Fault> {
        if let Some(fault) = &state.failed {
            return Err(fault.clone());
        }
        state.log.write_out(&*self.disk).map_err(|error| self.fail(state, &error))
    }

    /// Makes everything appended survive a power failure. Gives what then results for conversations. Faults `store.*`.
    pub(crate) fn sync(&self) -> Result<Vec<ConversationUpdate>, Fault> {
        let pending = {
            let mut state = self.state.lock();
            self.write_out_locked(&mut state)?;
            state.log.pending_sync()
        };
        // Without the lock: the run goes on meanwhile.
        let synced = pending.as_ref().map_or(Ok(()), |pending| pending.run(&*self.disk));
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if let Err(error) = synced {
            return Err(state.failed.clone().unwrap_or_else(|| self.fail(state, &error)));
        }
        if let Some(pending) = &pending {
            state.log.note_synced(pending);
        }
        let synced = state.log.synced();
        let ready = state.updates.iter().take_while(|(end, _)| *end <= synced).count();
        Ok(state.updates.drain(..ready).map(|(_, update)| update).collect())
    }

    /// Whether updates of conversations wait for a sync.
    pub(crate) fn has_updates(&self) -> bool {
        !self.state.lock().updates.is_empty()
    }

    fn fail(&self, state: &mut State, error: &std::io::Error) -> Fault {
        let fault = fault::of_io("write the journal", error);
        state.log.abandon(&*self.disk);
        state.updates.clear();
        state.failed = Some(fault.clone());
        fault
    }

    /// The journal of a run as it stands, written out so that it can be read.
    pub(crate) fn snapshot(&self, run: &Key) -> Result<RunSnapshot, Fault> {
        let mut state = self.state.lock();
        self.write_out_locked(&mut state)?;
        Ok(RunSnapshot {
            run: state.layout.runs.get(run).cloned().unwrap_or_default(),
            values: Arc::clone(&state.layout.values),
        })
    }

    /// The size of the file, if all of it is on disk.
    pub(crate) fn synced_size(&self) -> Option<u64> {
        let state = self.state.lock();
        (state.failed.is_none() && state.log.is_synced()).then(|| state.log.end())
    }
}
