//! The flow without its portals and comments: nodes, and wires from output to input.

use std::collections::BTreeMap;

use plait_engine::flow::{Flow, RetryPolicy};
use plait_engine::id::{EdgeId, NodeId, PortName};
use plait_engine::port::{InputPort, PortKind};

use crate::nodes::{self, Settings};

pub struct Node {
    pub kind: String,
    pub settings: Settings,
    pub max_epochs: Option<u32>,
    pub attempts: u32,
    pub inputs: Vec<InputPort>,
}

#[derive(Clone, Debug)]
pub struct Wire {
    /// The edges it is made of, the last first; more than one where it goes through portals.
    pub edges: Vec<EdgeId>,
    pub source: NodeId,
    pub output: PortName,
    pub target: NodeId,
    pub input: PortName,
    pub is_context: bool,
}

pub struct Graph {
    pub nodes: BTreeMap<NodeId, Node>,
    pub wires: Vec<Wire>,
}

impl Graph {
    /// Of a flow without mistakes.
    pub fn of(flow: &Flow) -> Self {
        let settings = |id: &NodeId| -> Settings {
            serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap()
        };
        let kind = |id: &NodeId| flow.nodes[id].node_type.as_str();
        let real = |id: &NodeId| !matches!(kind(id), "portalIn" | "portalOut" | "comment");
        let nodes = flow.nodes.iter().filter(|(id, _)| real(id)).map(|(id, node)| {
            let graph_node = Node {
                kind: node.node_type.clone(),
                settings: settings(id),
                max_epochs: node.limits.max_epochs,
                attempts: node.retry.clone().unwrap_or_else(RetryPolicy::default).attempts,
                inputs: nodes::ports_with(&node.node_type, &settings(id)).inputs,
            };
            (id.clone(), graph_node)
        });
        // Every way backwards from an edge to a real source, through portals of one channel.
        let mut wires = Vec::new();
        for (id, edge) in flow.edges.iter().filter(|(_, edge)| real(&edge.target)) {
            let mut ways = vec![vec![id.clone()]];
            while let Some(way) = ways.pop() {
                let first = &flow.edges[way.last().unwrap()];
                if real(&first.source) {
                    let ports = nodes::ports_with(kind(&edge.target), &settings(&edge.target));
                    wires.push(Wire {
                        source: first.source.clone(),
                        output: first.source_output.clone(),
                        target: edge.target.clone(),
                        input: edge.target_input.clone(),
                        is_context: ports.find_input(edge.target_input.as_str()).unwrap().kind
                            == PortKind::Context,
                        edges: way,
                    });
                    continue;
                }
                let channel = settings(&first.source).channel;
                for (into, before) in &flow.edges {
                    let enters = kind(&before.target) == "portalIn"
                        && settings(&before.target).channel == channel
                        && !way.contains(into);
                    if enters {
                        ways.push(way.iter().cloned().chain([into.clone()]).collect());
                    }
                }
            }
        }
        wires.sort_by(|a, b| a.edges.cmp(&b.edges));
        Self { nodes: nodes.collect(), wires }
    }

    /// The wires into a node.
    pub fn feeds<'a>(&'a self, id: &'a NodeId) -> impl Iterator<Item = (usize, &'a Wire)> + 'a {
        self.wires.iter().enumerate().filter(move |(_, wire)| wire.target == *id)
    }

    /// Whether something is wired to the node's `error` output.
    pub fn handles_error(&self, id: &NodeId) -> bool {
        self.wires.iter().any(|wire| wire.source == *id && wire.output.as_str() == "error")
    }
}
