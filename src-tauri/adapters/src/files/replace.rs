//! Replacing a file atomically: a temporary file in the same folder, synced, renamed over, and the folder synced.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Puts `bytes` in place of the file at `path` (or of the one a link there leads to), keeping its permissions. After a
/// crash at any moment the file holds the old bytes or the new ones; a temporary file may stay behind then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_stepwise(path, bytes, &mut |_| {})
}

/// The same for a file that only its owner may read, also while it is being written.
pub(crate) fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, 0o600, &mut |_| {})
}

/// Where a replacement stands; tests let it die there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The temporary file is to be made.
    Create,
    /// So many bytes have been written.
    Written(usize),
    /// All is written and synced; the rename is next.
    Rename,
    /// The file is replaced; the folder is to be synced.
    SyncFolder,
}

/// Bytes written between two steps: a page, so that a death of the process can fall within the text.
const PIECE: usize = 4096;

pub(super) fn replace_stepwise(path: &Path, bytes: &[u8], at: &mut dyn FnMut(Step)) -> io::Result<()> {
    replace_as(path, bytes, 0o666, at)
}

/// `mode`, less the process's mask, is what a new file is made with; elsewhere than on Unix the folder decides.
#[cfg_attr(not(unix), allow(unused_variables))]
fn replace_as(path: &Path, bytes: &[u8], mode: u32, at: &mut dyn FnMut(Step)) -> io::Result<()> {
    let (target, permissions) = destination(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    at(Step::Create);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    // Dropped on any error below, it removes itself.
    let mut temporary = builder.tempfile_in(folder)?;
    let mut written = 0;
    for piece in bytes.chunks(PIECE) {
        at(Step::Written(written));
        temporary.write_all(piece)?;
        written += piece.len();
    }
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    at(Step::Written(written));
    temporary.as_file().sync_all()?;
    at(Step::Rename);
    temporary.persist(&target).map_err(|error| error.error)?;
    at(Step::SyncFolder);
    sync_folder(folder)
}

/// The file to replace, links resolved, and its permissions if it is there. Replacing needs no right to write the old
/// file, so that right is asked for here: a file somebody made read-only stays as it is.
fn destination(path: &Path) -> io::Result<(PathBuf, Option<Permissions>)> {
    let target = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((path.to_owned(), None)),
        other => other?,
    };
    let metadata = fs::metadata(&target)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok((target, Some(metadata.permissions())))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Elsewhere a folder can't be synced; the rename is as safe as the file system makes it.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
