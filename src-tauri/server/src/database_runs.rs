//! Runs of a host with a database: workers drive them, and the host asks and tells. What it reads of them are copies ([`RunCopies`]).

use std::path::Path;
use std::time::Duration;

use plait_api::ErrorReply;
use plait_api::runs::RunRequest;
use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_host_store::{Database, Outcome, TenantName};
use serde_json::Value;
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use crate::board::{listing_of, summary_of_new};
use crate::codes;
use crate::run_copies::RunCopies;
use crate::tenant_folders::options_of;
use crate::tree_notices::{TreeNotice, TreeNotices};

/// The command that begins a run.
pub(crate) const START: &str = "run.start";
/// The connections of a host: it sends short statements alone.
const CONNECTIONS: u32 = 8;
/// The same for each tenant beside the default one.
const TENANT_CONNECTIONS: u32 = 4;
/// How often what no notice named is looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a worker that has said nothing counts as there.
const WORKER_TIMEOUT: Duration = Duration::from_mins(1);

/// How a run that workers drive stands.
pub(crate) enum Standing {
    /// A worker drives it, or will.
    GoesOn,
    /// It waits for a person, or has ended: its state.
    Rests(Value),
}

#[derive(Clone)]
pub(crate) struct DatabaseRuns {
    pub(crate) database: Database,
    copies: RunCopies,
    notices: TreeNotices,
}

impl DatabaseRuns {
    /// Connects to the database. Copies of what it has are in the folder. `host.database`, and the errors of opening a data directory.
    pub(crate) async fn open(url: &str, copies: &Path, tenant: &TenantName) -> Result<Self, ErrorReply> {
        let connections = if tenant.is_default() { CONNECTIONS } else { TENANT_CONNECTIONS };
        let database = Database::open(url, connections, tenant).await?;
        let copies = RunCopies::open(options_of(tenant, copies), database.clone())?;
        let notices = TreeNotices::listen(&database).await?;
        Ok(Self { database, copies, notices })
    }

    pub(crate) async fn close(&self) -> Result<(), ErrorReply> {
        let closed = self.copies.close().await;
        self.database.close().await;
        closed
    }

    pub(crate) fn copies(&self) -> &RunCopies {
        &self.copies
    }

    /// What happens to a tree from now on.
    pub(crate) fn notices(&self, root: &RunId) -> broadcast::Receiver<TreeNotice> {
        self.notices.of(root)
    }

    /// Says when the list of runs may have changed.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.notices.changes()
    }

    /// Resolves when trees may have got work since the last time.
    pub(crate) async fn due(&self) {
        self.notices.due().await;
    }

    /// Has new records of a tree, and what a run of it writes, announced for a while.
    pub(crate) async fn watch(
        &self,
        root: &RunId,
        run: &RunId,
        duration: Duration,
    ) -> Result<(), ErrorReply> {
        self.database.watch_tree(root, duration).await?;
        Ok(self.database.announce_watch(root, run).await?)
    }

    /// Adds a run, unless it is there, and waits until a worker has begun it. The errors of `run.start`, and `conversation.busy` while
    /// another run of its conversation waits for a person.
    pub(crate) async fn begin(
        &self,
        run: &RunId,
        request: &RunRequest,
        user: UserName,
    ) -> Result<(), ErrorReply> {
        if let Some(conversation) = &request.conversation
            && let Some(run) = self.database.waiting_in(conversation).await?.filter(|waiting| waiting != run)
        {
            let message = format!("Run {run} of this conversation has not ended, and waits for a person.");
            return Err(ErrorReply::new(codes::CONVERSATION_BUSY, message)
                .hint("Answer it (`run.answer`) or cancel it (`run.cancel`) first."));
        }
        let arguments = serde_json::to_string(request).map_err(|error| {
            ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("The run cannot be written: {error}."))
        })?;
        let listing = listing_of(&summary_of_new(run, request, user))?;
        let conversation = request.conversation.as_ref();
        let request = self.database.begin(run, conversation, (START, &arguments), &listing).await?;
        self.outcome(run, request).await.map(|_| ())
    }

    /// The root of the tree of a run; none if it is not in the database.
    pub(crate) async fn root_of(&self, run: &RunId) -> Result<Option<RunId>, ErrorReply> {
        match self.database.root_of(run).await {
            Ok(root) => Ok(Some(root)),
            Err(fault) if fault.code == codes::RUN_UNKNOWN || fault.code == codes::RUN_BAD_ID => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }

    /// How a run stands. `run.unknown`.
    pub(crate) async fn standing(&self, root: &RunId) -> Result<Standing, ErrorReply> {
        let tree = self.database.tree_state(root).await?;
        let unknown = || ErrorReply::new(codes::RUN_UNKNOWN, format!("There is no run `{root}`."));
        let tree = tree.ok_or_else(unknown)?;
        let is_begun = tree.is_due || self.database.size(root).await? > 0;
        match tree.state.filter(|_| !tree.is_due) {
            Some(state) => serde_json::from_str(&state).map(Standing::Rests).map_err(|error| {
                ErrorReply::new(
                    codes::COMMAND_REPLY,
                    format!("The state of run {root} cannot be read: {error}."),
                )
            }),
            None if is_begun => Ok(Standing::GoesOn),
            // It could not be started.
            None => Err(unknown()),
        }
    }

    /// The state of a run that waits for a person or has ended, once it does. `run.unknown`.
    pub(crate) async fn rest(&self, root: &RunId) -> Result<Value, ErrorReply> {
        let mut notices = self.notices(root);
        loop {
            if let Standing::Rests(state) = self.standing(root).await? {
                return Ok(state);
            }
            rest_notice(&mut notices).await;
        }
    }

    /// The same. If that is `known`: once it does so again, in another state.
    pub(crate) async fn next_rest(&self, root: &RunId, known: Option<&Value>) -> Result<Value, ErrorReply> {
        let mut notices = self.notices(root);
        loop {
            let state = self.rest(root).await?;
            if Some(&state) != known {
                return Ok(state);
            }
            rest_notice(&mut notices).await;
        }
    }

    /// What a request leads to.
    pub(crate) async fn outcome(&self, root: &RunId, request: Uuid) -> Result<Value, ErrorReply> {
        let mut notices = self.notices(root);
        let unreadable = |error: serde_json::Error| {
            ErrorReply::new(codes::COMMAND_REPLY, format!("A worker's answer cannot be read: {error}."))
        };
        loop {
            match self.database.outcome(request).await? {
                Some(Outcome::Reply(reply)) => return serde_json::from_str(&reply).map_err(unreadable),
                Some(Outcome::Error(error)) => return Err(serde_json::from_str(&error).map_err(unreadable)?),
                None => self.refuse_without_worker(root).await?,
            }
            rest_notice(&mut notices).await;
        }
    }

    /// `host.newer_worker` if only a newer worker than all that are there can go on with a tree.
    async fn refuse_without_worker(&self, root: &RunId) -> Result<(), ErrorReply> {
        let Some(lacking) = self.database.lacks_worker(root, WORKER_TIMEOUT).await? else { return Ok(()) };
        let (needed, newest) = (lacking.needed, lacking.newest.unwrap_or_default());
        let message = format!(
            "Run {root} was driven by revision {needed} of the engine, and the newest worker has revision {newest}."
        );
        Err(ErrorReply::new(codes::HOST_NEWER_WORKER, message)
            .hint("Start a worker of that version. It executes what was asked."))
    }
}

/// Resolves when the tree may have come to rest, or after a while.
async fn rest_notice(notices: &mut broadcast::Receiver<TreeNotice>) {
    let notice = async { while let Ok(TreeNotice::Events | TreeNotice::Text(_)) = notices.recv().await {} };
    // Looking without a notice is right as well.
    let _ = tokio::time::timeout(LOOK_INTERVAL, notice).await;
}
