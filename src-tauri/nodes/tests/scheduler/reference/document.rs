//! A flow as a whole: its nodes, in loops or not, and the connections between them, with portals resolved.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::flow::Flow;
use plait_core::id::{EdgeId, NodeId, PortName};
use plait_core::port::{InputPort, PortKind, PortType, Ports};
use plait_run::node::{Behavior, Portal};

use super::repetition::Repetition;
use crate::nodes::{Settings, behavior, ports_with};

#[derive(Clone, Debug)]
pub struct Node {
    pub id: NodeId,
    pub kind: String,
    pub settings: Settings,
    pub behavior: Behavior,
    pub inputs: Vec<InputPort>,
    /// Whether it, or a node in its body, pauses.
    pub can_ask: bool,
    pub max_epochs: Option<u32>,
    /// How many attempts it has if its failures are retryable.
    pub attempts: u32,
    /// How it repeats its body, if it is a loop.
    pub repetition: Option<Repetition>,
}

/// An edge, or several that lead through portals.
#[derive(Debug)]
pub struct Connection {
    pub source: NodeId,
    pub output: PortName,
    pub target: NodeId,
    pub input: PortName,
    /// The edges it consists of, the one into the target first.
    pub edges: Vec<EdgeId>,
}

#[derive(Debug)]
pub struct Document {
    /// The nodes that run.
    pub nodes: BTreeMap<NodeId, Node>,
    pub connections: Vec<Connection>,
    /// The node that the run is to run to.
    pub target: Option<NodeId>,
    parents: BTreeMap<NodeId, NodeId>,
}

impl Document {
    pub fn of(flow: &Flow) -> Self {
        let parents: BTreeMap<NodeId, NodeId> =
            flow.nodes.iter().filter_map(|(id, node)| Some((id.clone(), node.parent.clone()?))).collect();
        let mut document = Self { nodes: BTreeMap::new(), connections: Vec::new(), target: None, parents };
        for (id, node) in &flow.nodes {
            let node = read(id, node);
            if node.behavior.portal.is_none() && !node.behavior.inert {
                document.nodes.insert(id.clone(), node);
            }
        }
        // A loop can ask if a node in its body can.
        let asks: Vec<NodeId> =
            document.nodes.values().filter(|node| node.behavior.pauses).map(|node| node.id.clone()).collect();
        let around: Vec<NodeId> = asks.iter().flat_map(|id| document.path(id)).collect();
        for around in around {
            if let Some(node) = document.nodes.get_mut(&around) {
                node.can_ask = true;
            }
        }
        for (id, edge) in &flow.edges {
            if !document.nodes.contains_key(&edge.target) {
                continue;
            }
            for (source, output, edges) in sources(flow, id, &mut BTreeSet::new()) {
                if document.nodes.contains_key(&source) {
                    let (target, input) = (edge.target.clone(), edge.target_input.clone());
                    document.connections.push(Connection { source, output, target, input, edges });
                }
            }
        }
        document
    }

    /// The loops around a node, outermost first.
    pub fn path(&self, id: &NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> =
            std::iter::successors(self.parents.get(id), |around| self.parents.get(*around))
                .cloned()
                .collect();
        path.reverse();
        path
    }

    /// The body of a loop.
    pub fn body(&self, of: &NodeId) -> Vec<NodeId> {
        let mut body = self.path(of);
        body.push(of.clone());
        body
    }

    /// The nodes inside of each loop, at any depth, and the loops themselves, which test their conditions in iterations.
    pub fn bodies(&self) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
        let mut bodies: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
        for id in self.nodes.keys() {
            for around in self.path(id) {
                bodies.entry(around).or_default().insert(id.clone());
            }
        }
        for node in self.nodes.values().filter(|node| node.repetition.is_some()) {
            bodies.entry(node.id.clone()).or_default().insert(node.id.clone());
        }
        bodies
    }

    pub fn is_inside(&self, id: &NodeId, of: &NodeId) -> bool {
        self.path(id).contains(of)
    }
}

impl Connection {
    /// Whether it begins inside, on the border of a loop.
    pub fn begins_on_border(&self, document: &Document) -> bool {
        document.is_inside(&self.target, &self.source)
    }

    /// Whether it ends inside, on the border of a loop.
    pub fn ends_on_border(&self, document: &Document) -> bool {
        document.is_inside(&self.source, &self.target)
    }

    /// The scope that it begins in: the loops around it, outermost first.
    pub fn begins_in(&self, document: &Document) -> Vec<NodeId> {
        if self.begins_on_border(document) {
            document.body(&self.source)
        } else {
            document.path(&self.source)
        }
    }

    /// The scope that it ends in.
    pub fn ends_in(&self, document: &Document) -> Vec<NodeId> {
        if self.ends_on_border(document) { document.body(&self.target) } else { document.path(&self.target) }
    }

    /// The port by which it enters loops on its way.
    pub fn entrance(&self) -> PortName {
        let edges: Vec<&str> = self.edges.iter().map(EdgeId::as_str).collect();
        format!("entrance {}", edges.join(" ")).as_str().into()
    }
}

fn read(id: &NodeId, node: &plait_core::flow::Node) -> Node {
    let repetition = (node.node_type == "loop").then(|| Repetition::of(&node.config));
    let (settings, behavior, inputs) = if let Some(repetition) = &repetition {
        (Settings::default(), Behavior::default(), loop_inputs(repetition))
    } else {
        let settings: Settings = serde_json::from_value(node.config.clone().into()).unwrap();
        let (behavior, ports) =
            (behavior(&node.node_type, &settings), ports_with(&node.node_type, &settings));
        (settings, behavior, ports.after().inputs)
    };
    Node {
        id: id.clone(),
        kind: node.node_type.clone(),
        settings,
        can_ask: behavior.pauses,
        behavior,
        inputs,
        max_epochs: node.limits.max_epochs,
        attempts: node.retry.clone().unwrap_or_default().attempts,
        repetition,
    }
}

fn loop_inputs(repetition: &Repetition) -> Vec<InputPort> {
    let (data, any) = (PortKind::Data, PortType::Any);
    let ports = Ports::new().when_fed("context", PortKind::Context, any, "").when_fed("input", data, any, "");
    let ports = if repetition.is_for_each() { ports.input("items", data, any, "") } else { ports };
    ports.after().inputs
}

/// Where the value on an edge comes from: itself, if it starts at a node; all entrances of the channel, if at a portal.
fn sources(flow: &Flow, edge: &EdgeId, seen: &mut BTreeSet<EdgeId>) -> Vec<(NodeId, PortName, Vec<EdgeId>)> {
    if !seen.insert(edge.clone()) {
        return Vec::new();
    }
    let here = &flow.edges[edge];
    let found = match portal(flow, &here.source) {
        Some(Portal::Out(channel)) => {
            let enters =
                |id: &NodeId| matches!(portal(flow, id), Some(Portal::In(other)) if other == channel);
            let into = flow.edges.iter().filter(|(_, other)| enters(&other.target));
            into.flat_map(|(id, _)| sources(flow, id, seen))
                .map(|(node, output, edges)| (node, output, [vec![edge.clone()], edges].concat()))
                .collect()
        }
        _ => vec![(here.source.clone(), here.source_output.clone(), vec![edge.clone()])],
    };
    seen.remove(edge);
    found
}

fn portal(flow: &Flow, id: &NodeId) -> Option<Portal> {
    read(id, flow.nodes.get(id)?).behavior.portal
}
