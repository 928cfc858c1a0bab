//! The nodes of a flow with their types found and their configs read.
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use super::pins::check_pin;
use crate::codes;
use crate::node::{BoundNode, PinnedNode, Portal, Registry};
use crate::plan::summarizers;
use plait_core::config::Inheritance;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Flow, Limits, MAX_ATTEMPTS, Node, RetryPolicy};
use plait_core::id::NodeId;
use plait_core::quota::Quota;

/// What to do about a placeholder of an import.
pub const PLACEHOLDER_HINT: &str =
    "Replace the placeholder with nodes that do the same, and delete it. Its settings keep the original.";

/// A node that runs: a vertex of the graph.
pub(in crate::plan) struct Vertex {
    pub id: NodeId,
    pub node: Arc<dyn BoundNode>,
    pub limits: Limits,
    pub retry: Option<RetryPolicy>,
    /// Whether it, or a flow that it runs, can ask a person.
    pub can_ask: bool,
}

/// A flow with its nodes bound to their types, as far as they could be: what checking and planning begin with.
pub struct BoundFlow<'f> {
    pub(in crate::plan) flow: &'f Flow,
    /// The nodes that could be bound, including portals and comments, in order of their ids.
    nodes: Vec<FlowNode<'f>>,
    /// For each node of the flow, where it stands in `nodes`, if it could be bound.
    index: FxHashMap<&'f NodeId, Option<usize>>,
    pub(super) unbound: UnboundNodes,
    pub(super) diagnostics: Vec<Diagnostic>,
}

struct FlowNode<'f> {
    id: &'f NodeId,
    /// With what it gets from the settings of the flow.
    node: Cow<'f, Node>,
    bound: Arc<dyn BoundNode>,
    /// Whether runs pass over it.
    is_disabled: bool,
    /// Whether it is inside of a loop that is pinned, so that nothing of it runs.
    is_inside_pin: bool,
    /// Its vertex, unless it is a portal, a comment or disabled.
    vertex: Option<usize>,
}

impl<'f> BoundFlow<'f> {
    /// Binds the nodes of a flow to their types.
    pub fn new(flow: &'f Flow, registry: &Registry) -> Self {
        let mut bound_flow = Self {
            flow,
            nodes: Vec::with_capacity(flow.nodes.len()),
            index: FxHashMap::with_capacity_and_hasher(flow.nodes.len(), rustc_hash::FxBuildHasher),
            unbound: UnboundNodes::default(),
            diagnostics: Vec::new(),
        };
        summarizers::check(flow, registry, &mut bound_flow.diagnostics);
        let unconnected = summarizers::unconnected(flow);
        let mut shared = SharedBindings::default();
        let mut vertices = 0;
        let inheritance = Inheritance::of(flow);
        let (disabled, inside_pins) = (flow.disabled_nodes(), flow.nodes_inside_pins());
        for (id, node) in &flow.nodes {
            let node = inheritance.apply(id, node);
            let is_inside_pin = inside_pins.contains(id);
            let is_disabled = disabled.contains(id);
            let passes = is_disabled || is_inside_pin;
            let Some(bound) = bound_flow.bind(id, &node, passes, registry, &mut shared) else {
                bound_flow.index.insert(id, None);
                continue;
            };
            let behavior = bound.behavior();
            let runs =
                !behavior.inert && behavior.portal.is_none() && !passes && !unconnected.contains(id.as_str());
            bound_flow.index.insert(id, Some(bound_flow.nodes.len()));
            bound_flow.nodes.push(FlowNode {
                id,
                node,
                bound,
                is_disabled: passes,
                is_inside_pin,
                vertex: runs.then_some(vertices),
            });
            vertices += usize::from(runs);
        }
        bound_flow
    }

    #[expect(
        clippy::ptr_arg,
        reason = "a config that is borrowed is shared, and one that is made here is not"
    )]
    fn bind(
        &mut self,
        id: &'f NodeId,
        node: &Cow<'f, Node>,
        is_disabled: bool,
        registry: &Registry,
        shared: &mut SharedBindings<'f>,
    ) -> Option<Arc<dyn BoundNode>> {
        let problems = match shared.bind(id, node, registry) {
            // What it would do when it runs does not matter.
            Some(Ok(bound)) if is_disabled => return Some(bound),
            Some(Ok(bound)) if node.pin.is_some() => {
                return Some(self.pinned(id, node, bound));
            }
            Some(Ok(bound)) => {
                check_limits(id, node, &mut self.diagnostics);
                if let Some((setting, message)) = bound.behavior().missing_setting {
                    let found = Diagnostic::on_node(codes::CONFIG_INCOMPLETE, id, message);
                    self.diagnostics.push(found.below("/config").below(setting));
                }
                if let Some(message) = &bound.behavior().placeholder {
                    let found = Diagnostic::on_node(codes::IMPORT_PLACEHOLDER, id, message.as_str());
                    self.diagnostics.push(found.hint(PLACEHOLDER_HINT));
                }
                return Some(bound);
            }
            Some(Err(problems)) => problems,
            None => {
                let message = format!("There is no node type `{}`.", node.node_type);
                vec![Diagnostic::on_node(codes::NODE_UNKNOWN_TYPE, id, message).below("/type").hint(
                    "Delete the node, or open the flow with a version of Plait that has this type. Plait keeps the node unchanged.",
                )]
            }
        };
        self.diagnostics.extend(problems);
        self.unbound.add(id, &node.node_type, registry);
        None
    }

    /// The node with its pin in place. One whose pin has an error stays as it is, so that nothing else is reported because of it.
    fn pinned(&mut self, id: &NodeId, node: &Node, bound: Arc<dyn BoundNode>) -> Arc<dyn BoundNode> {
        let Some(pin) = &node.pin else { return bound };
        let before = self.diagnostics.len();
        check_pin(id, pin, &*bound, &mut self.diagnostics);
        if self.diagnostics.len() > before { bound } else { Arc::new(PinnedNode::new(bound, pin)) }
    }

    /// The nodes that could be bound, in order of their ids.
    pub fn nodes(&self) -> impl Iterator<Item = (&'f NodeId, &Arc<dyn BoundNode>)> {
        self.nodes.iter().map(|node| (node.id, &node.bound))
    }

    /// Those of them that are not disabled.
    pub fn enabled_nodes(&self) -> impl Iterator<Item = (&'f NodeId, &Arc<dyn BoundNode>)> {
        self.nodes.iter().filter(|node| !node.is_disabled).map(|node| (node.id, &node.bound))
    }

    pub(super) fn has_node(&self, id: &NodeId) -> bool {
        self.index.contains_key(id)
    }

    /// The place of a node among the bound ones.
    pub(super) fn find(&self, id: &NodeId) -> Option<usize> {
        self.index.get(id).copied().flatten()
    }

    pub(super) fn node(&self, at: usize) -> &dyn BoundNode {
        &*self.nodes[at].bound
    }

    /// Whether runs pass over a node.
    pub(super) fn is_disabled(&self, at: usize) -> bool {
        self.nodes[at].is_disabled
    }

    /// Whether a node is inside of a loop that is pinned.
    pub(super) fn is_inside_pin(&self, at: usize) -> bool {
        self.nodes[at].is_inside_pin
    }

    /// The vertex of a node, unless it is a portal, a comment or disabled.
    pub(super) fn vertex(&self, at: usize) -> Option<usize> {
        self.nodes[at].vertex
    }

    /// Which end of a portal a node is, if it is one.
    pub(super) fn portal(&self, at: usize) -> Option<&Portal> {
        self.nodes[at].bound.behavior().portal.as_ref()
    }

    /// The nodes that run, in order of their ids. `silent` nodes run a flow that never asks a person.
    pub(super) fn vertices(&self, silent: &BTreeSet<NodeId>) -> Vec<Vertex> {
        let runs = self.nodes.iter().filter(|node| node.vertex.is_some());
        let vertex = |node: &FlowNode<'_>| {
            let behavior = node.bound.behavior();
            Vertex {
                can_ask: behavior.pauses || (behavior.calls.is_some() && !silent.contains(node.id)),
                id: node.id.clone(),
                node: Arc::clone(&node.bound),
                limits: node.node.limits.clone(),
                retry: node.node.retry.clone(),
            }
        };
        let mut vertices = Vec::with_capacity(self.nodes.len());
        vertices.extend(runs.map(vertex));
        vertices
    }
}

/// What nodes were bound to, by type and config. Equal ones share it: nothing in it depends on the node.
#[derive(Default)]
struct SharedBindings<'f>(FxHashMap<TypeAndConfig<'f>, Arc<dyn BoundNode>>);

type TypeAndConfig<'f> = (Cow<'f, str>, Cow<'f, Map<String, Value>>);

impl<'f> SharedBindings<'f> {
    /// As [`Registry::bind`].
    #[expect(
        clippy::ptr_arg,
        reason = "a config that is borrowed is shared, and one that is made here is not"
    )]
    fn bind(
        &mut self,
        id: &NodeId,
        node: &Cow<'f, Node>,
        registry: &Registry,
    ) -> Option<Result<Arc<dyn BoundNode>, Vec<Diagnostic>>> {
        let key: TypeAndConfig<'f> = match node {
            Cow::Borrowed(node) => (Cow::Borrowed(&node.node_type), Cow::Borrowed(&node.config)),
            Cow::Owned(node) => (Cow::Owned(node.node_type.clone()), Cow::Owned(node.config.clone())),
        };
        if let Some(bound) = self.0.get(&key) {
            return Some(Ok(Arc::clone(bound)));
        }
        let bound = registry.bind(id, &node.node_type, &node.config);
        if let Some(Ok(bound)) = &bound {
            self.0.insert(key, Arc::clone(bound));
        }
        bound
    }
}

/// The nodes that could not be bound. Each has a diagnostic of its own; nothing that they would have done is reported as
/// missing.
#[derive(Clone, Default)]
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

fn check_limits(id: &NodeId, node: &Node, diagnostics: &mut Vec<Diagnostic>) {
    let mut report = |pointer: &str, message: &str| {
        diagnostics.push(Diagnostic::on_node(codes::NODE_BAD_LIMITS, id, message).below(pointer));
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
    if let Some((field, message)) = node.limits.quota.as_ref().and_then(Quota::problem) {
        let problem = Diagnostic::on_node(codes::QUOTA_BAD, id, message);
        diagnostics.push(problem.below(&format!("/limits/quota/{field}")));
    }
}
