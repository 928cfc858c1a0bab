//! Portals: edges that jump. What enters a channel leaves it at every exit, as if wired there directly.

use crate::error::ErrorCode;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound_nodes::BoundNodes;
use super::edges::{CheckedEdge, OmittedInputs, mismatch};
use crate::diagnostic::Diagnostic;
use crate::id::{EdgeId, NodeId, PortName};
use crate::node::Portal;
use crate::port::{OutputPort, PortKind};

/// An edge between two vertices. Its ports exist and fit each other.
#[derive(Clone)]
pub(in crate::plan) struct Wire {
    /// The edge of the flow that it comes from; behind a portal, the edge at the exit.
    pub edge: EdgeId,
    pub source: usize,
    pub source_port: PortName,
    pub target: usize,
    /// Index among the target's inputs.
    pub target_port: usize,
    pub kind: PortKind,
}

/// A node and one of its outputs.
type Source = (NodeId, OutputPort);

/// Turns edges into wires and resolves portals: `source → portalIn` and `portalOut → target` of one channel become
/// `source → target`.
pub(super) fn resolve_portals(
    edges: &[CheckedEdge<'_>],
    nodes: &BoundNodes,
    omitted: &mut OmittedInputs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Wire> {
    let vertex_of: FxHashMap<&NodeId, usize> =
        nodes.vertices.iter().enumerate().map(|(at, vertex)| (&vertex.id, at)).collect();
    let mut entrances: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for edge in edges {
        if let Some(Portal::In(channel)) = nodes.portal(&edge.edge.target) {
            entrances.entry(channel).or_default().push(source_of(edge));
        }
    }
    let blocked = blocked_channels(nodes, omitted);
    let mut wires = Vec::with_capacity(edges.len());
    for edge in edges {
        let Some(&target) = vertex_of.get(&edge.edge.target) else { continue };
        let inputs = &nodes.vertices[target].node.ports().inputs;
        let Some(target_port) = inputs.iter().position(|port| port.name == edge.input.name) else { continue };
        let (sources, channels) = trace_sources(edge, &entrances, nodes);
        if sources.is_empty() {
            omitted.insert((edge.edge.target.clone(), edge.input.name.clone()));
            let has_cause =
                nodes.unbound.may_be_entrance || channels.iter().any(|channel| blocked.contains(channel));
            if let (false, Some(Portal::Out(channel))) = (has_cause, nodes.portal(&edge.edge.source)) {
                let message = format!("Nothing feeds the portal `{channel}`.");
                let found = Diagnostic::on_node(ErrorCode::PortalNoEntrance, &edge.edge.source, message);
                diagnostics.push(
                    found.hint("Add a `portalIn` node with the same channel and connect something to it."),
                );
            }
        }
        for (source, output) in sources {
            let Some(&source) = vertex_of.get(&source) else { continue };
            if let Some(found) = mismatch(&output, &edge.input) {
                omitted.insert((edge.edge.target.clone(), edge.input.name.clone()));
                diagnostics.push(found.at_edge(edge.id));
                continue;
            }
            wires.push(Wire {
                edge: edge.id.clone(),
                source,
                // The port's own name, not the edge's: nodes of one type share it in memory.
                source_port: output.name,
                target,
                target_port,
                kind: edge.input.kind,
            });
        }
    }
    wires
}

/// The channels with an entrance whose edge is left out.
fn blocked_channels(nodes: &BoundNodes, omitted: &OmittedInputs) -> FxHashSet<String> {
    let channel = |id: &NodeId| match nodes.portal(id)? {
        Portal::In(channel) => Some(channel),
        Portal::Out(_) => None,
    };
    omitted.iter().filter_map(|(id, _)| channel(id)).collect()
}

/// The outputs that feed an edge through any number of portals, and the channels on the way. There are none if a channel
/// has no entrance, or if channels lead only into each other.
fn trace_sources(
    edge: &CheckedEdge<'_>,
    entrances: &BTreeMap<String, Vec<Source>>,
    nodes: &BoundNodes,
) -> (Vec<Source>, FxHashSet<String>) {
    let mut sources = Vec::new();
    let mut channels = FxHashSet::default();
    let mut work = vec![source_of(edge)];
    while let Some(source) = work.pop() {
        let Some(Portal::Out(channel)) = nodes.portal(&source.0) else {
            sources.push(source);
            continue;
        };
        let feeds = entrances.get(&channel);
        if channels.insert(channel) {
            work.extend(feeds.into_iter().flatten().rev().cloned());
        }
    }
    (sources, channels)
}

fn source_of(edge: &CheckedEdge<'_>) -> Source {
    (edge.edge.source.clone(), edge.output.clone())
}
