//! Runs of a host with a database: workers drive them, and the host asks and tells.

use std::time::Duration;

use plait_api::ErrorReply;
use plait_api::runs::RunRequest;
use plait_core::id::RunId;
use plait_host_store::{Database, Notice, Outcome};
use serde_json::Value;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::codes;

/// The command that begins a run.
pub(crate) const START: &str = "run.start";
/// The connections of a host: it sends short statements alone.
const CONNECTIONS: u32 = 8;
/// How often what no notice named is looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How many notices a waiting request may be behind before it looks without.
const MAX_NOTICES: usize = 1024;

/// The commands that workers execute for a run.
const COMMANDS: [&str; 4] = ["run.answer", "run.end", "run.cancel", "run.resume"];

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
    /// The trees that came to rest; none if any may have.
    rests: broadcast::Sender<Option<RunId>>,
}

impl DatabaseRuns {
    /// Connects to the database. `host.database`.
    pub(crate) async fn open(url: &str) -> Result<Self, ErrorReply> {
        let database = Database::open(url, CONNECTIONS).await?;
        let (rests, _) = broadcast::channel(MAX_NOTICES);
        let mut notices = database.notices().await?;
        let sender = rests.clone();
        tokio::spawn(async move {
            loop {
                let rest = match notices.next().await {
                    Ok(Notice::Due(_)) => continue,
                    Ok(Notice::Rest(root)) => Some(root),
                    Ok(Notice::Missed) => None,
                    // Until the database is back, requests look now and then.
                    Err(_) => {
                        tokio::time::sleep(LOOK_INTERVAL).await;
                        None
                    }
                };
                // Without a receiver nobody waits.
                let _ = sender.send(rest);
            }
        });
        Ok(Self { database, rests })
    }

    /// Whether workers execute the command.
    pub(crate) fn executes(command: &str) -> bool {
        COMMANDS.contains(&command)
    }

    /// Adds a run, and waits until a worker has begun it. The errors of `run.start`.
    pub(crate) async fn begin(&self, request: &RunRequest) -> Result<RunId, ErrorReply> {
        let run = RunId::from(Uuid::now_v7().to_string());
        let arguments = serde_json::to_string(request).map_err(|error| {
            ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("The run cannot be written: {error}."))
        })?;
        let request = self.database.begin(&run, START, &arguments).await?;
        self.outcome(&run, request).await.map(|_| run)
    }

    /// Has a worker execute a command for a run of this tree.
    pub(crate) async fn execute(
        &self,
        root: &RunId,
        command: &str,
        args: &Value,
    ) -> Result<Value, ErrorReply> {
        let request = self.database.request(root, command, &args.to_string()).await?;
        self.outcome(root, request).await
    }

    /// The root of the tree of the run that the arguments of a command name; none if it is not in the database.
    pub(crate) async fn root_named_in(&self, args: &Value) -> Result<Option<RunId>, ErrorReply> {
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
        let mut rests = self.rests.subscribe();
        loop {
            if let Standing::Rests(state) = self.standing(root).await? {
                return Ok(state);
            }
            notice_of(&mut rests, root).await;
        }
    }

    async fn outcome(&self, root: &RunId, request: Uuid) -> Result<Value, ErrorReply> {
        let mut rests = self.rests.subscribe();
        let unreadable = |error: serde_json::Error| {
            ErrorReply::new(codes::COMMAND_REPLY, format!("A worker's answer cannot be read: {error}."))
        };
        loop {
            match self.database.outcome(request).await? {
                Some(Outcome::Reply(reply)) => return serde_json::from_str(&reply).map_err(unreadable),
                Some(Outcome::Error(error)) => return Err(serde_json::from_str(&error).map_err(unreadable)?),
                None => notice_of(&mut rests, root).await,
            }
        }
    }
}

/// Resolves when the tree may have come to rest, or after a while.
async fn notice_of(rests: &mut broadcast::Receiver<Option<RunId>>, root: &RunId) {
    let notice = async {
        while let Ok(Some(other)) = rests.recv().await {
            if other == *root {
                break;
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
