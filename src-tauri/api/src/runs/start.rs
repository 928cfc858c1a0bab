//! `run.start`.

use plait_core::id::RunId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::request::RunRequest;
use super::service::RunService;
use crate::ErrorReply;
use crate::command::Command;

/// `run.start`: runs a flow. `flow.invalid` with `diagnostics` when the flow cannot run.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct StartRun(pub RunRequest);

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct StartedRun {
    pub run: RunId,
}

impl Command for StartRun {
    const NAME: &'static str = "run.start";
    type Service = RunService;
    type Reply = StartedRun;

    async fn run(self, service: &RunService) -> Result<StartedRun, ErrorReply> {
        Ok(StartedRun { run: service.start(self.0).await? })
    }
}
