//! The writing end of one file. Owns what is buffered, what is written and what is synced; refuses to decide when.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::frame::FileHeader;
use crate::disk::{AppendFile, Disk};

/// Appends to one file. Its records are addressed by their offset from the moment they are buffered.
pub(crate) struct LogAppender {
    path: PathBuf,
    /// None until the first write.
    file: Option<Arc<dyn AppendFile>>,
    /// Whether the file has its name on disk for good.
    named: bool,
    pub(crate) buffer: Vec<u8>,
    written: u64,
    synced: u64,
}

/// What a sync has to do, so that it can be done without holding a lock.
pub(crate) struct PendingSync {
    file: Arc<dyn AppendFile>,
    folder: Option<PathBuf>,
    written: u64,
}

impl PendingSync {
    pub(crate) fn run(&self, disk: &dyn Disk) -> io::Result<()> {
        self.file.sync()?;
        self.folder.as_deref().map_or(Ok(()), |folder| disk.sync_folder(folder))
    }
}

impl LogAppender {
    /// A new file, created with its first write.
    pub(crate) fn create(path: PathBuf, header: FileHeader) -> Self {
        let buffer = header.bytes().to_vec();
        Self { path, file: None, named: false, buffer, written: 0, synced: 0 }
    }

    /// A file that exists and whose last record ends at `end`. What is behind it, a torn end, is cut before the first write.
    pub(crate) fn open(path: PathBuf, end: u64) -> Self {
        Self { path, file: None, named: true, buffer: Vec::new(), written: end, synced: end }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the next record begins.
    pub(crate) fn end(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// How much of the file is written. The rest is in the buffer.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// How much of the file survives a power failure.
    pub(crate) fn synced(&self) -> u64 {
        self.synced
    }

    /// Whether there is nothing that a sync would have to do.
    pub(crate) fn is_synced(&self) -> bool {
        self.buffer.is_empty() && self.synced == self.written && self.named
    }

    /// Writes what is buffered. After an error the file is as it was, and the buffer is kept.
    pub(crate) fn write_out(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let file = self.file(disk)?;
        if let Err(error) = file.append(&self.buffer) {
            // What can't be cut now is cut when the file is opened again: no record in it is whole.
            let _ = file.truncate(self.written);
            self.file = None;
            return Err(error);
        }
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        // A burst must not hold its memory for the rest of the run.
        self.buffer.shrink_to(256 << 10);
        Ok(())
    }

    fn file(&mut self, disk: &dyn Disk) -> io::Result<Arc<dyn AppendFile>> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let create = !self.named && self.written == 0 && !self.path.exists();
        if create && let Some(folder) = self.path.parent() {
            disk.create_folder(folder)?;
        }
        let file = disk.open(&self.path, create)?;
        file.truncate(self.written)?;
        self.file = Some(Arc::clone(&file));
        Ok(file)
    }

    /// What a sync of everything written so far has to do; nothing if it is synced.
    pub(crate) fn pending_sync(&self) -> Option<PendingSync> {
        let file = self.file.as_ref().filter(|_| self.synced < self.written || !self.named)?;
        let folder = (!self.named).then(|| self.path.parent().map(Path::to_owned)).flatten();
        Some(PendingSync { file: Arc::clone(file), folder, written: self.written })
    }

    /// A sync has succeeded.
    pub(crate) fn note_synced(&mut self, done: &PendingSync) {
        self.synced = self.synced.max(done.written);
        self.named |= done.folder.is_some();
    }

    /// Writes and syncs.
    pub(crate) fn sync(&mut self, disk: &dyn Disk) -> io::Result<()> {
        self.write_out(disk)?;
        if let Some(pending) = self.pending_sync() {
            pending.run(disk)?;
            self.note_synced(&pending);
        }
        Ok(())
    }

    /// Gives up everything that is not synced, after an error.
    pub(crate) fn abandon(&mut self, disk: &dyn Disk) {
        self.buffer.clear();
        if self.written > self.synced
            && let Ok(file) = self.file(disk)
        {
            // What can't be cut is read again as it is: whole records that were never promised.
            let _ = file.truncate(self.synced);
        }
        self.file = None;
    }
}
