//! The list of runs: the record of each, and which tree it belongs to. Owns finding and listing, and what the derived index gets of
//! runs; the journals hold what it says.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_journal::view::RunStatus;
use serde::{Deserialize, Serialize};

use crate::codes;
use crate::index::{Index, List};
use crate::log_file::Key;
use crate::record::RunRecord;
use crate::record_index::RecordIndex;
use crate::tree::{run_id, run_key};
use crate::tree_summary::RunSummary;

/// Which runs to list.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs of the flow whose file this was.
    pub flow_path: Option<String>,
    /// Only runs of this user.
    pub user: Option<UserName>,
    /// Which place they have in their tree.
    pub which: Which,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// Which runs, by their parents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    #[default]
    All,
    /// Runs that no other run started.
    Roots,
}

/// What the index holds of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RunEntry {
    pub(crate) record: RunRecord,
    /// The run at the root of its tree, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<RunId>,
    /// Of a root: the size of the tree's file when nobody wrote it any more. All of it survives a power failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
}

impl RunEntry {
    pub(crate) fn new(record: RunRecord, key: Key, root: Key) -> Self {
        Self { record, root: (root != key).then(|| run_id(root)), size: None }
    }

    pub(crate) fn root(&self, key: Key) -> Key {
        // The index writes ids that are keys.
        self.root.as_ref().and_then(|root| run_key(root).ok()).unwrap_or(key)
    }
}

/// All runs.
pub(crate) struct RunIndex {
    index: RecordIndex<RunEntry>,
    derived: Arc<Index>,
    children: BTreeMap<Key, BTreeSet<Key>>,
    by_root: BTreeMap<Key, BTreeSet<Key>>,
    /// The trees with damaged files, to which nothing may be written, and the reasons.
    damaged: HashMap<Key, String>,
}

impl RunIndex {
    /// The list of what was stored.
    pub(crate) fn new(stored: BTreeMap<Key, Vec<u8>>, derived: Arc<Index>) -> Self {
        let mut runs = Self {
            index: RecordIndex::new(List::Runs, stored, Arc::clone(&derived)),
            derived,
            children: BTreeMap::new(),
            by_root: BTreeMap::new(),
            damaged: HashMap::new(),
        };
        let known: Vec<_> = runs
            .index
            .records()
            .iter()
            .map(|(key, entry)| (*key, entry.root(*key), entry.record.parent_run_id.clone()))
            .collect();
        for (key, root, parent) in known {
            runs.link(key, root, parent.as_ref());
        }
        runs
    }

    fn link(&mut self, key: Key, root: Key, parent: Option<&RunId>) {
        self.by_root.entry(root).or_default().insert(key);
        if let Some(parent) = parent.and_then(|parent| run_key(parent).ok()) {
            self.children.entry(parent).or_default().insert(key);
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&RunEntry> {
        self.index.get(key)
    }

    /// The root of the tree of a run.
    pub(crate) fn root_of(&self, key: Key) -> Option<Key> {
        self.index.get(&key).map(|entry| entry.root(key))
    }

    /// The roots of all trees.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Key> {
        self.by_root.keys().copied()
    }

    /// All runs.
    pub(crate) fn keys(&self) -> Vec<Key> {
        self.index.records().keys().copied().collect()
    }

    pub(crate) fn tree(&self, root: Key) -> Vec<Key> {
        self.by_root.get(&root).into_iter().flatten().copied().collect()
    }

    /// The size that a tree's file must have.
    pub(crate) fn size_of(&self, root: &Key) -> Option<u64> {
        self.index.get(root)?.size
    }

    /// Replaces what is known of a run.
    pub(crate) fn put(&mut self, key: Key, root: Key, record: RunRecord) {
        self.link(key, root, record.parent_run_id.as_ref());
        self.index.put(key, RunEntry::new(record, key, root));
    }

    /// Replaces what is known of a run by what its journal says.
    pub(crate) fn put_summary(&mut self, key: Key, root: Key, summary: RunSummary) {
        self.derived.remove_replies(key);
        for (seq, reply) in summary.replies {
            self.derived.put_reply(&reply, (key, seq));
        }
        self.put(key, root, summary.record);
    }

    /// Goes on with a run by what was added to its journal. The derived index learns of its replies alone: it knows from the size of the
    /// file that the record is older.
    pub(crate) fn extend(&mut self, key: Key, root: Key, added: RunSummary) {
        for (seq, reply) in added.replies {
            self.derived.put_reply(&reply, (key, seq));
        }
        self.link(key, root, added.record.parent_run_id.as_ref());
        let size = self.size_of(&key);
        self.index.put_unwritten(key, RunEntry { size, ..RunEntry::new(added.record, key, root) });
    }

    /// Notes the size of a tree's file that has grown.
    pub(crate) fn extend_size(&mut self, root: Key, size: u64) {
        if let Some(entry) = self.index.get(&root).cloned() {
            self.index.put_unwritten(root, RunEntry { size: Some(size), ..entry });
        }
    }

    /// Notes that a tree's file is on disk as a whole and nobody writes it.
    pub(crate) fn put_size(&mut self, root: Key, size: u64) {
        if let Some(entry) = self.index.get(&root).cloned() {
            self.index.put(root, RunEntry { size: Some(size), ..entry });
        }
    }

    pub(crate) fn remove(&mut self, key: Key) {
        let Some(entry) = self.index.get(&key) else { return };
        let (root, parent) = (entry.root(key), entry.record.parent_run_id.clone());
        self.index.remove(&key);
        self.derived.remove_replies(key);
        if let Some(tree) = self.by_root.get_mut(&root) {
            tree.remove(&key);
            if tree.is_empty() {
                self.by_root.remove(&root);
            }
        }
        if let Some(siblings) = parent.and_then(|parent| self.children.get_mut(&run_key(&parent).ok()?)) {
            siblings.remove(&key);
        }
    }

    /// Forgets the runs of a tree, which lacks its file on purpose.
    pub(crate) fn remove_tree(&mut self, root: Key) {
        self.tree(root).into_iter().for_each(|run| self.remove(run));
    }

    pub(crate) fn note_damage(&mut self, root: Key, why: String) {
        self.damaged.insert(root, why);
    }

    /// The file was replaced by one that is whole. What it does not hold is forgotten.
    pub(crate) fn forget_damage(&mut self, root: Key) {
        self.damaged.remove(&root);
        if let Some(entry) = self.index.get(&root).cloned() {
            self.index.put(root, RunEntry { size: None, ..entry });
        }
    }

    /// Why nothing may be written to a tree's file.
    pub(crate) fn damage(&self, root: &Key) -> Option<&str> {
        self.damaged.get(root).map(String::as_str)
    }

    pub(crate) fn damaged_trees(&self) -> Vec<(Key, String)> {
        self.damaged.iter().map(|(root, why)| (*root, why.clone())).collect()
    }

    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (&Key, &RunEntry)> {
        self.index.records().iter().rev()
    }

    /// The runs that a run started.
    pub(crate) fn children(&self, parent: &Key) -> Vec<Key> {
        self.children.get(parent).into_iter().flatten().copied().collect()
    }

    pub(crate) fn count_children(&self, parent: &Key) -> usize {
        self.children.get(parent).map_or(0, BTreeSet::len)
    }

    /// A run and all below it, parents first.
    pub(crate) fn family(&self, root: Key) -> Vec<Key> {
        let mut found = vec![root];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            next += 1;
            found.extend(self.children(&parent));
        }
        found
    }

    /// Whether every run of a tree has ended.
    pub(crate) fn has_ended(&self, root: Key) -> bool {
        self.by_root.get(&root).is_some_and(|tree| {
            tree.iter().all(|key| self.index.get(key).is_some_and(|entry| entry.record.status.is_final()))
        })
    }

    /// The run whose id begins with `prefix`. A child's id begins like its root's: among several the one root is meant.
    pub(crate) fn find(&self, prefix: &str) -> Result<RunId, Fault> {
        let wanted = prefix.trim().to_lowercase();
        let found: Vec<Key> = self
            .index
            .records()
            .keys()
            .copied()
            .filter(|key| run_id(*key).as_str().starts_with(&wanted))
            .collect();
        match found.as_slice() {
            [only] => Ok(run_id(*only)),
            [] => Err(unknown(prefix)),
            _ => {
                let roots: BTreeSet<Key> = found.iter().filter_map(|key| self.root_of(*key)).collect();
                match roots.first() {
                    Some(root) if roots.len() == 1 && found.contains(root) => Ok(run_id(*root)),
                    _ => Err(ambiguous(prefix)),
                }
            }
        }
    }

    /// Whether a run of this flow document is known.
    pub(crate) fn uses_flow(&self, hash: &str) -> bool {
        self.index.records().values().any(|entry| entry.record.flow.hash == hash)
    }
}

/// A record as it is when nobody drives the run.
pub(crate) fn at_rest(mut record: RunRecord) -> RunRecord {
    if record.status == RunStatus::Running {
        record.status = RunStatus::Interrupted;
    }
    record
}

pub(crate) fn ambiguous(prefix: &str) -> Fault {
    Fault::new(codes::RUN_AMBIGUOUS, format!("More than one run's id begins with `{prefix}`."))
        .hint("Give more of it; `plait runs list` shows them.")
}

pub(crate) fn unknown(id: &str) -> Fault {
    Fault::new(codes::RUN_UNKNOWN, format!("There is no run `{id}`."))
        .hint("`plait runs list` shows the runs there are.")
}
