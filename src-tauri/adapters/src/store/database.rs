//! The open database, and the two things the writer asks of it. Owns opening it anew after an error: the database
//! refuses everything once a write has failed, until it is opened again.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use plait_engine::error::{ErrorCode, Fault};

use super::compressed_segment::JournalRange;
use super::{fault, key, open};

/// What the writer needs of a database. A trait so that tests can let it fail.
pub(super) trait Backend: Send + Sync + 'static {
    /// Applies a batch, all of it or nothing.
    fn apply(&self, batch: sled::Batch) -> Result<(), Fault>;
    /// The same while nobody reads: who reads a journal looks at it more than once.
    fn apply_alone(&self, batch: sled::Batch) -> Result<(), Fault>;
    /// The segments of a range of a journal.
    fn segments(&self, range: JournalRange) -> Result<Vec<(sled::IVec, sled::IVec)>, Fault>;
    /// Returns when everything applied so far survives a crash.
    fn flush(&self) -> Result<(), Fault>;
    /// Starts again from what is on disk.
    fn reopen(&self) -> Result<(), Fault>;
}

/// The database. None while it could not be opened again.
pub(super) struct Database {
    dir: PathBuf,
    open: RwLock<Option<Open>>,
}

struct Open {
    db: sled::Db,
    /// The database's log. Its own flush leaves the growth of that file to the system, which a power cut would lose.
    log: File,
}

impl Database {
    pub(super) fn open(dir: PathBuf) -> Result<Arc<Self>, Fault> {
        let opened = Self::open_files(&dir)?;
        Ok(Arc::new(Self { dir, open: RwLock::new(Some(opened)) }))
    }

    fn open_files(dir: &std::path::Path) -> Result<Open, Fault> {
        let db = open::database(dir)?;
        let log = File::open(dir.join("db")).map_err(|error| fault::of_io("open the store's log", &error))?;
        Ok(Open { db, log })
    }

    /// Reads. The database stays open for that long and no journal is sealed, so `read` should be short and keep no iterator.
    pub(super) fn read<T>(&self, read: impl FnOnce(&sled::Db) -> Result<T, sled::Error>) -> Result<T, Fault> {
        self.with(|open| read(&open.db).map_err(|error| fault::of_sled("read the store", &error)))
    }

    fn with<T>(&self, act: impl FnOnce(&Open) -> Result<T, Fault>) -> Result<T, Fault> {
        act(opened(self.open.read().as_ref())?)
    }
}

impl Open {
    fn apply(&self, batch: sled::Batch) -> Result<(), Fault> {
        self.db.apply_batch(batch).map_err(|error| fault::of_sled("write to the store", &error))
    }
}

fn opened(open: Option<&Open>) -> Result<&Open, Fault> {
    open.ok_or_else(|| {
        Fault::new(ErrorCode::StoreIo, "The store is closed after an error of the disk.")
            .hint("Free some space or repair the disk, then try again.")
    })
}

impl Backend for Database {
    fn apply(&self, batch: sled::Batch) -> Result<(), Fault> {
        self.with(|open| open.apply(batch))
    }

    fn apply_alone(&self, batch: sled::Batch) -> Result<(), Fault> {
        let guard = self.open.write();
        opened(guard.as_ref())?.apply(batch)
    }

    fn segments(
        &self,
        JournalRange { run, from_seq }: JournalRange,
    ) -> Result<Vec<(sled::IVec, sled::IVec)>, Fault> {
        self.read(|db| db.range(key::entry(run, from_seq)..=key::entry(run, u64::MAX)).collect())
    }

    fn flush(&self) -> Result<(), Fault> {
        self.with(|open| {
            open.db.flush().map_err(|error| fault::of_sled("write to the store", &error))?;
            open.log.sync_data().map_err(|error| fault::of_io("write to the store", &error))
        })
    }

    fn reopen(&self) -> Result<(), Fault> {
        let mut guard = self.open.write();
        // The old one must be gone before: it holds the database's own lock.
        drop(guard.take());
        *guard = Some(Self::open_files(&self.dir)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
