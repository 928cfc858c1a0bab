//! Copies of run trees that other processes drive. They grow as records come: what is added is folded onto what is known, so that a
//! copy costs as much as its tree is long, however often it grows.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};

use plait_core::error::Fault;
use plait_core::id::RunId;

use super::Store;
use super::run_trees::busy;
use crate::codes;
use crate::fault;
use crate::journal_reader::EntryDecoder;
use crate::log_file::Key;
use crate::shared::Shared;
use crate::tree::{TreeLayout, run_id, run_key};
use crate::tree_summary::TreeSummary;

impl Store {
    /// Adds records to the copy of a run tree that another process drives: those that follow its `size` bytes. Faults `run.busy` while a
    /// run of it is driven here, `journal.corrupt` if the copy has another size, `run.bad_id`, `store.*`.
    pub fn extend_tree(&self, root: &RunId, size: u64, bytes: &[u8]) -> Result<(), Fault> {
        let core = &self.0;
        core.writer()?;
        let root = run_key(root)?;
        let path = core.shared.path(root);
        let _guard = core.shared.maintenance();
        if core.shared.is_open(&root) {
            return Err(busy(&run_id(root)));
        }
        let failed = |error: io::Error| fault::of_io("write a journal", &error);
        let mut file = OpenOptions::new().read(true).append(true).open(&path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() != size {
            let message = format!("The copy of run {} has another size than {size} bytes.", run_id(root));
            return Err(Fault::new(codes::JOURNAL_CORRUPT, message).hint("Copy the run again."));
        }
        // Before it grows: what is known is known of this size.
        let layout = core.shared.layout(root, &path, Some(&file))?;
        file.write_all(bytes).map_err(failed)?;
        if core.shared.fold_added(root, file, TreeLayout::clone(&layout), bytes) {
            Ok(())
        } else {
            core.shared.refold(root)
        }
    }
}

impl Shared {
    /// Folds records that were added to a tree onto what is known of it. False if they cannot be: the file has to be read.
    fn fold_added(&self, root: Key, file: File, mut layout: TreeLayout, added: &[u8]) -> bool {
        let is_known = {
            let index = self.index();
            index.size_of(&root) == Some(layout.size) && index.damage(&root).is_none()
        };
        if !is_known || layout.is_damaged() || !layout.extend(added) {
            return false;
        }
        let mut decoder = EntryDecoder::new(file, &layout);
        let known = |key: &Key| self.index().get(key).map(|entry| entry.record.clone());
        let Some(TreeSummary(runs)) = TreeSummary::of_added(added, &known, &mut decoder) else {
            return false;
        };
        let mut index = self.index();
        for (key, run) in runs {
            index.extend(key, root, run);
        }
        index.extend_size(root, layout.size);
        drop(index);
        self.keep_layout(root, layout);
        true
    }
}
