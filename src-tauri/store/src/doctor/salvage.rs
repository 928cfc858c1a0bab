//! Writes a copy of what can be read in the place of a damaged file, which is kept in the folder `damaged`.
//!
//! Of a run, the copy holds the entries up to the first that is lost, as after a crash, so that it can be resumed, or all
//! of them if none is lost. A conversation keeps its messages at their positions; what was lost of it is taken from the
//! journals of its runs where they still hold it.

use std::path::Path;

use plait_core::error::Fault;

use super::Report;
use super::documents::DOCUMENTS;
use super::readable_copy::readable_copy;
use crate::checksums::{self, CHECKSUMS, GUARDED};
use crate::codes;
use crate::conversation::{self, Loaded};
use crate::documents;
use crate::fault;
use crate::journal_reader::TreeFile;
use crate::log_file::Key;
use crate::memories::{self, KnownSizes, LoadedMemories};
use crate::store_core::{StoreCore, apply_to_conversations};
use crate::tree::{TreeFiles, run_id};

pub(super) fn run_trees(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let shared = &core.shared;
    for (root, (path, _)) in TreeFiles::list(&shared.home)?.present {
        let tree = match TreeFile::open(&path) {
            Ok(tree) => tree,
            // Left to the version that wrote it.
            Err(newer) if newer.code == codes::STORE_NEWER => continue,
            Err(fault) => return Err(fault),
        };
        let was_cut = shared.index().damage(&root).is_some();
        if !tree.layout.is_damaged() && !was_cut {
            continue;
        }
        let copy = readable_copy(root, &tree)?;
        replace(core, &path, copy.as_deref())?;
        shared.forget_layout(root);
        shared.forget_damage(root);
        shared.refold(root)?;
        let kept = shared.index().tree(root).len();
        let (id, name) = (run_id(root), path.display());
        report.actions.push(format!("Salvaged {kept} runs of the tree of run {id} in `{name}`. The damaged file is in the folder `damaged`."));
    }
    Ok(())
}

pub(super) fn conversations(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let conversations = &core.shared.conversations;
    let folder = conversations.folder().to_owned();
    let mut salvaged: Vec<Key> = Vec::new();
    for (key, _) in conversation::files_in(&folder)? {
        let file = match conversation::load(&folder, key, conversations.known(key)) {
            Ok(Loaded::File(file)) if !file.damage().is_empty() => file,
            Ok(_) => continue,
            Err(newer) if newer.code == codes::STORE_NEWER => continue,
            Err(fault) => return Err(fault),
        };
        let path = conversation::path_in(&folder, key);
        let copy = file.readable_copy()?;
        replace(core, &path, Some(&copy))?;
        conversations.reload(key)?;
        salvaged.push(key);
    }
    if salvaged.is_empty() {
        return Ok(());
    }
    let roots: Vec<Key> = core.shared.index().roots().collect();
    for root in roots {
        if core.shared.conversations_of(root).iter().any(|key| salvaged.contains(key)) {
            apply_to_conversations(&core.shared, root)?;
        }
    }
    for key in salvaged {
        let (id, path) = (conversation::id_of(key), conversation::path_in(&folder, key));
        let name = path.display();
        report.actions.push(format!(
            "Salvaged conversation {id} in `{name}`. The damaged file is in the folder `damaged`."
        ));
    }
    Ok(())
}

pub(super) fn memories(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let mut sizes = KnownSizes::load(&memories::folder_in(&core.shared.home));
    let failed = |error: std::io::Error| fault::of_io("salvage the memories of a user", &error);
    for path in sizes.files()? {
        let loaded = match LoadedMemories::read(&path, &sizes) {
            Ok(loaded) if loaded.list.damage.is_some() => loaded,
            Ok(_) => continue,
            // Left to the version that wrote it.
            Err(newer) if newer.code == codes::STORE_NEWER => continue,
            Err(fault) => return Err(fault),
        };
        let name = path.display();
        if !path.exists() {
            sizes.put(&*core.shared.disk, &path, None).map_err(failed)?;
            report.actions.push(format!("Goes on without the memories in `{name}`, which is missing."));
            continue;
        }
        let copy = loaded.readable_copy()?;
        sizes.put(&*core.shared.disk, &path, Some(copy.len() as u64)).map_err(failed)?;
        replace(core, &path, Some(&copy))?;
        let (kept, owner) = (loaded.list.memories.len(), loaded.owner());
        report.actions.push(format!(
            "Salvaged {kept} memories {owner} in `{name}`. The damaged file is in the folder `damaged`."
        ));
    }
    core.shared.memories.forget_loaded();
    Ok(())
}

pub(super) fn ledger(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let ledger = &core.shared.ledger;
    if ledger.damage().is_empty() {
        return Ok(());
    }
    let (path, copy) = (ledger.path(), ledger.readable_copy()?);
    replace(core, &path, Some(&copy))?;
    ledger.forget_damage(&copy);
    checksums::record_ledger(&core.shared)?;
    report.actions.push(format!(
        "Salvaged what can be read of `{}`. The damaged file is in the folder `damaged`.",
        path.display()
    ));
    Ok(())
}

/// Documents are one piece, so nothing of a damaged one is used.
pub(super) fn documents(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    for document in &DOCUMENTS {
        let Err(fault) = (document.read)(core, document.name) else { continue };
        if fault.code != codes::STORE_CORRUPT {
            continue;
        }
        let path = documents::path(core, document.name);
        replace(core, &path, None)?;
        if document.name == CHECKSUMS {
            checksums::begin(&*core.shared.disk, &core.shared.home);
        }
        if GUARDED.contains(&document.name) {
            checksums::accept_as_found(&core.shared, &[document.name])?;
        }
        let (name, without) = (path.display(), document.without);
        report
            .actions
            .push(format!("Salvaged `{name}`. The damaged file is in the folder `damaged`. {without}"));
    }
    Ok(())
}

/// Keeps the file at `path` in the folder `damaged` and puts `copy` in its place, or nothing.
pub(super) fn replace(core: &StoreCore, path: &Path, copy: Option<&[u8]>) -> Result<(), Fault> {
    let disk = &*core.shared.disk;
    let folder = core.shared.home.join("damaged");
    let failed = |error: std::io::Error| fault::of_io("salvage a damaged file", &error);
    disk.create_folder(&folder).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_owned();
    let mut kept = folder.join(&name);
    let mut number = 1;
    while kept.exists() {
        number += 1;
        kept = folder.join(format!("{}.{number}", name.to_string_lossy()));
    }
    let Some(copy) = copy else { return disk.rename(path, &kept).map_err(failed) };
    // A copy rather than the file itself: after a crash one of the two is in its place.
    let damaged = std::fs::read(path).map_err(failed)?;
    disk.replace(&kept, &damaged).and_then(|()| disk.replace(path, copy)).map_err(failed)
}
