//! The recordings that runs of this process read, by hash.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::attachment::AttachmentStore;
use plait_journal::RecordingRef;
use plait_store::{Store, atomic_file};
use tokio::runtime::Handle;

use super::content::Recording;
use super::file::{self, MAX_FILE_BYTES};
use crate::ErrorReply;
use crate::codes;
use crate::regular_file;

/// Clones share the recordings.
#[derive(Clone, Default)]
pub(crate) struct RecordingCache(Arc<Mutex<HashMap<String, Arc<Recording>>>>);

impl RecordingCache {
    /// Reads a file and checks it whole. The errors of [`file::check`] and [`Recording::read`], `recording.not_read`.
    pub(crate) fn read(&self, path: &Path) -> Result<(RecordingRef, Arc<Recording>), ErrorReply> {
        let bytes = read_file(path)?;
        let file = file::check(&bytes)?;
        let hash = file.hash.clone();
        // Of a file that was read before, only the bytes are checked.
        let recording = match self.get(&hash) {
            Some(known) => known,
            None => Arc::new(Recording::read(file)?),
        };
        self.put(hash.clone(), &recording);
        Ok((RecordingRef { path: path.display().to_string(), hash }, recording))
    }

    /// The recording that a run names, which is read again if this process did not yet. `recording.changed` if the file is another one
    /// now.
    pub(crate) fn find(&self, named: &RecordingRef) -> Result<Arc<Recording>, ErrorReply> {
        if let Some(known) = self.get(&named.hash) {
            return Ok(known);
        }
        let (found, recording) = self.read(Path::new(&named.path))?;
        if found.hash != named.hash {
            let message = format!("The run was started with another recording than `{}` is now.", named.path);
            return Err(ErrorReply::new(codes::RECORDING_CHANGED, message)
                .hint("Put the file back as it was, then resume the run."));
        }
        Ok(recording)
    }

    pub(crate) fn get(&self, hash: &str) -> Option<Arc<Recording>> {
        self.0.lock().get(hash).cloned()
    }

    pub(crate) fn put(&self, hash: String, recording: &Arc<Recording>) {
        self.0.lock().insert(hash, Arc::clone(recording));
    }

    pub(crate) fn forget(&self, hash: &str) {
        self.0.lock().remove(hash);
    }
}

impl Recording {
    /// Writes its file, whole or not at all. Returns the size. `recording.not_written`.
    pub(crate) fn write(&self, path: &Path) -> Result<usize, ErrorReply> {
        let (bytes, _) = file::write(&self.to_parts()?)?;
        atomic_file::replace_private(path, &bytes).map_err(|error| {
            let message = format!("The recording `{}` can't be written: {error}.", path.display());
            ErrorReply::new(codes::RECORDING_NOT_WRITTEN, message)
                .hint("Check the folder, your rights to it and the free space.")
        })?;
        Ok(bytes.len())
    }

    /// Stores the attachments of a recording that a run is about to use. For a thread that may block.
    pub(crate) fn store_attachments(&self, store: &Store) -> Result<(), ErrorReply> {
        for (hash, bytes) in &self.attachments {
            Handle::current().block_on(store.put(hash, Arc::clone(bytes)))?;
        }
        Ok(())
    }
}

/// The bytes of a recording's file. `recording.not_read`.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ErrorReply> {
    regular_file::read(path, MAX_FILE_BYTES).map_err(|problem| {
        let message = format!("The recording `{}` can't be read: {problem}.", path.display());
        ErrorReply::new(codes::RECORDING_NOT_READ, message)
            .hint("Check the path and your rights to the file.")
    })
}
