//! The flow as a graph of nodes that can run: configs read, portals resolved, every edge checked against its ports.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Map;

use super::portals;
use crate::diagnostic::Diagnostic;
use crate::flow::{Edge, Flow, Limits, MOST_ATTEMPTS, RetryPolicy};
use crate::id::{EdgeId, NodeId, PortName};
use crate::node::{BoundNode, Portal, Registry};
use crate::port::{ERROR_PORT, InputPort, OutputPort, PortKind};

/// A node of the graph.
pub(super) struct Vertex {
    pub id: NodeId,
    pub node: Arc<dyn BoundNode>,
    pub limits: Limits,
    pub retry: Option<RetryPolicy>,
}

/// An edge of the graph; its ports are known to exist and to fit.
#[derive(Clone)]
pub(super) struct Wire {
    pub edge: EdgeId,
    pub source: usize,
    pub source_port: PortName,
    pub target: usize,
    /// Index among the target's inputs.
    pub target_port: usize,
    pub kind: PortKind,
}

/// The graph, and what was found wrong on the way. Vertices are in order of their ids.
#[derive(Default)]
pub(super) struct Wiring {
    pub vertices: Vec<Vertex>,
    pub wires: Vec<Wire>,
    pub diagnostics: Vec<Diagnostic>,
    /// Every node that could be bound, portals and comments included, for the canvas.
    pub bound: BTreeMap<NodeId, Arc<dyn BoundNode>>,
    pub unread: Unread,
    /// Inputs that an edge was meant to feed which is left out. The fault is told of where it lies, which is not there.
    pub left_out: FxHashSet<(NodeId, PortName)>,
}

/// The nodes that could not be bound. They are told of as they are; nobody else is to blame for what they would have done.
#[derive(Default)]
pub(super) struct Unread {
    pub nodes: FxHashSet<NodeId>,
    /// One of them may make a context, of whatever name.
    pub makes_context: bool,
    /// One of them may be the way into a portal, of whatever channel.
    pub is_entrance: bool,
}

impl Unread {
    fn add(&mut self, id: &NodeId, node_type: &str, registry: &Registry) {
        self.nodes.insert(id.clone());
        // What a fresh node of its type is like; of an unknown type anything may be true.
        let fresh = registry.bind(id, node_type, &Map::new()).and_then(Result::ok);
        let like = fresh.as_ref().map(|node| node.behavior());
        self.makes_context |= like.is_none_or(|like| like.makes_context);
        self.is_entrance |= like.is_none_or(|like| matches!(like.portal, Some(Portal::In(_))));
    }
}

/// Reads a flow into a graph. Never fails: what is wrong is left out and told.
pub(super) fn wire(flow: &Flow, registry: &Registry) -> Wiring {
    let mut wiring = Wiring::default();
    bind_nodes(flow, registry, &mut wiring);
    let index: FxHashMap<NodeId, usize> =
        wiring.vertices.iter().enumerate().map(|(at, vertex)| (vertex.id.clone(), at)).collect();
    let named = named_edges(flow, &mut wiring);
    let ends = check_edges(flow, &named, &mut wiring);
    portals::join(&ends, &index, &mut wiring);
    wiring
}

fn bind_nodes(flow: &Flow, registry: &Registry, wiring: &mut Wiring) {
    for (id, node) in &flow.nodes {
        let bound = match registry.bind(id, &node.node_type, &node.config) {
            None => {
                wiring.diagnostics.push(
                    Diagnostic::on_node("node.unknown_type", id, format!("There is no node type `{}`.", node.node_type))
                        .below("/type")
                        .hint("The node is kept as it is. Delete it, or open the flow with the Plait it was made with."),
                );
                wiring.unread.add(id, &node.node_type, registry);
                continue;
            }
            Some(Err(problems)) => {
                wiring.diagnostics.extend(problems);
                wiring.unread.add(id, &node.node_type, registry);
                continue;
            }
            Some(Ok(bound)) => bound,
        };
        wiring.diagnostics.extend(check_bounds(id, node));
        if let Some((setting, message)) = bound.behavior().lacks {
            let lacking = Diagnostic::on_node("config.incomplete", id, message);
            wiring.diagnostics.push(lacking.below("/config").below(setting));
        }
        wiring.bound.insert(id.clone(), Arc::clone(&bound));
        if !bound.behavior().inert && bound.behavior().portal.is_none() {
            wiring.vertices.push(Vertex {
                id: id.clone(),
                node: bound,
                limits: node.limits.clone(),
                retry: node.retry.clone(),
            });
        }
    }
}

fn check_bounds(id: &NodeId, node: &crate::flow::Node) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut bad = |pointer: &str, message: &str| {
        found.push(Diagnostic::on_node("node.bad_limits", id, message).below(pointer));
    };
    if node.limits.max_epochs == Some(0) {
        bad("/limits/maxEpochs", "`maxEpochs` is at least 1.");
    }
    if node.limits.timeout_ms == Some(0) {
        bad("/limits/timeoutMs", "`timeoutMs` is at least 1.");
    }
    if let Some(retry) = &node.retry {
        if retry.attempts == 0 {
            bad("/retry/attempts", "`attempts` is at least 1: the first try counts.");
        }
        if retry.attempts > MOST_ATTEMPTS {
            bad("/retry/attempts", &format!("`attempts` is at most {MOST_ATTEMPTS}."));
        }
        if !(0.0..=1.0).contains(&retry.jitter) {
            bad("/retry/jitter", "`jitter` lies between 0 and 1.");
        }
    }
    found
}

/// One end-checked edge, by node ids: portals still stand in the way.
pub(super) struct Ends<'a> {
    pub id: &'a EdgeId,
    pub edge: &'a Edge,
    pub output: OutputPort,
    pub input: InputPort,
}

/// The edges that configs name instead of the canvas. What a config names and is not there is told at that setting.
fn named_edges(flow: &Flow, wiring: &mut Wiring) -> Vec<(EdgeId, Edge)> {
    let mut edges = Vec::new();
    let mut missing = Vec::new();
    for (target, node) in &wiring.bound {
        let Some(reads) = &node.behavior().reads else { continue };
        let Some(source) = wiring.bound.get(&reads.node) else {
            // One that is there, but could not be bound, has been told of already.
            let message = format!("There is no node `{}` to take a value from.", reads.node);
            let hint = "Name a node of this flow by its id, or wire an edge instead.";
            let is_there = flow.nodes.contains_key(&reads.node);
            missing.push((target, reads, (!is_there).then_some((message, Some(hint)))));
            continue;
        };
        let outputs = &source.ports().outputs;
        let first =
            outputs.iter().find(|port| port.kind == PortKind::Data && port.name.as_str() != ERROR_PORT);
        let Some(output) = reads.output.clone().or_else(|| first.map(|port| port.name.clone())) else {
            missing.push((target, reads, Some((format!("Node `{}` gives no value.", reads.node), None))));
            continue;
        };
        let edge = Edge {
            source: reads.node.clone(),
            source_output: output,
            target: target.clone(),
            target_input: reads.input.into(),
            metadata: Map::new(),
            extra: Map::new(),
        };
        edges.push((format!("{target}{}", reads.setting).into(), edge));
    }
    for (target, reads, why) in missing {
        wiring.left_out.insert((target.clone(), reads.input.into()));
        wiring.diagnostics.extend(why.map(|(message, hint)| {
            let found = Diagnostic::on_node("config.unknown_source", target, message);
            Diagnostic { hint: hint.map(str::to_owned), ..found.below("/config").below(reads.setting) }
        }));
    }
    edges
}

fn check_edges<'a>(flow: &'a Flow, named: &'a [(EdgeId, Edge)], wiring: &mut Wiring) -> Vec<Ends<'a>> {
    let mut ends = Vec::with_capacity(flow.edges.len() + named.len());
    for (id, edge) in flow.edges.iter().chain(named.iter().map(|(id, edge)| (id, edge))) {
        match check_edge(flow, wiring, id, edge) {
            Ok(found) => ends.push(found),
            Err(why) => {
                wiring.left_out.insert((edge.target.clone(), edge.target_input.clone()));
                wiring.diagnostics.extend(why);
            }
        }
    }
    ends
}

/// The ends of an edge, or why it is left out; nothing where that has been told of already.
fn check_edge<'a>(
    flow: &Flow,
    wiring: &Wiring,
    id: &'a EdgeId,
    edge: &'a Edge,
) -> Result<Ends<'a>, Option<Diagnostic>> {
    if let Some(end) = [&edge.source, &edge.target].into_iter().find(|end| !flow.nodes.contains_key(*end)) {
        let message = format!("This edge refers to a node `{end}` that is not in the flow.");
        let found = Diagnostic::on_edge("edge.dangling", id, message);
        return Err(Some(found.hint("Delete the edge, or bring the node back.")));
    }
    let source = wiring.bound.get(&edge.source).ok_or(None)?.ports();
    let target = wiring.bound.get(&edge.target).ok_or(None)?.ports();
    let Some(output) = source.find_output(edge.source_output.as_str()).cloned() else {
        let known = source.outputs.iter().map(|port| &port.name);
        return Err(Some(unknown_port(id, "output", &edge.source, &edge.source_output, known)));
    };
    let Some(input) = target.find_input(edge.target_input.as_str()).cloned() else {
        let known = target.inputs.iter().map(|port| &port.name);
        return Err(Some(unknown_port(id, "input", &edge.target, &edge.target_input, known)));
    };
    match mismatch(&output, &input) {
        None => Ok(Ends { id, edge, output, input }),
        Some(found) => Err(Some(found.at_edge(id))),
    }
}

fn unknown_port<'a>(
    edge: &EdgeId,
    side: &str,
    node: &NodeId,
    port: &PortName,
    known: impl Iterator<Item = &'a PortName>,
) -> Diagnostic {
    let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
    let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Diagnostic::on_edge("edge.unknown_port", edge, format!("Node `{node}` has no {side} `{port}`."))
        .hint(format!("Its {side}s are: {has}."))
}

/// Why an output may not feed an input, if it may not.
pub(super) fn mismatch(output: &OutputPort, input: &InputPort) -> Option<Diagnostic> {
    if output.kind != input.kind {
        return Some(Diagnostic::error(
            "edge.wrong_kind",
            "",
            format!(
                "`{}` is {}, `{}` takes {}.",
                output.name,
                strand(output.kind),
                input.name,
                strand(input.kind)
            ),
        ));
    }
    (!output.value_type.feeds(input.value_type)).then(|| {
        Diagnostic::error(
            "edge.wrong_type",
            "",
            format!(
                "`{}` gives {}, `{}` takes {}.",
                output.name, output.value_type, input.name, input.value_type
            ),
        )
        .hint("Put a node between them that turns the one into the other, for example `json` or `text`.")
    })
}

fn strand(kind: PortKind) -> &'static str {
    match kind {
        PortKind::Context => "a context",
        PortKind::Data => "data",
        PortKind::Tools => "tools",
    }
}

impl Diagnostic {
    pub(super) fn at_edge(self, id: &EdgeId) -> Self {
        let pointer = format!("/edges/{}", crate::diagnostic::escape(id.as_str()));
        Self { pointer, edge: Some(id.clone()), ..self }
    }
}
