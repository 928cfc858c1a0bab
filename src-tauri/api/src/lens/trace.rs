//! `lens.trace`.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::flow::Flow;
use plait_core::id::{NodeId, RunId};
use plait_insight::lens::TraceSpan;
use plait_store::Store;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_lens};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::text::recorded_flow;

/// How deep child runs are followed. More than the deepest nesting of flows that runs.
const MAX_DEPTH: usize = 64;

/// `lens.trace`: what ran inside of what in a run and its child runs, with timings, tokens and costs. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct TraceRun {
    pub run: RunId,
}

impl Command for TraceRun {
    const NAME: &'static str = "lens.trace";
    type Service = LensService;
    type Reply = TraceSpan;

    async fn run(self, service: &LensService) -> Result<TraceSpan, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            store.run(&self.run)?;
            trace(&store, &self.run, &mut BTreeSet::new(), 0)
        })
        .await
    }
}

/// The trace of a run. Of child runs only the readable ones; none twice, although a damaged store could say so.
fn trace(
    store: &Store,
    run: &RunId,
    seen: &mut BTreeSet<RunId>,
    depth: usize,
) -> Result<TraceSpan, ErrorReply> {
    seen.insert(run.clone());
    let lens = read_lens(store, run)?;
    let flow = lens.view().outline.flow.as_ref();
    let flow = flow.and_then(|flow| recorded_flow(store, &flow.hash).ok());
    Ok(lens.trace(&flow.map(|flow| loops_around(&flow)).unwrap_or_default(), &mut |child| {
        let is_new = depth < MAX_DEPTH && !seen.contains(child);
        if is_new { trace(store, child, seen, depth + 1).ok() } else { None }
    }))
}

/// The loop that each node inside of one stands in.
fn loops_around(flow: &Flow) -> BTreeMap<NodeId, NodeId> {
    let inside = flow.nodes.iter().filter_map(|(id, node)| Some((id.clone(), node.parent.clone()?)));
    inside.collect()
}
