//! The nodes of a conversational loop, by what they can say in its conversation. The same in all of its iterations.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::plan::{NodeIx, Plan};
use plait_core::id::{NodeId, PortName};
use plait_core::port::{ERROR_PORT, PortKind};
use plait_journal::NodeOutputs;

/// The nodes of a conversational loop.
pub(super) struct Layout {
    /// By node, its place in plan order.
    pub order: Arc<FxHashMap<NodeId, usize>>,
    pub speakers: Arc<FxHashSet<NodeId>>,
    /// Whether other nodes in it may write to contexts.
    pub others_write: bool,
    /// The last nodes of the body: the nodes that feed `next` or, without any, the last one in plan order.
    pub last: FxHashSet<NodeIx>,
}

impl Layout {
    pub fn of(plan: &Plan, node: NodeIx) -> Self {
        let body = plan.nodes[node].body;
        let is_inside = |mut inner: NodeIx| {
            while let Some(container) = plan.scopes[plan.nodes[inner].scope].container {
                if container.node == node {
                    return true;
                }
                inner = container.node;
            }
            false
        };
        let inside = (0..plan.nodes.len()).filter(|inner| !plan.nodes[*inner].is_border && is_inside(*inner));
        let inside: Vec<NodeIx> = inside.collect();
        let speaks = |inner: &&NodeIx| {
            let behavior = plan.nodes[**inner].node.behavior();
            behavior.is_agent || behavior.pauses
        };
        let writes = |inner: &NodeIx| {
            let behavior = plan.nodes[*inner].node.behavior();
            behavior.uses_context
                || behavior.uses_context_id.is_some()
                || behavior.uses_context_from.is_some()
        };
        let id = |inner: &NodeIx| plan.nodes[*inner].id.clone();
        let mut last = FxHashSet::default();
        if let Some(container) = body.and_then(|body| plan.scopes[body].container) {
            let next = plan.nodes[container.end].incoming.iter().map(|edge| &plan.edges[*edge]);
            last.extend(next.filter(|edge| edge.target_port == 0).map(|edge| edge.source));
        }
        if last.is_empty() {
            last.extend(inside.iter().copied().filter(|inner| Some(plan.nodes[*inner].scope) == body).max());
        }
        Self {
            order: Arc::new(inside.iter().map(|inner| (id(inner), *inner)).collect()),
            speakers: Arc::new(inside.iter().filter(speaks).map(id).collect()),
            others_write: inside.iter().any(|inner| !speaks(&inner) && writes(inner)),
            last,
        }
    }
}

/// What a node said: its first live output that is a value and, by `is_own`, its own.
pub(super) fn said<'a>(
    plan: &Plan,
    node: NodeIx,
    outputs: &'a NodeOutputs,
    is_own: impl Fn(&PortName) -> bool,
) -> Option<(&'a PortName, &'a Arc<Value>)> {
    let ports = &plan.nodes[node].node.ports().outputs;
    let own = ports.iter().filter(|port| port.kind == PortKind::Data && port.name.as_str() != ERROR_PORT);
    let mut own = own.filter(|port| is_own(&port.name));
    own.find_map(|port| outputs.get_key_value(&port.name))
}
