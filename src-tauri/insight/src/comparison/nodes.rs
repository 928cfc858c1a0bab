//! What a comparison says of each node: how its differences relate to the others, and what all its activations used in either run.

use std::collections::HashMap;

use plait_core::id::{NodeId, RunId};
use plait_journal::view::EpochView;
use plait_llm::models::{Cost, TokenUsage};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::RunDifference;
use crate::flow_diff::FlowDiff;
use crate::lineage::RecordedRun;

/// How the differences of a node relate to those of other nodes. Of several, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum NodeMark {
    /// The first difference of the comparison is one of its activations.
    First,
    /// One of its differences follows from no other, such as an edit.
    Own,
    /// Its differences follow from those of other nodes.
    Follows,
    /// All that it did in both runs is the same.
    Same,
}

/// A node in both runs, or in the one that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeComparison {
    /// The `subflow` nodes that lead to it, the outermost first, with their ids in the second run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    pub mark: NodeMark,
    /// The place of the first of its differences in `differences`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub difference: Option<usize>,
    /// What it did in the first run; nothing if only the second one reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<NodeTotals>,
    /// What it did in the second run; nothing if only the first one reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<NodeTotals>,
}

/// Sums over the activations of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NodeTotals {
    /// The run that has it: that of a sub-flow may be another one than the run that is compared.
    pub run: RunId,
    pub node: NodeId,
    /// How many activations it has, skipped ones included.
    #[ts(type = "number")]
    pub steps: usize,
    pub tokens: TokenUsage,
    pub cost: Cost,
    /// From the start to the end of each activation, added up, in milliseconds; waits for a person included. Nothing if none has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub duration_ms: Option<u64>,
}

/// How long an activation took, in milliseconds, if it ran and has ended.
pub(super) fn duration(epoch: &EpochView) -> Option<u64> {
    let (from, to) = epoch.started_at.zip(epoch.ended_at)?;
    Some(to.saturating_sub(from))
}

/// The nodes of two runs at a path of sub-flows: those of the second run by id, then those that only the first one reached.
/// `differences` are those of these runs, and `first` is the place of the first of them.
pub(super) fn nodes(
    (before, after): (&RecordedRun, &RecordedRun),
    path: &[NodeId],
    diff: &FlowDiff,
    differences: &[RunDifference],
    first: usize,
) -> Vec<NodeComparison> {
    let renames = diff.renames();
    let old_ids: HashMap<&NodeId, &NodeId> = renames.iter().map(|(old, new)| (*new, *old)).collect();
    let mut found: HashMap<&NodeId, (usize, NodeMark)> = HashMap::new();
    for (index, difference) in differences.iter().enumerate().filter(|(_, found)| found.path == path) {
        let of_after = difference.after.as_ref().map(|shown| &shown.at.node);
        let of_before = difference.before.as_ref().map(|shown| new_id(&renames, &shown.at.node));
        let Some(node) = of_after.or(of_before) else { continue };
        let place = first + index;
        let mark = match (place, difference.follows.is_empty()) {
            (0, _) => NodeMark::First,
            (_, true) => NodeMark::Own,
            (_, false) => NodeMark::Follows,
        };
        let known = found.entry(node).or_insert((place, mark));
        if mark == NodeMark::Own && known.1 == NodeMark::Follows {
            known.1 = mark;
        }
    }
    let compare = |before: Option<NodeTotals>, after: Option<NodeTotals>, id: &NodeId| {
        let found = found.get(id);
        // What only one run reached without a difference of its own was in an iteration that the other run did not have.
        let otherwise = if before.is_some() && after.is_some() { NodeMark::Same } else { NodeMark::Follows };
        NodeComparison {
            path: path.to_vec(),
            mark: found.map_or(otherwise, |found| found.1),
            difference: found.map(|found| found.0),
            before,
            after,
        }
    };
    let of_second = after.view().nodes.keys().map(|id| {
        // A new node may have the id that another one had before.
        let old = old_ids.get(id).copied().or_else(|| (!renames.contains_key(id)).then_some(id));
        compare(old.and_then(|old| totals(before, old)), totals(after, id), id)
    });
    let mut only_first: Vec<(&NodeId, &NodeId)> =
        before.view().nodes.keys().map(|old| (new_id(&renames, old), old)).collect();
    only_first.retain(|(id, _)| !after.view().nodes.contains_key(*id));
    only_first.sort_unstable();
    let of_first = only_first.into_iter().map(|(id, old)| compare(totals(before, old), None, id));
    of_second.chain(of_first).collect()
}

/// The id that a node of the first run has in the second one.
fn new_id<'d>(renames: &HashMap<&'d NodeId, &'d NodeId>, id: &'d NodeId) -> &'d NodeId {
    renames.get(id).copied().unwrap_or(id)
}

fn totals(run: &RecordedRun, node: &NodeId) -> Option<NodeTotals> {
    let epochs = &run.view().nodes.get(node)?.epochs;
    let mut tokens = TokenUsage::default();
    let mut duration_ms = None;
    for epoch in epochs {
        tokens += epoch.usage;
        if let Some(more) = duration(epoch) {
            duration_ms = Some(duration_ms.unwrap_or(0_u64).saturating_add(more));
        }
    }
    Some(NodeTotals {
        run: run.id().clone(),
        node: node.clone(),
        steps: epochs.len(),
        tokens,
        cost: epochs.iter().map(|epoch| epoch.cost).sum(),
        duration_ms,
    })
}
