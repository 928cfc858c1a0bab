//! The open store, writing or reading. Owns which runs have a writer at the moment, and that a record is never behind its
//! journal when somebody sees it, although it is not written with each event.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};

use crate::checksums;
use crate::codes;
use crate::conversation::{ConversationProjector, Conversations};
use crate::disk::Disk;
use crate::fault;
use crate::index::Index;
use crate::ledger::{self, Ledger, RunSpending};
use crate::log_file::Key;
use crate::open::{self, Lock};
use crate::record::RunRecord;
use crate::recovery::{self, Progress};
use crate::run_index::{RunFilter, RunIndex, Which, at_rest, unknown};
use crate::shared::Shared;
use crate::tree::{self, TreeFiles, run_id, run_key};
use crate::tree_summary::TreeSummary;
use crate::writer::{Writer, flush_result};

/// The record of a run that has a writer, ahead of the one in the index. None until its first event.
pub(crate) type LiveRecord = Arc<Mutex<Option<RunRecord>>>;

pub(crate) struct StoreCore {
    // In the order in which they must go: the writer's last flush needs the lock.
    writer: Option<Writer>,
    pub(crate) shared: Arc<Shared>,
    live: Mutex<HashMap<Key, LiveRecord>>,
    /// Flows stored since the store was opened. A run of one of them may be about to begin, so they are not removed.
    kept_flows: Mutex<HashSet<String>>,
    /// Attachments stored or taken over since the store was opened. A run that refers to them may be about to begin.
    kept_attachments: Mutex<HashSet<String>>,
    /// The run trees whose attachments were taken over.
    pub(crate) kept_trees: Mutex<HashSet<Key>>,
    /// Held while unreferenced attachments are looked for.
    pub(crate) removing_attachments: Mutex<()>,
    /// Held while a document is read, changed and put back.
    pub(crate) changing: Mutex<()>,
    lock: Option<Lock>,
}

impl StoreCore {
    /// Opens the data directory for writing. `rebuild`: reads all files and ignores the index.
    pub(crate) fn open(
        home: &Path,
        disk: Arc<dyn Disk>,
        rebuild: bool,
        progress: Progress<'_>,
    ) -> Result<Arc<Self>, Fault> {
        open::ignore_file_size_signal();
        let lock = open::lock(home)?;
        open::refuse_old_form(home)?;
        let shared = Self::load(home, disk, rebuild, progress, true)?;
        let core = Self::with(Some(Writer::start(&shared)?), shared, Some(lock));
        Ok(core)
    }

    /// Opens the data directory for reading, also while another process writes it.
    pub(crate) fn read(home: &Path, disk: Arc<dyn Disk>, progress: Progress<'_>) -> Result<Arc<Self>, Fault> {
        open::refuse_old_form(home)?;
        // A reader that has no right to it finds a folder that is there already.
        let _ = open::make_private(home);
        let shared = Self::load(home, disk, false, progress, false)?;
        Ok(Self::with(None, shared, None))
    }

    fn with(writer: Option<Writer>, shared: Arc<Shared>, lock: Option<Lock>) -> Arc<Self> {
        Arc::new(Self {
            writer,
            shared,
            live: Mutex::default(),
            kept_flows: Mutex::default(),
            kept_attachments: Mutex::default(),
            kept_trees: Mutex::default(),
            removing_attachments: Mutex::default(),
            changing: Mutex::default(),
            lock,
        })
    }

    fn load(
        home: &Path,
        disk: Arc<dyn Disk>,
        rebuild: bool,
        progress: Progress<'_>,
        writing: bool,
    ) -> Result<Arc<Shared>, Fault> {
        let files = TreeFiles::list(home)?;
        let (derived, stored) =
            if writing { Index::open(home) } else { (Index::default(), Index::read(home)) };
        let derived = Arc::new(derived);
        let mut index = RunIndex::new(stored.runs, Arc::clone(&derived));
        let changed = recovery::recover(home, files, &mut index, rebuild, progress)?;
        let conversations = Conversations::open(
            Arc::clone(&disk),
            home,
            stored.conversations,
            Arc::clone(&derived),
            rebuild,
        )?;
        let ledger = Ledger::load(Arc::clone(&disk), home)?;
        let shared = Arc::new(Shared::new(disk, home, index, derived, Arc::new(conversations), ledger));
        if writing {
            if checksums::mark_changed_ledger(&*shared.disk, home) {
                shared.ledger.mark_changed();
            }
            let runs = shared.index().keys();
            // A full disk must not keep the store shut; the records of the runs say the same.
            let _ = shared.enter_spending(&runs);
            checksums::begin(&*shared.disk, home);
            open::remove_old_indexes(&*shared.disk, home);
            remove_leftovers(&shared);
            for root in changed {
                apply_to_conversations(&shared, root)?;
            }
        }
        Ok(shared)
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.lock.is_none()
    }

    /// The writing end. Fault `store.locked` if the store is open for reading.
    pub(crate) fn writer(&self) -> Result<&Writer, Fault> {
        self.writer.as_ref().ok_or_else(|| {
            let owner = open::writer(&self.shared.home);
            fault::locked(&self.shared.home, owner.as_deref().unwrap_or_default())
        })
    }

    pub(crate) fn live(&self) -> MutexGuard<'_, HashMap<Key, LiveRecord>> {
        self.live.lock()
    }

    pub(crate) fn kept_flows(&self) -> MutexGuard<'_, HashSet<String>> {
        self.kept_flows.lock()
    }

    pub(crate) fn kept_attachments(&self) -> MutexGuard<'_, HashSet<String>> {
        self.kept_attachments.lock()
    }

    /// Waits until everything written so far survives a power failure.
    pub(crate) fn flush_blocking(&self) -> Result<(), Fault> {
        flush_result(futures::executor::block_on(self.writer()?.flush(None)))
    }

    /// The conversations, with everything that results from the journals so far.
    pub(crate) fn conversations(&self) -> &Arc<Conversations> {
        for tree in self.shared.trees() {
            if tree.has_updates()
                && let Ok(writer) = self.writer()
            {
                // A failure is reported to the run.
                let _ = futures::executor::block_on(writer.flush(Some(tree)));
            }
        }
        &self.shared.conversations
    }

    /// The current record of a run: that of the active run, or the one in the index.
    fn current(&self, key: Key) -> Option<RunRecord> {
        let live = self.live().get(&key).cloned();
        if let Some(live) = live {
            return live.lock().clone();
        }
        if let Some(observed) = self.shared.observed.record(key) {
            return Some(observed);
        }
        let record = self.shared.index().get(&key).map(|entry| entry.record.clone());
        record.map(|record| if self.may_be_written_elsewhere() { record } else { at_rest(record) })
    }

    /// Whether another process writes the data directory.
    pub(crate) fn may_be_written_elsewhere(&self) -> bool {
        self.is_read_only() && open::writer(&self.shared.home).is_some()
    }

    pub(crate) fn run(&self, id: &RunId) -> Result<RunRecord, Fault> {
        self.current(run_key(id)?).ok_or_else(|| unknown(id.as_str()))
    }

    /// Runs, newest first.
    pub(crate) fn runs(&self, filter: &RunFilter) -> Vec<RunRecord> {
        let limit = filter.limit.unwrap_or(usize::MAX);
        let live: HashMap<Key, LiveRecord> = self.live().clone();
        let elsewhere = self.may_be_written_elsewhere();
        let mut observed = self.shared.observed.records(filter);
        let index = self.shared.index();
        let mut found = Vec::new();
        for (key, entry) in index.newest_first() {
            if found.len() >= limit {
                break;
            }
            let stored = &entry.record;
            if filter.which == Which::Roots && stored.parent_run_id.is_some()
                || filter.flow_path.is_some() && filter.flow_path != stored.flow.path
                || filter.user.as_ref().is_some_and(|user| *user != stored.user)
            {
                continue;
            }
            match live.get(key) {
                Some(live) => found.extend(live.lock().clone()),
                None if elsewhere => found.push(stored.clone()),
                None => found.push(at_rest(stored.clone())),
            }
        }
        if !observed.is_empty() {
            found.append(&mut observed);
            // As the index lists them.
            found.sort_by(|a, b| b.run.as_str().cmp(a.run.as_str()));
            found.truncate(limit);
        }
        found
    }

    /// What every run has spent, removed ones included.
    pub(crate) fn spending(&self) -> Vec<RunSpending> {
        let mut entries = self.shared.ledger.entries();
        for record in self.runs(&RunFilter::default()) {
            if let Ok(run) = run_key(&record.run) {
                ledger::enter(&mut entries, run, &record);
            }
        }
        entries.into_values().map(|entry| entry.spending).collect()
    }

    /// The runs that a run started, in the order they started.
    pub(crate) fn children(&self, id: &RunId) -> Result<Vec<RunRecord>, Fault> {
        let children = self.shared.index().children(&run_key(id)?);
        let mut found: Vec<RunRecord> = children.into_iter().filter_map(|key| self.current(key)).collect();
        found.sort_by(|a, b| (a.started_at, a.run.as_str()).cmp(&(b.started_at, b.run.as_str())));
        Ok(found)
    }

    /// The runs of the tree with this root, parents first.
    pub(crate) fn tree(&self, root: &RunId) -> Result<Vec<RunRecord>, Fault> {
        let family = self.shared.index().family(run_key(root)?);
        Ok(family.into_iter().filter_map(|key| self.current(key)).collect())
    }

    /// A run of the conversation that has not ended.
    pub(crate) fn open_run_in(&self, id: &ConversationId) -> Option<RunId> {
        let runs = self.runs(&RunFilter::default());
        runs.into_iter()
            .find(|run| run.conversation.as_ref() == Some(id) && !run.status.is_final())
            .map(|run| run.run)
    }

    /// Removes a run and the runs it started: records and journals. Gives the hashes of the flow documents that they used.
    pub(crate) fn remove(&self, id: &RunId) -> Result<HashSet<String>, Fault> {
        self.writer()?;
        let key = run_key(id)?;
        self.shared.observed.refuse(key)?;
        let (root, family, hashes) = {
            let index = self.shared.index();
            let root = index.root_of(key).ok_or_else(|| unknown(id.as_str()))?;
            let family = index.family(key);
            let hashes: HashSet<String> = family
                .iter()
                .filter_map(|key| index.get(key).map(|entry| entry.record.flow.hash.clone()))
                .collect();
            (root, family, hashes)
        };
        let busy = |run: &RunId| {
            Fault::new(codes::RUN_BUSY, format!("Run `{run}` is still going on.")).hint("Cancel it first.")
        };
        let live: Vec<Key> = self.live().keys().copied().collect();
        let tree = self.shared.index().tree(root);
        if let Some(active) = tree.iter().find(|key| live.contains(key)) {
            return Err(busy(&run_id(*active)));
        }
        // The last journal may have been closed a moment ago.
        self.flush_blocking()?;
        let guard = self.shared.maintenance();
        if self.shared.is_open(&root) {
            return Err(busy(id));
        }
        // What runs at rest have spent is entered.
        checksums::record_ledger(&self.shared)?;
        let path = self.shared.path(root);
        let failed = |error: std::io::Error| fault::of_io("remove a run", &error);
        if key == root {
            let removed = tree::removed_path(&path);
            match self.shared.disk.rename(&path, &removed) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            }
            self.forget(&family);
            self.shared.derived_index.remove_file(removed);
        } else {
            let ended = {
                let index = self.shared.index();
                let is_final = |key: &Key| index.get(key).is_some_and(|one| one.record.status.is_final());
                tree.iter().filter(|key| !family.contains(key)).all(is_final)
            };
            let keep = |key: &Key| !family.contains(key);
            let summarize = || TreeSummary::text_of(&path, &keep);
            let summary: Option<&tree::Summarize<'_>> = if ended { Some(&summarize) } else { None };
            let size = tree::rewrite(&*self.shared.disk, &path, root, &keep, summary)?;
            self.shared.forget_layout(root);
            self.forget(&family);
            if let Some(size) = size {
                self.shared.index().put_size(root, size);
            }
        }
        drop(guard);
        Ok(hashes)
    }

    fn forget(&self, runs: &[Key]) {
        let mut index = self.shared.index();
        for run in runs {
            index.remove(*run);
        }
    }
}

impl Drop for StoreCore {
    /// Closes the index behind the writer, which still changes it.
    fn drop(&mut self) {
        self.writer = None;
        self.shared.derived_index.close();
    }
}

/// Removes what a crash left: files that were being replaced, and those of removed runs. Failures cost space, and are tried again the
/// next time.
fn remove_leftovers(shared: &Shared) {
    let Ok(months) = std::fs::read_dir(tree::runs_folder(&shared.home)) else { return };
    for month in months.flatten() {
        open::remove_leftovers(&*shared.disk, &month.path());
    }
    for root in TreeFiles::list(&shared.home).unwrap_or_default().removed {
        shared.derived_index.remove_file(tree::removed_path(&shared.path(root)));
    }
}

/// Applies what the runs of a tree say of their conversations. What is there already stays as it is.
pub(crate) fn apply_to_conversations(shared: &Shared, root: Key) -> Result<(), Fault> {
    let runs: Vec<(Key, RunRecord)> = {
        let index = shared.index();
        let tree = index.tree(root).into_iter();
        tree.filter_map(|key| Some((key, index.get(&key)?.record.clone()))).collect()
    };
    for (key, record) in runs {
        let Ok(Some(mut projector)) = ConversationProjector::of(key, &record) else { continue };
        let mut reader = shared.read(key, 0)?;
        // As far as the journal can be read: what follows damage could belong to a turn that began before it.
        while let Ok(Some(entry)) = reader.next() {
            if let Some(update) = projector.project(&entry) {
                shared.conversations.apply(&update);
            }
        }
        // A full disk must not keep the store shut; it is applied again when the store opens.
        let _ = shared.conversations.settle(projector.conversation());
    }
    Ok(())
}
