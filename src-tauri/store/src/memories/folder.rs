//! The names of the users' files in their folder.

use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::user::UserName;

use crate::fault;

const EXTENSION: &str = "log";

/// The file of a user.
pub(super) fn path_in(folder: &Path, user: &UserName) -> PathBuf {
    let hash = content_hash(user.as_str().as_bytes());
    folder.join(&hash[..32]).with_extension(EXTENSION)
}

/// All files in `folder`.
pub(super) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed = |error: io::Error| fault::of_io("list the memories", &error);
    let listing = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let mut files = Vec::new();
    for item in listing {
        let path = item.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
