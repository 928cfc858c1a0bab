//! What made the difference between two runs: their flows and inputs are mixed, one difference at a time and then two, and the mixture that
//! turns the first run's outcome into the second one's names the cause.
//!
//! [`Swap`]s are the differences, [`mixture`] is the flow with some of them, and an [`Inquiry`] says which mixture is run next. Refuses to run
//! anything.

mod inquiry;

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use plait_core::id::{NodeId, PortName};
use plait_journal::InputOverrides;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::flow_diff::{FlowChange, FlowDiff, ValueChange};

pub use inquiry::{FoundCause, Inquiry, InquiryState, MAX_PAIRED_SWAPS, Trial, TrialRun, Verdict};

/// What a run began with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStart {
    pub flow: Flow,
    pub input: Option<String>,
    pub set: InputOverrides,
}

/// A difference between what two runs began with, which can be swapped on its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Swap {
    /// The text input.
    Input { change: ValueChange },
    /// A value that was set for an input.
    Set { node: NodeId, port: PortName, change: ValueChange },
    /// A setting of the flow.
    Flow { change: ValueChange },
    /// Something of a node that both flows have: a part of its config, a limit. It has this id in the second flow.
    Node { node: NodeId, change: ValueChange },
    /// The nodes and edges that only one of the flows has, all at once: a part of them would seldom be a flow that runs.
    Structure { changes: Vec<FlowChange> },
}

/// What differs between the starts of two runs, in the order in which it is tried: inputs, the flow's settings, nodes, structure. Names and
/// descriptions reach no model and are left out.
pub fn swaps(before: &RunStart, after: &RunStart) -> Vec<Swap> {
    let mut swaps = Vec::new();
    if before.input != after.input {
        let text = |input: &Option<String>| input.clone().map(Value::String);
        let (old, new) = (text(&before.input), text(&after.input));
        swaps.push(Swap::Input { change: ValueChange::new(String::new(), old.as_ref(), new.as_ref()) });
    }
    swaps.extend(set_swaps(&before.set, &after.set));
    let (mut of_nodes, mut structure) = (Vec::new(), Vec::new());
    for change in FlowDiff::between(&before.flow, &after.flow).changes {
        match change {
            FlowChange::Flow { change } if is_label(&change.pointer) => {}
            FlowChange::Flow { change } => swaps.push(Swap::Flow { change }),
            FlowChange::Node { change, .. } if is_label(&change.pointer) => {}
            FlowChange::Node { node, change } => of_nodes.push(Swap::Node { node, change }),
            other => structure.push(other),
        }
    }
    swaps.extend(of_nodes);
    // A flow in which only ids differ does the same.
    if structure.iter().any(|change| !matches!(change, FlowChange::NodeRenamed { .. })) {
        swaps.push(Swap::Structure { changes: structure });
    }
    swaps
}

fn is_label(pointer: &str) -> bool {
    matches!(pointer, "/name" | "/description")
}

fn set_swaps(before: &InputOverrides, after: &InputOverrides) -> Vec<Swap> {
    let flat = |set: &InputOverrides| -> BTreeMap<(NodeId, PortName), Value> {
        let ports = set.iter().flat_map(|(node, ports)| {
            ports.iter().map(move |(port, value)| ((node.clone(), port.clone()), Value::clone(value)))
        });
        ports.collect()
    };
    let (old, new) = (flat(before), flat(after));
    let added = new.keys().filter(|place| !old.contains_key(*place));
    let places = old.keys().chain(added).filter(|place| old.get(*place) != new.get(*place));
    places
        .map(|place| Swap::Set {
            node: place.0.clone(),
            port: place.1.clone(),
            change: ValueChange::new(String::new(), old.get(place), new.get(place)),
        })
        .collect()
}

/// The start of the first run with some differences of the second one: those whose places in `swaps` are in `taken`. An error if that is no
/// flow document.
pub fn mixture(
    before: &RunStart,
    after: &RunStart,
    swaps: &[Swap],
    taken: &[usize],
) -> Result<RunStart, serde_json::Error> {
    let is_taken = |at: usize| taken.contains(&at);
    let structure = swaps.iter().position(|swap| matches!(swap, Swap::Structure { .. }));
    let base = if structure.is_some_and(is_taken) { after } else { before };
    let renamed = FlowDiff::between(&before.flow, &after.flow);
    let mut flow = serde_json::to_value(&base.flow)?;
    let mut mixed = RunStart { flow: Flow::default(), input: before.input.clone(), set: before.set.clone() };
    for (at, swap) in swaps.iter().enumerate() {
        let side = |change: &ValueChange| {
            if is_taken(at) { change.after.clone() } else { change.before.clone() }
        };
        match swap {
            Swap::Input { .. } if is_taken(at) => mixed.input.clone_from(&after.input),
            Swap::Input { .. } | Swap::Structure { .. } => {}
            Swap::Set { node, port, change } => {
                let ports = mixed.set.entry(node.clone()).or_default();
                match side(change) {
                    Some(value) => drop(ports.insert(port.clone(), value.into())),
                    None => drop(ports.remove(port)),
                }
            }
            Swap::Flow { change } => put(&mut flow, &change.pointer, side(change)),
            Swap::Node { node, change } => {
                let id = if base.flow.nodes.contains_key(node) { node } else { old_id(&renamed, node) };
                if let Some(place) = flow.pointer_mut("/nodes").and_then(|nodes| nodes.get_mut(id.as_str())) {
                    put(place, &change.pointer, side(change));
                }
            }
        }
    }
    mixed.set.retain(|_, ports| !ports.is_empty());
    mixed.flow = serde_json::from_value(flow)?;
    Ok(mixed)
}

/// The id that a node of the second flow has in the first one.
fn old_id<'a>(diff: &'a FlowDiff, node: &'a NodeId) -> &'a NodeId {
    let from = |change: &'a FlowChange| match change {
        FlowChange::NodeRenamed { from, to } if to == node => Some(from),
        _ => None,
    };
    diff.changes.iter().find_map(from).unwrap_or(node)
}

/// Puts a value at a place of a document, or removes what stands there.
fn put(document: &mut Value, pointer: &str, value: Option<Value>) {
    let Some((above, last)) = pointer.rsplit_once('/') else { return };
    let mut place = document;
    for name in above.split('/').skip(1).map(unescaped) {
        if place.get(&name).is_none()
            && let Some(members) = place.as_object_mut()
        {
            members.insert(name.clone(), Value::Object(Map::new()));
        }
        let inner = match place {
            Value::Array(items) => name.parse().ok().and_then(|at: usize| items.get_mut(at)),
            other => other.get_mut(&name),
        };
        match inner {
            Some(inner) => place = inner,
            None => return,
        }
    }
    let last = unescaped(last);
    match (place, value) {
        (Value::Object(members), Some(value)) => drop(members.insert(last, value)),
        (Value::Object(members), None) => drop(members.remove(&last)),
        (Value::Array(items), Some(value)) => {
            if let Some(item) = last.parse().ok().and_then(|at: usize| items.get_mut(at)) {
                *item = value;
            }
        }
        _ => {}
    }
}

/// A part of a JSON pointer as it is in the document.
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests;
