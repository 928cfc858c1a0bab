//! Phase 1, wiring: the flow as a graph of the nodes that run, with configs read, portals and disabled nodes resolved
//! and every edge checked against its ports.
//!
//! Nodes and edges with errors are left out of the graph. Later phases never report problems that follow from that.

mod bound_nodes;
mod edges;
mod nest;
mod pins;
mod scopes;
mod wires;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::node::BoundNode;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;

use nest::Nest;

pub use bound_nodes::{BoundFlow, PLACEHOLDER_HINT};
pub(super) use bound_nodes::{UnboundNodes, Vertex};
pub(super) use edges::{OmittedInputs, config_edges};
use scopes::BORDER_VERTICES;
pub(super) use scopes::Border;
pub(crate) use scopes::is_entering;
pub(super) use wires::Wire;

/// The graph of a scope: of the flow itself, or of a loop's body. Vertices are in order of their ids, behind those of the
/// border.
pub(super) struct Wiring {
    pub vertices: Vec<Vertex>,
    pub wires: Vec<Wire>,
    /// All nodes of the flow that could be bound, including portals and comments, in order of their ids. Empty for a body.
    pub bound: Vec<(NodeId, Arc<dyn BoundNode>)>,
    pub unbound: UnboundNodes,
    pub omitted: OmittedInputs,
    /// The bodies of its loops, by vertex.
    pub bodies: BTreeMap<usize, Self>,
    /// The border around it. Nothing for the flow itself.
    pub border: Option<Border>,
}

impl Wiring {
    /// Whether a vertex is an end of the border, which is no node.
    pub fn is_border(&self, vertex: usize) -> bool {
        self.border.is_some_and(|border| vertex == border.begin || vertex == border.end)
    }

    /// Whether a node runs, in this scope or one inside.
    pub fn runs(&self, id: &NodeId) -> bool {
        let own = &self.vertices[if self.border.is_some() { BORDER_VERTICES } else { 0 }..];
        own.binary_search_by(|vertex| vertex.id.cmp(id)).is_ok()
            || self.bodies.values().any(|body| body.runs(id))
    }
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
    let nest = Nest::of(&flow, diagnostics);
    let checked = edges::check_edges(&flow, &nest, &config_edges, &mut omitted, diagnostics);
    let wires = wires::to_wires(&checked, &flow, &mut omitted, diagnostics);
    let bound = flow.nodes().map(|(id, node)| (id.clone(), Arc::clone(node))).collect();
    let unbound = flow.unbound.clone();
    let whole = Wiring { vertices, wires, bound, unbound, omitted, bodies: BTreeMap::new(), border: None };
    scopes::divide(whole, &nest, diagnostics)
}
