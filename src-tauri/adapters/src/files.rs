//! Flow files on disk: read whole, written atomically. Owns bytes and paths; refuses to know what a flow is.

use std::path::{Path, PathBuf};

use plait_engine::error::Fault;

/// A file's text and what identifies this state of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowText {
    /// The file, absolute, links resolved.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The hash of its bytes.
    pub hash: String,
}

/// Reads a flow file. Faults: `flow.not_found`, `flow.unreadable` (a folder, no permission, I/O), `flow.not_text`,
/// `flow.too_large` (over 256 MB).
pub fn read(path: &Path) -> Result<FlowText, Fault> {
    Err(Fault::new("flow.unreadable", format!("being written ({path:?})")))
}

/// Writes a flow file whole and gives its new hash: after a crash at any moment it holds the old text or the new one.
/// With `unless_changed_from`, a file that no longer has that hash is left alone (`flow.changed_on_disk`).
/// Faults: `flow.not_found` (no such folder), `flow.read_only`, `flow.disk_full`, `flow.unwritable`.
pub fn write(path: &Path, text: &str, unless_changed_from: Option<&str>) -> Result<String, Fault> {
    Err(Fault::new("flow.unwritable", format!("being written ({path:?} {text} {unless_changed_from:?})")))
}
