//! Overrides (values given to inputs for one run), and the check that every required input gets a value.
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::wiring::{Vertex, Wiring};
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::{NodeId, PortName};
pub(super) use plait_journal::InputOverrides;

/// Reports overrides of nodes that don't run.
pub(super) fn check_overridden_nodes(
    wiring: &Wiring,
    overrides: &InputOverrides,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let unknown = |id: &&NodeId| !wiring.runs(id) && !wiring.unbound.ids.contains(*id);
    for id in overrides.keys().filter(unknown) {
        diagnostics.push(if wiring.bound.binary_search_by(|(bound, _)| bound.cmp(id)).is_ok() {
            let message = format!("`{id}` is a comment or a portal, so it has no inputs to override.");
            Diagnostic::on_node(codes::PORT_UNKNOWN, id, message)
                .hint("Override only inputs of nodes that run.")
        } else {
            Diagnostic::error(
                codes::NODE_UNKNOWN,
                "",
                format!("There is no node `{id}` to override an input of."),
            )
        });
    }
}

/// Reports required inputs that nothing feeds, and overrides of inputs that don't exist or are fed already.
pub(super) fn check_inputs(wiring: &Wiring, overrides: &InputOverrides, diagnostics: &mut Vec<Diagnostic>) {
    let fed: FxHashSet<(usize, usize)> =
        wiring.wires.iter().map(|wire| (wire.target, wire.target_port)).collect();
    let own = wiring.vertices.iter().enumerate().filter(|(at, _)| !wiring.is_border(*at));
    for (at, vertex) in own {
        let overridden = overrides.get(&vertex.id);
        let is_pinned = vertex.node.behavior().is_pinned;
        for (port, input) in vertex.node.ports().inputs.iter().enumerate() {
            let is_fed = fed.contains(&(at, port));
            let is_overridden = overridden.is_some_and(|values| values.contains_key(&input.name));
            let is_omitted = || wiring.omitted.contains(&(vertex.id.clone(), input.name.clone()));
            if input.required && !is_pinned && !is_fed && !is_overridden && !is_omitted() {
                let message = format!("Input `{}` is required, but nothing feeds it.", input.name);
                diagnostics.push(
                    Diagnostic::on_node(codes::PORT_UNFED, &vertex.id, message)
                        .hint(format!("Connect an output to it: {}.", input.description)),
                );
            }
            if is_fed && is_overridden {
                let message = format!("Input `{}` is fed by an edge, so it can't be overridden.", input.name);
                diagnostics.push(
                    Diagnostic::on_node(codes::PORT_FED_AND_OVERRIDDEN, &vertex.id, message)
                        .hint("Leave out the override, or remove the edge."),
                );
            }
        }
        diagnostics.extend(overridden.into_iter().flat_map(|values| unknown_inputs(vertex, values)));
    }
}

fn unknown_inputs<'a>(
    vertex: &'a Vertex,
    values: &'a BTreeMap<PortName, Arc<Value>>,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let takes_value = |port: &PortName| {
        vertex.node.ports().find_input(port.as_str()).is_some_and(|input| !input.order_only)
    };
    let unknown = values.keys().filter(move |port| !takes_value(port));
    unknown.map(|port| {
        let message = format!("Node `{}` has no input `{port}`.", vertex.id);
        Diagnostic::on_node(codes::PORT_UNKNOWN, &vertex.id, message)
            .hint("Override only inputs that the node has.")
    })
}
