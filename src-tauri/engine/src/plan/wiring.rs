//! Phase 1, wiring: the flow as a graph of the nodes that run, with configs read, portals resolved and every edge checked
//! against its ports.
//!
//! Nodes and edges with errors are left out of the graph. Later phases never report what is missing only because of that.

mod bound_nodes;
mod edges;
mod portals;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::flow::Flow;
use crate::id::NodeId;
use crate::node::{BoundNode, Registry};

use edges::OmittedInputs;

pub(super) use bound_nodes::{UnboundNodes, Vertex};
pub(super) use portals::Wire;

/// The graph. Vertices are in order of their ids.
pub(super) struct Wiring {
    pub vertices: Vec<Vertex>,
    pub wires: Vec<Wire>,
    /// All nodes that could be bound, including portals and comments.
    pub bound: BTreeMap<NodeId, Arc<dyn BoundNode>>,
    pub unbound: UnboundNodes,
    pub omitted: OmittedInputs,
}

/// Reads a flow into a graph. `silent` are the nodes that run a flow that never asks a person.
pub(super) fn wire(
    flow: &Flow,
    registry: &Registry,
    silent: &BTreeSet<NodeId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Wiring {
    let nodes = bound_nodes::bind_nodes(flow, registry, silent, diagnostics);
    let mut omitted = OmittedInputs::default();
    let config_edges = edges::config_edges(flow, &nodes, &mut omitted, diagnostics);
    let checked = edges::check_edges(flow, &config_edges, &nodes, &mut omitted, diagnostics);
    let wires = portals::resolve_portals(&checked, &nodes, &mut omitted, diagnostics);
    Wiring { vertices: nodes.vertices, wires, bound: nodes.by_id, unbound: nodes.unbound, omitted }
}
