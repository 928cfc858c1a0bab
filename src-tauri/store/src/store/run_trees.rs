//! Run trees as they are in their files, on their way between a data directory and a database.

use std::collections::BTreeSet;

use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, RunId};

use super::Store;
use crate::attachments::unreferenced;
use crate::fault;
use crate::log_file::Key;
use crate::recovery;
use crate::store_core::{StoreCore, apply_to_conversations};
use crate::tree::{run_id, run_key};
use crate::{codes, run_index};

/// A run tree with all that its journals name.
#[derive(Debug)]
pub struct StoredTree {
    /// The run at its root.
    pub root: RunId,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// The hashes of the flows that its runs ran.
    pub flows: BTreeSet<String>,
    /// Hashes that its journals name: those of its attachments, and others.
    pub hashes: BTreeSet<AttachmentHash>,
}

impl Store {
    /// The tree of a run that nothing drives. Faults `run.unknown`, `run.busy`, `run.in_conversation` if a run of it goes on with a
    /// conversation, which its journal refers to, `journal.corrupt`, `store.*`.
    pub fn stored_tree(&self, run: &RunId) -> Result<StoredTree, Fault> {
        self.tree_of(self.0.root_at_rest(run)?)
    }

    /// The tree of a run as it is now, also while the run waits or is stopped and goes on afterwards. The same faults, but for `run.busy`.
    pub fn tree_so_far(&self, run: &RunId) -> Result<StoredTree, Fault> {
        let core = &self.0;
        let root =
            core.shared.index().root_of(run_key(run)?).ok_or_else(|| run_index::unknown(run.as_str()))?;
        core.flush_blocking()?;
        self.tree_of(root)
    }

    fn tree_of(&self, root_key: Key) -> Result<StoredTree, Fault> {
        let core = &self.0;
        let root = run_id(root_key);
        if let Some(why) = core.shared.index().damage(&root_key) {
            return Err(Fault::new(
                codes::JOURNAL_CORRUPT,
                format!("The journal of run {root} is damaged: {why}."),
            )
            .hint("`plait doctor` says what is lost."));
        }
        let mut flows = BTreeSet::new();
        for record in core.tree(&root)? {
            if record.conversation.is_some() {
                return Err(Fault::new(
                    codes::RUN_IN_CONVERSATION,
                    format!(
                        "Run {} is part of a conversation. The turns before it are stored with the conversation, so a copy of the run alone could not be read.",
                        record.run
                    ),
                )
                .hint("Export its recording: the file has all that it needs. In a terminal: `plait runs export`."));
            }
            flows.insert(record.flow.hash);
        }
        let hashes =
            unreferenced::named_in(core, root_key)?.iter().map(|hash| hash.as_str().into()).collect();
        let bytes = std::fs::read(core.shared.path(root_key))
            .map_err(|error| fault::of_io("read a journal", &error))?;
        Ok(StoredTree { root, bytes, flows, hashes })
    }

    /// Puts the file of a run tree in its place; the one that is there, if any, is replaced. Faults `run.busy` while a run of it is
    /// driven, `run.bad_id`, `store.*`.
    pub fn put_tree(&self, root: &RunId, bytes: &[u8]) -> Result<(), Fault> {
        let core = &self.0;
        core.writer()?;
        let root = run_key(root)?;
        if core.shared.index().root_of(root).is_some() {
            core.root_at_rest(&run_id(root))?;
        }
        let path = core.shared.path(root);
        {
            let _guard = core.shared.maintenance();
            if core.shared.is_open(&root) {
                return Err(busy(&run_id(root)));
            }
            let disk = &core.shared.disk;
            path.parent()
                .map_or(Ok(()), |folder| disk.create_folder(folder))
                .and_then(|()| disk.replace(&path, bytes))
                .map_err(|error| fault::of_io("write a journal", &error))?;
            core.shared.forget_layout(root);
            let mut index = core.shared.index();
            index.forget_damage(root);
            index.remove_tree(root);
            recovery::refold(&mut index, &path, root)?;
        }
        apply_to_conversations(&core.shared, root)
    }
}

impl StoreCore {
    /// The root of the tree of a run, all of whose entries are in the file. Faults `run.unknown`, `run.busy`.
    fn root_at_rest(&self, run: &RunId) -> Result<Key, Fault> {
        let key = run_key(run)?;
        let root = self.shared.index().root_of(key).ok_or_else(|| run_index::unknown(run.as_str()))?;
        let tree = self.shared.index().tree(root);
        if let Some(active) = tree.iter().find(|key| self.live().contains_key(*key)) {
            return Err(busy(&run_id(*active)));
        }
        // The last journal may have been closed a moment ago.
        self.flush_blocking()?;
        Ok(root)
    }
}

pub(super) fn busy(run: &RunId) -> Fault {
    Fault::new(codes::RUN_BUSY, format!("Run `{run}` is still going on."))
        .hint("Wait for its end, or cancel it first.")
}
