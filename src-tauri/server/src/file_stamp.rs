//! Tells whether a file is another one than before, without reading it.

use std::path::Path;
use std::time::SystemTime;
use std::{fs, io};

/// What changes with each replacement of a file. Two writes in place within the resolution of the file system's times and with the same
/// length look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Option<SystemTime>,
    bytes: u64,
    file: u64,
}

impl FileStamp {
    /// The stamp of the file at this path, or that a link there leads to.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let file = 0;
        Ok(Self { modified: metadata.modified().ok(), bytes: metadata.len(), file })
    }
}
