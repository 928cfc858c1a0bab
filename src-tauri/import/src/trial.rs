//! A trial of an imported flow: it runs with what the other tool recorded in one execution, and its values are compared with the
//! recorded ones. What asks people, models or servers delivers what is recorded, as a pin, and asks nobody; everything else runs.

mod record;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::expression::values_equal;
use plait_core::flow::{Flow, Pin};
use plait_core::id::{NodeId, PortName};
use plait_core::port::{ERROR_PORT, PortKind};
use plait_nodes::registry;
use serde::Serialize;
use serde_json::{Value, json};

use crate::builder::PLACEHOLDER;
use crate::codes;
use crate::report::{ImportReport, ImportedNode, ImportedOutput};
pub use record::{Record, read_record};

/// Node types that only compute. All others deliver what is recorded.
const COMPUTE: [&str; 15] = [
    "text",
    "value",
    "json",
    "code",
    "switch",
    "join",
    "output",
    "note",
    "contextStart",
    "newContext",
    "injectMessages",
    "setContext",
    "tools",
    "portalIn",
    "portalOut",
];

/// How a node of the file compares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Compared {
    /// It made the recorded values.
    Same,
    /// It delivered what is recorded.
    Given,
    Differs {
        recorded: Value,
        here: Value,
    },
    /// It made a value in the record alone.
    OnlyRecorded {
        recorded: Value,
    },
    /// It made a value here alone.
    OnlyHere {
        here: Value,
    },
    NotCompared {
        reason: &'static str,
    },
}

impl Compared {
    /// Whether the flow does something else than the recorded execution.
    pub fn departs(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::OnlyRecorded { .. } | Self::OnlyHere { .. })
    }
}

/// The flow as it runs in a trial: with the recorded values as pins, from the recorded trigger. It calls no model and no server.
pub fn prepare(flow: &Flow, report: &ImportReport, record: &Record) -> Flow {
    let mut flow = flow.clone();
    flow.confirm_import();
    let taken =
        flow.triggers().find(|id| places_of(report, id).any(|(node, _)| record.has(&node.id))).cloned();
    if let Some(taken) = taken {
        flow.choose_trigger(&taken);
    }
    let registry = registry();
    let ids: Vec<NodeId> = flow.nodes.keys().cloned().collect();
    for id in ids {
        let Some(node) = flow.nodes.get_mut(&id) else { continue };
        if node.node_type == "contextStart" {
            // No call of it is made; the provider need not be here.
            node.config.insert("provider".to_owned(), "offline".into());
            node.config.remove("model");
        }
        if COMPUTE.contains(&node.node_type.as_str()) {
            continue;
        }
        let mut recorded: BTreeMap<PortName, Value> = BTreeMap::new();
        for (of, place) in places_of(report, &id) {
            let Some(value) = record.output(&of.id, &place.name) else { continue };
            let value = place.pinned(&value);
            // Several outputs of the file may be fields of one.
            match (recorded.get_mut(place.port.as_str()), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (_, value) => drop(recorded.insert(place.port.as_str().into(), value)),
            }
        }
        let outputs: BTreeMap<PortName, Arc<Value>> =
            recorded.into_iter().map(|(port, value)| (port, Arc::new(value))).collect();
        let has_error = registry
            .descriptor(&node.node_type)
            .is_some_and(|found| found.ports.outputs.iter().any(|port| port.name.as_str() == ERROR_PORT));
        let gives_tools = node.node_type == PLACEHOLDER
            && node
                .config
                .get("outputs")
                .and_then(Value::as_array)
                .is_some_and(|ports| ports.iter().all(|port| port["kind"] == json!(PortKind::Tools)));
        if gives_tools || (outputs.is_empty() && !has_error) {
            node.disabled = true;
            continue;
        }
        let missing = json!({
            "code": codes::RUN_NOT_RECORDED.as_str(),
            "message": "The record has no value of this node.",
            "node": id.as_str(),
        });
        let outputs =
            if outputs.is_empty() { [(ERROR_PORT.into(), Arc::new(missing))].into() } else { outputs };
        node.pin = Some(Pin { outputs, ..Pin::default() });
    }
    flow
}

/// Compares each node of the file. `value` is what an output delivered in the trial, if it was live.
pub fn compare<'r>(
    flow: &Flow,
    report: &'r ImportReport,
    record: &Record,
    value: impl Fn(&NodeId, &str) -> Option<Value>,
) -> Vec<(&'r ImportedNode, Compared)> {
    let mut compared = Vec::new();
    for node in report.nodes.iter().filter(|node| !node.outputs.is_empty()) {
        let mut found = None;
        for place in &node.outputs {
            let recorded = record.output(&node.id, &place.name).map(|value| place.recorded(&value));
            let made = flow.nodes.get(&place.node);
            let one = if made.is_none_or(|made| made.parent.is_some()) {
                Compared::NotCompared { reason: "it is in a loop" }
            } else if record.count(&node.id) > 1 {
                Compared::NotCompared { reason: "it ran several times" }
            } else if made.is_some_and(|made| !COMPUTE.contains(&made.node_type.as_str())) {
                Compared::Given
            } else {
                match (recorded, value(&place.node, &place.port).map(|value| place.read(value))) {
                    (None, None) => continue,
                    (Some(recorded), Some(here)) if values_equal(&recorded, &here) => Compared::Same,
                    (Some(recorded), Some(here)) => Compared::Differs { recorded, here },
                    (Some(recorded), None) => Compared::OnlyRecorded { recorded },
                    (None, Some(here)) => Compared::OnlyHere { here },
                }
            };
            // The first departure counts.
            let departs = one.departs();
            found = Some(found.filter(|known: &Compared| known.departs() || !departs).unwrap_or(one));
        }
        // A node that ran nowhere is none of the comparison.
        let ran = record.has(&node.id) || found.as_ref().is_some_and(Compared::departs);
        if ran {
            compared.push((node, found.unwrap_or(Compared::Same)));
        }
    }
    compared
}

/// The outputs of the file that are outputs of a node of the flow.
fn places_of<'r>(
    report: &'r ImportReport,
    id: &NodeId,
) -> impl Iterator<Item = (&'r ImportedNode, &'r ImportedOutput)> {
    let all = report.nodes.iter().flat_map(|node| node.outputs.iter().map(move |place| (node, place)));
    all.filter(move |(_, place)| place.node == *id)
}

impl ImportedOutput {
    /// What of a recorded value stands there.
    fn recorded(&self, value: &Value) -> Value {
        match value {
            Value::Array(items) if !self.field.is_empty() => {
                items.iter().map(|item| follow(item, &self.field)).collect()
            }
            value => follow(value, &self.field),
        }
    }

    /// A recorded value as the output delivers it.
    fn pinned(&self, value: &Value) -> Value {
        self.path.iter().rev().fold(self.recorded(value), |inner, step| json!({ step.as_str(): inner }))
    }

    /// What of a delivered value stands for the recorded one.
    fn read(&self, value: Value) -> Value {
        if self.path.is_empty() { value } else { follow(&value, &self.path) }
    }
}

fn follow(value: &Value, path: &[String]) -> Value {
    let found = path.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
        value => value.get(step),
    });
    found.cloned().unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests;
