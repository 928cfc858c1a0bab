//! The file operations that change the data directory, behind a trait, so that a test can fill the disk or tear a write.
//! Reading goes to the file system directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use crate::run_database::RunDatabase;
use crate::{atomic_file, private_files};

/// Changes files.
pub(crate) trait Disk: Send + Sync + 'static {
    /// Opens a file for appending; `create`: a new one, which must not exist.
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn AppendFile>>;
    /// Replaces a file's content: after a crash it holds the old bytes or the new ones.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file; no error if there is none.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder and those above it, for the owner alone.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder survive a power failure.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The database that has the truth of the runs, if it is not the files.
    fn database(&self) -> Option<&dyn RunDatabase> {
        None
    }
}

/// A file that grows at its end.
pub(crate) trait AppendFile: Send + Sync {
    /// Appends all bytes. After an error any part of them may be there.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;
    /// Returns when everything appended survives a power failure.
    fn sync(&self) -> io::Result<()>;
    /// Cuts the file.
    fn truncate(&self, length: u64) -> io::Result<()>;
}

pub(crate) struct FileSystem;

impl Disk for FileSystem {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn AppendFile>> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(create);
        private_files::set_mode(&mut options);
        Ok(Arc::new(SystemFile(options.open(path)?)))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        atomic_file::replace_private(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        private_files::create_folder(path)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    /// Other systems can't sync a folder.
    #[cfg(not(unix))]
    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

struct SystemFile(File);

impl AppendFile for SystemFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }
}
