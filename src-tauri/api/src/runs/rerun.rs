//! `run.rerun`: runs again what a run ran, or an edited flow, as a fork that reuses what still matches; and `run.bill`, what that costs.

use plait_core::flow::{Flow, TreeLimits};
use plait_core::id::RunId;
use plait_insight::bill::Bill;
use plait_run::grant::GrantRule;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::request::{EditedFlow, NewRun};
use super::service::RunService;
use super::start::StartedRun;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// What is run again.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RerunRequest {
    /// The run to repeat. It stays as it is.
    pub run: RunId,
    /// The flow to run in place of the one that it ran.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<Flow>,
    /// The file of that flow, if it has one.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// What the person decided beside what the earlier run was allowed. `grant.needed` when an edited flow needs more.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<GrantRule>>")]
    pub grants: Vec<GrantRule>,
}

/// `run.rerun`: a new run from the beginning, with the inputs and settings of the earlier one. Replies, results of tools and answers
/// are taken from it where the requests are equal, each once, wherever in the flow they are made now. What it says belongs to no
/// conversation if the flow is edited. `run.busy` while the earlier run is active, `run.is_child` for child runs, `flow.invalid`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RerunRun(pub RerunRequest);

impl Command for RerunRun {
    const NAME: &'static str = "run.rerun";
    type Service = RunService;
    type Reply = StartedRun;

    async fn run(self, service: &RunService) -> Result<StartedRun, ErrorReply> {
        Ok(StartedRun { run: service.rerun(self.0).await? })
    }
}

/// `run.bill`: what such a run reuses, buys, does outside and asks, before it starts. Calls nobody. The errors are those of `run.rerun`,
/// without those of grants.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct BillRerun(pub RerunRequest);

impl Command for BillRerun {
    const NAME: &'static str = "run.bill";
    type Service = RunService;
    type Reply = Bill;

    async fn run(self, service: &RunService) -> Result<Bill, ErrorReply> {
        service.bill(self.0).await
    }
}

impl RunService {
    async fn rerun(&self, request: RerunRequest) -> Result<RunId, ErrorReply> {
        let (earlier, edit) = self.check_rerun(request).await?;
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_new(&run, self.limits_of_fork(&earlier, edit.as_deref()).await?);
        self.start_as(&run, NewRun::ForkOf { earlier, edit, inputs: None }, None, host).await?;
        // Once a caller has the id, the run must survive a crash.
        self.parts.store.flush().await?;
        Ok(run)
    }

    async fn bill(&self, request: RerunRequest) -> Result<Bill, ErrorReply> {
        let (earlier, edit) = self.check_rerun(request).await?;
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_rehearsal(&run, self.limits_of_fork(&earlier, edit.as_deref()).await?);
        let launch = self.launch(&run, &self.active.broadcast(&run), &host);
        let access = self.file_access.clone();
        run_blocking(move || launch.bill(&earlier, edit, access)).await
    }

    async fn limits_of_fork(
        &self,
        earlier: &RunId,
        edit: Option<&EditedFlow>,
    ) -> Result<Option<TreeLimits>, ErrorReply> {
        match edit {
            Some(edit) => Ok(edit.flow.settings.limits.clone()),
            None => self.limits_of(earlier).await,
        }
    }

    /// The run to repeat and the edited flow, if both can be run.
    async fn check_rerun(
        &self,
        request: RerunRequest,
    ) -> Result<(RunId, Option<Box<EditedFlow>>), ErrorReply> {
        let RerunRequest { run, flow, path, grants } = request;
        self.check_root_at_rest(&run).await?;
        let Some(flow) = flow else { return Ok((run, None)) };
        let start = super::RunRequest { flow, path, ..super::RunRequest::default() };
        let super::RunRequest { flow, path, .. } = self.check_start(start).await?;
        Ok((run, Some(Box::new(EditedFlow { flow, path, grants }))))
    }
}
