//! `lens.compare`.

use std::sync::Arc;

use plait_core::id::RunId;
use plait_insight::comparison::{RunComparison, compare};
use plait_insight::lineage::RecordedRun;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_entries};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::text::recorded_flow;

/// `lens.compare`: what differs between two runs, with those of their sub-flows. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CompareRuns {
    /// The first run.
    pub before: RunId,
    /// The second run.
    pub after: RunId,
}

impl Command for CompareRuns {
    const NAME: &'static str = "lens.compare";
    type Service = LensService;
    type Reply = RunComparison;

    async fn run(self, service: &LensService) -> Result<RunComparison, ErrorReply> {
        service.catch_up().await;
        let store = service.store.clone();
        run_blocking(move || {
            let read = |run: &RunId| -> Result<RecordedRun, ErrorReply> {
                let record = store.run(run)?;
                let flow = recorded_flow(&store, &record.flow.hash).ok();
                Ok(RecordedRun::new(run.clone(), &read_entries(&store, run)?, flow))
            };
            let load = |run: &RunId| read(run).ok().map(Arc::new);
            Ok(compare(&read(&self.before)?, &read(&self.after)?, &load))
        })
        .await
    }
}
