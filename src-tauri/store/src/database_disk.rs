//! The file system of a process whose runs have their truth in a database: what is appended to the file of a run tree is stored there
//! before a sync of the file returns. Such files are copies, so they are not synced themselves.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::id::RunId;

use crate::disk::{AppendFile, Disk, FileSystem};
use crate::fault::io_error_of;
use crate::run_database::{RunDatabase, SharedRunDatabase, TreeRecord};
use crate::tree;

pub(crate) struct DatabaseDisk {
    runs: PathBuf,
    database: SharedRunDatabase,
}

impl DatabaseDisk {
    /// For the data directory `home`.
    pub(crate) fn new(home: &Path, database: SharedRunDatabase) -> Self {
        Self { runs: tree::runs_folder(home), database }
    }
}

impl Disk for DatabaseDisk {
    fn open(&self, path: &Path, create: bool) -> io::Result<Arc<dyn AppendFile>> {
        let file = FileSystem.open(path, create)?;
        let Some(root) = tree::root_of_path(path).filter(|_| path.starts_with(&self.runs)) else {
            return Ok(file);
        };
        // What is in a file that nobody writes is in the database: it was taken from there, or stored there before.
        let stored = Mutex::new(std::fs::metadata(path)?.len());
        let database = Arc::clone(&self.database);
        Ok(Arc::new(DatabaseFile { file, root, database, stored, pending: Mutex::default() }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        FileSystem.replace(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileSystem.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        FileSystem.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(&self.runs) { Ok(()) } else { FileSystem.sync_folder(path) }
    }

    fn database(&self) -> Option<&dyn RunDatabase> {
        Some(&*self.database)
    }
}

struct DatabaseFile {
    file: Arc<dyn AppendFile>,
    root: RunId,
    database: SharedRunDatabase,
    /// The end of what the database has. Locked while more is stored there.
    stored: Mutex<u64>,
    /// What follows.
    pending: Mutex<Vec<u8>>,
}

impl AppendFile for DatabaseFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)?;
        self.pending.lock().extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut stored = self.stored.lock();
        let pending = std::mem::take(&mut *self.pending.lock());
        if pending.is_empty() {
            return Ok(());
        }
        let records = TreeRecord::split(&self.root, *stored, &pending).map_err(io_error_of)?;
        self.database.append(&self.root, &records).map_err(io_error_of)?;
        *stored += pending.len() as u64;
        Ok(())
    }

    /// Cuts what is not stored. What the database has stays.
    fn truncate(&self, length: u64) -> io::Result<()> {
        let mut stored = self.stored.lock();
        let mut pending = self.pending.lock();
        let end = *stored + pending.len() as u64;
        self.file.truncate(length)?;
        if pending.is_empty() {
            // A torn end behind the last whole record, which no database has.
            *stored = length.min(end);
        } else {
            pending.truncate(usize::try_from(length.saturating_sub(*stored)).unwrap_or(usize::MAX));
        }
        Ok(())
    }
}
