//! What all handles of one store share. Owns who writes which run at the moment; the rest is in its parts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plait_engine::error::{ErrorCode, Fault};

use super::blobs::Blobs;
use super::conversation::HeadCache;
use super::database::{Backend, Database};
use super::key::RunKey;
use super::open::{self, Lock};
use super::record::RunRecord;
use super::writer::{Write, Writer};

/// The record of a run that has a writer, ahead of the one on disk. None until its first event.
pub(super) type LiveRecord = Arc<Mutex<Option<RunRecord>>>;

pub(super) struct StoreCore {
    // In the order in which they must go: the writer's last flush needs the database, and the lock outlives both.
    pub(super) writer: Writer,
    pub(super) database: Arc<Database>,
    pub(super) blobs: Blobs,
    pub(super) home: PathBuf,
    live: Mutex<HashMap<RunKey, LiveRecord>>,
    /// Flows kept since the store was opened. A run of one of them may be about to begin, so they are not cleared away.
    kept_flows: Mutex<HashSet<String>>,
    conversations: Mutex<HeadCache>,
    /// Held while a document is read, changed and put back.
    pub(super) changing: Mutex<()>,
    _lock: Lock,
}

impl StoreCore {
    pub(super) fn open(home: &Path) -> Result<Arc<Self>, Fault> {
        let lock = open::lock(home)?;
        let database = Database::open(home.join("db"))?;
        let backend: Arc<dyn Backend> = Arc::<Database>::clone(&database);
        Self::with(home, lock, database, backend)
    }

    pub(super) fn with(
        home: &Path,
        lock: Lock,
        database: Arc<Database>,
        backend: Arc<dyn Backend>,
    ) -> Result<Arc<Self>, Fault> {
        let blobs = Blobs::in_home(home);
        Ok(Arc::new(Self {
            writer: Writer::start(backend, blobs.clone())?,
            database,
            blobs,
            home: home.to_owned(),
            live: Mutex::default(),
            kept_flows: Mutex::default(),
            conversations: Mutex::default(),
            changing: Mutex::default(),
            _lock: lock,
        }))
    }

    pub(super) fn live(&self) -> MutexGuard<'_, HashMap<RunKey, LiveRecord>> {
        self.live.lock()
    }

    pub(super) fn kept_flows(&self) -> MutexGuard<'_, HashSet<String>> {
        self.kept_flows.lock()
    }

    /// The conversations as they will be. Never locked while another of these locks is held.
    pub(super) fn conversations(&self) -> MutexGuard<'_, HeadCache> {
        self.conversations.lock()
    }

    /// The stored bytes under a key, everything queued before included.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, Fault> {
        self.writer.settle()?;
        self.database.read(|db| db.get(key))
    }

    /// Writes and waits until it is on disk.
    pub(super) fn put_durably(&self, write: Write) -> Result<(), Fault> {
        self.writer.write(None, write)?;
        self.flush_blocking()
    }

    /// Waits until everything queued so far is on disk.
    pub(super) fn flush_blocking(&self) -> Result<(), Fault> {
        flush_result(futures::executor::block_on(self.writer.flush(None)))
    }
}

/// The answer to a flush; a writer that has gone without one has stopped.
pub(super) fn flush_result(
    received: Result<Result<(), Fault>, futures::channel::oneshot::Canceled>,
) -> Result<(), Fault> {
    received.unwrap_or_else(|_| Err(Fault::new(ErrorCode::StoreIo, "The store's writer has stopped.")))
}
