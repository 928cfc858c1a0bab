//! Attachments: images and files of messages, one file each, by the hash of their bytes. Owns where they are, not what they are.

pub(crate) mod unreferenced;

use std::path::{Path, PathBuf};

use plait_core::attachment::missing;
use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::AttachmentHash;

use crate::fault;
use crate::store_core::StoreCore;

const FOLDER: &str = "attachments";

/// The file of an attachment. Fault `attachment.missing` if it is no hash.
fn path_of(home: &Path, hash: &AttachmentHash) -> Result<PathBuf, Fault> {
    let text = hash.as_str();
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Two digits keep the folders small.
    if is_hash { Ok(home.join(FOLDER).join(&text[..2]).join(text)) } else { Err(missing(hash)) }
}

/// Stores the bytes once. On disk when this returns. A file that was damaged is whole again.
pub(crate) fn put(core: &StoreCore, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault> {
    core.writer()?;
    let path = path_of(&core.shared.home, hash)?;
    // First of all: from now on nothing removes it.
    core.kept_attachments().insert(hash.as_str().to_owned());
    if let Some(database) = core.shared.disk.database() {
        database.put_attachment(hash, bytes)?;
    }
    if std::fs::read(&path).is_ok_and(|stored| stored == bytes) {
        return Ok(());
    }
    let disk = &core.shared.disk;
    path.parent()
        .map_or(Ok(()), |folder| disk.create_folder(folder))
        .and_then(|()| disk.replace(&path, bytes))
        .map_err(|error| fault::of_io("store an attachment", &error))
}

/// The bytes, if they are those of the hash. Fault `attachment.missing`.
pub(crate) fn get(core: &StoreCore, hash: &AttachmentHash) -> Result<Vec<u8>, Fault> {
    let bytes = match (std::fs::read(path_of(&core.shared.home, hash)?), core.shared.disk.database()) {
        (Ok(bytes), _) => bytes,
        (Err(_), Some(database)) => database.attachment(hash)?.ok_or_else(|| missing(hash))?,
        (Err(_), None) => return Err(missing(hash)),
    };
    if content_hash(&bytes) == hash.as_str() { Ok(bytes) } else { Err(missing(hash)) }
}
