//! `runs.find`: in which recorded runs a breakpoint would have stopped.

mod run_search;
mod search;

use std::collections::BTreeSet;

use plait_core::id::{NodeId, PortName, RunId};
use plait_core::port::PortKind;
use plait_core::user::UserName;
use plait_journal::{BREAKPOINT_SYNTAX, Breakpoint, BreakpointText, OutputRef, Side, StopEvent};
use plait_run::breakpoint::{BreakpointQuestion, ReachedPlace};
use plait_store::record::RunRecord;
use plait_store::{RunFilter, Store, Which};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::recorded_flow;
use search::Search;

/// `runs.find`: asks the recorded runs of a user where a breakpoint would have stopped them. `debug.bad_breakpoint` for a condition that
/// does not compile and a place that can't be read, `debug.unknown_node` if none of the runs has the node, `user.unknown`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FindRuns {
    /// A condition in CEL, as breakpoints have it. Without one, each place counts that is reached.
    #[serde(default)]
    #[ts(optional)]
    pub when: Option<String>,
    /// The place as a breakpoint on a command line has it, such as `review/judge.score:after`, in place of the fields below. Which part of
    /// a name with dots is the node, the flows of the runs say: the longest name that one of them has.
    #[serde(default)]
    #[ts(optional)]
    pub place: Option<String>,
    /// Every node of the flow and of the flows that run below it when left out.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// The `subflow` nodes that lead to the node's flow, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    #[serde(default)]
    #[ts(optional, as = "Option<Side>")]
    pub side: Side,
    /// Only where there is a value on this input or output.
    #[serde(default)]
    #[ts(optional)]
    pub port: Option<PortName>,
    /// Only where the value on the input comes from this output.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<OutputRef>,
    /// Only where there is a value on an edge of this kind.
    #[serde(default)]
    #[ts(optional)]
    pub kind: Option<PortKind>,
    /// Only where this happens, on the sides that the event has.
    #[serde(default)]
    #[ts(optional)]
    pub event: Option<StopEvent>,
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Only runs of this flow file.
    #[serde(default)]
    #[ts(optional)]
    pub flow_path: Option<String>,
    /// At most so many runs, the newest; all when left out. Child runs are not counted.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// What recorded runs say of a breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundRuns {
    /// How many runs were asked.
    pub runs: u32,
    /// How many more there are, whose flows do not have the node.
    pub without_node: u32,
    /// How many of the asked runs would have stopped.
    pub stopped_runs: u32,
    /// How often they would have stopped.
    #[ts(type = "number")]
    pub stops: u64,
    /// How many of these stops are because the condition could not be evaluated.
    #[ts(type = "number")]
    pub errors: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_error: Option<FoundPlace>,
    /// The newest runs that would have stopped.
    pub found: Vec<FoundRun>,
    /// How many runs could not be read to the end. What was found in them before counts.
    pub unreadable_runs: u32,
    /// The newest of them.
    pub unreadable: Vec<UnreadableRun>,
}

/// A run that would have stopped, with the runs below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundRun {
    pub run: RunId,
    pub flow_name: String,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// How often.
    #[ts(type = "number")]
    pub stops: u64,
    /// The first places.
    pub places: Vec<FoundPlace>,
}

/// A place, and the run that has it: the run of a sub-flow may be another one than the run that was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FoundPlace {
    pub run: RunId,
    #[serde(flatten)]
    #[ts(flatten)]
    pub place: ReachedPlace,
}

/// A run that could not be read to the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct UnreadableRun {
    pub run: RunId,
    pub error: ErrorReply,
}

impl Command for FindRuns {
    const NAME: &'static str = "runs.find";
    type Service = RunService;
    type Reply = FoundRuns;

    async fn run(self, service: &RunService) -> Result<FoundRuns, ErrorReply> {
        let Self { when, place, node, path, side, port, from, kind, event, user, flow_path, limit } = self;
        let user = Some(service.parts.users.resolve(user.as_ref())?);
        let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let filter = RunFilter { flow_path, user, which: Which::Roots, limit };
        let store = service.parts.store.clone();
        let (records, asked) = run_blocking(move || {
            let records = store.runs(&filter)?;
            let asked = match place {
                Some(place) => written_place(&store, &records, &place)?,
                None => Breakpoint { path, node, side, port, from, kind, event, ..Breakpoint::default() },
            };
            Ok((records, asked))
        })
        .await?;
        let question = BreakpointQuestion::new(Breakpoint { when: when.or(asked.when), ..asked })?;
        Search::new(&service.parts, question, records).run().await
    }
}

/// A place as it was written, in the flows of these runs and of those below them. `debug.bad_breakpoint`.
fn written_place(store: &Store, records: &[RunRecord], text: &str) -> Result<Breakpoint, ErrorReply> {
    let unreadable = |problem: String| {
        ErrorReply::new(codes::DEBUG_BAD_BREAKPOINT, format!("The place `{text}` can't be read: {problem}."))
            .hint(format!("Places are written as {BREAKPOINT_SYNTAX}."))
    };
    let place: BreakpointText = text.parse().map_err(unreadable)?;
    let nodes = if place.has_dots() { nodes_of(store, records)? } else { BTreeSet::new() };
    place.resolve(|node| nodes.contains(node)).map_err(unreadable)
}

/// The nodes of the flows of these runs and of those below them. A flow that can't be read is reported with its runs.
fn nodes_of(store: &Store, records: &[RunRecord]) -> Result<BTreeSet<NodeId>, ErrorReply> {
    let below = store.runs(&RunFilter::default())?.into_iter().filter(|run| run.parent_run_id.is_some());
    let hashes: BTreeSet<String> =
        records.iter().cloned().chain(below).map(|record| record.flow.hash).collect();
    let flows = hashes.iter().filter_map(|hash| recorded_flow(store, hash).ok());
    Ok(flows.flat_map(|flow| flow.nodes.into_keys()).collect())
}
