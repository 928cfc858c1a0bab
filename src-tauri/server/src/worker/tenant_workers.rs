//! The workers of a process: one for each tenant in its data directory, or for those that its options name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plait_api::{ErrorReply, confine_projects};
use plait_host_store::{TenantName, WorkerId};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use uuid::Uuid;

use super::Worker;
use super::restate_endpoint::{EndpointOptions, RestateEndpoint, Workers};
use crate::codes;
use crate::end_signals::EndSignals;
use crate::tenant_folders::{TenantFolders, mark};

/// How often tenants are looked for that were added, or could not be opened.
const TENANTS_INTERVAL: Duration = Duration::from_secs(10);

pub(crate) struct WorkerOptions {
    pub(crate) id: WorkerId,
    pub(crate) home: PathBuf,
    /// The address of the database.
    pub(crate) database: String,
    /// Whose runs it drives: those of all tenants in the data directory, if there are none here.
    pub(crate) tenants: Vec<TenantName>,
    /// The folder with the flows of the default tenant, and the one with those of the others, as the host has them.
    pub(crate) flows: Option<PathBuf>,
    pub(crate) tenant_flows: Option<PathBuf>,
    /// How long a lease lasts: after that time others take over what a dead worker drove.
    pub(crate) lease: Duration,
    /// How many run trees of each tenant it drives at once: none has to wait for another one's.
    pub(crate) max_runs: u32,
    /// Where Restate says which trees it drives. Without it, it takes those that have work.
    pub(crate) restate: Option<EndpointOptions>,
}

impl WorkerOptions {
    /// The identity of this process, whose engine has a revision.
    pub(crate) fn new_id(revision: u32) -> WorkerId {
        WorkerId { id: Uuid::now_v7(), revision }
    }

    /// Lets the flows of a tenant reach no files of others.
    fn confine(&self, tenant: &TenantName, home: &Path) {
        match (&self.flows, &self.tenant_flows) {
            (Some(flows), _) if tenant.is_default() => confine_projects(flows),
            (None, _) if tenant.is_default() => {}
            (_, Some(flows)) => confine_projects(&flows.join(tenant.as_str())),
            (_, None) => confine_projects(&home.join("host").join("flows")),
        }
    }
}

/// Works until the process is asked to end. The errors of opening the data directories and the database, and `host.own_runs`.
pub(crate) async fn work(options: WorkerOptions) -> Result<(), ErrorReply> {
    let mut signals = EndSignals::listen()?;
    let (end, ended) = watch::channel(false);
    let mut workers = TenantWorkers {
        folders: TenantFolders::of(&options.home),
        options,
        working: JoinSet::new(),
        started: Workers::default(),
        ended,
    };
    let started = workers.start().await.and_then(|()| {
        println!("worker {}", workers.options.id.id);
        let WorkerOptions { restate, max_runs, .. } = &workers.options;
        let serve = |restate| RestateEndpoint::serve(restate, *max_runs, Arc::clone(&workers.started));
        restate.as_ref().map(serve).transpose()
    });
    let (outcome, endpoint) = match started {
        Ok(endpoint) => {
            let outcome = tokio::select! {
                () = signals.next() => Ok(()),
                stopped = workers.keep() => stopped,
            };
            (outcome, endpoint)
        }
        Err(error) => (Err(error), None),
    };
    eprintln!("Ending: no more runs are taken.");
    // First: what a tree is left to is asked elsewhere.
    if let Some(endpoint) = &endpoint {
        endpoint.close();
    }
    end.send_replace(true);
    let joined = workers.join().await;
    if let Some(endpoint) = endpoint {
        endpoint.closed().await;
    }
    outcome.and(joined)
}

struct TenantWorkers {
    options: WorkerOptions,
    folders: TenantFolders,
    working: JoinSet<Result<(), ErrorReply>>,
    started: Workers,
    /// Whether the process is asked to end.
    ended: watch::Receiver<bool>,
}

impl TenantWorkers {
    /// Starts those that the options name, or those of all tenants. A tenant that is neither named nor the default one may be opened later.
    async fn start(&mut self) -> Result<(), ErrorReply> {
        let named = self.options.tenants.clone();
        if !named.is_empty() {
            for name in &named {
                self.start_one(name).await?;
            }
            return Ok(());
        }
        self.start_one(&TenantName::default()).await?;
        self.start_others().await;
        Ok(())
    }

    /// Starts those of tenants that were added. Resolves with the error of one that stopped.
    async fn keep(&mut self) -> Result<(), ErrorReply> {
        let mut look = interval(TENANTS_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                Some(stopped) = self.working.join_next() => return joined(stopped),
                _ = look.tick() => {}
            }
            if self.options.tenants.is_empty() {
                self.start_others().await;
            }
        }
    }

    async fn start_others(&mut self) {
        let names = match self.folders.list() {
            Ok(names) => names,
            Err(error) => return eprintln!("warning: {error}"),
        };
        for name in names {
            if self.started.read().contains_key(&name) {
                continue;
            }
            if let Err(error) = self.start_one(&name).await {
                eprintln!("warning: {}{error}", mark(&name));
            }
        }
    }

    async fn start_one(&mut self, name: &TenantName) -> Result<(), ErrorReply> {
        if self.started.read().contains_key(name) {
            return Ok(());
        }
        let home = self.folders.find(name)?;
        self.options.confine(name, &home);
        let worker = Worker::open(&self.options, name, &home).await?;
        self.started.write().insert(name.clone(), Arc::clone(&worker));
        let mut ended = self.ended.clone();
        self.working.spawn(async move {
            // Without a sender it has ended.
            let asked_to_end = async move { drop(ended.wait_for(|ended| *ended).await) };
            let outcome = Arc::clone(&worker).work(asked_to_end).await;
            let closed = worker.close().await;
            outcome.and(closed)
        });
        Ok(())
    }

    /// Resolves when all of them have ended.
    async fn join(mut self) -> Result<(), ErrorReply> {
        let mut outcome = Ok(());
        while let Some(stopped) = self.working.join_next().await {
            outcome = outcome.and(joined(stopped));
        }
        outcome
    }
}

fn joined(stopped: Result<Result<(), ErrorReply>, tokio::task::JoinError>) -> Result<(), ErrorReply> {
    stopped.unwrap_or_else(|error| {
        Err(ErrorReply::new(codes::COMMAND_REPLY, format!("The worker could not go on: {error}.")))
    })
}
