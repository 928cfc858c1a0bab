//! The folder of an index. Only the owner may read its files: an index holds the text of all documents.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use plait_store::private_files;

#[derive(Clone, Debug)]
pub(super) struct PrivateDirectory {
    inner: MmapDirectory,
    folder: PathBuf,
}

impl PrivateDirectory {
    pub(super) fn open(folder: &Path) -> tantivy::Result<Self> {
        Ok(Self { inner: MmapDirectory::open(folder)?, folder: folder.to_owned() })
    }

    fn restrict(&self, path: &Path) -> io::Result<()> {
        private_files::restrict(&self.folder.join(path))
    }
}

impl Directory for PrivateDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let writer = self.inner.open_write(path)?;
        self.restrict(path).map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        Ok(writer)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)?;
        self.restrict(path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let held = self.inner.acquire_lock(lock)?;
        self.restrict(&lock.filepath).map_err(LockError::wrap_io_error)?;
        Ok(held)
    }

    fn watch(&self, watch_callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(watch_callback)
    }
}
