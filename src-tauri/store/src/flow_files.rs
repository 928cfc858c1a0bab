//! Flow files on disk: read as text, written atomically. Owns bytes and paths; does not interpret the flow.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use plait_core::error::Fault;

use crate::atomic_file;
use crate::codes;
use plait_core::hash::content_hash;

/// How the names of flow files end.
pub const FLOW_ENDING: &str = ".flow.json";
/// How the names of files end that tools may not write, and other flows may run: flows, and pipelines that are named as flows.
pub const FLOW_ENDINGS: [&str; 3] = [FLOW_ENDING, ".flow.yaml", ".flow.yml"];

/// No flow is nearly as large; reading such a file would only fill the memory.
const MAX_BYTES: u64 = 256 << 20;

/// The text of a flow file and the hash of this version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowFile {
    /// The absolute path with links resolved.
    pub path: PathBuf,
    /// The text without a byte order mark.
    pub text: String,
    /// The hash of the file's bytes.
    pub hash: String,
}

/// Reads a flow file. Faults: `flow.not_found`, `flow.unreadable` (a folder, no permission, I/O), `flow.not_text`,
/// `flow.too_large` (over 256 MB).
pub fn read(path: &Path) -> Result<FlowFile, Fault> {
    let unreadable = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            Fault::new(codes::FLOW_NOT_FOUND, format!("There is no file `{}`.", path.display()))
                .hint("Check the path; the file may have been moved or renamed.")
        }
        _ => Fault::new(codes::FLOW_UNREADABLE, format!("`{}` can't be read: {error}.", path.display())),
    };
    let resolved = fs::canonicalize(path).map_err(|error| unreadable(&error))?;
    let metadata = fs::metadata(&resolved).map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder" } else { "not a regular file" };
        return Err(Fault::new(codes::FLOW_UNREADABLE, format!("`{}` is {what}.", path.display()))
            .hint("Choose a flow file; its name ends in `.flow.json`."));
    }
    let file = fs::File::open(&resolved).map_err(|error| unreadable(&error))?;
    read_opened(&file, resolved)
}

/// Reads a flow file that is open. `path` is its absolute path with links resolved. Faults as [`read`].
pub fn read_opened(mut file: &fs::File, path: PathBuf) -> Result<FlowFile, Fault> {
    let unreadable = |error: io::Error| {
        Fault::new(codes::FLOW_UNREADABLE, format!("`{}` can't be read: {error}.", path.display()))
    };
    let size = file.metadata().map_err(unreadable)?.len();
    if size > MAX_BYTES {
        let megabytes = size >> 20;
        return Err(Fault::new(
            codes::FLOW_TOO_LARGE,
            format!("`{}` has {megabytes} MB; the limit is {} MB.", path.display(), MAX_BYTES >> 20),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    let hash = content_hash(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Fault::new(
            codes::FLOW_NOT_TEXT,
            format!("`{}` is not UTF-8 text: byte {at} is invalid.", path.display()),
        )
        .hint("A flow is JSON or YAML in UTF-8. Check the file's encoding, and that it is a flow.")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(FlowFile { path, text, hash })
}

/// Writes a flow file atomically and returns its new hash: after a crash at any moment it holds the old text or the new one.
/// Links are followed and permissions kept. With `expected_hash`, an existing file with another hash is not overwritten
/// (`flow.changed_on_disk`).
/// Faults: `flow.not_found` (no such folder), `flow.read_only`, `flow.disk_full`, `flow.unwritable`.
pub fn write(path: &Path, text: &str, expected_hash: Option<&str>) -> Result<String, Fault> {
    if let Some(expected_hash) = expected_hash {
        match fs::read(path) {
            Ok(bytes) if content_hash(&bytes) != expected_hash => {
                return Err(Fault::new(
                    codes::FLOW_CHANGED_ON_DISK,
                    format!("`{}` was changed by another program since it was opened.", path.display()),
                )
                .hint("Save under another name to keep both versions, or save again to replace the file."));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A file that can't be read may have changed.
            Err(error) => return Err(unwritable(path, &error)),
        }
    }
    write_bytes(path, text.as_bytes())?;
    Ok(content_hash(text.as_bytes()))
}

/// Writes a file as [`write`] does, with any content, and replaces an existing file.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    atomic_file::replace(path, bytes).map_err(|error| unwritable(path, &error))
}

/// Writes a flow file that must not exist yet, whole or not at all. Faults: `flow.exists`, and those of [`write`].
pub fn create(path: &Path, text: &str) -> Result<(), Fault> {
    atomic_file::create(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Fault {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Fault::new(codes::FLOW_EXISTS, format!("`{shown}` exists already.")).hint("Choose another name.")
        }
        io::ErrorKind::NotFound => {
            Fault::new(codes::FLOW_NOT_FOUND, format!("The folder of `{shown}` does not exist."))
                .hint("Create it, or save under another path.")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Fault::new(codes::FLOW_READ_ONLY, format!("`{shown}` can't be written: {error}."))
                .hint("Save under another path, or change the permissions.")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Fault::new(
                codes::FLOW_DISK_FULL,
                format!("The disk is full: `{shown}` was not written ({error})."),
            )
            .hint("Free some space and save again. The file is unchanged.")
        }
        _ => Fault::new(codes::FLOW_UNWRITABLE, format!("`{shown}` can't be written: {error}.")),
    }
}

#[cfg(test)]
mod tests;
