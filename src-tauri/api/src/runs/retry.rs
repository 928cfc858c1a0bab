//! `run.retry`: continues a run that has stopped for good as a new run, a fork without edits; and what that will reuse.

use std::collections::HashSet;

use plait_core::id::RunId;
use plait_run::earlier_run::{EarlierRun, RetryForecast};
use plait_run::journal::Entry;
use plait_run::view::RunStatus;
use plait_store::Store;
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
/// `run.busy` while the run is active.
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

/// `run.retry_forecast`: what a retry of a run, and of the runs that it started, reuses and buys again, as far as that is known
/// before it runs. Starts nothing. The errors are those of `run.retry`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForecastRetry {
    /// The run that is to be retried.
    pub run: RunId,
}

impl Command for ForecastRetry {
    const NAME: &'static str = "run.retry_forecast";
    type Service = RunService;
    type Reply = RetryForecast;

    async fn run(self, service: &RunService) -> Result<RetryForecast, ErrorReply> {
        service.check_retryable(&self.run).await?;
        let store = service.parts.store.clone();
        run_blocking(move || forecast(&store, &self.run)).await
    }
}

/// Reads the journals of a run and of the runs that its retry forks. An unreadable child run counts for nothing: its
/// retry could take nothing from it either.
fn forecast(store: &Store, root: &RunId) -> Result<RetryForecast, ErrorReply> {
    let mut sum = RetryForecast::default();
    let mut seen = HashSet::from([root.clone()]);
    let mut queue = vec![root.clone()];
    while let Some(run) = queue.pop() {
        let entries: Vec<Entry> = match store.read_damaged_journal(&run) {
            Ok(entries) => entries.filter_map(Result::ok).collect(),
            Err(fault) if run == *root => return Err(fault.into()),
            Err(_) => continue,
        };
        let earlier = EarlierRun::of(&run, &entries);
        sum += RetryForecast::of(&earlier, &entries);
        // The records of a damaged store could form a circle.
        queue.extend(earlier.children().filter(|child| seen.insert((*child).clone())).cloned());
    }
    Ok(sum)
}

impl RunService {
    async fn retry(&self, earlier: &RunId) -> Result<RunId, ErrorReply> {
        self.check_retryable(earlier).await?;
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_new(&run, self.limits_of(earlier).await?);
        let fork = NewRun::ForkOf { earlier: earlier.clone(), inputs: None };
        self.start_as(&run, fork, None, host).await?;
        // Once a caller has the id, the run must survive a crash.
        self.parts.store.flush().await?;
        Ok(run)
    }

    async fn check_retryable(&self, run: &RunId) -> Result<(), ErrorReply> {
        let (store, id) = (self.parts.store.clone(), run.clone());
        let record = run_blocking(move || Ok(store.run(&id)?)).await?;
        if self.is_driven(&record) {
            return Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {run} is still active."))
                .hint("Wait for its end, or cancel it first."));
        }
        if let Some(root) = self.root_of(&record).await? {
            return Err(not_retryable(
                format!("Run {run} is part of run {root}."),
                format!("Retry that run: plait retry {root}"),
            ));
        }
        match record.status {
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
