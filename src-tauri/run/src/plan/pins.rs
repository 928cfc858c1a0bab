//! Pinned nodes in cycles.

use super::nesting::Nesting;
use super::wiring::Wiring;
use crate::codes;
use plait_core::diagnostic::Diagnostic;

/// Warns of pinned nodes in cycles of a scope whose pins have no values for single iterations: each iteration gets the same values.
pub(super) fn check_pins(wiring: &Wiring, nesting: &Nesting, diagnostics: &mut Vec<Diagnostic>) {
    for (at, vertex) in wiring.vertices.iter().enumerate() {
        let behavior = vertex.node.behavior();
        if !behavior.is_pinned || behavior.has_pinned_iterations || nesting.around[at].is_empty() {
            continue;
        }
        let message = format!("`{}` is pinned in a cycle: each iteration gets the same values.", vertex.id);
        let found = Diagnostic::on_node(codes::PIN_IN_CYCLE, &vertex.id, message).below("/pin").warning();
        diagnostics.push(found.hint("Unpin it if the iterations should differ."));
    }
}
