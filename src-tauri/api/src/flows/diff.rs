//! `flow.diff`.

use plait_core::flow::Flow;
use plait_insight::flow_diff::FlowDiff;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::FlowService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `flow.diff`: what differs between two flows by meaning: moving a node is no difference, and renaming one is a single one.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DiffFlows {
    pub before: Flow,
    pub after: Flow,
}

impl Command for DiffFlows {
    const NAME: &'static str = "flow.diff";
    type Service = FlowService;
    type Reply = FlowDiff;

    async fn run(self, _: &FlowService) -> Result<FlowDiff, ErrorReply> {
        run_blocking(move || Ok(FlowDiff::between(&self.before, &self.after))).await
    }
}
