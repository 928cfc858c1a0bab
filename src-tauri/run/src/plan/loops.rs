//! Checks of loops: whether something other than the greatest number of iterations ends each of them, what the settings of their
//! conversations name, and limits that mean something else for a loop than for other nodes.

use super::nesting::Nesting;
use super::wiring::Wiring;
use crate::codes;
use crate::node::{LoopKind, LoopSpec};
use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;
use plait_core::port::PortKind;
use plait_core::similar_name::similar_name;

/// Warns of loops in a scope that only `max_iterations` ends: a `while` without a condition in which nothing leads to
/// `exit`, nobody is asked, and no model has tools.
pub(super) fn check_exits(wiring: &Wiring, diagnostics: &mut Vec<Diagnostic>) {
    for (&vertex, body) in &wiring.bodies {
        let vertex = &wiring.vertices[vertex];
        let Some(LoopSpec { kind: LoopKind::While { tests: false }, max_iterations, .. }) =
            vertex.node.behavior().repeats
        else {
            continue;
        };
        if vertex.can_ask || has_exit(body) || has_tools(body) {
            continue;
        }
        let message = format!("Only `max_iterations` ends this loop, after {max_iterations} iterations.");
        diagnostics.push(
            Diagnostic::on_node(codes::LOOP_NO_EXIT, &vertex.id, message)
                .warning()
                .hint("Set a `condition`, connect a node inside to `exit`, or offer the tool `finish` to a model inside."),
        );
    }
}

/// Warns of limits of loops in a scope that do not bound the loop: `maxEpochs` outside of all cycles, and timeouts and retries, which
/// count for the check before each iteration.
pub(super) fn check_limits(wiring: &Wiring, nesting: &Nesting, diagnostics: &mut Vec<Diagnostic>) {
    for (at, vertex) in wiring.vertices.iter().enumerate() {
        let Some(repeats) = &vertex.node.behavior().repeats else { continue };
        let mut warn = |pointer: &str, message: String, hint: &str| {
            let found = Diagnostic::on_node(codes::LOOP_UNUSED_LIMIT, &vertex.id, message).warning();
            diagnostics.push(found.below(pointer).hint(hint));
        };
        if vertex.limits.max_epochs.is_some() && nesting.around[at].is_empty() {
            let message =
                "`maxEpochs` bounds a cycle of edges. It does not bound the iterations of this loop.";
            warn(
                "/limits/maxEpochs",
                message.to_owned(),
                "Set `max_iterations` in the loop's config, and remove `maxEpochs`.",
            );
        }
        let is_checked = repeats.prepares || repeats.kind == LoopKind::While { tests: true };
        let what_counts = if is_checked {
            "It counts only for the check of the condition, and for a summary, before each iteration."
        } else {
            "It has no effect."
        };
        if vertex.limits.timeout_ms.is_some() {
            let message = format!("A loop as a whole has no timeout. {what_counts}");
            warn(
                "/limits/timeoutMs",
                message,
                "Set `timeoutMs` on the nodes inside, and `max_iterations` on the loop.",
            );
        }
        if vertex.retry.is_some() {
            let message = format!("A loop as a whole is not retried. {what_counts}");
            warn("/retry", message, "Set `retry` on the nodes inside, or connect the loop's `error` output.");
        }
    }
}

/// Reports what the settings of conversations in a scope name and their loops do not contain.
pub(super) fn check_conversations(wiring: &Wiring, diagnostics: &mut Vec<Diagnostic>) {
    for (&vertex, body) in &wiring.bodies {
        let vertex = &wiring.vertices[vertex];
        let Some(settings) = &vertex.node.behavior().conversation else { continue };
        let mut inside = Vec::new();
        collect_ids(body, &mut inside);
        let steps = settings.named_nodes().filter(|(pointer, _)| pointer != SUMMARIZER_AGENT);
        for (pointer, name) in steps {
            if inside.iter().any(|id| id.as_str() == name) || wiring.unbound.ids.contains(name) {
                continue;
            }
            let message = format!("There is no node `{name}` in this loop.");
            let found = Diagnostic::on_node(codes::CONFIG_UNKNOWN_SOURCE, &vertex.id, message);
            let found = found.below("/config").below(&pointer);
            diagnostics.push(match similar_name(name, inside.iter().map(|id| id.as_str())) {
                Some(similar) => found.hint(format!("Did you mean `{similar}`?")),
                None => found.hint("Name a node that is inside the loop."),
            });
        }
    }
}

/// The place of the one node that settings name outside of the loop.
const SUMMARIZER_AGENT: &str = "/history_management/summarizer_agent";

fn collect_ids<'a>(body: &'a Wiring, ids: &mut Vec<&'a NodeId>) {
    ids.extend(body.vertices.iter().map(|vertex| &vertex.id));
    body.bodies.values().for_each(|body| collect_ids(body, ids));
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
