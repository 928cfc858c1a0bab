//! `lens.show`.

use plait_core::id::{Epoch, NodeId, RunId};
use plait_insight::lens::{CallFilter, LensCall};
use plait_journal::view::{PlacedNotice, RunStatus};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_lens};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.show`: the model calls of a run in their order, each with the messages as they were sent. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowPrompts {
    pub run: RunId,
    /// Only calls of this node.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// Only calls of activations in this iteration.
    #[serde(default)]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
    /// Only this call of each activation, from 0.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub call: Option<usize>,
}

/// The model calls of a run.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptsOfRun {
    pub run: RunId,
    pub flow_name: String,
    pub status: RunStatus,
    pub calls: Vec<LensCall>,
    /// What nodes without a model call did less well than asked. Others have theirs in their calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PlacedNotice>>")]
    pub notices: Vec<PlacedNotice>,
}

impl Command for ShowPrompts {
    const NAME: &'static str = "lens.show";
    type Service = LensService;
    type Reply = PromptsOfRun;

    async fn run(self, service: &LensService) -> Result<PromptsOfRun, ErrorReply> {
        service.catch_up().await;
        let store = service.store.clone();
        run_blocking(move || {
            let record = store.run(&self.run)?;
            let wanted = CallFilter { node: self.node, epoch: self.epoch, index: self.call };
            let lens = read_lens(&store, &self.run)?;
            let (calls, notices) = (lens.calls(&wanted), lens.notices_without_call(&wanted));
            Ok(PromptsOfRun {
                run: self.run,
                flow_name: record.flow.name,
                status: record.status,
                calls,
                notices,
            })
        })
        .await
    }
}
