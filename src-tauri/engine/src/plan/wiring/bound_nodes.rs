//! The nodes of a flow with their types found and their configs read.

use crate::error::ErrorCode;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Map;

use crate::diagnostic::Diagnostic;
use crate::flow::{Flow, Limits, MAX_ATTEMPTS, Node, RetryPolicy};
use crate::id::NodeId;
use crate::node::{BoundNode, Portal, Registry};

/// A node that runs: a vertex of the graph.
pub(in crate::plan) struct Vertex {
    pub id: NodeId,
    pub node: Arc<dyn BoundNode>,
    pub limits: Limits,
    pub retry: Option<RetryPolicy>,
    /// Whether it, or a flow that it runs, can ask a person.
    pub can_ask: bool,
}

/// The nodes of a flow, as far as they could be bound.
#[derive(Default)]
pub(in crate::plan) struct BoundNodes {
    /// The nodes that run, in order of their ids. Portals and comments don't.
    pub vertices: Vec<Vertex>,
    /// All nodes that could be bound, including portals and comments.
    pub by_id: BTreeMap<NodeId, Arc<dyn BoundNode>>,
    pub unbound: UnboundNodes,
}

impl BoundNodes {
    /// Which end of a portal a node is, if it is one.
    pub fn portal(&self, id: &NodeId) -> Option<Portal> {
        self.by_id.get(id).and_then(|node| node.behavior().portal.clone())
    }
}

/// The nodes that could not be bound. Each has a diagnostic of its own; nothing that they would have done is reported as
/// missing.
#[derive(Default)]
pub(in crate::plan) struct UnboundNodes {
    pub ids: FxHashSet<NodeId>,
    /// One of them may make a context, of any name.
    pub may_make_context: bool,
    /// One of them may be an entrance of a portal, of any channel.
    pub may_be_entrance: bool,
}

impl UnboundNodes {
    fn add(&mut self, id: &NodeId, node_type: &str, registry: &Registry) {
        self.ids.insert(id.clone());
        // Judge by the type's default config. An unknown type might be anything.
        let default = registry.bind(id, node_type, &Map::new()).and_then(Result::ok);
        let behavior = default.as_ref().map(|node| node.behavior());
        self.may_make_context |= behavior.is_none_or(|behavior| behavior.makes_context);
        self.may_be_entrance |=
            behavior.is_none_or(|behavior| matches!(behavior.portal, Some(Portal::In(_))));
    }
}

/// Binds the nodes of a flow to their types.
///
/// `silent` are the nodes that run a flow that never asks a person.
pub(super) fn bind_nodes(
    flow: &Flow,
    registry: &Registry,
    silent: &BTreeSet<NodeId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BoundNodes {
    let mut nodes = BoundNodes::default();
    for (id, node) in &flow.nodes {
        let bound = match registry.bind(id, &node.node_type, &node.config) {
            None => {
                let message = format!("There is no node type `{}`.", node.node_type);
                diagnostics.push(
                    Diagnostic::on_node(ErrorCode::NodeUnknownType, id, message).below("/type").hint(
                        "Delete the node, or open the flow with a version of Plait that has this type. Plait keeps the node unchanged.",
                    ),
                );
                nodes.unbound.add(id, &node.node_type, registry);
                continue;
            }
            Some(Err(problems)) => {
                diagnostics.extend(problems);
                nodes.unbound.add(id, &node.node_type, registry);
                continue;
            }
            Some(Ok(bound)) => bound,
        };
        check_limits(id, node, diagnostics);
        if let Some((setting, message)) = bound.behavior().missing_setting {
            let found = Diagnostic::on_node(ErrorCode::ConfigIncomplete, id, message);
            diagnostics.push(found.below("/config").below(setting));
        }
        nodes.by_id.insert(id.clone(), Arc::clone(&bound));
        if !bound.behavior().inert && bound.behavior().portal.is_none() {
            let behavior = bound.behavior();
            nodes.vertices.push(Vertex {
                can_ask: behavior.pauses || (behavior.calls.is_some() && !silent.contains(id)),
                id: id.clone(),
                node: bound,
                limits: node.limits.clone(),
                retry: node.retry.clone(),
            });
        }
    }
    nodes
}

fn check_limits(id: &NodeId, node: &Node, diagnostics: &mut Vec<Diagnostic>) {
    let mut report = |pointer: &str, message: &str| {
        diagnostics.push(Diagnostic::on_node(ErrorCode::NodeBadLimits, id, message).below(pointer));
    };
    if node.limits.max_epochs == Some(0) {
        report("/limits/maxEpochs", "`maxEpochs` must be at least 1.");
    }
    if node.limits.timeout_ms == Some(0) {
        report("/limits/timeoutMs", "`timeoutMs` must be at least 1.");
    }
    if let Some(retry) = &node.retry {
        if retry.attempts == 0 {
            report("/retry/attempts", "`attempts` must be at least 1: it includes the first attempt.");
        }
        if retry.attempts > MAX_ATTEMPTS {
            report("/retry/attempts", &format!("`attempts` must be at most {MAX_ATTEMPTS}."));
        }
        if !(0.0..=1.0).contains(&retry.jitter) {
            report("/retry/jitter", "`jitter` must be between 0 and 1.");
        }
    }
}
