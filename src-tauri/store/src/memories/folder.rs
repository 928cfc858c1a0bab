//! The names of the users' files in their folder.

use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_core::user::UserName;

use crate::fault;

const EXTENSION: &str = "log";

/// The file of a user.
pub(super) fn path_in(folder: &Path, user: &UserName) -> PathBuf {
    let hash = content_hash(user.as_str().as_bytes());
    folder.join(&hash[..32]).with_extension(EXTENSION)
}

/// The file of a user's branch: what a forked run changed.
pub(super) fn branch_path_in(folder: &Path, user: &UserName, run: &RunId) -> PathBuf {
    path_in(folder, user).with_extension(format!("{run}.{EXTENSION}"))
}

/// The files of a user's branches, with their runs, oldest first.
pub(super) fn branches_in(folder: &Path, user: &UserName) -> Result<Vec<(RunId, PathBuf)>, Fault> {
    let own = path_in(folder, user);
    let run_of = |path: &Path| {
        let stem = path.file_stem()?.to_str()?;
        let run = stem.strip_prefix(own.file_stem()?.to_str()?)?.strip_prefix('.')?;
        Some(RunId::from(run))
    };
    let files = files_in(folder)?.into_iter();
    Ok(files.filter_map(|path| run_of(&path).map(|run| (run, path))).collect())
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
