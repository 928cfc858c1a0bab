//! `run.retry`: continues a run that has stopped for good as a new run, a fork without edits.

use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_store::record::RunRecord;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::request::NewRun;
use super::service::RunService;
use super::start::StartedRun;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `run.retry`: runs again what a run ran, in a new run that takes over replies, tool results and answers, so that nothing is
/// bought, called or asked twice. For runs that failed, were canceled or cannot be resumed; `run.not_retryable` for others,
/// `run.is_child` for child runs, `run.busy` while the run is active.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RetryRun {
    /// The run to retry. It stays as it is.
    pub run: RunId,
}

impl Command for RetryRun {
    const NAME: &'static str = "run.retry";
    type Service = RunService;
    type Reply = StartedRun;

    async fn run(self, service: &RunService) -> Result<StartedRun, ErrorReply> {
        Ok(StartedRun { run: service.retry(&self.run).await? })
    }
}

impl RunService {
    async fn retry(&self, earlier: &RunId) -> Result<RunId, ErrorReply> {
        self.check_retryable(earlier).await?;
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_new(&run, self.limits_of(earlier).await?);
        let fork = NewRun::ForkOf { earlier: earlier.clone(), edits: Box::default(), inputs: None };
        self.start_as(&run, fork, None, host).await?;
        // Once a caller has the id, the run must survive a crash.
        self.parts.store.flush().await?;
        Ok(run)
    }

    /// The record of a run that nobody drives and no other run started. `run.unknown`, `run.busy`, `run.is_child`.
    pub(super) async fn check_root_at_rest(&self, run: &RunId) -> Result<RunRecord, ErrorReply> {
        let (store, id) = (self.parts.store.clone(), run.clone());
        let record = run_blocking(move || Ok(store.run(&id)?)).await?;
        if self.is_driven(&record) {
            return Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {run} is still active."))
                .hint("Wait for its end, or cancel it first."));
        }
        self.check_is_root(&record).await?;
        Ok(record)
    }

    /// `run.is_child` for a run that another one started.
    pub(super) async fn check_is_root(&self, record: &RunRecord) -> Result<(), ErrorReply> {
        if let Some(root) = self.root_of(record).await? {
            let run = &record.run;
            let message = format!("Run {run} is part of run {root}.");
            return Err(ErrorReply::new(codes::RUN_IS_CHILD, message).hint(format!(
                "Repeat that run, `plait rerun {root}`, or say where in this one to begin: `--from`, `--at`."
            )));
        }
        Ok(())
    }

    async fn check_retryable(&self, run: &RunId) -> Result<(), ErrorReply> {
        match self.check_root_at_rest(run).await?.status {
            RunStatus::Failed | RunStatus::Cancelled => Ok(()),
            RunStatus::Finished => {
                Err(not_retryable(format!("Run {run} has finished."), "Run the flow again.".to_owned()))
            }
            RunStatus::Running | RunStatus::Waiting | RunStatus::Stopped | RunStatus::Interrupted => {
                let launch = self.launch(run, &self.active.broadcast(run), &self.host_of(run).await?);
                if run_blocking(move || launch.check_resumable()).await.is_ok() {
                    let hint = format!("Resume it: plait resume {run}");
                    return Err(not_retryable(format!("Run {run} has not ended."), hint));
                }
                Ok(())
            }
        }
    }

    /// The root of the tree that a child run is part of.
    async fn root_of(&self, record: &RunRecord) -> Result<Option<RunId>, ErrorReply> {
        if record.parent_run_id.is_none() {
            return Ok(None);
        }
        Ok(self.lineage(&record.run).await?.pop().map(|root| root.run))
    }
}

fn not_retryable(message: String, hint: String) -> ErrorReply {
    ErrorReply::new(codes::RUN_NOT_RETRYABLE, message).hint(hint)
}
