//! What happens when the store opens: the index is compared with the files, and what changed without it is read again.
//!
//! | the file of a tree | then |
//! |---|---|
//! | has the size that the index knows | its records are those of the index |
//! | is longer, or is not known, or was open when the process ended | read, and its records taken from it |
//! | is shorter, or missing | something was lost: the records stay, and nothing is written to the file |
//!
//! Without an index, or with a damaged one, all files are read. Changes no file of a run or a conversation.

use std::collections::BTreeMap;
use std::path::Path;

use plait_core::error::Fault;
use plait_core::id::ConversationId;

use super::fault;
use super::journal_reader::TreeFile;
use super::log_file::Key;
use super::record::RunRecord;
use super::record_index::IndexState;
use super::run_index::RunIndex;
use super::tree::{self, run_key};
use crate::codes;

/// How far reading the journals has come: how many run trees of how many.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// The index, brought up to date.
pub(super) struct Recovered {
    pub(super) index: RunIndex,
    /// The trees whose files were read.
    pub(super) changed: Vec<Key>,
    /// Whether the index was missing or damaged, so that it should be written anew.
    pub(super) rebuilt: bool,
}

/// Loads the index and compares it with the files. `rebuild`: reads all files, whatever the index says.
pub(super) fn recover(home: &Path, rebuild: bool, progress: Progress<'_>) -> Result<Recovered, Fault> {
    let (mut index, state) = RunIndex::load(home)?;
    let files = tree::files_in(home).map_err(|error| fault::of_io("list the journals", &error))?;
    let reads_all =
        rebuild || (state != IndexState::Whole && !(files.is_empty() && state == IndexState::Missing));
    let changed_files: Vec<_> =
        files.iter().filter(|(root, _, size)| reads_all || index.size_of(root) != Some(*size)).collect();
    for (done, (root, path, size)) in changed_files.iter().enumerate() {
        progress(done, changed_files.len());
        refold(&mut index, path, *root, *size)?;
    }
    if !changed_files.is_empty() {
        progress(changed_files.len(), changed_files.len());
    }
    let present: std::collections::HashSet<Key> = files.iter().map(|(root, ..)| *root).collect();
    let missing: Vec<Key> = index.roots().filter(|root| !present.contains(root)).collect();
    for root in missing {
        // A run whose first events were never on disk leaves a record and no file.
        if index.size_of(&root).is_some() {
            index.note_damage(root, "it is missing".to_owned());
        } else {
            index.tree(root).into_iter().for_each(|run| index.remove(run));
        }
    }
    let changed = changed_files.into_iter().map(|(root, ..)| *root).collect();
    Ok(Recovered { index, changed, rebuilt: reads_all })
}

/// Takes the records of a tree from its file.
pub(super) fn refold(index: &mut RunIndex, path: &Path, root: Key, size: u64) -> Result<(), Fault> {
    let tree = match TreeFile::open(path) {
        Ok(tree) => tree,
        Err(fault) if fault.code == codes::STORE_NEWER => {
            // The rest of the store works without it.
            index.note_damage(root, "a newer version of Plait wrote it".to_owned());
            return Ok(());
        }
        Err(fault) => return Err(fault),
    };
    let layout = &tree.layout;
    // Compression makes a file smaller. What it holds was on disk before, so the index knows of no more.
    let was_cut = if layout.sealed {
        index
            .tree(root)
            .into_iter()
            .any(|key| index.get(&key).is_some_and(|entry| layout.next_seq(&key) < entry.record.events))
    } else {
        index.size_of(&root).is_some_and(|known| size < known)
    };
    if was_cut {
        index.note_damage(root, "it was cut short".to_owned());
    } else if layout.is_damaged() {
        index.note_damage(root, "a part of it can't be read".to_owned());
    }
    let is_whole = index.damage(&root).is_none();
    let records = records(&tree)?;
    for key in index.tree(root) {
        if is_whole && !records.contains_key(&key) {
            index.remove(key);
        }
    }
    for (key, record) in records {
        let known = index.get(&key).map_or(0, |entry| entry.record.events);
        if is_whole || record.events > known {
            index.put(key, root, record);
        }
    }
    if is_whole && !layout.torn {
        index.put_size(root, size);
    }
    Ok(())
}

/// The records of the runs in a file, as far as they can be read.
fn records(tree: &TreeFile) -> Result<BTreeMap<Key, RunRecord>, Fault> {
    let mut records = BTreeMap::new();
    for (key, run) in &tree.layout.runs {
        let mut reader = tree.entries(*key, false)?;
        let mut record: Option<RunRecord> = None;
        loop {
            match (reader.next(), &mut record) {
                (Ok(None), _) => break,
                (Ok(Some(entry)), Some(record)) => drop(record.apply(&entry)),
                (Ok(Some(entry)), none) => *none = RunRecord::begin(&entry),
                // Without its first event nobody knows what it was; without another, what follows still counts.
                (Err(fault), None) if fault.code.domain() == "journal" => break,
                (Err(fault), Some(_)) if fault.code.domain() == "journal" => {}
                (Err(fault), _) => return Err(fault),
            }
        }
        if let Some(mut record) = record {
            record.events = run.next_seq;
            records.insert(*key, record);
        }
    }
    let payers: Vec<(Key, Option<ConversationId>)> =
        records.keys().map(|key| (*key, payer(&records, *key))).collect();
    for (key, payer) in payers {
        if let Some(record) = records.get_mut(&key) {
            record.paid_by = payer;
        }
    }
    Ok(records)
}

/// The conversation that pays for a child run: that of the nearest ancestor which has one.
fn payer(records: &BTreeMap<Key, RunRecord>, key: Key) -> Option<ConversationId> {
    let parent = |key: &Key| run_key(records.get(key)?.parent_run_id.as_ref()?).ok();
    // A tree is no deeper than it has runs.
    let mut next = parent(&key);
    for _ in 0..records.len() {
        let record = records.get(&next?)?;
        if record.conversation.is_some() {
            return record.conversation.clone();
        }
        next = parent(&next?);
    }
    None
}
