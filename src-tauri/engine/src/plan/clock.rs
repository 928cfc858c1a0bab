//! Clocks: which counters a node's epoch has.
//!
//! A node inside cycles has their counters. A node outside that is fed from a cycle runs once for each of the cycle's
//! epochs and so takes on its counters: it *follows* the cycle. One that is fed from two cycles of which neither encloses
//! the other could not say which round it is in, and is refused.

use super::nesting::Forest;
use super::wiring::Wiring;
use crate::diagnostic::Diagnostic;

/// The cycles whose counters each vertex's epoch has, outermost first; as indices into the forest.
pub(super) fn clocks(
    wiring: &Wiring,
    forest: &Forest,
    forward: &[usize],
    topological: &[usize],
) -> (Vec<Vec<usize>>, Vec<Diagnostic>) {
    let mut clocks = forest.around.clone();
    let mut diagnostics = Vec::new();
    let mut incoming = vec![Vec::new(); wiring.vertices.len()];
    for &wire in forward {
        incoming[wiring.wires[wire].target].push(wire);
    }
    for &vertex in topological {
        for &wire in &incoming[vertex] {
            let fed = &wiring.wires[wire];
            let clock = clocks[fed.source].clone();
            let own = &clocks[vertex];
            if own.starts_with(&clock) {
                continue;
            }
            // A follower takes on what is deeper; inside a cycle, an inner cycle is a single step.
            if clock.starts_with(own) {
                if forest.around[vertex].is_empty() {
                    clocks[vertex] = clock;
                }
                continue;
            }
            diagnostics.push(mixed(wiring, forest, &fed.edge, vertex, &clock));
        }
    }
    (clocks, diagnostics)
}

fn mixed(
    wiring: &Wiring,
    forest: &Forest,
    edge: &crate::id::EdgeId,
    vertex: usize,
    clock: &[usize],
) -> Diagnostic {
    let id = &wiring.vertices[vertex].id;
    let entry = clock.last().map_or(id, |&nest| &wiring.vertices[forest.nests[nest].entry].id);
    let mut found = Diagnostic::on_node(
        "flow.mixed_cycles",
        id,
        format!("`{id}` is fed by the cycle through `{entry}` and by another cycle; which round it is in is undefined."),
    )
    .hint("Feed it from one of the two, or put both cycles into one.");
    found.edge = Some(edge.clone());
    found
}
