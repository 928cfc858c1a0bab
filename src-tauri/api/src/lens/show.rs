//! `lens.show`.

use plait_core::id::{NodeId, RunId};
use plait_insight::lens::LensCall;
use plait_run::view::RunStatus;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_lens};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.show`: the model calls of a run in their order, each with the messages as they were sent. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowPrompts {
    /// The run.
    pub run: RunId,
    /// Only calls of this node.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
}

/// The model calls of a run.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptsOfRun {
    pub run: RunId,
    pub flow_name: String,
    pub status: RunStatus,
    pub calls: Vec<LensCall>,
}

impl Command for ShowPrompts {
    const NAME: &'static str = "lens.show";
    type Service = LensService;
    type Reply = PromptsOfRun;

    async fn run(self, service: &LensService) -> Result<PromptsOfRun, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            let record = store.run(&self.run)?;
            let calls = read_lens(&store, &self.run)?.calls(self.node.as_ref());
            Ok(PromptsOfRun { run: self.run, flow_name: record.flow.name, status: record.status, calls })
        })
        .await
    }
}
