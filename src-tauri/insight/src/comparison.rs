//! What differs between two runs: which activations correspond, what each did otherwise, and which differences only follow from others.
//!
//! Nodes correspond by their ids and by the renames of the flow diff; iterations of a `forEach` by the content of their items, so that one
//! item more is one insertion; other iterations by their numbers. A difference *follows* from another if a value that came in does, by the
//! lineage of the journal. What a debugger did is no difference.

mod activations;
mod alignment;
mod nodes;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plait_core::id::{Activation, NodeId, PortName, RunId};
use plait_journal::view::{NodeState, RunStatus};
use plait_llm::models::{Cost, TokenUsage};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::flow_diff::{FlowChange, FlowDiff, ValueChange};
use crate::lineage::RecordedRun;
use alignment::{Alignment, Pair, Source};
pub use nodes::{NodeComparison, NodeMark, NodeTotals};

/// What differs between two runs. Without differences, they did the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunComparison {
    /// What differs between the flows that they ran.
    pub flow: FlowDiff,
    /// The text inputs, if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<ValueChange>,
    /// What activations did otherwise, each after those that it follows from. The first is the first difference.
    pub differences: Vec<RunDifference>,
    /// The nodes that a run reached, with what they used; those of a sub-flow before those of the run around it.
    pub nodes: Vec<NodeComparison>,
    /// The loops over lists whose items are not the same.
    pub lists: Vec<ListComparison>,
    /// How many activations did the same.
    #[ts(type = "number")]
    pub same: usize,
    pub before: ComparedTotals,
    pub after: ComparedTotals,
}

/// A run that is compared, as a whole.
pub struct ComparedRun {
    pub run: Arc<RecordedRun>,
    pub used: TreeUsage,
}

/// What the model calls of a run and of all runs below it used, those of failed attempts included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeUsage {
    pub tokens: TokenUsage,
    pub cost: Cost,
}

/// Sums over a run and the runs below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedTotals {
    pub status: RunStatus,
    pub tokens: TokenUsage,
    pub cost: Cost,
    /// From its start to its end, in milliseconds; without stops of a debugger and waits for a person. Nothing if it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub duration_ms: Option<u64>,
}

/// What one activation did otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunDifference {
    /// The `subflow` nodes that lead to it, the outermost first, with their ids in the second run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    /// The activation in the first run; nothing if only the second one has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<ComparedActivation>,
    /// The activation in the second run; nothing if only the first one has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<ComparedActivation>,
    /// What differs of it. Empty if only one run has it.
    pub changes: Vec<ActivationChange>,
    /// The differences that it follows from, as places of `differences`, the first 50: each of them follows from none. Empty if it is one
    /// of them.
    #[ts(type = "number[]")]
    pub follows: Vec<usize>,
}

/// An activation, and what it used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedActivation {
    /// The run that has it: that of a sub-flow may be another one than the run that is compared.
    pub run: RunId,
    pub at: Activation,
    pub tokens: TokenUsage,
    pub cost: Cost,
    /// In milliseconds, if it ran and has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub duration_ms: Option<u64>,
}

/// What differs of an activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ActivationChange {
    /// The node itself: its type, its config, its limits.
    Config {
        change: ValueChange,
    },
    /// A value that was set for an input when the run started.
    Set {
        port: PortName,
        change: ValueChange,
    },
    State {
        before: NodeState,
        after: NodeState,
    },
    /// The answer of a person.
    Answer {
        change: ValueChange,
    },
    /// The model that a call went to.
    Model {
        /// Which of the activation's calls, from 0.
        #[ts(type = "number")]
        call: usize,
        change: ValueChange,
    },
    /// A message of a prompt.
    Message {
        #[ts(type = "number")]
        call: usize,
        change: ValueChange,
    },
    Reply {
        #[ts(type = "number")]
        call: usize,
        change: ValueChange,
    },
    /// A tool call, by its place among those of the activation: its name and arguments, its result, or its error.
    Tool {
        #[ts(type = "number")]
        tool: usize,
        change: ValueChange,
    },
    Output {
        port: PortName,
        change: ValueChange,
    },
    Error {
        change: ValueChange,
    },
}

/// A loop over a list whose items are not the same in both runs. Items are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ListComparison {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    /// The loop in the second run.
    pub at: Activation,
    /// Items that only the second run has, by their places in it.
    pub inserted: Vec<u32>,
    /// Items that only the first run has, by their places in it.
    pub removed: Vec<u32>,
    /// Items that both runs have, but in another order, by their places in the second run.
    pub moved: Vec<u32>,
    /// Items that stand for each other though they differ, by their places in the second run.
    pub changed: Vec<u32>,
    pub unchanged: u32,
}

/// The runs of sub-flows are loaded with this. What can't be read is not compared.
pub type LoadRun<'a> = &'a dyn Fn(&RunId) -> Option<Arc<RecordedRun>>;

/// Compares two runs, and the runs of their sub-flows.
pub fn compare(before: &ComparedRun, after: &ComparedRun, load: LoadRun<'_>) -> RunComparison {
    let (flow, comparer) = Comparer::of_runs(&before.run, &after.run, load);
    let input = activations::text_change(
        before.run.view().outline.input.as_deref(),
        after.run.view().outline.input.as_deref(),
    );
    let Comparer { differences, nodes, lists, same, .. } = comparer;
    let (before, after) = (before.totals(), after.totals());
    RunComparison { flow, input, differences, nodes, lists, same, before, after }
}

/// What activations of two runs did otherwise, those of their sub-flows included: the differences of their comparison.
pub fn differences(before: &RecordedRun, after: &RecordedRun, load: LoadRun<'_>) -> Vec<RunDifference> {
    Comparer::of_runs(before, after, load).1.differences
}

impl ComparedRun {
    pub(crate) fn totals(&self) -> ComparedTotals {
        let view = self.run.view();
        ComparedTotals {
            status: view.outline.status,
            tokens: self.used.tokens,
            cost: self.used.cost,
            duration_ms: view.worked_ms(),
        }
    }
}

/// How many differences another one is said to follow from at most. With no bound, a merge of thousands would be listed by all that
/// follows from it.
const MAX_FOLLOWED: usize = 50;

struct Comparer<'a> {
    load: LoadRun<'a>,
    differences: Vec<RunDifference>,
    nodes: Vec<NodeComparison>,
    lists: Vec<ListComparison>,
    same: usize,
    /// Of each node that was edited, at a path of sub-flows: the first difference that it made. The same edit is one cause.
    edits: HashMap<(Vec<NodeId>, NodeId), usize>,
}

/// What is known of a pair once it was compared.
#[derive(Clone, Default)]
struct Compared {
    /// The differences that what follows from it follows from. Empty if it does the same, and hands on the same conversation.
    roots: Vec<usize>,
    /// The outputs that differ.
    outputs: Vec<PortName>,
    /// Whether it did something otherwise.
    is_different: bool,
    /// Whether the conversation that it hands on may differ: it did something otherwise in it, or it got it so.
    has_other_context: bool,
}

impl Compared {
    /// What is known of a pair that did the same: the conversation that it hands on may be another one.
    fn unchanged(compared: &[Option<Self>], sources: &[Source]) -> Self {
        let mut roots = BTreeSet::new();
        for source in sources.iter().filter(|source| source.is_context) {
            let found = compared[source.pair].as_ref();
            if let Some(found) = found.filter(|found| found.has_other_context) {
                roots.extend(&found.roots);
            }
        }
        let has_other_context = !roots.is_empty();
        Self { roots: roots.into_iter().take(MAX_FOLLOWED).collect(), has_other_context, ..Self::default() }
    }
}

/// Two runs that are compared, at a path of sub-flows.
struct RunPair<'a> {
    before: &'a RecordedRun,
    after: &'a RecordedRun,
    path: &'a [NodeId],
    /// The differences that the inputs of the runs follow from.
    inherited: &'a [usize],
    /// What differs between the flows of each node, by its id in the second one.
    edits: HashMap<&'a NodeId, Vec<&'a ValueChange>>,
    alignment: &'a Alignment,
}

impl RunPair<'_> {
    /// The differences that a pair with these sources and changes follows from, in order.
    fn roots(
        &self,
        compared: &[Option<Compared>],
        (pair, sources): (usize, &[Source]),
        changes: &[ActivationChange],
    ) -> Vec<usize> {
        let mut roots = BTreeSet::new();
        for source in sources {
            if let Some(found) = compared[source.pair].as_ref().filter(|found| source.is_otherwise(found)) {
                roots.extend(&found.roots);
            }
        }
        // A loop hands on what was said in its iterations, which no input names.
        if changes.iter().any(|change| matches!(change, ActivationChange::Message { .. })) {
            for author in self.alignment.authors(self.before, self.after, pair) {
                if let Some(found) = compared[author].as_ref().filter(|found| found.is_different) {
                    roots.extend(&found.roots);
                }
            }
        }
        // What nothing comes in to begins with the inputs of its run.
        let is_set = changes.iter().any(|change| matches!(change, ActivationChange::Set { .. }));
        if is_set || sources.is_empty() {
            roots.extend(self.inherited);
        }
        roots.into_iter().take(MAX_FOLLOWED).collect()
    }

    /// The outputs of an activation that only one of the runs has.
    fn outputs(&self, pair: &Pair) -> Vec<PortName> {
        let before = pair.before.as_ref().and_then(|at| self.before.epoch(at));
        let after = pair.after.as_ref().and_then(|at| self.after.epoch(at));
        before.or(after).into_iter().flat_map(|epoch| epoch.outputs.keys().cloned()).collect()
    }
}

impl<'a> Comparer<'a> {
    /// Compares two runs from their roots. Returns what differs between their flows as well.
    fn of_runs(before: &RecordedRun, after: &RecordedRun, load: LoadRun<'a>) -> (FlowDiff, Self) {
        let mut comparer = Self {
            load,
            differences: Vec::new(),
            nodes: Vec::new(),
            lists: Vec::new(),
            same: 0,
            edits: HashMap::new(),
        };
        let flow = comparer.compare(before, after, &[], &[]);
        (flow, comparer)
    }

    /// Compares two runs and returns what differs between their flows.
    fn compare(
        &mut self,
        before: &RecordedRun,
        after: &RecordedRun,
        path: &[NodeId],
        inherited: &[usize],
    ) -> FlowDiff {
        let flows = if before.shares_flow(after) { None } else { before.flow().zip(after.flow()) };
        let diff = flows.map_or_else(FlowDiff::default, |(before, after)| FlowDiff::between(before, after));
        let alignment = Alignment::of(before, after, &diff);
        self.lists.extend(
            alignment.lists.iter().map(|list| ListComparison { path: path.to_vec(), ..list.clone() }),
        );
        let mut edits: HashMap<_, Vec<_>> = HashMap::new();
        for change in &diff.changes {
            if let FlowChange::Node { node, change } = change {
                edits.entry(node).or_default().push(change);
            }
        }
        let runs = RunPair { before, after, path, inherited, edits, alignment: &alignment };
        let mut compared = vec![None; alignment.pairs.len()];
        let first = self.differences.len();
        for pair in 0..compared.len() {
            self.compare_with_sources(&runs, &mut compared, pair);
        }
        self.nodes.extend(nodes::nodes((before, after), path, &diff, &self.differences[first..], first));
        diff
    }

    /// Compares a pair after those that something came from.
    fn compare_with_sources(&mut self, runs: &RunPair<'_>, compared: &mut [Option<Compared>], start: usize) {
        let mut stack: Vec<(usize, Option<Vec<Source>>)> = vec![(start, None)];
        let mut entered = FxHashSet::default();
        while let Some((pair, sources)) = stack.pop() {
            if compared[pair].is_some() {
                continue;
            }
            if let Some(sources) = sources {
                compared[pair] = Some(self.compare_pair(runs, compared, (pair, &sources)));
            } else if entered.insert(pair) {
                let sources = runs.alignment.sources(runs.before, runs.after, pair);
                let before: Vec<usize> = sources.iter().rev().map(|source| source.pair).collect();
                stack.push((pair, Some(sources)));
                stack.extend(before.into_iter().map(|source| (source, None)));
            }
        }
    }

    fn compare_pair(
        &mut self,
        runs: &RunPair<'_>,
        compared: &[Option<Compared>],
        (index, sources): (usize, &[Source]),
    ) -> Compared {
        let pair = &runs.alignment.pairs[index];
        let mut changes = pair.both().map_or_else(Vec::new, |(old, new)| {
            activations::changes((runs.before, old), (runs.after, new), &runs.edits)
        });
        let mut roots = runs.roots(compared, (index, sources), &changes);
        roots.extend(self.compare_children(runs, pair, &roots));
        roots.truncate(MAX_FOLLOWED);
        if changes.is_empty() && pair.both().is_some() {
            self.same += 1;
            return Compared::unchanged(compared, sources);
        }
        changes.sort_by_key(activations::rank);
        let follows = self.follows(runs, pair, &changes, &roots);
        if follows.is_empty() {
            roots.push(self.differences.len());
        }
        let outputs = match pair.both() {
            Some(_) => changes.iter().filter_map(ActivationChange::output).cloned().collect(),
            None => runs.outputs(pair),
        };
        self.differences.push(RunDifference {
            path: runs.path.to_vec(),
            before: pair.before.as_ref().map(|at| activations::shown(runs.before, at)),
            after: pair.after.as_ref().map(|at| activations::shown(runs.after, at)),
            changes,
            follows,
        });
        Compared { roots, outputs, is_different: true, has_other_context: true }
    }

    /// The differences that the next one follows from. Empty if it has a reason of its own.
    fn follows(
        &mut self,
        runs: &RunPair<'_>,
        pair: &Pair,
        changes: &[ActivationChange],
        roots: &[usize],
    ) -> Vec<usize> {
        let is_own = |change: &ActivationChange| match change {
            // Into a sub-flow it came from the run around it.
            ActivationChange::Set { .. } => runs.path.is_empty(),
            change => matches!(change, ActivationChange::Answer { .. }),
        };
        if changes.iter().any(is_own) {
            return Vec::new();
        }
        let is_edited = changes.iter().any(|change| matches!(change, ActivationChange::Config { .. }));
        let Some(edited) = pair.after.as_ref().filter(|_| is_edited) else { return roots.to_vec() };
        let edit = (runs.path.to_vec(), edited.node.clone());
        if let Some(first) = self.edits.get(&edit) {
            let follows: BTreeSet<usize> = roots.iter().chain([first]).copied().collect();
            return follows.into_iter().take(MAX_FOLLOWED).collect();
        }
        self.edits.insert(edit, self.differences.len());
        Vec::new()
    }

    /// Compares the runs that both of a pair began last. Returns the differences in them that follow from none.
    fn compare_children(&mut self, runs: &RunPair<'_>, pair: &Pair, roots: &[usize]) -> Vec<usize> {
        let Some((old, new)) = pair.both() else { return Vec::new() };
        let last = |run: &RecordedRun, at: &Activation| (self.load)(run.epoch(at)?.children.last()?);
        let (Some(before), Some(after)) = (last(runs.before, old), last(runs.after, new)) else {
            return Vec::new();
        };
        let first = self.differences.len();
        let path = [runs.path, std::slice::from_ref(&new.node)].concat();
        self.compare(&before, &after, &path, roots);
        let own = |at: &usize| self.differences[*at].follows.is_empty();
        (first..self.differences.len()).filter(own).collect()
    }
}

impl ActivationChange {
    /// The output that differs, if it is one.
    fn output(&self) -> Option<&PortName> {
        match self {
            Self::Output { port, .. } => Some(port),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
