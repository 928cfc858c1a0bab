//! `lens.compare`.

use std::sync::Arc;

use plait_core::id::RunId;
use plait_insight::comparison::{RunComparison, compare};
use plait_insight::lineage::RecordedRun;
use plait_store::Store;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
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
        let store = &service.store;
        // Reading takes longer than comparing.
        let reads = [self.before, self.after].map(|run| {
            let store = store.clone();
            run_blocking(move || read(&store, run))
        });
        let [before, after] = reads;
        let (before, after) = futures::try_join!(before, after)?;
        let store = store.clone();
        run_blocking(move || {
            let load = |run: &RunId| read(&store, run.clone()).ok().map(Arc::new);
            let compared = compare(&before, &after, &load);
            // As many values as were read are freed.
            spawn_blocking(move || drop((before, after)));
            Ok(compared)
        })
        .await
    }
}

/// Blocks.
pub(super) fn read(store: &Store, run: RunId) -> Result<RecordedRun, ErrorReply> {
    let record = store.run(&run)?;
    let flow = recorded_flow(store, &record.flow.hash).ok();
    let entries = read_entries(store, &run)?;
    Ok(RecordedRun::new(run, &entries, flow))
}
