//! Inputs that take one value and are sure to get two: the last in plan order counts, which is rarely what was meant.

use std::collections::BTreeMap;

use super::wiring::Wiring;
use crate::diagnostic::Diagnostic;
use crate::port::{ERROR_PORT, PortKind};

/// Warns of every `one` port that two forward edges are sure to feed at once. Edges that may be dead (behind a branch, a
/// pause, an error) count as alternatives.
pub(super) fn doubly_fed(wiring: &Wiring, forward: &[usize], order: &[usize]) -> Vec<Diagnostic> {
    let mut feeds: Vec<BTreeMap<usize, Vec<usize>>> = vec![BTreeMap::new(); wiring.vertices.len()];
    for &wire in forward {
        let spec = &wiring.wires[wire];
        feeds[spec.target].entry(spec.target_port).or_default().push(wire);
    }
    let mut certain = vec![false; wiring.vertices.len()];
    let mut found = Vec::new();
    let mut place = vec![0; wiring.vertices.len()];
    for (at, &vertex) in order.iter().enumerate() {
        place[vertex] = at;
    }
    for &vertex in order {
        let node = &wiring.vertices[vertex].node;
        let sure = |wire: &usize| {
            let spec = &wiring.wires[*wire];
            certain[spec.source] && spec.source_port.as_str() != ERROR_PORT
        };
        let mut runs_surely = true;
        for (&port, wires) in &feeds[vertex] {
            let input = &node.ports().inputs[port];
            let mut sources: Vec<_> =
                wires.iter().filter(|wire| sure(wire)).map(|&wire| wiring.wires[wire].source).collect();
            if (input.required || input.required_when_fed) && sources.is_empty() {
                runs_surely = false;
            }
            sources.sort_by_key(|&source| place[source]);
            if let (false, [first, .., last]) = (input.many, sources.as_slice()) {
                let id = &wiring.vertices[vertex].id;
                let (first, last) = (&wiring.vertices[*first].id, &wiring.vertices[*last].id);
                found.push(
                    Diagnostic::on_node(
                        "port.fed_twice",
                        id,
                        format!("Input `{}` takes one value, but `{first}` and `{last}` both feed it; `{last}` counts.", input.name),
                    )
                    .warning()
                    .hint("Remove one of the edges, or collect both values with a `join` node."),
                );
            }
        }
        let outputs = node.ports().outputs.iter();
        let ways =
            outputs.filter(|port| port.kind == PortKind::Data && port.name.as_str() != ERROR_PORT).count();
        certain[vertex] = runs_surely && ways < 2 && !node.behavior().pauses;
    }
    found
}
