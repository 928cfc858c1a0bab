//! The database as the store of one process sees it: it writes the run trees that this process has leases of.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, RunId};
use plait_store::{RunDatabase, TreeRecord};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use crate::codes;
use crate::database::Database;
use crate::leases::{Lease, superseded};

/// How long records are offered to a database that is away.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// The leases of a process, and the database that they are of.
pub struct LeasedRuns {
    database: Database,
    runtime: Handle,
    /// The epochs, by root.
    leases: Mutex<HashMap<RunId, i64>>,
}

impl LeasedRuns {
    /// The connections are driven by `runtime`, which has threads of its own.
    pub fn new(database: Database, runtime: Handle) -> Self {
        Self { database, runtime, leases: Mutex::default() }
    }

    /// From now on the tree is written.
    pub fn add(&self, lease: &Lease) {
        self.leases.lock().insert(lease.root.clone(), lease.epoch);
    }

    /// From now on it is not. Does nothing if this process has a newer lease of it.
    pub fn remove(&self, lease: &Lease) {
        let mut leases = self.leases.lock();
        if leases.get(&lease.root) == Some(&lease.epoch) {
            leases.remove(&lease.root);
        }
    }

    /// Waits for a statement on a thread that may wait.
    fn block_on<T>(&self, statement: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        let _context = self.runtime.enter();
        futures::executor::block_on(statement)
    }
}

impl RunDatabase for LeasedRuns {
    /// Waits while the database is away for a moment: what was bought must not be lost with it.
    fn append(&self, root: &RunId, records: &[TreeRecord<'_>]) -> Result<(), Fault> {
        let epoch = self.leases.lock().get(root).copied().ok_or_else(|| superseded(root))?;
        let lease = Lease { root: root.clone(), epoch };
        self.block_on(async {
            let give_up = Instant::now() + RETRY_TIMEOUT;
            let mut stored = self.database.append(&lease, records).await;
            while stored.as_ref().is_err_and(|fault| fault.code == codes::HOST_DATABASE)
                && Instant::now() < give_up
            {
                sleep(RETRY_DELAY).await;
                // It may have stored them before the connection was lost.
                stored = match self.database.has_stored(&lease, records).await {
                    Ok(true) => return Ok(()),
                    Ok(false) => self.database.append(&lease, records).await,
                    Err(fault) => Err(fault),
                };
            }
            stored
        })
    }

    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault> {
        self.block_on(self.database.put_flow(hash, text))
    }

    fn flow(&self, hash: &str) -> Result<Option<String>, Fault> {
        self.block_on(self.database.flow(hash))
    }

    fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault> {
        self.block_on(self.database.put_attachment(hash, bytes))
    }

    fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault> {
        self.block_on(self.database.attachment(hash))
    }
}
