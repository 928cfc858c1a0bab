//! The graph of one scope, the flow itself or the body of a loop: its nodes, in the order of their ids, and the wires between
//! them.
//!
//! To the scope around it, a loop is a node. What enters its body by an edge from outside enters the loop by an input of its
//! own. In the body, the first node stands for the border: all that comes from outside of an iteration comes from there.

use std::collections::BTreeMap;

use plait_core::id::{EdgeId, NodeId, PortName};
use plait_core::port::{ERROR_PORT, PortKind, PortType, Ports};

use super::document::{Document, Node};
use crate::nodes::Settings;

/// A node, named by its place in [`Graph::nodes`]. A lower number has a lower id.
pub type Place = usize;

/// The place of the border in the body of a loop.
pub const BORDER: &str = "border";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    pub source: Place,
    pub output: PortName,
    pub target: Place,
    pub input: PortName,
    /// The edges it consists of, the one into the target first; several if it leads through portals.
    pub edges: Vec<EdgeId>,
    /// Where what it carries comes from, in plan order: outer scopes first.
    pub origin: Origin,
}

/// How many loops are around a node, and its place in the plan order of its scope.
pub type Origin = (usize, usize);

#[derive(Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub wires: Vec<Wire>,
    /// The wires to the border: the results of an iteration.
    pub results: Vec<Wire>,
}

impl Graph {
    /// The graph of a scope. `origins` has the nodes of the scopes around it.
    pub fn of(document: &Document, scope: &[NodeId], origins: &BTreeMap<NodeId, Origin>) -> Self {
        let inside = document.nodes.values().filter(|node| document.path(&node.id) == scope);
        let mut nodes: Vec<Node> = inside.cloned().collect();
        if !scope.is_empty() {
            nodes.insert(0, border());
        }
        let mut graph = Self { nodes, wires: Vec::new(), results: Vec::new() };
        for connection in &document.connections {
            let (begin, end) = (connection.begins_in(document), connection.ends_in(document));
            if !end.starts_with(scope) || !scope.starts_with(&begin) {
                continue;
            }
            let starts_here = begin == scope;
            let (source, output) = match (starts_here, connection.begins_on_border(document)) {
                (true, false) => (graph.place(&connection.source), connection.output.clone()),
                (true, true) => (0, connection.output.clone()),
                (false, _) => (0, connection.entrance()),
            };
            let origin = match (connection.begins_on_border(document), starts_here) {
                (true, _) => (begin.len(), 0),
                (false, true) => (scope.len(), 0),
                (false, false) => origins[&connection.source],
            };
            let wire = |target: Place, input: PortName| Wire {
                source,
                output: output.clone(),
                target,
                input,
                edges: connection.edges.clone(),
                origin,
            };
            if end != scope {
                let target = graph.place(&end[scope.len()]);
                let entrance = connection.entrance();
                let port = Ports::new().optional(entrance.as_str(), PortKind::Data, PortType::Any, "");
                graph.nodes[target].inputs.extend(port.inputs);
                graph.wires.push(wire(target, entrance));
            } else if connection.ends_on_border(document) {
                graph.results.push(wire(0, connection.input.clone()));
            } else {
                graph.wires.push(wire(graph.place(&connection.target), connection.input.clone()));
            }
        }
        graph
    }

    pub fn find(&self, id: &NodeId) -> Option<Place> {
        self.nodes.iter().position(|node| node.id == *id)
    }

    fn place(&self, id: &NodeId) -> Place {
        self.find(id).expect("it is in this scope")
    }

    pub fn places(&self) -> std::ops::Range<Place> {
        0..self.nodes.len()
    }

    pub fn is_border(&self, node: Place) -> bool {
        self.nodes[node].kind == BORDER
    }

    /// Whether a failure of a node feeds something, so that the run goes on.
    pub fn handles_errors_of(&self, node: Place) -> bool {
        let mut wires = self.wires.iter().chain(&self.results);
        wires.any(|wire| wire.source == node && wire.output.as_str() == ERROR_PORT)
    }
}

fn border() -> Node {
    Node {
        id: BORDER.into(),
        kind: BORDER.to_owned(),
        settings: Settings::default(),
        behavior: plait_run::node::Behavior::default(),
        inputs: Vec::new(),
        can_ask: false,
        max_epochs: None,
        attempts: 1,
        repetition: None,
    }
}
