//! What a trial made beside what is recorded, node by node of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use plait_core::expression::values_equal;
use plait_core::flow::{Flow, Node};
use plait_core::id::{Epoch, NodeId, PortName, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::iterations::Iterations;
use super::record::{Record, Time};
use super::{COMPUTE, Places, repeated};
use crate::Format;
use crate::report::{ImportOutcome, ImportReport, ImportedNode, ImportedOutput};

/// How a node of the file compares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Compared {
    /// It made the recorded values.
    Same,
    /// It delivered what is recorded.
    Given,
    Differs {
        #[ts(type = "unknown")]
        recorded: Value,
        #[ts(type = "unknown")]
        here: Value,
    },
    /// It made a value in the record alone.
    OnlyRecorded {
        #[ts(type = "unknown")]
        recorded: Value,
    },
    /// It made a value here alone.
    OnlyHere {
        #[ts(type = "unknown")]
        here: Value,
    },
    NotCompared {
        reason: String,
    },
}

impl Compared {
    /// Whether the flow does something else than the recorded execution.
    pub fn departs(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::OnlyRecorded { .. } | Self::OnlyHere { .. })
    }

    fn of(recorded: Option<Value>, here: Option<Value>) -> Option<Self> {
        Some(match (recorded, here) {
            (None, None) => return None,
            (Some(recorded), Some(here)) if values_equal(&recorded, &here) => Self::Same,
            (Some(recorded), Some(here)) => Self::Differs { recorded, here },
            (Some(recorded), None) => Self::OnlyRecorded { recorded },
            (None, Some(here)) => Self::OnlyHere { here },
        })
    }
}

/// A node of the file in a comparison, where it departs first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedNode {
    /// Its name in the file.
    pub name: String,
    /// The `subflow` nodes that it is inside of, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub subflows: Vec<NodeId>,
    /// The node of the flow that has the value.
    pub node: NodeId,
    /// The run that it ran in, if it ran: that of the trial, or of a sub-flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// The iteration in which it departs, if it is in a loop or cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
    #[serde(flatten)]
    #[ts(flatten)]
    pub compared: Compared,
}

/// What a node delivered once in the trial.
#[derive(Clone, Debug)]
pub struct Made {
    pub run: RunId,
    /// The `subflow` nodes that it is inside of, outermost first.
    pub subflows: Vec<NodeId>,
    pub node: NodeId,
    pub epoch: Epoch,
    pub outputs: BTreeMap<PortName, Arc<Value>>,
}

/// Compares each node of the file that ran. `trial` is the flow that [`super::prepare`] made; `made` is in the order of epochs.
pub fn compare(trial: &Flow, report: &ImportReport, record: &Record, made: &[Made]) -> Vec<ComparedNode> {
    let mut by_node: HashMap<(Vec<NodeId>, NodeId), Vec<&Made>> = HashMap::new();
    for one in made {
        by_node.entry((one.subflows.clone(), one.node.clone())).or_default().push(one);
    }
    let places = Places::new(report);
    let iterations = Iterations::of(trial, report, &places, record);
    let flows = Flows::new(trial);
    let in_placeholders = nodes_of_loops(report);
    let comparison =
        Comparison { flows, iterations, record, by_node, in_placeholders, format: report.format };
    report.nodes.iter().filter_map(|node| comparison.node(node)).collect()
}

/// The flow of a trial and those inside of its nodes.
struct Flows<'f> {
    root: &'f Flow,
    nested: HashMap<Vec<NodeId>, Flow>,
}

impl<'f> Flows<'f> {
    fn new(root: &'f Flow) -> Self {
        let mut nested = HashMap::new();
        add_nested(root, &[], &mut nested);
        Self { root, nested }
    }

    fn node(&self, subflows: &[NodeId], id: &NodeId) -> Option<&Node> {
        let flow = if subflows.is_empty() { self.root } else { self.nested.get(subflows)? };
        flow.nodes.get(id)
    }
}

/// Importers bound how deep flows are nested.
fn add_nested(flow: &Flow, subflows: &[NodeId], nested: &mut HashMap<Vec<NodeId>, Flow>) {
    for (id, node) in &flow.nodes {
        let inner = node.config.get("flow").filter(|_| node.node_type == "subflow");
        if let Some(inner) = inner.and_then(|inner| serde_json::from_value::<Flow>(inner.clone()).ok()) {
            let path = [subflows, std::slice::from_ref(id)].concat();
            add_nested(&inner, &path, nested);
            nested.insert(path, inner);
        }
    }
}

struct Comparison<'r> {
    flows: Flows<'r>,
    iterations: Iterations<'r>,
    record: &'r Record,
    by_node: HashMap<(Vec<NodeId>, NodeId), Vec<&'r Made>>,
    /// The nodes of the file that a loop repeats which is a placeholder.
    in_placeholders: HashSet<&'r str>,
    format: Format,
}

impl Comparison<'_> {
    /// A node of the file where it departs first. Nothing of one that ran nowhere.
    fn node(&self, node: &ImportedNode) -> Option<ComparedNode> {
        let first = node.outputs.first()?;
        let mut found: Option<(&ImportedOutput, Epoch, Compared)> = None;
        for place in &node.outputs {
            for (epoch, compared) in self.place(node, place) {
                let known = found.as_ref();
                if known.is_none_or(|(_, _, known)| !known.departs() && compared.departs()) {
                    found = Some((place, epoch, compared));
                }
            }
        }
        let departs = found.as_ref().is_some_and(|(_, _, compared)| compared.departs());
        if !self.record.has(&node.id) && !departs {
            return None;
        }
        let (place, epoch, compared) = found.unwrap_or((first, Epoch::root(), Compared::Same));
        Some(ComparedNode {
            name: node.name.clone(),
            subflows: place.subflows.clone(),
            node: place.node.clone(),
            run: self.here(place).last().map(|made| made.run.clone()),
            epoch: (departs && epoch.depth() > 0).then_some(epoch),
            compared,
        })
    }

    /// How an output of the file compares, in each iteration of the loops and cycles around it.
    fn place(&self, node: &ImportedNode, place: &ImportedOutput) -> Vec<(Epoch, Compared)> {
        let once = |compared: Option<Compared>| {
            compared.map(|compared| (Epoch::root(), compared)).into_iter().collect::<Vec<_>>()
        };
        let not_compared = |reason: &str| once(Some(Compared::NotCompared { reason: reason.to_owned() }));
        let Some(made) = self.flows.node(&place.subflows, &place.node) else { return Vec::new() };
        if node.is_called_several_times() {
            return not_compared("its graph is called several times");
        }
        if self.in_placeholders.contains(node.id.as_str()) {
            return not_compared("its loop is a placeholder");
        }
        let is_loop = made.node_type == "loop";
        if is_loop && !["result", "results", "iterations"].contains(&place.port.as_str()) {
            // What a loop gives to the nodes inside is compared there.
            return Vec::new();
        }
        let around = match &place.subflows[..] {
            [] => self.iterations.around(&place.node),
            _ => made.parent.is_none().then_some(&[][..]),
        };
        let Some(around) = around else {
            return not_compared("the record does not say in which iteration of its loop it ran");
        };
        if around.is_empty() && !is_loop && self.record.count(&node.id) > 1 {
            return not_compared("it ran several times");
        }
        if !is_run(made) {
            return once(Some(Compared::Given));
        }
        let times = if around.is_empty() {
            self.record.has(&node.id).then(|| (Epoch::root(), Time::Last)).into_iter().collect()
        } else {
            let times = self.record.times(&node.id, around, repeated(made)).unwrap_or_default();
            times.into_iter().map(|(epoch, at)| (epoch, Time::At(at))).collect::<BTreeMap<_, _>>()
        };
        // A loop has epochs of its own for the tests of its condition.
        let here = self.here(place).iter().filter(|made| made.epoch.depth() == around.len());
        let here: BTreeMap<&Epoch, &Made> = here.map(|made| (&made.epoch, *made)).collect();
        let epochs: BTreeSet<&Epoch> = times.keys().chain(here.keys().copied()).collect();
        let compared_at = |epoch: &Epoch| {
            let recorded = times.get(epoch).and_then(|time| self.recorded(node, place, *time));
            let here = here.get(epoch).and_then(|made| made.outputs.get(place.port.as_str()));
            let here = here.map(|value| place.read(value));
            let is_items = is_loop && self.format == Format::N8n;
            let here = here.map(|here| if is_items { as_items(here, recorded.as_ref()) } else { here });
            Some((epoch.clone(), Compared::of(recorded, here)?))
        };
        epochs.into_iter().filter_map(compared_at).collect()
    }

    fn recorded(&self, node: &ImportedNode, place: &ImportedOutput, time: Time) -> Option<Value> {
        self.record.output(&node.id, &place.name, time).map(|value| place.recorded(&value))
    }

    fn here(&self, place: &ImportedOutput) -> &[&Made] {
        self.by_node.get(&(place.subflows.clone(), place.node.clone())).map_or(&[], Vec::as_slice)
    }
}

/// The nodes of a file on the way from a loop that is a placeholder back to it.
fn nodes_of_loops(report: &ImportReport) -> HashSet<&str> {
    let is_loop = |node: &&ImportedNode| {
        node.outcome == ImportOutcome::Placeholder
            && matches!(node.kind.as_str(), "loopController" | "loopUntil")
    };
    let loops = report.nodes.iter().filter(is_loop);
    loops
        .flat_map(|node| {
            let before = follow(report, &node.id, false);
            follow(report, &node.id, true).into_iter().filter(move |id| before.contains(id) && *id != node.id)
        })
        .collect()
}

/// The nodes that edges of the file lead to from a node, or back from it.
fn follow<'r>(report: &'r ImportReport, from: &'r str, is_forward: bool) -> HashSet<&'r str> {
    let mut found: HashSet<&'r str> = HashSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for edge in &report.edges {
            let (near, far) =
                if is_forward { (&edge.source, &edge.target) } else { (&edge.target, &edge.source) };
            if near == at && found.insert(far) {
                open.push(far);
            }
        }
    }
    found
}

/// Whether a node runs in the trial, in place of delivering what is recorded.
fn is_run(node: &Node) -> bool {
    let computes = COMPUTE.contains(&node.node_type.as_str());
    node.pin.is_none()
        && (computes || (["loop", "subflow"].contains(&node.node_type.as_str()) && !node.disabled))
}

/// The results of a loop as n8n puts them out: all items of the iterations, and one alone without a list.
fn as_items(results: Value, recorded: Option<&Value>) -> Value {
    let Value::Array(results) = results else { return results };
    let items = results.into_iter().flat_map(|result| match result {
        Value::Array(items) => items,
        item => vec![item],
    });
    let mut items: Vec<Value> = items.collect();
    let is_one = items.len() == 1 && recorded.is_some_and(|recorded| !recorded.is_array());
    items.pop_if(|_| is_one).unwrap_or_else(|| items.into())
}
