//! Checksums of the documents that bound what runs may do and whose they are: `checksums.json` has the SHA-256 of the settings, users,
//! grants, MCP servers and their accepted tools as Plait wrote them, or as a person accepted them. A document that something else has changed, added or
//! removed since is refused (`store.changed_outside`) until a person accepts it. So no tool of a flow raises a quota or starts a program
//! by writing a file.
//!
//! The first process that opens a data directory for writing takes the documents as they are: they may have been put there for it. The
//! checksums are no secret. A program that may write any file of the same user can write them too.

mod ledger_guard;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use ts_rs::TS;

use crate::codes;
use crate::disk::Disk;
use crate::document_files::{GRANTS, MCP_SERVERS, MCP_TOOLS, SETTINGS, USERS};
use crate::shared::Shared;
use crate::{document_files, fault};

pub(crate) use ledger_guard::{check_ledger, mark_changed_ledger, record_ledger};

/// The name of the document with the checksums.
pub(crate) const CHECKSUMS: &str = "checksums";
/// The documents that have one.
pub(crate) const GUARDED: [&str; 5] = [SETTINGS, USERS, GRANTS, MCP_SERVERS, MCP_TOOLS];

/// Stands for a document that is not there.
const ABSENT: &str = "";

/// By document, the checksums that it may have: two while it is replaced, since a crash may leave either content.
pub(crate) type Checksums = BTreeMap<String, BTreeSet<String>>;

/// A document that a person may have to accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum GuardedDocument {
    Settings,
    Users,
    Grants,
    McpServers,
    /// The accepted tools of MCP servers.
    McpTools,
    /// The ledger of what runs have spent.
    Spending,
}

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
    match checksums.get(name) {
        Some(known) if !known.contains(&found) => Err(changed_outside_fault(home, name, &found)),
        // An older version did not guard the document. The next process that writes the data directory takes it as it is.
        _ => Ok(()),
    }
}

/// The content of a document, if it is there, and why it may not be used.
type VerifiedBytes = (Option<Vec<u8>>, Result<(), Fault>);

/// Reads a document, and says whether it may be used: see [`verify`]. `read` is called again if a writer may have replaced the document
/// between the two. Faults of `read`.
pub(crate) fn read_verified(
    home: &Path,
    name: &str,
    mut read: impl FnMut() -> Result<Option<Vec<u8>>, Fault>,
) -> Result<VerifiedBytes, Fault> {
    let mut read_once = || {
        let bytes = read()?;
        let verified = verify(home, name, bytes.as_deref());
        Ok((bytes, verified))
    };
    match read_once()? {
        (_, Err(fault)) if fault.code == codes::STORE_CHANGED_OUTSIDE => read_once(),
        done => Ok(done),
    }
}

/// `hash`: the checksum of what was found.
fn changed_outside_fault(home: &Path, name: &str, hash: &str) -> Fault {
    let what = if hash == ABSENT { "was removed" } else { "was changed" };
    let path = document_files::path_in(home, name);
    let message = format!("`{}` {what} outside of Plait.", path.display());
    Fault::new(codes::STORE_CHANGED_OUTSIDE, message)
        .hint(REVIEW)
        .details(json!({ "document": name, "hash": hash }))
}

const REVIEW: &str = "Review the file. To accept the changes, press *Accept* in Plait, or close Plait and run `plait doctor \
                      --accept-edits`.";

/// The checksums of the documents as they are. One that cannot be read has none.
fn snapshot(home: &Path) -> Checksums {
    let mut checksums = Checksums::new();
    for name in GUARDED {
        if let Ok(bytes) = document_files::bytes_of(&document_files::path_in(home, name), name) {
            checksums.insert(name.to_owned(), BTreeSet::from([checksum(bytes.as_deref())]));
        }
    }
    checksums
}

/// The known checksums. Documents that have none are taken as they are. Faults `store.corrupt`, `store.io`.
fn load_or_snapshot(home: &Path) -> Result<Checksums, Fault> {
    let mut checksums = snapshot(home);
    checksums.extend(load(home)?.unwrap_or_default());
    Ok(checksums)
}

/// Takes the documents as they are that have no checksum yet.
pub(crate) fn begin(disk: &dyn Disk, home: &Path) {
    let Ok(known) = load(home) else { return };
    let is_complete = |known: &Checksums| GUARDED.iter().all(|name| known.contains_key(*name));
    if known.as_ref().is_some_and(is_complete) {
        return;
    }
    let mut checksums = snapshot(home);
    checksums.extend(known.unwrap_or_default());
    // A disk that is full must not keep the store shut; the next write or the next process tries again.
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
        document_files::parse::<Value>(&path, name, before)?;
    }
    verify(home, name, before.as_deref())?;
    let (before, after) = (checksum(before.as_deref()), checksum(Some(bytes)));
    let mut checksums = load_or_snapshot(home)?;
    checksums.insert(name.to_owned(), BTreeSet::from([before, after.clone()]));
    write(disk, home, &checksums)?;
    disk.replace(&path, bytes).map_err(|error| fault::of_io(&format!("write the {name}"), &error))?;
    checksums.insert(name.to_owned(), BTreeSet::from([after]));
    write(disk, home, &checksums)
}

/// Accepts the content of a document with the checksum `hash`, in a data directory that is open for writing. Faults
/// `store.changed_outside` if the document has another one now, `store.corrupt` if it cannot be read, `store.io`, `store.full`.
pub(crate) fn accept(shared: &Shared, document: GuardedDocument, hash: &str) -> Result<(), Fault> {
    let name = match document {
        GuardedDocument::Settings => SETTINGS,
        GuardedDocument::Users => USERS,
        GuardedDocument::Grants => GRANTS,
        GuardedDocument::McpServers => MCP_SERVERS,
        GuardedDocument::McpTools => MCP_TOOLS,
        GuardedDocument::Spending => return ledger_guard::accept(shared, Some(hash)).map(drop),
    };
    let _alone = shared.changing_checksums.lock();
    let mut checksums = load_or_snapshot(&shared.home)?;
    read_with_hash(&shared.home, name, hash)?;
    checksums.insert(name.to_owned(), BTreeSet::from([hash.to_owned()]));
    write(&*shared.disk, &shared.home, &checksums)
}

/// Accepts documents as they are now, in a data directory that is open for writing. Returns the files that were not as Plait knew them.
/// Faults `store.corrupt` for one that cannot be read, `store.io`, `store.full`.
pub(crate) fn accept_as_found(shared: &Shared, names: &[&str]) -> Result<Vec<PathBuf>, Fault> {
    let home = &shared.home;
    let _alone = shared.changing_checksums.lock();
    // A person who accepts the documents has no use for checksums that cannot be read.
    let mut checksums = load(home).ok().flatten().unwrap_or_default();
    let mut accepted = Vec::new();
    for name in names {
        let now = BTreeSet::from([read_as_found(home, name)?.1]);
        if checksums.get(*name) != Some(&now) {
            checksums.insert((*name).to_owned(), now);
            accepted.push(document_files::path_in(home, name));
        }
    }
    write(&*shared.disk, home, &checksums)?;
    Ok(accepted)
}

/// Accepts everything that has a checksum as it is now; see [`accept_as_found`].
pub(crate) fn accept_all(shared: &Shared) -> Result<Vec<PathBuf>, Fault> {
    let mut accepted = accept_as_found(shared, &GUARDED)?;
    accepted.extend(ledger_guard::accept(shared, None)?);
    Ok(accepted)
}

/// The content of a document with the checksum `hash`, whether or not a person has accepted it. Faults `store.changed_outside` for another
/// content, `store.corrupt`, `store.io`.
pub(crate) fn read_with_hash(home: &Path, name: &str, hash: &str) -> Result<Map<String, Value>, Fault> {
    let (document, found) = read_as_found(home, name)?;
    if found == hash { Ok(document) } else { Err(changed_outside_fault(home, name, &found)) }
}

/// A document, whether or not a person has accepted it, and its checksum. Fault `store.corrupt` if it cannot be read.
fn read_as_found(home: &Path, name: &str) -> Result<(Map<String, Value>, String), Fault> {
    let path = document_files::path_in(home, name);
    let bytes = document_files::bytes_of(&path, name)?;
    let document =
        bytes.as_deref().map_or_else(|| Ok(Map::new()), |bytes| document_files::parse(&path, name, bytes))?;
    Ok((document, checksum(bytes.as_deref())))
}

fn write(disk: &dyn Disk, home: &Path, checksums: &Checksums) -> Result<(), Fault> {
    let bytes = document_files::json(CHECKSUMS, checksums)?;
    let path = document_files::path_in(home, CHECKSUMS);
    disk.replace(&path, &bytes).map_err(|error| fault::of_io("write the checksums", &error))
}

#[cfg(test)]
mod tests;
