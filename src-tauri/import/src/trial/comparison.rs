//! What a trial made beside what is recorded, node by node of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use plait_core::flow::{Flow, Node};
use plait_core::id::{Epoch, NodeId};
use serde_json::Value;

use super::iterations::Iterations;
use super::record::{Record, Time};
use super::{COMPUTE, Places, delivered_at, is_called_several_times, recorded_at, repeated};
use plait_formats::foreign::{
    Compared, ComparedNode, Format, ImportOutcome, ImportReport, ImportedNode, ImportedOutput, Made,
};

/// Compares each node of the file that ran. `trial` is the flow that [`super::prepare`] made; `made` is in the order of epochs.
pub(super) fn compare(
    trial: &Flow,
    report: &ImportReport,
    record: &Record,
    made: &[Made],
) -> Vec<ComparedNode> {
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
        if is_called_several_times(node) {
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
            let here = here.map(|value| delivered_at(place, value));
            let is_items = is_loop && self.format == Format::N8n;
            let here = here.map(|here| if is_items { as_items(here, recorded.as_ref()) } else { here });
            Some((epoch.clone(), Compared::of(recorded, here)?))
        };
        epochs.into_iter().filter_map(compared_at).collect()
    }

    fn recorded(&self, node: &ImportedNode, place: &ImportedOutput, time: Time) -> Option<Value> {
        self.record.output(&node.id, &place.name, time).map(|value| recorded_at(place, &value))
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
