//! Removes attachments that nothing refers to any more, after a run or a conversation was removed that referred to them.
//!
//! - Which attachments may have become unreferenced is written down before the run is removed. So a crash at any point loses no
//!   more than the moment at which they are removed: the next removal, and `plait doctor`, look at them again.
//! - An attachment stays if its hash stands anywhere in a journal, a conversation, a memory, a draft, a template or the document of
//!   a flow. A file that can't be read, in whole or in part, may refer to all of them: then nothing is removed.
//! - What was stored or taken over since the store was opened stays as well: a run that refers to it may be about to begin.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::id::RunId;

use super::{FOLDER, path_of};
use crate::fault;
use crate::hashes_in_texts::hashes_in;
use crate::log_file::Key;
use crate::store_core::StoreCore;
use crate::tree::{TreeFiles, run_key, visit_texts};
use crate::visit_records::visit_records;

/// In the folder of attachments: the hashes of attachments that may be unreferenced, one per line.
const CANDIDATES: &str = "unreferenced";
type Hashes = BTreeSet<String>;

/// The attachments that the journals of a run's tree refer to.
pub(crate) fn of_run(core: &StoreCore, run: &RunId) -> Result<Hashes, Fault> {
    let key = run_key(run)?;
    let root = core.shared.index().root_of(key).unwrap_or(key);
    if !core.shared.home.join(FOLDER).is_dir() {
        return Ok(Hashes::new());
    }
    let mut found = named_in(core, root)?;
    found.retain(|hash| is_stored(core, hash));
    Ok(found)
}

/// What a tree names that could be an attachment, here or elsewhere.
pub(crate) fn named_in(core: &StoreCore, root: Key) -> Result<Hashes, Fault> {
    let mut found = Hashes::new();
    visit_texts(&core.shared.path(root), &mut |text| found.extend(hashes_in(text).map(str::to_owned)))?;
    Ok(found)
}

/// The attachments that a conversation refers to. `path` is its file.
pub(crate) fn of_conversation(core: &StoreCore, path: &Path) -> Result<Hashes, Fault> {
    let mut found = Hashes::new();
    visit_log(path, &mut |text| found.extend(hashes_in(text).map(str::to_owned)))?;
    found.retain(|hash| is_stored(core, hash));
    Ok(found)
}

/// Keeps the attachments of a run until the store is closed: another run is about to take them over.
pub(crate) fn keep_those_of(core: &StoreCore, run: &RunId) -> Result<(), Fault> {
    let key = run_key(run)?;
    let root = core.shared.index().root_of(key).unwrap_or(key);
    // Each child run of a fork takes something over from the same tree.
    if !core.kept_trees.lock().contains(&root) {
        let found = of_run(core, run)?;
        core.kept_attachments().extend(found);
        core.kept_trees.lock().insert(root);
    }
    Ok(())
}

/// Writes down that these attachments may become unreferenced. What can't be written costs space.
pub(crate) fn note(core: &StoreCore, hashes: &Hashes) {
    if hashes.is_empty() {
        return;
    }
    let _alone = core.removing_attachments.lock();
    let mut all = noted(core);
    all.extend(hashes.iter().cloned());
    write(core, &all);
}

/// Removes the attachments written down that nothing refers to. Gives how many. What can't be removed is looked at the next time.
pub(crate) fn remove(core: &StoreCore) -> usize {
    let _alone = core.removing_attachments.lock();
    let candidates = noted(core);
    if candidates.is_empty() || core.flush_blocking().is_err() {
        return 0;
    }
    // With what results from the journals so far.
    core.conversations();
    let Ok(Some(mut open)) = unreferenced(core, candidates) else { return 0 };
    let mut removed = 0;
    open.retain(|hash| {
        // Held while the file goes: who stores it again does so before or after.
        let kept = core.kept_attachments();
        if kept.contains(hash) {
            return true;
        }
        let Ok(path) = path_of(&core.shared.home, &hash.as_str().into()) else { return false };
        let is_gone = core.shared.disk.remove(&path).is_ok();
        removed += usize::from(is_gone);
        !is_gone
    });
    write(core, &open);
    removed
}

/// Those of the hashes that stand nowhere. Nothing if something can't be read.
fn unreferenced(core: &StoreCore, mut hashes: Hashes) -> Result<Option<Hashes>, Fault> {
    let home = &core.shared.home;
    if !core.shared.index().damaged_trees().is_empty() {
        return Ok(None);
    }
    let mut exclude = |text: &[u8]| {
        for hash in hashes_in(text) {
            hashes.remove(hash);
        }
    };
    let failed = |error: std::io::Error| fault::of_io("look for attachments", &error);
    for (path, _) in TreeFiles::list(home)?.present.values() {
        if !visit_texts(path, &mut exclude)? {
            return Ok(None);
        }
    }
    for folder in ["conversations", "memory"] {
        for path in files(&home.join(folder)).map_err(failed)? {
            let is_log =
                path.extension().is_some_and(|extension| extension == "journal" || extension == "log");
            if is_log && !visit_log(&path, &mut exclude)? {
                return Ok(None);
            }
        }
    }
    // What was salvaged from may be put back by hand.
    for path in files(&home.join("damaged")).map_err(failed)? {
        let _ = (visit_texts(&path, &mut exclude), visit_log(&path, &mut exclude));
    }
    for folder in ["drafts", "templates", "flows"] {
        for path in files(&home.join(folder)).map_err(failed)? {
            exclude(&std::fs::read(&path).map_err(failed)?);
        }
    }
    Ok(Some(hashes))
}

/// Calls `visit` with each record of a conversation or memory. False if a part of it can't be read.
fn visit_log(path: &Path, visit: &mut dyn FnMut(&[u8])) -> Result<bool, Fault> {
    visit_records(path, &mut |_, payload| {
        visit(payload);
        true
    })
}

/// The files in a folder; none if there is no folder.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let items = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        items => items?,
    };
    let mut found = Vec::new();
    for item in items {
        let item = item?;
        if item.file_type()?.is_file() {
            found.push(item.path());
        }
    }
    Ok(found)
}

fn is_stored(core: &StoreCore, hash: &str) -> bool {
    path_of(&core.shared.home, &hash.into()).is_ok_and(|path| path.exists())
}

fn list(core: &StoreCore) -> PathBuf {
    core.shared.home.join(FOLDER).join(CANDIDATES)
}

/// The hashes written down.
fn noted(core: &StoreCore) -> Hashes {
    std::fs::read(list(core)).map(|text| hashes_in(&text).map(str::to_owned).collect()).unwrap_or_default()
}

fn write(core: &StoreCore, hashes: &Hashes) {
    let disk = &core.shared.disk;
    let lines: String = hashes.iter().flat_map(|hash| [hash.as_str(), "\n"]).collect();
    // Failures cost space alone: hashes without a file, or with a reference, are passed over.
    let _ = if hashes.is_empty() {
        disk.remove(&list(core))
    } else {
        disk.replace(&list(core), lines.as_bytes())
    };
}
