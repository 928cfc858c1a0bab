//! A trial of an imported flow: it runs with what the other tool recorded in one execution, and its values are compared with the
//! recorded ones. What asks people, models or servers delivers what is recorded, as a pin, and asks nobody; everything else runs.

mod comparison;
mod iterations;
mod record;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::flow::{Edge, Flow, IterationPath, Node, Pin};
use plait_core::id::{Epoch, NodeId, PortName};
use plait_core::port::{AFTER_PORT, ERROR_PORT, PortKind};
use serde_json::{Value, json};

use crate::builder::{PLACEHOLDER, gives_text, has_error_output};
use comparison::compare;
use iterations::Iterations;
use plait_formats::codes;
use plait_formats::foreign::{ComparedNode, ImportReport, ImportedNode, ImportedOutput, Made, Trial};
use record::{Record, Repeated, Time, read_record};

/// Node types that only compute. All others deliver what is recorded; loops and sub-flows only where the record does not say what
/// happened inside.
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

/// What an output of the flow is of the file.
type Place<'r> = (&'r ImportedNode, &'r ImportedOutput);

/// A trial with what one execution recorded.
pub(super) struct RecordedTrial {
    flow: Flow,
    report: ImportReport,
    record: Record,
}

impl RecordedTrial {
    /// Of an imported flow and the text of the execution's file. `import.no_record` if it is none.
    pub(super) fn new(flow: &Flow, report: ImportReport, execution: &str) -> Result<Self, Fault> {
        let record = read_record(execution)?;
        Ok(Self { flow: prepare(flow, &report, &record), report, record })
    }
}

impl Trial for RecordedTrial {
    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn compare(&self, made: &[Made]) -> Vec<ComparedNode> {
        compare(&self.flow, &self.report, &self.record, made)
    }
}

/// The flow as it runs in a trial.
fn prepare(flow: &Flow, report: &ImportReport, record: &Record) -> Flow {
    let mut trial = flow.clone();
    trial.confirm_import();
    let places = Places::new(report);
    let taken =
        trial.triggers().find(|id| places.of(&[], id).iter().any(|(node, _)| record.has(&node.id))).cloned();
    if let Some(taken) = taken {
        trial.choose_trigger(&taken);
    }
    let trial_of = |iterations| {
        let mut trial = trial.clone();
        Preparation { places: &places, record, iterations }.prepare(&mut trial, &[]);
        trial
    };
    // Which cycles the nodes are in, the plan of a flow says that can run.
    let iterations = Iterations::of(&trial_of(None), report, &places, record);
    trial_of(Some(&iterations))
}

/// Where the outputs of the file are, by the nodes of the flow.
struct Places<'r> {
    by_node: HashMap<(Vec<NodeId>, NodeId), Vec<Place<'r>>>,
}

impl<'r> Places<'r> {
    fn new(report: &'r ImportReport) -> Self {
        let mut by_node: HashMap<_, Vec<Place<'r>>> = HashMap::new();
        for node in &report.nodes {
            for place in &node.outputs {
                by_node.entry((place.subflows.clone(), place.node.clone())).or_default().push((node, place));
            }
        }
        Self { by_node }
    }

    fn of(&self, subflows: &[NodeId], id: &NodeId) -> &[Place<'r>] {
        self.by_node.get(&(subflows.to_vec(), id.clone())).map_or(&[], Vec::as_slice)
    }

    /// The nodes of the file inside of a sub-flow.
    fn inside<'s>(&'s self, subflow: &'s [NodeId]) -> impl Iterator<Item = &'r ImportedNode> + 's {
        let inside = self.by_node.iter().filter(move |((subflows, _), _)| subflows.starts_with(subflow));
        inside.flat_map(|(_, places)| places.iter().map(|(node, _)| *node))
    }
}

struct Preparation<'r> {
    places: &'r Places<'r>,
    record: &'r Record,
    /// Without it, everything runs that can.
    iterations: Option<&'r Iterations<'r>>,
}

impl Preparation<'_> {
    fn prepare(&self, flow: &mut Flow, subflows: &[NodeId]) {
        // What stands for a lost edge of order holds up nothing here.
        let nodes = &flow.nodes;
        let is_lost_order = |edge: &Edge| {
            edge.target_input.as_str() == AFTER_PORT
                && self.places.of(subflows, &edge.source).is_empty()
                && nodes.get(&edge.source).is_some_and(|node| node.node_type == PLACEHOLDER)
        };
        flow.edges.retain(|_, edge| !is_lost_order(edge));
        // No flow inside of a node has loops that came from a loop of the file.
        let iterations = self.iterations.filter(|_| subflows.is_empty());
        let runs = |loop_id: &NodeId| match self.iterations {
            None => true,
            Some(_) => iterations.is_some_and(|iterations| iterations.run(loop_id)),
        };
        for (id, node) in &mut flow.nodes {
            if node.node_type == "contextStart" {
                // No call of it is made; the provider need not be here.
                node.config.insert("provider".to_owned(), "offline".into());
                node.config.remove("model");
            }
            if COMPUTE.contains(&node.node_type.as_str()) || (node.node_type == "loop" && runs(id)) {
                continue;
            }
            if node.parent.is_none()
                && let Some(mut inner) = self.called(node, subflows, id)
            {
                self.prepare(&mut inner, &[subflows, std::slice::from_ref(id)].concat());
                node.config.insert("flow".to_owned(), serde_json::to_value(inner).unwrap_or_default());
                continue;
            }
            let around = iterations.and_then(|iterations| iterations.around(id)).unwrap_or_default();
            self.pin(node, id, self.places.of(subflows, id), around);
        }
    }

    /// The flow that a node calls, if the record says what happened in it: it has values of its nodes, which nothing else calls.
    fn called(&self, node: &Node, subflows: &[NodeId], id: &NodeId) -> Option<Flow> {
        let path = [subflows, std::slice::from_ref(id)].concat();
        let flow = node.config.get("flow").filter(|_| node.node_type == "subflow")?;
        let mut ran = self.places.inside(&path).filter(|inner| self.record.has(&inner.id)).peekable();
        ran.peek()?;
        if ran.any(is_called_several_times) {
            return None;
        }
        serde_json::from_value(flow.clone()).ok()
    }

    /// Lets a node deliver what is recorded: of each iteration where nodes of the file count them, else of the last time.
    fn pin(&self, node: &mut Node, id: &NodeId, places: &[Place<'_>], around: &[&str]) {
        let has_error = has_error_output(&node.node_type);
        let iterations = self.of_iterations(node, places, around);
        let mut outputs = match iterations.last_key_value() {
            _ if around.is_empty() => {
                with_texts(&node.node_type, self.recorded(places, |_| Some(Time::Last)))
            }
            // Only here it runs in an iteration that is not recorded.
            Some((_, last)) if !has_error => last.clone(),
            _ => BTreeMap::new(),
        };
        if gives_tools(node) || (outputs.is_empty() && !has_error) {
            node.disabled = true;
            return;
        }
        if outputs.is_empty() {
            let missing = json!({
                "code": codes::RUN_NOT_RECORDED.as_str(),
                "message": "The record has no value of this node.",
                "node": id.as_str(),
            });
            outputs.insert(ERROR_PORT.into(), Arc::new(missing));
        }
        node.pin = Some(Pin { outputs, iterations, ..Pin::default() });
    }

    /// The recorded values of each iteration, as the outputs of a node deliver them.
    fn of_iterations(
        &self,
        node: &Node,
        places: &[Place<'_>],
        around: &[&str],
    ) -> BTreeMap<IterationPath, BTreeMap<PortName, Arc<Value>>> {
        if around.is_empty() {
            return BTreeMap::new();
        }
        let of_file = |of: &ImportedNode| self.record.times(&of.id, around, repeated(node));
        let times: HashMap<&str, BTreeMap<Epoch, usize>> =
            places.iter().filter_map(|(of, _)| Some((of.id.as_str(), of_file(of)?))).collect();
        let epochs: BTreeSet<&Epoch> = times.values().flat_map(BTreeMap::keys).collect();
        let values = |epoch: &Epoch| {
            let at = |of: &ImportedNode| times.get(of.id.as_str())?.get(epoch).copied().map(Time::At);
            with_texts(&node.node_type, self.recorded(places, at))
        };
        let values = epochs.into_iter().map(|epoch| (IterationPath(epoch.clone()), values(epoch)));
        values.filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The recorded values as the outputs of a node deliver them.
    fn recorded(
        &self,
        places: &[Place<'_>],
        time: impl Fn(&ImportedNode) -> Option<Time>,
    ) -> BTreeMap<PortName, Arc<Value>> {
        let mut recorded: BTreeMap<PortName, Value> = BTreeMap::new();
        for (of, place) in places {
            let value = time(of).and_then(|time| self.record.output(&of.id, &place.name, time));
            let Some(value) = value else { continue };
            let value = pinned_at(place, &value);
            // Several outputs of the file may be fields of one.
            match (recorded.get_mut(place.port.as_str()), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (_, value) => drop(recorded.insert(place.port.as_str().into(), value)),
            }
        }
        recorded.into_iter().map(|(port, value)| (port, Arc::new(value))).collect()
    }
}

/// What counts when the record of a node has several times in one iteration.
fn repeated(node: &Node) -> Repeated {
    if node.node_type == "loop" { Repeated::Last } else { Repeated::Unknown }
}

/// The values with a text where a node gives nothing else: nothing for an empty object, such as that of n8n's manual trigger.
fn with_texts(node_type: &str, mut values: BTreeMap<PortName, Arc<Value>>) -> BTreeMap<PortName, Arc<Value>> {
    for (port, value) in &mut values {
        if !value.is_string() && gives_text(node_type, port) {
            let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
            *value = Arc::new(if is_empty { String::new() } else { value.to_string() }.into());
        }
    }
    values
}

/// Whether a node is a placeholder for tools, which have no value.
fn gives_tools(node: &Node) -> bool {
    let outputs = node.config.get("outputs").and_then(Value::as_array);
    node.node_type == PLACEHOLDER
        && outputs.is_some_and(|ports| ports.iter().all(|port| port["kind"] == json!(PortKind::Tools)))
}

/// Whether the flow has a node of the file several times, in sub-flows. The record does not say which one ran when.
fn is_called_several_times(node: &ImportedNode) -> bool {
    node.outputs.iter().any(|place| place.subflows != node.outputs[0].subflows)
}

/// What of a recorded value stands at a place.
fn recorded_at(place: &ImportedOutput, value: &Value) -> Value {
    match value {
        Value::Array(items) if !place.field.is_empty() => {
            items.iter().map(|item| follow(item, &place.field)).collect()
        }
        value => follow(value, &place.field),
    }
}

/// A recorded value as the output of a place delivers it.
fn pinned_at(place: &ImportedOutput, value: &Value) -> Value {
    place.path.iter().rev().fold(recorded_at(place, value), |inner, step| json!({ step.as_str(): inner }))
}

/// What of a delivered value stands for the one that is recorded of a place.
fn delivered_at(place: &ImportedOutput, value: &Value) -> Value {
    follow(value, &place.path)
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
