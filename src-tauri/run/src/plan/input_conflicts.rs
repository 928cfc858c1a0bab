//! Warns of inputs that take one value but may get two at once. The last in plan order counts, which is rarely what was
//! meant.
//!
//! Two edges into one input are alternatives if they depend on different outputs of one node: a branch takes one of its
//! ways, and a node that fails gives only its error. A node does not declare which of its outputs are live together, so any
//! two of them may be alternatives: a missing warning is better than a wrong one.
use std::collections::BTreeSet;

use super::nesting::Nesting;
use super::turn_order::Turns;
use super::wiring::{Wire, Wiring};
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::PortName;

/// The outputs that must be live for something to be live; only outputs of nodes with several outputs in use, since others
/// are no fork. `None` if they are unknown or more than [`MAX_GUARDS`]: then it counts as an alternative to everything.
type Guards<'a> = Option<BTreeSet<(usize, &'a PortName)>>;

const MAX_GUARDS: usize = 32;

/// How many edges into one input are compared with each other.
const MAX_COMPARED_EDGES: usize = 32;

/// Warns of every input that takes one value and that two forward edges may feed at once.
pub(super) fn check_input_conflicts(
    wiring: &Wiring,
    nesting: &Nesting,
    turns: &Turns,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut position = vec![usize::MAX; wiring.vertices.len()];
    for (at, &vertex) in turns.order.iter().enumerate() {
        position[vertex] = at;
    }
    let mut first_output: Vec<Option<&PortName>> = vec![None; wiring.vertices.len()];
    let mut is_fork = vec![false; wiring.vertices.len()];
    let mut feeds: Vec<&Wire> = nesting.forward.iter().map(|&wire| &wiring.wires[wire]).collect();
    for wire in &feeds {
        let first = first_output[wire.source].get_or_insert(&wire.source_port);
        is_fork[wire.source] |= **first != wire.source_port;
    }
    let feeds_of = |wire: &&Wire| (position[wire.target], wire.target_port);
    feeds.sort_by_key(feeds_of);
    let mut feeds = feeds.chunk_by_mut(|one, other| feeds_of(one) == feeds_of(other)).peekable();
    let mut analysis = GuardAnalysis { guards: vec![Some(BTreeSet::new()); wiring.vertices.len()], is_fork };
    for &vertex in &turns.order {
        let inputs = &wiring.vertices[vertex].node.ports().inputs;
        // What feeds a member of a refused cycle from inside is not among the forward wires.
        let is_refused = nesting.depends_on_refused(&nesting.around[vertex]);
        let mut guards = (!is_refused).then(BTreeSet::new);
        while let Some(wires) = feeds.next_if(|wires| wires[0].target == vertex) {
            let input = &inputs[wires[0].target_port];
            if input.required || input.required_when_fed {
                guards = union(guards, intersection(wires.iter().map(|wire| analysis.guards_of(wire))));
            }
            if !input.many && wires.len() > 1 {
                wires.sort_by_key(|wire| (position[wire.source], &wire.edge));
                if let Some((first, last)) = analysis.first_conflict(wires) {
                    let (first, last) = (&wiring.vertices[first.source].id, &wiring.vertices[last.source].id);
                    let message = format!(
                        "Input `{}` takes one value, but `{first}` and `{last}` can both feed it. The value of `{last}` counts.",
                        input.name
                    );
                    diagnostics.push(
                        Diagnostic::on_node(codes::PORT_FED_TWICE, &wiring.vertices[vertex].id, message)
                            .warning()
                            .hint("Remove one of the edges, or collect both values with a `join` node."),
                    );
                }
            }
        }
        analysis.guards[vertex] = guards;
    }
}

struct GuardAnalysis<'a> {
    /// By vertex, as far as they are known.
    guards: Vec<Guards<'a>>,
    /// By vertex, whether it has several outputs in use.
    is_fork: Vec<bool>,
}

impl<'a> GuardAnalysis<'a> {
    fn guards_of(&self, wire: &'a Wire) -> Guards<'a> {
        let mut guards = self.guards[wire.source].clone()?;
        if self.is_fork[wire.source] {
            guards.insert((wire.source, &wire.source_port));
        }
        (guards.len() <= MAX_GUARDS).then_some(guards)
    }

    /// The first wire that may be live together with another, and the last such other.
    fn first_conflict(&self, wires: &[&'a Wire]) -> Option<(&'a Wire, &'a Wire)> {
        let wires = &wires[..wires.len().min(MAX_COMPARED_EDGES)];
        let guards: Vec<Guards<'_>> = wires.iter().map(|wire| self.guards_of(wire)).collect();
        (0..wires.len()).find_map(|first| {
            let mut others = (first + 1..wires.len()).rev();
            let last = others.find(|&last| !are_alternatives(&guards[first], &guards[last]))?;
            Some((wires[first], wires[last]))
        })
    }
}

/// The guards of what needs both.
fn union<'a>(one: Guards<'a>, other: Guards<'a>) -> Guards<'a> {
    let (mut one, mut other) = (one?, other?);
    one.append(&mut other);
    (one.len() <= MAX_GUARDS).then_some(one)
}

/// The guards of what needs any one of them: it is certain to depend only on what all of them depend on.
fn intersection<'a>(mut all: impl Iterator<Item = Guards<'a>>) -> Guards<'a> {
    let mut common = all.next()??;
    for other in all {
        let other = other?;
        common.retain(|output| other.contains(output));
    }
    Some(common)
}

/// Whether the two depend on different outputs of one node.
fn are_alternatives(one: &Guards<'_>, other: &Guards<'_>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    one.iter().any(|&(fork, _)| {
        let mut outputs = other.iter().filter(|output| output.0 == fork).peekable();
        outputs.peek().is_some() && !outputs.any(|output| one.contains(output))
    })
}
