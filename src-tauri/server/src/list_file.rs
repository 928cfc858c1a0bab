//! A list in a file of the data directory that a host reads while other processes change it.
//!
//! It is read again when it has changed: what another process removed holds no longer from then on.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_core::error::ErrorCode;
use plait_store::{atomic_file, private_files};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file_stamp::FileStamp;

/// What such a file is.
pub(crate) struct ListFileKind {
    /// In the folder `host` of the data directory, without an extension.
    pub(crate) name: &'static str,
    /// What is in it, for messages.
    pub(crate) items: &'static str,
    /// Why it cannot be read or written.
    pub(crate) code: ErrorCode,
}

pub(crate) struct ListFile<T> {
    path: PathBuf,
    kind: ListFileKind,
    read: Mutex<Option<(FileStamp, Arc<[T]>)>>,
}

impl<T: Clone + Serialize + DeserializeOwned> ListFile<T> {
    /// The file in a data directory, which need not be there.
    pub(crate) fn of(home: &Path, kind: ListFileKind) -> Self {
        let path = home.join("host").join(kind.name).with_extension("json");
        Self { path, kind, read: Mutex::default() }
    }

    /// What is in it, the oldest first. The error of the file if it cannot be read.
    pub(crate) fn list(&self) -> Result<Arc<[T]>, ErrorReply> {
        let stamp = match FileStamp::of(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Arc::default()),
            other => other.map_err(|error| self.failed("read", &error))?,
        };
        let mut read = self.read.lock();
        if let Some((_, items)) = read.as_ref().filter(|(of, _)| *of == stamp) {
            return Ok(Arc::clone(items));
        }
        let bytes = fs::read(&self.path).map_err(|error| self.failed("read", &error))?;
        let items: Vec<T> = serde_json::from_slice(&bytes).map_err(|error| self.failed("read", &error))?;
        let items: Arc<[T]> = items.into();
        *read = Some((stamp, Arc::clone(&items)));
        Ok(items)
    }

    /// Changes it, unless the change is refused. The error of the file if it cannot be written.
    pub(crate) fn change(
        &self,
        change: impl FnOnce(&mut Vec<T>) -> Result<(), ErrorReply>,
    ) -> Result<(), ErrorReply> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        private_files::create_folder(folder).map_err(|error| self.failed("written", &error))?;
        // Two processes that change the file do it one after the other. Closing the lock's file ends the lock.
        let lock =
            File::create(self.path.with_extension("lock")).map_err(|error| self.failed("written", &error))?;
        lock.lock().map_err(|error| self.failed("written", &error))?;
        let mut items = self.list()?.to_vec();
        change(&mut items)?;
        let bytes = serde_json::to_vec_pretty(&items).map_err(|error| self.failed("written", &error))?;
        atomic_file::replace_private(&self.path, &bytes).map_err(|error| self.failed("written", &error))
    }

    fn failed(&self, done: &str, error: &dyn std::fmt::Display) -> ErrorReply {
        let message =
            format!("The {} in `{}` cannot be {done}: {error}.", self.kind.items, self.path.display());
        ErrorReply::new(self.kind.code.clone(), message)
    }
}
