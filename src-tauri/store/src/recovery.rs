//! What happens when the store opens: the index is compared with the files, and what changed without it is read again.
//!
//! | the file of a tree | then |
//! |---|---|
//! | has the size that the index knows | its records are those of the index |
//! | is longer, or is not known, or was open when the process ended | read, and its records taken from it |
//! | is shorter, or missing | something was lost: the records stay, and nothing is written to the file |
//! | has the name of a removed one | its records are removed |
//!
//! Of a file that the index does not know, the summary at its beginning is enough, if it has one. Changes no file of a run or a
//! conversation.

use std::path::Path;

use plait_core::error::Fault;

use crate::codes;
use crate::journal_reader::TreeFile;
use crate::log_file::Key;
use crate::run_index::RunIndex;
use crate::tree::{self, TreeFiles};
use crate::tree_summary::TreeSummary;

/// How far reading the journals has come: how many run trees of how many.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// Compares the index with the files and brings it up to date. `files` are those of the run trees, listed before the index was read: it
/// is never older. `rebuild`: reads all files and ignores the index. Gives the trees whose files were read.
pub(crate) fn recover(
    home: &Path,
    mut files: TreeFiles,
    index: &mut RunIndex,
    rebuild: bool,
    progress: Progress<'_>,
) -> Result<Vec<Key>, Fault> {
    let unlisted: Vec<Key> = index.roots().filter(|root| !files.present.contains_key(root)).collect();
    for root in unlisted {
        let path = tree::path_in(home, root);
        if let Ok(file) = path.metadata() {
            // Another process has begun it since.
            files.present.insert(root, (path, file.len()));
        } else if files.removed.contains(&root) || tree::removed_path(&path).exists() {
            // The removal is not in the index yet.
            index.remove_tree(root);
        } else if index.size_of(&root).is_some() {
            index.note_damage(root, "it is missing".to_owned());
        } else {
            // A run whose first events were never on disk leaves a record and no file.
            index.remove_tree(root);
        }
    }
    let is_known = |root: &Key, size: u64| !rebuild && index.size_of(root) == Some(size);
    let changed: Vec<_> = files.present.iter().filter(|(root, (_, size))| !is_known(root, *size)).collect();
    for (done, (root, (path, _))) in changed.iter().enumerate() {
        progress(done, changed.len());
        match TreeSummary::read(path) {
            Ok(Some((TreeSummary(runs), size))) if !rebuild && index.root_of(**root).is_none() => {
                for (key, run) in runs {
                    index.put_summary(key, **root, run);
                }
                index.put_size(**root, size);
            }
            // Another process has removed it since.
            _ if !path.exists() => index.remove_tree(**root),
            // Reading the file finds the damage.
            _ => refold(index, path, **root)?,
        }
    }
    if !changed.is_empty() {
        progress(changed.len(), changed.len());
    }
    Ok(changed.into_iter().map(|(root, _)| *root).collect())
}

/// Takes the records of a tree from its file.
pub(crate) fn refold(index: &mut RunIndex, path: &Path, root: Key) -> Result<(), Fault> {
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
        index.size_of(&root).is_some_and(|known| layout.size < known)
    };
    if was_cut {
        index.note_damage(root, "it was cut short".to_owned());
    } else if layout.is_damaged() {
        index.note_damage(root, "a part of it can't be read".to_owned());
    }
    let is_whole = index.damage(&root).is_none();
    let TreeSummary(runs) = TreeSummary::fold(&tree)?;
    for key in index.tree(root) {
        if is_whole && !runs.contains_key(&key) {
            index.remove(key);
        }
    }
    for (key, run) in runs {
        let known = index.get(&key).map_or(0, |entry| entry.record.events);
        if is_whole || run.record.events > known {
            index.put_summary(key, root, run);
        }
    }
    if is_whole && !layout.torn {
        index.put_size(root, layout.size);
    }
    Ok(())
}
