//! Checks of loops: whether something other than the greatest number of iterations ends each of them.

use super::wiring::Wiring;
use crate::diagnostic::Diagnostic;
use crate::error::ErrorCode;
use crate::node::{LoopKind, LoopSpec};
use crate::port::PortKind;

/// Warns of loops in a scope whose only end is `max_iterations`: a `while` without a condition in which nothing leads to `exit`,
/// nobody is asked, and no model has tools.
pub(super) fn check_exits(wiring: &Wiring, diagnostics: &mut Vec<Diagnostic>) {
    for (&vertex, body) in &wiring.bodies {
        let vertex = &wiring.vertices[vertex];
        let Some(LoopSpec { kind: LoopKind::While { tests: false }, max_iterations }) =
            vertex.node.behavior().repeats
        else {
            continue;
        };
        if vertex.can_ask || has_exit(body) || has_tools(body) {
            continue;
        }
        let message = format!("Only `max_iterations` ends this loop, after {max_iterations} iterations.");
        diagnostics.push(
            Diagnostic::on_node(ErrorCode::LoopNoExit, &vertex.id, message)
                .warning()
                .hint("Set a `condition`, connect a node inside to `exit`, or offer the tool `finish` to a model inside."),
        );
    }
}

/// Whether something is connected to the inner input `exit`.
fn has_exit(body: &Wiring) -> bool {
    let Some(border) = body.border else { return false };
    let inputs = &body.vertices[border.end].node.ports().inputs;
    body.wires
        .iter()
        .any(|wire| wire.target == border.end && inputs[wire.target_port].name.as_str() == "exit")
}

/// Whether a model inside may call tools, and so perhaps `finish`.
fn has_tools(body: &Wiring) -> bool {
    body.wires.iter().any(|wire| wire.kind == PortKind::Tools) || body.bodies.values().any(has_tools)
}
