//! Phase 1, wiring: the flow as a graph of the nodes that run, with configs read, portals resolved and every edge checked
//! against its ports.
//!
//! Nodes and edges with errors are left out of the graph. Later phases never report what is missing only because of that.

mod bound_nodes;
mod edges;
mod portals;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::id::NodeId;
use crate::node::BoundNode;

use edges::OmittedInputs;

pub use bound_nodes::BoundFlow;
pub(super) use bound_nodes::{UnboundNodes, Vertex};
pub(super) use portals::Wire;

/// The graph. Vertices are in order of their ids.
pub(super) struct Wiring {
    pub vertices: Vec<Vertex>,
    pub wires: Vec<Wire>,
    /// All nodes that could be bound, including portals and comments, in order of their ids.
    pub bound: Vec<(NodeId, Arc<dyn BoundNode>)>,
    pub unbound: UnboundNodes,
    pub omitted: OmittedInputs,
}

/// Reads a flow into a graph. `silent` are the nodes that run a flow that never asks a person.
pub(super) fn wire(
    mut flow: BoundFlow<'_>,
    silent: &BTreeSet<NodeId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Wiring {
    diagnostics.append(&mut flow.diagnostics);
    let vertices = flow.vertices(silent);
    let mut omitted = OmittedInputs::default();
    let config_edges = edges::config_edges(&flow, &mut omitted, diagnostics);
    let checked = edges::check_edges(&flow, &config_edges, &mut omitted, diagnostics);
    let wires = portals::resolve_portals(&checked, &flow, &mut omitted, diagnostics);
    let bound = flow.nodes().map(|(id, node)| (id.clone(), Arc::clone(node))).collect();
    Wiring { vertices, wires, bound, unbound: flow.unbound, omitted }
}
