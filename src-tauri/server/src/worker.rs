//! `worker`: drives runs whose truth is in a database, of any number of hosts, beside any number of other workers.
//!
//! | step | |
//! |---|---|
//! | claim | takes a run tree that has work, under a lease of the next epoch |
//! | copy | puts the tree's records into the data directory, where the driver finds them |
//! | drive | executes what the run is asked, and resumes it; each flush stores records in the database under the epoch |
//! | leave | when the tree waits for a person or has ended: says how it stands, gives the lease back, removes the copy |
//!
//! A worker that dies leaves a lease that expires. Whoever has lost a lease stops driving at once; what it still wrote would be refused. Has
//! no state of its own: settings, keys and grants of its data directory must be the same for all workers.
//!
//! Which trees it claims is its own choice, or that of Restate ([`advance`]).
//!
//! A process has one of these for each tenant, which share nothing but the process ([`tenant_workers`]).

mod advance;
mod copies;
mod leased_tree;
mod live_texts;
mod request_connection;
mod restate_endpoint;
mod tenant_workers;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_api::{ErrorReply, Options, Plait};
use plait_core::id::RunId;
use plait_host_store::{Database, Lease, LeasedRuns, Notice, TenantName, Topic, WorkerId};
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use crate::tenant_folders::{mark, options_of};
use leased_tree::LeasedTree;
use live_texts::LiveTexts;
pub(crate) use restate_endpoint::EndpointOptions;
pub(crate) use tenant_workers::{WorkerOptions, work};

/// How often a worker looks for work that no notice named: leases that have expired.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// How often a worker says that it is there.
const NOTE_INTERVAL: Duration = Duration::from_secs(20);
/// Connections beside those that runs write with.
const SPARE_CONNECTIONS: u32 = 4;
/// The most connections that runs write with. The store writes from one thread.
const MAX_RUN_CONNECTIONS: u32 = 12;
/// The same for each tenant beside the default one.
const TENANT_RUN_CONNECTIONS: u32 = 3;

/// Why a tree is no longer driven here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// It goes on.
    Drive,
    /// The worker ends: leave it to others.
    Leave,
    /// The lease is lost: others drive it already.
    Lost,
}

/// A tree that is driven here.
struct Active {
    epoch: i64,
    since: Instant,
    call: watch::Sender<Call>,
    /// It has a request.
    due: Arc<Notify>,
}

/// The trees that are driven here.
#[derive(Default)]
struct Trees {
    active: HashMap<RunId, Active>,
    /// Whether the worker is asked to end: what begins to be driven is left at once.
    is_ending: bool,
}

/// Drives the runs of a tenant.
struct Worker {
    id: WorkerId,
    plait: Plait,
    database: Database,
    leased: Arc<LeasedRuns>,
    lease: Duration,
    /// Whether it takes the trees that have work by itself. Else Restate asks for each.
    takes_trees: bool,
    max_runs: u32,
    /// A permit for each tree that may be driven.
    places: Arc<Semaphore>,
    /// A place has become free.
    freed: Notify,
    trees: Mutex<Trees>,
    texts: Arc<LiveTexts>,
}

impl Worker {
    /// Opens the data directory of a tenant and its part of the database. The errors of that, and `host.own_runs`.
    async fn open(
        options: &WorkerOptions,
        tenant: &TenantName,
        home: &Path,
    ) -> Result<Arc<Self>, ErrorReply> {
        let most = if tenant.is_default() { MAX_RUN_CONNECTIONS } else { TENANT_RUN_CONNECTIONS };
        let connections = options.max_runs.min(most) + SPARE_CONNECTIONS;
        let database = Database::open(&options.database, connections, tenant).await?;
        let opened = Self::open_with(options, tenant, home, &database).await;
        if opened.is_err() {
            database.close().await;
        }
        opened
    }

    async fn open_with(
        options: &WorkerOptions,
        tenant: &TenantName,
        home: &Path,
        database: &Database,
    ) -> Result<Arc<Self>, ErrorReply> {
        let leased = Arc::new(LeasedRuns::new(database.clone(), Handle::current()));
        let plait = Plait::open(Options { database: Some(leased.clone()), ..options_of(tenant, home) })?;
        // Other workers go on with its runs: each exports what happened while it drove them.
        plait.runs().export_in_parts();
        for notice in plait.notices() {
            eprintln!("warning: {}{notice}", mark(tenant));
        }
        let prepared = match copies::remove_all(plait.store(), database).await {
            Ok(()) => database.note_worker(options.id).await.map_err(ErrorReply::from),
            refused => refused,
        };
        if let Err(error) = prepared {
            plait.close().await?;
            return Err(error);
        }
        Ok(Arc::new(Self {
            id: options.id,
            plait: plait.clone(),
            database: database.clone(),
            leased,
            lease: options.lease,
            takes_trees: options.restate.is_none(),
            max_runs: options.max_runs,
            places: Arc::new(Semaphore::new(options.max_runs as usize)),
            freed: Notify::new(),
            trees: Mutex::default(),
            texts: LiveTexts::new(plait, database.clone()),
        }))
    }

    async fn close(&self) -> Result<(), ErrorReply> {
        let closed = self.plait.close().await;
        if let Err(error) = self.database.forget_worker(self.id).await {
            // Hosts count it among those that are there for a minute more.
            eprintln!("warning: {}", ErrorReply::from(error));
        }
        self.database.close().await;
        closed
    }

    async fn work(self: Arc<Self>, asked_to_end: impl Future<Output = ()>) -> Result<(), ErrorReply> {
        let mut asked_to_end = std::pin::pin!(asked_to_end);
        let mut notices = self.database.notices(&[Topic::Due, Topic::Watch]).await?;
        let leases = tokio::spawn(Arc::clone(&self).keep_leases());
        let mut look = interval(LOOK_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let notice = tokio::select! {
                () = &mut asked_to_end => break,
                notice = notices.next() => Some(notice),
                // There is room for others.
                () = self.freed.notified() => None,
                _ = look.tick() => None,
            };
            match notice {
                Some(Ok(Notice::Rest(_) | Notice::Events(_) | Notice::Text(_))) => continue,
                Some(Ok(Notice::Watch { root, run })) => {
                    self.texts.watch(&root, run, self.is_driven(&root));
                    continue;
                }
                Some(Ok(Notice::Due(root))) if self.wake(&root) => continue,
                Some(Ok(Notice::Missed)) => self.wake_all(),
                Some(Err(error)) => {
                    eprintln!("warning: {}", ErrorReply::from(error));
                    look.tick().await;
                }
                Some(Ok(Notice::Due(_))) | None => {}
            }
            if self.takes_trees
                && let Err(error) = self.claim().await
            {
                eprintln!("warning: {error}");
            }
        }
        self.leave_all();
        // All places are free when nothing is driven any more. It is not closed before.
        drop(self.places.acquire_many(self.max_runs).await);
        self.places.close();
        leases.abort();
        Ok(())
    }

    /// Takes as many trees that have work as there are places.
    async fn claim(self: &Arc<Self>) -> Result<(), ErrorReply> {
        let free = self.places.available_permits();
        if free == 0 {
            return Ok(());
        }
        let limit = u32::try_from(free).unwrap_or(u32::MAX);
        for lease in self.database.claim(self.id, self.lease, limit).await? {
            // Nothing else takes places.
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { break };
            tokio::spawn(Arc::clone(self).drive(lease, place));
        }
        Ok(())
    }

    /// Drives a tree until it comes to rest, or something else calls. An error says why it is not driven here any more, and is reported.
    async fn drive(self: Arc<Self>, lease: Lease, place: OwnedSemaphorePermit) -> Result<(), ErrorReply> {
        let due = Arc::new(Notify::new());
        let (called, before) = {
            let mut trees = self.trees.lock();
            let (call, called) = watch::channel(if trees.is_ending { Call::Leave } else { Call::Drive });
            let active = Active { epoch: lease.epoch, since: Instant::now(), call, due: Arc::clone(&due) };
            (called, trees.active.insert(lease.root.clone(), active))
        };
        if let Some(before) = before {
            // This worker had lost the tree, and has not noticed or is not done with it.
            before.call.send_replace(Call::Lost);
            before.call.closed().await;
        }
        let driven = async {
            let conversation = self.database.conversation_of(&lease.root).await?;
            LeasedTree { worker: &self, lease: &lease, conversation, called, due }.drive().await
        };
        let driven = driven.await;
        if let Err(error) = &driven {
            eprintln!("warning: Run {} is not driven here any more: {error}", lease.root);
        }
        let mut trees = self.trees.lock();
        if trees.active.get(&lease.root).is_some_and(|active| active.epoch == lease.epoch) {
            trees.active.remove(&lease.root);
        }
        drop(place);
        self.freed.notify_one();
        driven
    }

    fn is_driven(&self, root: &RunId) -> bool {
        self.trees.lock().active.contains_key(root)
    }

    /// Says that a tree has a request. False if it is not driven here.
    fn wake(&self, root: &RunId) -> bool {
        let trees = self.trees.lock();
        trees.active.get(root).map(|active| active.due.notify_one()).is_some()
    }

    fn wake_all(&self) {
        self.trees.lock().active.values().for_each(|active| active.due.notify_one());
    }

    fn call_all(&self, call: Call, concerns: impl Fn(&RunId, &Active) -> bool) {
        for (root, active) in &self.trees.lock().active {
            if concerns(root, active) {
                active.call.send_replace(call);
            }
        }
    }

    /// Leaves all trees to other workers, also those that begin to be driven from now on.
    fn leave_all(&self) {
        self.trees.lock().is_ending = true;
        self.call_all(Call::Leave, |_, _| true);
    }

    fn is_ending(&self) -> bool {
        self.trees.lock().is_ending
    }

    /// Extends the leases. Those that could not be extended in time are lost, even if no other worker has them.
    async fn keep_leases(self: Arc<Self>) {
        let mut noted = Instant::now();
        let mut expires = Instant::now() + self.lease;
        let mut extend = interval(self.lease / 4);
        extend.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            extend.tick().await;
            let begun = Instant::now();
            if begun.duration_since(noted) >= NOTE_INTERVAL
                && self.database.note_worker(self.id).await.is_ok()
            {
                noted = begun;
            }
            // Not those that this worker gave up.
            let roots: Vec<RunId> = self.trees.lock().active.keys().cloned().collect();
            match timeout_at(expires, self.database.extend_leases(self.id.id, self.lease, &roots)).await {
                Ok(Ok(leases)) => {
                    expires = begun + self.lease;
                    let is_extended = |root: &RunId, active: &Active| {
                        leases.iter().any(|lease| lease.root == *root && lease.epoch == active.epoch)
                    };
                    // One that was claimed meanwhile need not be among them.
                    self.call_all(Call::Lost, |root, active| {
                        active.since < begun && !is_extended(root, active)
                    });
                }
                Ok(Err(error)) => eprintln!("warning: {}", ErrorReply::from(error)),
                Err(_) => {
                    self.call_all(Call::Lost, |_, _| true);
                    expires = Instant::now() + self.lease;
                }
            }
        }
    }
}
