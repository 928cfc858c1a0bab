//! Checksums of the documents that bound what runs may do and whose they are: `checksums.json` has the SHA-256 of `settings.json` and
//! `users.json` as Plait wrote them, or as a person accepted them. A document that something else has changed, added or removed since
//! is refused (`store.changed_outside`) until a person accepts it. So no tool of a flow raises a quota by writing a file.
//!
//! The first process that opens a data directory for writing takes the documents as they are: they may have been put there for it. The
//! checksums are no secret. A program that may write any file of the same user can write them too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;

use crate::codes;
use crate::disk::Disk;
use crate::document_files::{SETTINGS, USERS};
use crate::shared::Shared;
use crate::{document_files, fault};

/// The name of the document with the checksums.
pub(crate) const CHECKSUMS: &str = "checksums";
/// The documents that have one.
pub(crate) const GUARDED: [&str; 2] = [SETTINGS, USERS];

/// Stands for a document that is not there.
const ABSENT: &str = "";

/// By document, the checksums that it may have: two while it is replaced, since a crash may leave either content.
pub(crate) type Checksums = BTreeMap<String, BTreeSet<String>>;

/// The checksums of the data directory `home`. None if no process has opened it for writing yet.
fn load(home: &Path) -> Result<Option<Checksums>, Fault> {
    let path = document_files::path_in(home, CHECKSUMS);
    let Some(bytes) = document_files::bytes_of(&path, CHECKSUMS)? else { return Ok(None) };
    document_files::parse(&path, CHECKSUMS, &bytes).map(Some)
}

fn checksum(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| ABSENT.to_owned(), content_hash)
}

/// Refuses a document that something other than Plait has written. `bytes`: its content, if it is there. Faults
/// `store.changed_outside`, `store.corrupt`, `store.io`.
pub(crate) fn verify(home: &Path, name: &str, bytes: Option<&[u8]>) -> Result<(), Fault> {
    if !GUARDED.contains(&name) {
        return Ok(());
    }
    let Some(checksums) = load(home)? else { return Ok(()) };
    let found = checksum(bytes);
    let is_known = match checksums.get(name) {
        Some(known) => known.contains(&found),
        None => found == ABSENT,
    };
    if is_known {
        Ok(())
    } else {
        Err(changed_outside(&document_files::path_in(home, name), bytes.is_some()))
    }
}

fn changed_outside(path: &Path, is_there: bool) -> Fault {
    let what = if is_there { "was changed" } else { "was removed" };
    Fault::new(codes::STORE_CHANGED_OUTSIDE, format!("`{}` {what} outside of Plait.", path.display())).hint(
        "Look at what it says now. If you changed it, accept it: plait doctor --accept-edits. Otherwise restore it from a copy.",
    )
}

/// Takes the documents as they are if the data directory has no checksums yet.
pub(crate) fn begin(disk: &dyn Disk, home: &Path) {
    if document_files::path_in(home, CHECKSUMS).symlink_metadata().is_ok() {
        return;
    }
    let mut checksums = Checksums::new();
    for name in GUARDED {
        if let Ok(bytes) = document_files::bytes_of(&document_files::path_in(home, name), name) {
            checksums.insert(name.to_owned(), BTreeSet::from([checksum(bytes.as_deref())]));
        }
    }
    // A disk that is full must not keep the store shut; the next process tries again.
    let _ = write(disk, home, &checksums);
}

/// Replaces a document together with its checksum. Refuses to replace one that a person has to look at first. On disk when this
/// returns. Faults `store.changed_outside`, `store.corrupt`, `store.io`, `store.full`.
pub(crate) fn replace(shared: &Shared, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    let (home, disk) = (&shared.home, &*shared.disk);
    let _alone = shared.changing_checksums.lock();
    let path = document_files::path_in(home, name);
    let before = document_files::bytes_of(&path, name)?;
    if let Some(before) = &before {
        document_files::parse::<serde_json::Value>(&path, name, before)?;
    }
    verify(home, name, before.as_deref())?;
    let (before, after) = (checksum(before.as_deref()), checksum(Some(bytes)));
    let mut checksums = load(home)?.unwrap_or_default();
    checksums.insert(name.to_owned(), BTreeSet::from([before, after.clone()]));
    write(disk, home, &checksums)?;
    disk.replace(&path, bytes).map_err(|error| fault::of_io(&format!("write the {name}"), &error))?;
    checksums.insert(name.to_owned(), BTreeSet::from([after]));
    write(disk, home, &checksums)
}

/// Accepts documents as they are now, in a data directory that is open for writing. Returns the files that were not as Plait knew them.
/// Faults `store.corrupt` for one that cannot be read, `store.io`, `store.full`.
pub(crate) fn accept(shared: &Shared, names: &[&str]) -> Result<Vec<PathBuf>, Fault> {
    let home = &shared.home;
    let _alone = shared.changing_checksums.lock();
    // A person who accepts the documents has no use for checksums that cannot be read.
    let mut checksums = load(home).ok().flatten().unwrap_or_default();
    let mut accepted = Vec::new();
    for name in names {
        let path = document_files::path_in(home, name);
        let bytes = document_files::bytes_of(&path, name)?;
        if let Some(bytes) = &bytes {
            document_files::parse::<serde_json::Map<String, serde_json::Value>>(&path, name, bytes)?;
        }
        let now = BTreeSet::from([checksum(bytes.as_deref())]);
        if checksums.get(*name) != Some(&now) {
            checksums.insert((*name).to_owned(), now);
            accepted.push(path);
        }
    }
    write(&*shared.disk, home, &checksums)?;
    Ok(accepted)
}

fn write(disk: &dyn Disk, home: &Path, checksums: &Checksums) -> Result<(), Fault> {
    let bytes = document_files::json(CHECKSUMS, checksums)?;
    let path = document_files::path_in(home, CHECKSUMS);
    disk.replace(&path, &bytes).map_err(|error| fault::of_io("write the checksums", &error))
}

#[cfg(test)]
mod tests;
