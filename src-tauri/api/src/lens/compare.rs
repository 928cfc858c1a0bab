//! `lens.compare`.

use std::sync::Arc;

use plait_core::flow::LazyFlow;
use plait_core::id::RunId;
use plait_insight::comparison::{ComparedRun, RunComparison, compare};
use plait_insight::lineage::RecordedRun;
use plait_store::Store;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use ts_rs::TS;

use super::LensService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::text::{lazy_recorded_flow, recorded_flow};
use crate::runs::usage_of_tree;

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
        let known = {
            let (store, runs) = (store.clone(), [self.before.clone(), self.after.clone()]);
            run_blocking(move || {
                let known = |run: &RunId| -> Result<_, ErrorReply> {
                    Ok((store.run(run)?.flow.hash, usage_of_tree(&store, run)?))
                };
                Ok([known(&runs[0])?, known(&runs[1])?])
            })
        };
        let [(hash_before, used_before), (hash_after, used_after)] = known.await?;
        // Reading takes longer than comparing.
        let [before, after] = [self.before, self.after].map(|run| {
            let store = store.clone();
            run_blocking(move || read_journal(&store, run))
        });
        let (before, after, flows) =
            futures::try_join!(before, after, read_flows(store, [hash_before, hash_after]))?;
        let [of_before, of_after] = flows;
        let whole = |run: RecordedRun, flow, used| ComparedRun { run: Arc::new(run.with_flow(flow)), used };
        let (before, after) = (whole(before, of_before, used_before), whole(after, of_after, used_after));
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

type SharedFlow = Option<Arc<LazyFlow>>;

/// The flows with these hashes. Equal ones are read once, and only in part: they need not be compared. What can't be read is left out.
async fn read_flows(store: &Store, [before, after]: [String; 2]) -> Result<[SharedFlow; 2], ErrorReply> {
    let is_same = before == after;
    let read = |hash: String| {
        let store = store.clone();
        run_blocking(move || {
            let flow = if is_same {
                lazy_recorded_flow(&store, &hash)
            } else {
                recorded_flow(&store, &hash).map(LazyFlow::from)
            };
            Ok(flow.ok().map(Arc::new))
        })
    };
    if is_same {
        let flow = read(before).await?;
        return Ok([flow.clone(), flow]);
    }
    let (before, after) = futures::try_join!(read(before), read(after))?;
    Ok([before, after])
}

/// Blocks.
pub(super) fn read(store: &Store, run: RunId) -> Result<RecordedRun, ErrorReply> {
    let record = store.run(&run)?;
    let flow = recorded_flow(store, &record.flow.hash).ok();
    Ok(read_journal(store, run)?.with_flow(flow.map(|flow| Arc::new(flow.into()))))
}

/// A run without its flow. Blocks.
fn read_journal(store: &Store, run: RunId) -> Result<RecordedRun, ErrorReply> {
    let entries = store.read_damaged_journal(&run)?.filter_map(Result::ok);
    Ok(RecordedRun::of_entries(run, entries))
}
