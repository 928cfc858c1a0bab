//! Inputs that take one value and may get two at once: the last in plan order counts, which is rarely what was meant.
//!
//! Two edges into one input are alternatives where they hang on different outputs of one node: of the ways out of a branch
//! one is taken, and a node that fails gives nothing but its error. Which of its outputs come together a node does not say,
//! so any two may be such ways: rather no warning than a wrong one.

use std::collections::{BTreeMap, BTreeSet};

use super::wiring::{Wire, Wiring};
use crate::diagnostic::Diagnostic;
use crate::id::PortName;

/// The outputs that must be live for something to be live. Only of nodes with several outputs in use: others are no fork.
/// Nothing where they are more than [`MOST_FORKS`]; then it counts as an alternative to everything.
type Hangs<'a> = Option<BTreeSet<(usize, &'a PortName)>>;

const MOST_FORKS: usize = 32;
/// How many edges into one input are held against each other.
const MOST_EDGES: usize = 32;

/// Warns of every `one` port that two forward edges may feed at once.
pub(super) fn doubly_fed(wiring: &Wiring, forward: &[usize], order: &[usize]) -> Vec<Diagnostic> {
    let mut feeds: Vec<BTreeMap<usize, Vec<&Wire>>> = vec![BTreeMap::new(); wiring.vertices.len()];
    let mut in_use: Vec<BTreeSet<&PortName>> = vec![BTreeSet::new(); wiring.vertices.len()];
    for &wire in forward {
        let wire = &wiring.wires[wire];
        feeds[wire.target].entry(wire.target_port).or_default().push(wire);
        in_use[wire.source].insert(&wire.source_port);
    }
    let mut place = vec![0; wiring.vertices.len()];
    for (at, &vertex) in order.iter().enumerate() {
        place[vertex] = at;
    }
    let mut hangs: Vec<Hangs<'_>> = vec![Some(BTreeSet::new()); wiring.vertices.len()];
    let mut found = Vec::new();
    for &vertex in order {
        let inputs = &wiring.vertices[vertex].node.ports().inputs;
        let mut own = Some(BTreeSet::new());
        for (&port, wires) in &mut feeds[vertex] {
            let input = &inputs[port];
            if input.required || input.required_when_fed {
                own = both(own, any(wires.iter().map(|wire| hangs_on(wire, &hangs, &in_use))));
            }
            if !input.many && wires.len() > 1 {
                wires.sort_by_key(|wire| place[wire.source]);
                if let Some((first, last)) = at_once(wires, &hangs, &in_use) {
                    let (first, last) = (&wiring.vertices[first.source].id, &wiring.vertices[last.source].id);
                    found.push(
                        Diagnostic::on_node(
                            "port.fed_twice",
                            &wiring.vertices[vertex].id,
                            format!("Input `{}` takes one value, but `{first}` and `{last}` can both feed it; `{last}` counts.", input.name),
                        )
                        .warning()
                        .hint("Remove one of the edges, or collect both values with a `join` node."),
                    );
                }
            }
        }
        hangs[vertex] = own;
    }
    found
}

/// The first edge that another can be live with, and the last such other.
fn at_once<'a>(
    wires: &[&'a Wire],
    hangs: &[Hangs<'a>],
    in_use: &[BTreeSet<&'a PortName>],
) -> Option<(&'a Wire, &'a Wire)> {
    let wires = &wires[..wires.len().min(MOST_EDGES)];
    let on: Vec<Hangs<'_>> = wires.iter().map(|wire| hangs_on(wire, hangs, in_use)).collect();
    (0..wires.len()).find_map(|first| {
        let mut others = (first + 1..wires.len()).rev();
        let last = others.find(|&last| !are_alternatives(&on[first], &on[last]))?;
        Some((wires[first], wires[last]))
    })
}

fn hangs_on<'a>(wire: &'a Wire, hangs: &[Hangs<'a>], in_use: &[BTreeSet<&'a PortName>]) -> Hangs<'a> {
    let mut on = hangs[wire.source].clone()?;
    if in_use[wire.source].len() > 1 {
        on.insert((wire.source, &wire.source_port));
    }
    (on.len() <= MOST_FORKS).then_some(on)
}

/// What hangs on both.
fn both<'a>(one: Hangs<'a>, other: Hangs<'a>) -> Hangs<'a> {
    let (mut one, mut other) = (one?, other?);
    one.append(&mut other);
    (one.len() <= MOST_FORKS).then_some(one)
}

/// What hangs on any one of them: it is sure to hang only on what all of them do.
fn any<'a>(mut each: impl Iterator<Item = Hangs<'a>>) -> Hangs<'a> {
    let mut common = each.next()??;
    for other in each {
        let other = other?;
        common.retain(|output| other.contains(output));
    }
    Some(common)
}

/// Whether the two hang on different outputs of one node.
fn are_alternatives(one: &Hangs<'_>, other: &Hangs<'_>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    let of = |fork: usize| move |output: &&(usize, &PortName)| output.0 == fork;
    one.iter().any(|&(fork, _)| {
        let mut theirs = other.iter().filter(of(fork)).peekable();
        theirs.peek().is_some() && !theirs.any(|output| one.contains(output))
    })
}
