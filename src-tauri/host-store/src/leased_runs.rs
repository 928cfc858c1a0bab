//! The database as the store of one process sees it: it writes the run trees that this process has leases of.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::{AttachmentHash, ReplyKey, RunId};
use plait_journal::Entry;
use plait_journal::earlier_run::{EarlierReply, PurchaseClaim, ReplyTurn};
use plait_store::{RunDatabase, TreeRecord, WantedReply};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use crate::codes;
use crate::database::Database;
use crate::leases::{Lease, superseded};
use crate::replies::{ReplyNote, not_driven};

/// How long records are offered to a database that is away.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// How long a flow counts as stored. Much shorter than the day for which the database keeps one that no record names.
const STORED_FLOW_TIME: Duration = Duration::from_hours(1);
/// How often a run that waits for the reply of another one looks for it.
const REPLY_INTERVAL: Duration = Duration::from_millis(100);

/// The leases of a process, and the database that they are of.
pub struct LeasedRuns {
    database: Database,
    runtime: Handle,
    /// The epochs, by root.
    leases: Mutex<HashMap<RunId, i64>>,
    /// When flows were stored, by hash: those that start often are not stored each time.
    stored_flows: Mutex<HashMap<String, Instant>>,
    /// What entries say of bought replies whose records are not stored yet, by root.
    notes: Mutex<HashMap<RunId, Vec<ReplyNote>>>,
}

impl LeasedRuns {
    /// The connections are driven by `runtime`, which has threads of its own.
    pub fn new(database: Database, runtime: Handle) -> Self {
        let (leases, stored_flows, notes) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { database, runtime, leases, stored_flows, notes }
    }

    /// From now on the tree is written.
    pub fn add(&self, lease: &Lease) {
        self.notes.lock().remove(&lease.root);
        self.leases.lock().insert(lease.root.clone(), lease.epoch);
    }

    /// From now on it is not. Does nothing if this process has a newer lease of it.
    pub fn remove(&self, lease: &Lease) {
        let mut leases = self.leases.lock();
        if leases.get(&lease.root) == Some(&lease.epoch) {
            leases.remove(&lease.root);
            self.notes.lock().remove(&lease.root);
        }
    }

    fn lease(&self, root: &RunId) -> Option<Lease> {
        let epoch = self.leases.lock().get(root).copied()?;
        Some(Lease { root: root.clone(), epoch })
    }

    /// Takes what the records that are about to be stored say of bought replies.
    fn take_notes(&self, root: &RunId, records: &[TreeRecord<'_>]) -> Vec<ReplyNote> {
        let mut notes = self.notes.lock();
        let Some(pending) = notes.get_mut(root) else { return Vec::new() };
        let (ready, later) = std::mem::take(pending).into_iter().partition(|note| note.is_in(records));
        *pending = later;
        ready
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
        let lease = self.lease(root).ok_or_else(|| superseded(root))?;
        let notes = self.take_notes(root, records);
        self.block_on(async {
            let give_up = Instant::now() + RETRY_TIMEOUT;
            let mut stored = self.database.append(&lease, records, &notes).await;
            while stored.as_ref().is_err_and(|fault| fault.code == codes::HOST_DATABASE)
                && Instant::now() < give_up
            {
                sleep(RETRY_DELAY).await;
                // It may have stored them before the connection was lost.
                stored = match self.database.has_stored(&lease, records).await {
                    Ok(true) => return Ok(()),
                    Ok(false) => self.database.append(&lease, records, &notes).await,
                    Err(fault) => Err(fault),
                };
            }
            stored
        })
    }

    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault> {
        self.stored_flows.lock().retain(|_, at| at.elapsed() < STORED_FLOW_TIME);
        if self.stored_flows.lock().contains_key(hash) {
            return Ok(());
        }
        self.block_on(self.database.put_flow(hash, text))?;
        self.stored_flows.lock().insert(hash.to_owned(), Instant::now());
        Ok(())
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

    fn follow(&self, root: &RunId, run: &RunId, user: &str, entries: &[Entry]) {
        let new = ReplyNote::of(run, user, entries);
        if !new.is_empty() {
            self.notes.lock().entry(root.clone()).or_default().extend(new);
        }
    }

    fn reply_turn<'a>(
        &'a self,
        wanted: WantedReply<'a>,
        take: &'a mut (dyn FnMut(&EarlierReply) -> bool + Send),
    ) -> BoxFuture<'a, Result<ReplyTurn, Fault>> {
        Box::pin(async move {
            loop {
                if let Some(reply) = self.find_reply(wanted, take).await? {
                    return Ok(ReplyTurn::Take(Box::new(reply)));
                }
                let lease = self.lease(wanted.root).ok_or_else(|| not_driven(wanted.root))?;
                if self.database.claim_reply(wanted, &lease).await? {
                    let claim = Claim {
                        database: self.database.clone(),
                        runtime: self.runtime.clone(),
                        user: wanted.user.to_owned(),
                        key: wanted.key.clone(),
                        lease,
                    };
                    // Between the look and the claim one may have been bought.
                    return Ok(match self.find_reply(wanted, take).await? {
                        Some(reply) => ReplyTurn::Take(Box::new(reply)),
                        None => ReplyTurn::Buy(Some(PurchaseClaim::new(claim))),
                    });
                }
                sleep(REPLY_INTERVAL).await;
            }
        })
    }
}

impl LeasedRuns {
    async fn find_reply(
        &self,
        wanted: WantedReply<'_>,
        take: &mut (dyn FnMut(&EarlierReply) -> bool + Send),
    ) -> Result<Option<EarlierReply>, Fault> {
        let bought = self.database.bought_replies(wanted).await?;
        Ok(bought.into_iter().find(|reply| take(reply)))
    }
}

/// The right to buy a reply alone, which is given back when it is dropped.
struct Claim {
    database: Database,
    runtime: Handle,
    user: String,
    key: ReplyKey,
    lease: Lease,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Self { database, user, key, lease, .. } = self;
        let (database, user, key, lease) = (database.clone(), user.clone(), key.clone(), lease.clone());
        self.runtime.spawn(async move {
            let give_up = Instant::now() + RETRY_TIMEOUT;
            // One that cannot be given back ends with the lease.
            while database.release_reply(&user, &key, &lease).await.is_err() && Instant::now() < give_up {
                sleep(RETRY_DELAY).await;
            }
        });
    }
}
