//! What the store's handles and its threads share. Owns which trees are open for writing, and where a run's journal is read from.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plait_core::error::Fault;

use crate::codes;
use crate::conversation::{self, Conversations};
use crate::disk::Disk;
use crate::fault;
use crate::index::Index;
use crate::journal_reader::{EntryReader, duplicate};
use crate::ledger::Ledger;
use crate::log_file::Key;
use crate::memories::Memories;
use crate::observed::ObservedRuns;
use crate::recovery;
use crate::run_index::RunIndex;
use crate::tree::{self, Tree, TreeLayout, run_id};
use crate::tree_summary::TreeSummary;

/// How many layouts of trees that nobody writes are remembered.
const MAX_CACHED_LAYOUTS: usize = 256;

pub(crate) struct Shared {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) home: PathBuf,
    pub(crate) conversations: Arc<Conversations>,
    pub(crate) memories: Memories,
    index: Mutex<RunIndex>,
    pub(crate) derived_index: Arc<Index>,
    pub(crate) ledger: Ledger,
    pub(crate) observed: ObservedRuns,
    trees: Mutex<HashMap<Key, Arc<Tree>>>,
    layouts: Mutex<Vec<(Key, u64, Arc<TreeLayout>)>>,
    /// The token calibration that is not written yet.
    pub(crate) calibration: Mutex<Option<Vec<u8>>>,
    /// Held while a document is replaced together with its checksum.
    pub(crate) changing_checksums: Mutex<()>,
    /// Held while the file of a tree is opened for writing, or rewritten.
    maintenance: Mutex<()>,
}

impl Shared {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        home: &Path,
        index: RunIndex,
        derived_index: Arc<Index>,
        conversations: Arc<Conversations>,
        ledger: Ledger,
    ) -> Self {
        Self {
            memories: Memories::new(Arc::clone(&disk), home),
            disk,
            home: home.to_owned(),
            conversations,
            index: Mutex::new(index),
            derived_index,
            ledger,
            observed: ObservedRuns::default(),
            trees: Mutex::default(),
            layouts: Mutex::default(),
            calibration: Mutex::default(),
            changing_checksums: Mutex::default(),
            maintenance: Mutex::default(),
        }
    }

    /// The run index. Never locked while a conversation is to be locked.
    pub(crate) fn index(&self) -> MutexGuard<'_, RunIndex> {
        self.index.lock()
    }

    pub(crate) fn path(&self, root: Key) -> PathBuf {
        tree::path_in(&self.home, root)
    }

    pub(crate) fn maintenance(&self) -> MutexGuard<'_, ()> {
        self.maintenance.lock()
    }

    /// The trees that are open for writing.
    pub(crate) fn trees(&self) -> Vec<Arc<Tree>> {
        self.trees.lock().values().cloned().collect()
    }

    /// Opens the tree of a root for a journal, which must be detached from it. Faults `journal.corrupt`, `run.ended`,
    /// `store.*`.
    pub(crate) fn attach(&self, root: Key) -> Result<Arc<Tree>, Fault> {
        if let Some(tree) = self.attach_open(root) {
            return Ok(tree);
        }
        let guard = self.maintenance();
        // Another journal may have opened it meanwhile.
        if let Some(tree) = self.attach_open(root) {
            return Ok(tree);
        }
        if self.is_open(&root) {
            // A tree that failed and is not closed yet. Its records may speak of entries that were not written.
            self.refold(root)?;
        }
        let path = self.path(root);
        if let Some(why) = self.index().damage(&root).map(str::to_owned) {
            return Err(unwritable(&path, root, &why));
        }
        let layout = TreeLayout::read(&path)?;
        if layout.is_damaged() {
            let why = "a part of it can't be read";
            self.index().note_damage(root, why.to_owned());
            return Err(unwritable(&path, root, why));
        }
        if layout.sealed {
            return Err(Fault::new(codes::RUN_ENDED, format!("Run {} has ended.", run_id(root)))
                .hint("A run that has ended cannot be resumed. Run the flow again."));
        }
        let tree = Arc::new(Tree::open(Arc::clone(&self.disk), path, root, layout));
        tree.attach();
        self.trees.lock().insert(root, Arc::clone(&tree));
        drop(guard);
        Ok(tree)
    }

    fn attach_open(&self, root: Key) -> Option<Arc<Tree>> {
        let trees = self.trees.lock();
        let tree = trees.get(&root).filter(|tree| tree.failure().is_none())?;
        tree.attach();
        Some(Arc::clone(tree))
    }

    /// Closes a tree that no journal writes any more, and enters in the ledger what its runs have spent. False if a journal writes it.
    pub(crate) fn close(&self, tree: &Arc<Tree>) -> bool {
        if tree.journals() > 0 {
            return false;
        }
        let runs = self.index().tree(tree.root());
        // While the tree is open, so that no run of it is removed before. What a full disk does not take is written with the next
        // change, or before a run is removed.
        let _ = self.enter_spending(&runs);
        let mut trees = self.trees.lock();
        if tree.journals() > 0 {
            return false;
        }
        if trees.get(&tree.root()).is_some_and(|open| Arc::ptr_eq(open, tree)) {
            trees.remove(&tree.root());
        }
        true
    }

    pub(crate) fn is_open(&self, root: &Key) -> bool {
        self.trees.lock().contains_key(root)
    }

    /// Reads the journal of a run from `from_seq` on. One that is not known is empty.
    pub(crate) fn read(&self, run: Key, from_seq: u64) -> Result<EntryReader, Fault> {
        if let Some(observed) = self.observed.read(run, from_seq) {
            return Ok(observed);
        }
        let (root, events, damaged) = {
            let index = self.index();
            let root = index.root_of(run).unwrap_or(run);
            let events = index.get(&run).map_or(0, |entry| entry.record.events);
            (root, events, index.damage(&root).is_some())
        };
        // First of all: when a run ends, another file takes its place, and all that follows must be about the same one.
        let path = self.path(root);
        let file = tree::open_file(&path)?;
        let open = self.trees.lock().get(&root).cloned().filter(|tree| tree.failure().is_none());
        if let Some(snapshot) = open.and_then(|tree| tree.snapshot(&run).ok()) {
            let (spans, end) = (&snapshot.run.spans, snapshot.run.next_seq);
            // The snapshot may have created it.
            let file = if file.is_none() { tree::open_file(&path)? } else { file };
            return Ok(EntryReader::over(file, run, from_seq, spans, snapshot.values, end, false));
        }
        let layout = self.layout(root, &path, file.as_ref())?;
        let known = layout.runs.get(&run);
        let end = known.map_or(0, |run| run.next_seq);
        // What a damaged file no longer shows, the index may still know of.
        let end = if damaged { end.max(events) } else { end };
        let spans = known.map_or(&[][..], |run| run.spans.as_slice());
        let values = Arc::clone(&layout.values);
        Ok(EntryReader::over(file, run, from_seq, spans, values, end, layout.has_unknown_damage))
    }

    /// The layout of a tree that nobody writes, in its open file.
    pub(crate) fn layout(
        &self,
        root: Key,
        path: &Path,
        file: Option<&File>,
    ) -> Result<Arc<TreeLayout>, Fault> {
        let Some(file) = file else { return Ok(Arc::default()) };
        let failed = |error: std::io::Error| fault::of_io("read a journal", &error);
        let size = file.metadata().map_err(failed)?.len();
        let is_same = |(key, known, _): &&(Key, u64, _)| *key == root && *known == size;
        if let Some((.., layout)) = self.layouts.lock().iter().find(is_same) {
            return Ok(Arc::clone(layout));
        }
        // Not locked meanwhile: others read other trees.
        let layout = TreeLayout::of_file(path, duplicate(file)?)?;
        Ok(self.keep_layout(root, layout))
    }

    /// Remembers the layout of a tree that nobody writes.
    pub(crate) fn keep_layout(&self, root: Key, layout: TreeLayout) -> Arc<TreeLayout> {
        let layout = Arc::new(layout);
        let mut layouts = self.layouts.lock();
        layouts.retain(|(key, ..)| *key != root);
        if layouts.len() >= MAX_CACHED_LAYOUTS {
            layouts.remove(0);
        }
        layouts.push((root, layout.size, Arc::clone(&layout)));
        layout
    }

    /// Forgets the layout of a tree whose file was rewritten.
    pub(crate) fn forget_layout(&self, root: Key) {
        self.layouts.lock().retain(|(key, ..)| *key != root);
    }

    /// The file of a tree was replaced by one that is whole.
    pub(crate) fn forget_damage(&self, root: Key) {
        self.index().forget_damage(root);
    }

    /// The conversations that runs of a tree belong to.
    pub(crate) fn conversations_of(&self, root: Key) -> Vec<Key> {
        let index = self.index();
        let records =
            index.tree(root).into_iter().filter_map(|key| index.get(&key).map(|entry| &entry.record));
        let mut keys: Vec<Key> =
            records.filter_map(|record| conversation::key_of(record.conversation.as_ref()?).ok()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Enters what these runs have spent in the ledger. Faults `store.*`.
    pub(crate) fn enter_spending(&self, runs: &[Key]) -> Result<(), Fault> {
        let index = self.index();
        self.ledger.enter(runs.iter().filter_map(|run| Some((*run, &index.get(run)?.record))))
    }

    /// Compresses the file of a tree that has ended. False if there is nothing to do.
    pub(crate) fn seal(&self, root: Key) -> Result<bool, Fault> {
        let _guard = self.maintenance();
        if self.is_open(&root) || !self.index().has_ended(root) {
            return Ok(false);
        }
        let (path, keep) = (self.path(root), |_: &Key| true);
        let summarize = || TreeSummary::text_of(&path, &keep);
        let Some(size) = tree::rewrite(&*self.disk, &path, root, &keep, Some(&summarize))? else {
            return Ok(false);
        };
        self.forget_layout(root);
        self.index().put_size(root, size);
        Ok(true)
    }

    /// Takes the records of a tree that failed from its file, and closes it if no journal has it. Does nothing once a new tree
    /// goes on with the file: that has taken the records, and the file lacks what the new tree has not written yet.
    pub(crate) fn refold_failed(&self, tree: &Arc<Tree>) -> Result<(), Fault> {
        let _guard = self.maintenance();
        let is_current = self.trees.lock().get(&tree.root()).is_some_and(|open| Arc::ptr_eq(open, tree));
        if !is_current {
            return Ok(());
        }
        let refolded = self.refold(tree.root());
        self.close(tree);
        refolded
    }

    /// Takes the records of a tree from its file, after an error or a crash. No tree may be writing to the file.
    pub(crate) fn refold(&self, root: Key) -> Result<(), Fault> {
        self.forget_layout(root);
        let path = self.path(root);
        recovery::refold(&mut self.index(), &path, root)
    }
}

fn unwritable(path: &Path, root: Key, why: &str) -> Fault {
    let run = run_id(root);
    Fault::new(
        codes::JOURNAL_CORRUPT,
        format!("Nothing is written to `{}`: {why}.", path.display()),
    )
    .hint("What can be read of it is shown. `plait doctor` says what is lost; start the flow again, or from a node, to go on.")
    .details(serde_json::json!({ "run": run }))
}
