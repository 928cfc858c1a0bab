//! Replaces a file atomically: writes and syncs a temporary file in the same folder, renames it over the old one, and syncs
//! the folder.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces the content of the file at `path` (or of the target of a link there), keeping its permissions. After a crash at
/// any moment the file holds the old bytes or the new ones; a temporary file may remain.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_stepwise(path, bytes, &mut |_| {})
}

/// Like [`replace`], for a file that only its owner may read, even while it is being written.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, 0o600, &mut |_| {})
}

/// Creates a file, whole or not at all. One that exists stays as it is: [`io::ErrorKind::AlreadyExists`].
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What a crash left in a folder of files that were being replaced or created. Such a file is not a leftover while someone writes there.
pub fn leftovers(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
}

/// The steps of a replacement, for tests that simulate a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Before the temporary file is created.
    Create,
    /// After this many bytes were written.
    Written(usize),
    /// Before the rename; everything is written and synced.
    Rename,
    /// Before the folder is synced; the file is replaced.
    SyncFolder,
}

/// Bytes written between two steps: a page, so that a crash can happen within the text.
const CHUNK_BYTES: usize = 4096;

pub(crate) fn replace_stepwise(path: &Path, bytes: &[u8], at: &mut dyn FnMut(Step)) -> io::Result<()> {
    replace_as(path, bytes, 0o666, at)
}

/// A new file gets `mode` minus the process's umask; on other systems than Unix it inherits from the folder.
#[cfg_attr(not(unix), allow(unused_variables))]
fn replace_as(path: &Path, bytes: &[u8], mode: u32, at: &mut dyn FnMut(Step)) -> io::Result<()> {
    let (target, permissions) = destination(path)?;
    let folder = folder_of(&target);
    at(Step::Create);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    // Removes itself when dropped by an error below.
    let mut temporary = builder.tempfile_in(folder)?;
    let mut written = 0;
    for chunk in bytes.chunks(CHUNK_BYTES) {
        at(Step::Written(written));
        temporary.write_all(chunk)?;
        written += chunk.len();
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

/// The file to replace, with links resolved, and its permissions if it exists. Replacing requires no write permission for
/// the old file, so it is checked here: a read-only file is not replaced.
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

/// Other systems can't sync a folder; the rename is as durable as the file system makes it.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
