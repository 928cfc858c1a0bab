//! A trial of an imported flow: it runs with what the other tool recorded in one execution, and its values are compared with the
//! recorded ones. What asks people, models or servers delivers what is recorded, as a pin, and asks nobody; everything else runs.

mod comparison;
mod record;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use plait_core::flow::{Edge, Flow, Node, Pin};
use plait_core::id::{NodeId, PortName};
use plait_core::port::{AFTER_PORT, ERROR_PORT, PortKind};
use serde_json::{Value, json};

use crate::builder::{PLACEHOLDER, gives_text, has_error_output};
use crate::codes;
use crate::report::{ImportReport, ImportedNode, ImportedOutput};
pub use comparison::{Compared, ComparedNode, Made, compare};
use record::Time;
pub use record::{Record, read_record};

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

/// The flow as it runs in a trial: with the recorded values as pins, from the recorded trigger. It calls no model and no server.
pub fn prepare(flow: &Flow, report: &ImportReport, record: &Record) -> Flow {
    let mut trial = flow.clone();
    trial.confirm_import();
    let places = Places::new(report);
    let taken =
        trial.triggers().find(|id| places.of(&[], id).iter().any(|(node, _)| record.has(&node.id))).cloned();
    if let Some(taken) = taken {
        trial.choose_trigger(&taken);
    }
    Preparation { places, record }.prepare(&mut trial, &[]);
    trial
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

    /// The node of the file that a loop is.
    fn head(&self, id: &NodeId) -> Option<&'r str> {
        self.of(&[], id).first().map(|(node, _)| node.id.as_str())
    }

    /// The nodes of the file inside of a sub-flow.
    fn inside<'s>(&'s self, subflow: &'s [NodeId]) -> impl Iterator<Item = &'r ImportedNode> + 's {
        let inside = self.by_node.iter().filter(move |((subflows, _), _)| subflows.starts_with(subflow));
        inside.flat_map(|(_, places)| places.iter().map(|(node, _)| *node))
    }
}

struct Preparation<'r> {
    places: Places<'r>,
    record: &'r Record,
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
        let repeated: Vec<NodeId> = if subflows.is_empty() {
            let loops =
                flow.nodes.iter().filter(|(_, node)| node.node_type == "loop" && node.parent.is_none());
            loops.map(|(id, _)| id).filter(|id| self.repeats(flow, id)).cloned().collect()
        } else {
            Vec::new()
        };
        for (id, node) in &mut flow.nodes {
            if node.node_type == "contextStart" {
                // No call of it is made; the provider need not be here.
                node.config.insert("provider".to_owned(), "offline".into());
                node.config.remove("model");
            }
            if COMPUTE.contains(&node.node_type.as_str()) || repeated.contains(id) {
                continue;
            }
            if node.parent.is_none()
                && let Some(mut inner) = self.called(node, subflows, id)
            {
                self.prepare(&mut inner, &[subflows, std::slice::from_ref(id)].concat());
                node.config.insert("flow".to_owned(), serde_json::to_value(inner).unwrap_or_default());
                continue;
            }
            let head = node.parent.as_ref().filter(|parent| repeated.contains(parent));
            let head = head.and_then(|parent| self.places.head(parent));
            self.pin(node, id, self.places.of(subflows, id), head);
        }
    }

    /// Whether the iterations of a loop run: the record says in which of them each node ran that asks.
    fn repeats(&self, flow: &Flow, id: &NodeId) -> bool {
        let Some(head) = self.places.head(id).filter(|head| self.record.has(head)) else { return false };
        let inside = flow.nodes.iter().filter(|(_, node)| node.parent.as_ref() == Some(id));
        let places = inside.flat_map(|(inner, _)| self.places.of(&[], inner));
        let mut ran = places.filter(|(of, _)| self.record.has(&of.id)).peekable();
        ran.peek().is_some() && ran.all(|(of, _)| self.record.iterations(&of.id, head).is_some())
    }

    /// The flow that a node calls, if the record says what happened in it: it has values of its nodes, which nothing else calls.
    fn called(&self, node: &Node, subflows: &[NodeId], id: &NodeId) -> Option<Flow> {
        let path = [subflows, std::slice::from_ref(id)].concat();
        let flow = node.config.get("flow").filter(|_| node.node_type == "subflow")?;
        let mut ran = self.places.inside(&path).filter(|inner| self.record.has(&inner.id)).peekable();
        ran.peek()?;
        if ran.any(ImportedNode::is_called_several_times) {
            return None;
        }
        serde_json::from_value(flow.clone()).ok()
    }

    /// Lets a node deliver what is recorded: of each iteration in a loop of the file, else of the last time.
    fn pin(&self, node: &mut Node, id: &NodeId, places: &[Place<'_>], head: Option<&str>) {
        let has_error = has_error_output(&node.node_type);
        let numbers = places.iter().filter_map(|(of, _)| self.record.iterations(&of.id, head?)).flatten();
        let iterations = numbers.max().map_or(0, |last| last + 1);
        let at = |number| head.map(|head| self.recorded(places, Time::Iteration { head, number }));
        let at = |number| at(number).map(|values| with_texts(&node.node_type, values));
        let iterations: Vec<_> =
            (0..iterations).filter_map(at).map(|one| (!one.is_empty()).then_some(one)).collect();
        let mut outputs = match (head, iterations.iter().flatten().last()) {
            (None, _) => with_texts(&node.node_type, self.recorded(places, Time::Last)),
            // Only here it runs in an iteration that is not recorded.
            (Some(_), Some(last)) if !has_error => last.clone(),
            (Some(_), _) => BTreeMap::new(),
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

    /// The recorded values as the outputs of a node deliver them.
    fn recorded(&self, places: &[Place<'_>], time: Time<'_>) -> BTreeMap<PortName, Arc<Value>> {
        let mut recorded: BTreeMap<PortName, Value> = BTreeMap::new();
        for (of, place) in places {
            let Some(value) = self.record.output(&of.id, &place.name, time) else { continue };
            let value = place.pinned(&value);
            // Several outputs of the file may be fields of one.
            match (recorded.get_mut(place.port.as_str()), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (_, value) => drop(recorded.insert(place.port.as_str().into(), value)),
            }
        }
        recorded.into_iter().map(|(port, value)| (port, Arc::new(value))).collect()
    }
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

impl ImportedNode {
    /// Whether the flow has it several times, in sub-flows. The record does not say which one ran when.
    fn is_called_several_times(&self) -> bool {
        self.outputs.iter().any(|place| place.subflows != self.outputs[0].subflows)
    }
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
    fn read(&self, value: &Value) -> Value {
        follow(value, &self.path)
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
