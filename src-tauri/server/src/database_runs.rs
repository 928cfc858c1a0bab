//! Runs of a host with a database: workers drive them, and the host asks and tells.
//!
//! | a command about such a run | |
//! |---|---|
//! | changes it | is a request in the database, for the worker that has its lease or takes it |
//! | only reads it | reads a copy ([`RunCopies`]) |
//! | does anything else | is refused |

use std::path::Path;
use std::time::Duration;

use plait_api::ErrorReply;
use plait_api::runs::RunRequest;
use plait_core::id::{ConversationId, RunId};
use plait_host_store::{Database, Notice, Outcome, Topic};
use serde_json::Value;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::blocking::blocking;
use crate::codes;
use crate::run_copies::RunCopies;

/// The command that begins a run.
pub(crate) const START: &str = "run.start";
/// The command that begins a conversation.
const OPEN_CONVERSATION: &str = "conversations.open";
/// The connections of a host: it sends short statements alone.
const CONNECTIONS: u32 = 8;
/// How often what no notice named is looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How many notices a waiting request may be behind before it looks without.
const MAX_NOTICES: usize = 1024;
/// How long a worker that has said nothing counts as there.
const WORKER_TIMEOUT: Duration = Duration::from_mins(1);

/// The commands that workers execute for a run.
const CHANGES: [&str; 16] = [
    "run.answer",
    "run.end",
    "run.pin",
    "run.cancel",
    "run.resume",
    "run.stop",
    "run.go",
    "run.continueAll",
    "run.setBreakpoints",
    "run.putBreakpoint",
    "run.dropBreakpoint",
    "run.changeValue",
    "run.editHistory",
    "run.forceWay",
    "run.tryConfig",
    "run.dropTrials",
];

/// The commands that only read a run.
const READS: [&str; 11] = [
    "run.held",
    "run.heldHistory",
    "run.nodeConfig",
    "runs.show",
    "lens.list",
    "lens.show",
    "lens.trace",
    "lens.turns",
    "lens.lineage",
    "lens.evaluate",
    "lens.request",
];

/// The commands about a conversation that only read it.
const CONVERSATION_READS: [&str; 2] = ["conversations.get", "conversations.messages"];

/// What a command about something in the database leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Change,
    Read,
    Refused,
}

impl Way {
    fn of(command: &str) -> Self {
        if CHANGES.contains(&command) {
            Self::Change
        } else if READS.contains(&command) {
            Self::Read
        } else {
            Self::Refused
        }
    }
}

/// Something happened to a tree, or anything may have.
#[derive(Clone, Debug)]
pub(crate) enum TreeNotice {
    /// It has come to rest, or a request was answered.
    Rest(RunId),
    /// It has new records.
    Events(RunId),
    Missed,
}

impl TreeNotice {
    pub(crate) fn concerns(&self, tree: &RunId) -> bool {
        match self {
            Self::Rest(root) | Self::Events(root) => root == tree,
            Self::Missed => true,
        }
    }
}

/// How a run that workers drive stands.
pub(crate) enum Standing {
    /// A worker drives it, or will.
    GoesOn,
    /// It waits for a person, or has ended: its state.
    Rests(Value),
}

#[derive(Clone)]
pub(crate) struct DatabaseRuns {
    database: Database,
    copies: RunCopies,
    notices: broadcast::Sender<TreeNotice>,
}

impl DatabaseRuns {
    /// Connects to the database. Copies of what it has are in the folder. `host.database`, and the errors of opening a data directory.
    pub(crate) async fn open(url: &str, copies: &Path) -> Result<Self, ErrorReply> {
        let database = Database::open(url, CONNECTIONS).await?;
        let copies = RunCopies::open(copies, database.clone())?;
        let (sender, _) = broadcast::channel(MAX_NOTICES);
        let mut received = database.notices(&[Topic::Rest, Topic::Events]).await?;
        let notices = sender.clone();
        tokio::spawn(async move {
            loop {
                let notice = match received.next().await {
                    Ok(Notice::Rest(root)) => TreeNotice::Rest(root),
                    Ok(Notice::Events(root)) => TreeNotice::Events(root),
                    Ok(Notice::Due(_) | Notice::Missed) => TreeNotice::Missed,
                    // Until the database is back, requests look now and then.
                    Err(_) => {
                        tokio::time::sleep(LOOK_INTERVAL).await;
                        TreeNotice::Missed
                    }
                };
                // Without a receiver nobody waits.
                let _ = sender.send(notice);
            }
        });
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

    /// What happens to trees from now on.
    pub(crate) fn notices(&self) -> broadcast::Receiver<TreeNotice> {
        self.notices.subscribe()
    }

    /// Has new records of a tree announced for a while.
    pub(crate) async fn watch(&self, root: &RunId, duration: Duration) -> Result<(), ErrorReply> {
        Ok(self.database.watch_tree(root, duration).await?)
    }

    /// Adds a run, unless it is there, and waits until a worker has begun it. The errors of `run.start`, and `conversation.busy` while
    /// another run of its conversation waits for a person.
    pub(crate) async fn begin(&self, run: &RunId, request: &RunRequest) -> Result<(), ErrorReply> {
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
        let request = self.database.begin(run, request.conversation.as_ref(), START, &arguments).await?;
        self.outcome(run, request).await.map(|_| ())
    }

    /// Executes a command about something that is in the database; `None` if it is about nothing there. `host.not_in_database` for what
    /// only the files of one machine can do.
    pub(crate) async fn execute(&self, command: &str, args: &Value) -> Option<Result<Value, ErrorReply>> {
        if command == OPEN_CONVERSATION {
            return Some(self.open_conversation(args).await);
        }
        match self.target_of(command, args).await {
            Ok(None) => None,
            Ok(Some(Target::Run(root))) => Some(self.execute_for(&root, command, args).await),
            Ok(Some(Target::Conversation(id))) => Some(self.execute_about(&id, command, args).await),
            Err(error) => Some(Err(error)),
        }
    }

    /// What the arguments of a command name, if it is in the database.
    async fn target_of(&self, command: &str, args: &Value) -> Result<Option<Target>, ErrorReply> {
        if let Some(root) = self.root_named_in(args).await? {
            return Ok(Some(Target::Run(root)));
        }
        let conversation = args["conversation"].as_str().filter(|_| command.starts_with("conversations."));
        let Some(conversation) = conversation.map(|id| ConversationId::from(id.to_owned())) else {
            return Ok(None);
        };
        let size = self.database.conversation_size(&conversation).await?;
        Ok(size.map(|_| Target::Conversation(conversation)))
    }

    async fn execute_for(&self, root: &RunId, command: &str, args: &Value) -> Result<Value, ErrorReply> {
        match Way::of(command) {
            Way::Change => {
                let request = self.database.request(root, command, &args.to_string()).await?;
                self.outcome(root, request).await
            }
            Way::Read => self.copies.execute(root, command, args.clone()).await,
            Way::Refused => Err(not_in_database(&format!("`{command}` for runs that workers drive"))),
        }
    }

    async fn execute_about(
        &self,
        conversation: &ConversationId,
        command: &str,
        args: &Value,
    ) -> Result<Value, ErrorReply> {
        if !CONVERSATION_READS.contains(&command) {
            return Err(not_in_database(&format!("`{command}` for conversations that workers continue")));
        }
        self.copies.copy_conversation(conversation).await?;
        plait_api::dispatch(self.copies.plait(), command, args.clone()).await
    }

    /// Begins a conversation in the database, always a new one.
    async fn open_conversation(&self, args: &Value) -> Result<Value, ErrorReply> {
        let mut args = args.clone();
        if let Some(args) = args.as_object_mut() {
            args.insert("new".to_owned(), Value::Bool(true));
        }
        let opened = plait_api::dispatch(self.copies.plait(), OPEN_CONVERSATION, args).await?;
        let id = ConversationId::from(opened["id"].as_str().unwrap_or_default().to_owned());
        let (store, conversation) = (self.copies.plait().store().clone(), id.clone());
        let bytes = blocking(move || Ok(store.conversation_bytes(&conversation)?)).await?;
        self.database.put_conversation(&id, &bytes).await?;
        Ok(opened)
    }

    /// The root of the tree of the run that the arguments of a command name; none if it is not in the database.
    async fn root_named_in(&self, args: &Value) -> Result<Option<RunId>, ErrorReply> {
        match args["run"].as_str() {
            Some(run) => self.root_of(&run.to_owned().into()).await,
            None => Ok(None),
        }
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
        let mut notices = self.notices();
        loop {
            if let Standing::Rests(state) = self.standing(root).await? {
                return Ok(state);
            }
            notice_of(&mut notices, root).await;
        }
    }

    async fn outcome(&self, root: &RunId, request: Uuid) -> Result<Value, ErrorReply> {
        let mut notices = self.notices();
        let unreadable = |error: serde_json::Error| {
            ErrorReply::new(codes::COMMAND_REPLY, format!("A worker's answer cannot be read: {error}."))
        };
        loop {
            match self.database.outcome(request).await? {
                Some(Outcome::Reply(reply)) => return serde_json::from_str(&reply).map_err(unreadable),
                Some(Outcome::Error(error)) => return Err(serde_json::from_str(&error).map_err(unreadable)?),
                None => self.refuse_without_worker(root).await?,
            }
            notice_of(&mut notices, root).await;
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

/// What a command is about.
enum Target {
    /// The root of the tree.
    Run(RunId),
    Conversation(ConversationId),
}

/// Resolves when the tree may have come to rest, or after a while.
async fn notice_of(notices: &mut broadcast::Receiver<TreeNotice>, root: &RunId) {
    let notice = async {
        loop {
            match notices.recv().await {
                Ok(TreeNotice::Rest(other)) if other != *root => {}
                Ok(TreeNotice::Events(_)) => {}
                Ok(TreeNotice::Rest(_) | TreeNotice::Missed) | Err(_) => return,
            }
        }
    };
    // Looking without a notice is right as well.
    let _ = tokio::time::timeout(LOOK_INTERVAL, notice).await;
}

/// The refusal of what needs the files of one machine.
pub(crate) fn not_in_database(what: &str) -> ErrorReply {
    ErrorReply::new(codes::HOST_NOT_IN_DATABASE, format!("A host with `--database` has no {what}."))
        .hint("Use a host with `--embedded`, or take a run to a data directory: `plait-server runs export`.")
}
