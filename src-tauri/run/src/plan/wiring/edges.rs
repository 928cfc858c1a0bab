//! The edges of a flow, each checked against the ports at its ends: edges on the canvas, and edges that a config names.
use serde_json::Map;

use super::bound_nodes::BoundFlow;
use super::nest::Nest;
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::Edge;
use plait_core::id::{EdgeId, NodeId, PortName};
use plait_core::port::{ERROR_PORT, InputPort, OutputPort, PortKind};

/// Inputs without their edge because of an error. The error has a diagnostic of its own. They count as fed.
pub(in crate::plan) type OmittedInputs = rustc_hash::FxHashSet<(NodeId, PortName)>;

/// An edge with existing ends that fit each other. Either end may still be a portal.
pub(super) struct CheckedEdge<'a> {
    pub id: &'a EdgeId,
    pub edge: &'a Edge,
    /// Where its source stands among the bound nodes.
    pub source: usize,
    pub output: &'a OutputPort,
    /// Where its target stands among the bound nodes.
    pub target: usize,
    pub input: &'a InputPort,
    /// The index of `input` among the target's inputs, or among its inner inputs.
    pub target_port: usize,
    /// Whether `output` is on the inner side of the source, a loop around the target.
    pub output_is_inner: bool,
    /// Whether `input` is on the inner side of the target, a loop around the source.
    pub input_is_inner: bool,
}

/// The edges that configs name (`Behavior::config_edge`). A node that is named but missing is reported at that setting.
pub(in crate::plan) fn config_edges(
    flow: &BoundFlow<'_>,
    omitted: &mut OmittedInputs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(EdgeId, Edge)> {
    let mut edges = Vec::new();
    for (target, node) in flow.nodes() {
        let Some(named) = &node.behavior().config_edge else { continue };
        let report = |message: String| {
            Diagnostic::on_node(codes::CONFIG_UNKNOWN_SOURCE, target, message)
                .below("/config")
                .below(named.setting)
        };
        let Some(source) = flow.find(&named.node) else {
            omitted.insert((target.clone(), named.input.into()));
            // A node that exists but could not be bound has a diagnostic already.
            if !flow.has_node(&named.node) {
                let found = report(format!("There is no node `{}` to read a value from.", named.node));
                diagnostics.push(found.hint("Choose a node of this flow, or connect an edge instead."));
            }
            continue;
        };
        let mut outputs = flow.node(source).ports().outputs.iter();
        let first = outputs.find(|port| port.kind == PortKind::Data && port.name.as_str() != ERROR_PORT);
        let Some(output) = named.output.clone().or_else(|| first.map(|port| port.name.clone())) else {
            omitted.insert((target.clone(), named.input.into()));
            diagnostics.push(report(format!("Node `{}` has no data output.", named.node)));
            continue;
        };
        let edge = Edge {
            source: named.node.clone(),
            source_output: output,
            target: target.clone(),
            target_input: named.input.into(),
            order: None,
            metadata: Map::new(),
            extra: Map::new(),
        };
        edges.push((format!("{target}{}", named.setting).into(), edge));
    }
    edges
}

/// Checks the edges of a flow and those from [`config_edges`].
pub(super) fn check_edges<'a>(
    flow: &'a BoundFlow<'_>,
    nest: &Nest<'_>,
    config_edges: &'a [(EdgeId, Edge)],
    omitted: &mut OmittedInputs,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<CheckedEdge<'a>> {
    let mut checked = Vec::with_capacity(flow.flow.edges.len() + config_edges.len());
    for (id, edge) in flow.flow.edges.iter().chain(config_edges.iter().map(|(id, edge)| (id, edge))) {
        match check_edge(flow, nest, id, edge) {
            Ok(edge) => checked.push(edge),
            Err(found) => {
                omitted.insert((edge.target.clone(), edge.target_input.clone()));
                diagnostics.extend(found);
            }
        }
    }
    checked
}

/// The checked edge, or why it is left out. `Err(None)` where an end could not be bound, which has a diagnostic already.
fn check_edge<'a>(
    flow: &'a BoundFlow<'_>,
    nest: &Nest<'_>,
    id: &'a EdgeId,
    edge: &'a Edge,
) -> Result<CheckedEdge<'a>, Option<Diagnostic>> {
    let (Some(source), Some(target)) = (flow.find(&edge.source), flow.find(&edge.target)) else {
        let missing = [&edge.source, &edge.target].into_iter().find(|end| !flow.has_node(end));
        return Err(missing.map(|end| {
            let message = format!("This edge refers to node `{end}`, which is not in the flow.");
            let found = Diagnostic::on_edge(codes::EDGE_DANGLING, id, message);
            found.hint("Delete the edge, or restore the node.")
        }));
    };
    if flow.is_inside_pin(source) || flow.is_inside_pin(target) {
        // Nothing goes into a body that does not run.
        return Err(None);
    }
    let output_is_inner = nest.is_inside(&edge.target, &edge.source);
    let input_is_inner = nest.is_inside(&edge.source, &edge.target);
    let (from, to) = (flow.node(source).ports(), flow.node(target).ports());
    let outputs = if output_is_inner { &from.inner_outputs } else { &from.outputs };
    let inputs = if input_is_inner { &to.inner_inputs } else { &to.inputs };
    let Some(output) = outputs.iter().find(|port| port.name == edge.source_output) else {
        let known: Vec<_> = outputs.iter().map(|port| &port.name).collect();
        return Err(Some(unknown_port(id, "output", &edge.source, &edge.source_output, &known)));
    };
    let Some(target_port) = inputs.iter().position(|port| port.name == edge.target_input) else {
        let known: Vec<_> = inputs.iter().map(|port| &port.name).collect();
        return Err(Some(unknown_port(id, "input", &edge.target, &edge.target_input, &known)));
    };
    let input = &inputs[target_port];
    match mismatch(output, input) {
        None => Ok(CheckedEdge {
            id,
            edge,
            source,
            output,
            target,
            input,
            target_port,
            output_is_inner,
            input_is_inner,
        }),
        Some(found) => Err(Some(found.at_edge(id))),
    }
}

fn unknown_port(
    edge: &EdgeId,
    side: &str,
    node: &NodeId,
    port: &PortName,
    known: &[&PortName],
) -> Diagnostic {
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    let hint = if known.is_empty() {
        format!("It has no {side}s.")
    } else {
        format!("Its {side}s are: {}.", known.join(", "))
    };
    Diagnostic::on_edge(codes::EDGE_UNKNOWN_PORT, edge, format!("Node `{node}` has no {side} `{port}`."))
        .hint(hint)
}

/// Why an output may not feed an input, if it may not.
pub(super) fn mismatch(output: &OutputPort, input: &InputPort) -> Option<Diagnostic> {
    if output.kind != input.kind {
        let message = format!(
            "Output `{}` carries {}, but input `{}` takes {}.",
            output.name,
            strand(output.kind),
            input.name,
            strand(input.kind)
        );
        return Some(Diagnostic::error(codes::EDGE_WRONG_KIND, "", message));
    }
    (!output.value_type.feeds(input.value_type)).then(|| {
        let message = format!(
            "Output `{}` gives {}, but input `{}` takes {}.",
            output.name, output.value_type, input.name, input.value_type
        );
        Diagnostic::error(codes::EDGE_WRONG_TYPE, "", message)
            .hint("Insert a node that converts the value, for example `json` or `text`.")
    })
}

fn strand(kind: PortKind) -> &'static str {
    match kind {
        PortKind::Context => "a context",
        PortKind::Data => "data",
        PortKind::Tools => "tools",
    }
}
