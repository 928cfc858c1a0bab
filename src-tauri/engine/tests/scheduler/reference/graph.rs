//! A flow as the reference reads it: the nodes that run, in the order of their ids, and the wires between them.
//!
//! Portals are resolved: a wire leads from an output to an input, through any number of portals.

use std::collections::BTreeSet;

use plait_engine::flow::Flow;
use plait_engine::id::{EdgeId, NodeId, PortName};
use plait_engine::node::{Behavior, Portal};
use plait_engine::port::{ERROR_PORT, InputPort};

use crate::nodes::{Settings, behavior, ports_with};

/// A node, named by its place in [`Graph::nodes`]. A lower number has a lower id.
pub type Place = usize;

#[derive(Debug)]
pub struct Node {
    pub id: NodeId,
    pub kind: String,
    pub settings: Settings,
    pub behavior: Behavior,
    pub inputs: Vec<InputPort>,
    pub max_epochs: Option<u32>,
    /// How many attempts it has if its failures are retryable.
    pub attempts: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    pub source: Place,
    pub output: PortName,
    pub target: Place,
    pub input: PortName,
    /// The edges it consists of, the one into the target first; several if it leads through portals.
    pub edges: Vec<EdgeId>,
}

#[derive(Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub wires: Vec<Wire>,
}

impl Graph {
    pub fn of(flow: &Flow) -> Self {
        let nodes: Vec<Node> = flow
            .nodes
            .iter()
            .map(|(id, node)| {
                let settings: Settings = serde_json::from_value(node.config.clone().into()).unwrap();
                Node {
                    id: id.clone(),
                    behavior: behavior(&node.node_type, &settings),
                    inputs: ports_with(&node.node_type, &settings).inputs,
                    kind: node.node_type.clone(),
                    settings,
                    max_epochs: node.limits.max_epochs,
                    attempts: node.retry.clone().unwrap_or_default().attempts,
                }
            })
            .filter(|node| node.behavior.portal.is_none() && !node.behavior.inert)
            .collect();
        let mut graph = Self { nodes, wires: Vec::new() };
        for (id, edge) in &flow.edges {
            let Some(target) = graph.find(&edge.target) else { continue };
            for (source, output, edges) in sources(flow, id, &mut BTreeSet::new()) {
                let Some(source) = graph.find(&source) else { continue };
                graph.wires.push(Wire { source, output, target, input: edge.target_input.clone(), edges });
            }
        }
        graph
    }

    pub fn find(&self, id: &NodeId) -> Option<Place> {
        self.nodes.iter().position(|node| node.id == *id)
    }

    pub fn places(&self) -> std::ops::Range<Place> {
        0..self.nodes.len()
    }

    /// Whether a failure of a node feeds something, so that the run goes on.
    pub fn handles_errors_of(&self, node: Place) -> bool {
        self.wires.iter().any(|wire| wire.source == node && wire.output.as_str() == ERROR_PORT)
    }
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
    let node = flow.nodes.get(id)?;
    let settings: Settings = serde_json::from_value(node.config.clone().into()).unwrap();
    behavior(&node.node_type, &settings).portal
}
