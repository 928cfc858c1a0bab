//! Phase 2, nesting: which cycles there are, how they lie in each other, and where each is entered (the loop nesting
//! forest).
//!
//! For each strongly connected component of the graph, pick an *entry* and cut the component's wires into it: its *back
//! wires*, which lead into the next epoch. Then do the same inside what remains. All other wires are forward.
//!
//! ```text
//! start → ask → draft → critique → ask         component {ask, draft, critique}: entry ask, back wire critique → ask
//!               draft ← critique               inside, component {draft, critique}: entry draft, back wire critique → draft
//! ```
//!
//! `limits.maxEpochs` of a node bounds the innermost cycle around the node, and no other. A cycle needs such a bound, or a
//! node that can ask a person, in itself or in an inner cycle.
//!
//! A cycle is **refused** if none of its nodes can start, if nothing bounds it, or if it is nested too deeply. Where none
//! can start and where the nesting is too deep, the order inside is unknown, so all wires inside are cut and nothing inside
//! is nested further. A refused cycle remains in the forest, so that later phases can check the rest of the flow, and can
//! tell what depends on it ([`Nesting::depends_on_refused`]): about that they report nothing.
use std::collections::{BTreeMap, BTreeSet, VecDeque, btree_map::Entry};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph;
use super::wiring::{Wire, Wiring};
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;

/// How deep cycles may be nested. Each level costs a pass over what lies inside it.
const MAX_NESTING_DEPTH: usize = 256;

/// A cycle of the forest.
#[derive(Debug)]
pub(super) struct NestedCycle {
    /// Where it is entered. Arbitrary if it is refused.
    pub entry: usize,
    pub parent: Option<usize>,
    /// The lowest `limits.maxEpochs` of its nodes, without those of inner cycles.
    pub max_epochs: Option<u32>,
    /// There can be no plan because of this cycle. The order of its members may be unknown.
    pub is_refused: bool,
}

/// The loop nesting forest.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// Outer cycles come before inner ones.
    pub cycles: Vec<NestedCycle>,
    /// The cycles around each vertex, outermost first, as indices into `cycles`.
    pub around: Vec<Vec<usize>>,
    /// For each back wire, the cycle that it leads into the next epoch of.
    pub back_wires: FxHashMap<usize, usize>,
    /// The other wires, except those inside of refused cycles. They form no cycle.
    pub forward: Vec<usize>,
    /// The vertices in topological order over `forward`.
    pub topological: Vec<usize>,
}

impl Nesting {
    /// Whether one of these cycles is refused.
    pub fn depends_on_refused(&self, clock: &[usize]) -> bool {
        clock.iter().any(|&cycle| self.cycles[cycle].is_refused)
    }

    /// The ends of the forward wires.
    pub fn forward_edges<'a>(&'a self, wiring: &'a Wiring) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.forward.iter().map(|&wire| (wiring.wires[wire].source, wiring.wires[wire].target))
    }
}

/// Finds the cycles of the graph, and reports cycles that could never start or never end.
pub(super) fn nest(wiring: &Wiring, diagnostics: &mut Vec<Diagnostic>) -> Nesting {
    let mut nesting = Nesting { around: vec![Vec::new(); wiring.vertices.len()], ..Nesting::default() };
    let ends = wiring.wires.iter().map(|wire| (wire.source, wire.target));
    let order = graph::topological_order(wiring.vertices.len(), ends);
    if order.len() == wiring.vertices.len() {
        // There is no cycle: most flows have none.
        return Nesting { forward: (0..wiring.wires.len()).collect(), topological: order, ..nesting };
    }
    let lacking: FxHashSet<&NodeId> = wiring.omitted.iter().map(|(id, _)| id).collect();
    let mut incoming = vec![Vec::new(); wiring.vertices.len()];
    for wire in &wiring.wires {
        incoming[wire.target].push(wire);
    }
    let mut is_cut = vec![false; wiring.wires.len()];
    let mut reports = Vec::new();
    // The wires inside each cycle, back wires included.
    let mut wires_inside: Vec<Vec<usize>> = Vec::new();
    let all_wires: Vec<usize> = (0..wiring.wires.len()).collect();
    let mut work = vec![(None, (0..wiring.vertices.len()).collect::<Vec<_>>(), all_wires)];
    while let Some((parent, vertices, wires)) = work.pop() {
        for (members, inside) in components(&vertices, &wires, wiring) {
            let cycle = nesting.cycles.len();
            for &member in &members {
                nesting.around[member].push(cycle);
            }
            let entry = pick_entry(wiring, &incoming, &members, &inside);
            let is_too_deep = nesting.around[members[0]].len() > MAX_NESTING_DEPTH;
            match entry {
                // What can't start because of an omitted edge has a diagnostic already.
                None if !members.iter().any(|&at| lacking.contains(&wiring.vertices[at].id)) => {
                    let why = "None of its nodes can start, because each waits for another.";
                    reports.push((members[0], circular(wiring, &members, &inside, why)));
                }
                Some(entry) if is_too_deep => {
                    reports.push((members[0], too_deep(&wiring.vertices[entry].id)));
                }
                _ => {}
            }
            let Some(entry) = entry.filter(|_| !is_too_deep) else {
                for &wire in &inside {
                    is_cut[wire] = true;
                }
                let entry = entry.unwrap_or(members[0]);
                nesting.cycles.push(NestedCycle { entry, parent, max_epochs: None, is_refused: true });
                wires_inside.push(inside);
                continue;
            };
            let (back, rest): (Vec<_>, Vec<_>) =
                inside.iter().copied().partition(|&wire| wiring.wires[wire].target == entry);
            for &wire in &back {
                is_cut[wire] = true;
                nesting.back_wires.insert(wire, cycle);
            }
            nesting.cycles.push(NestedCycle { entry, parent, max_epochs: None, is_refused: false });
            wires_inside.push(inside);
            work.push((Some(cycle), members, rest));
        }
    }
    nesting.set_bounds(wiring);
    nesting.refuse_unbounded(wiring, &wires_inside, &mut reports);
    reports.sort_by_key(|(vertex, _)| *vertex);
    diagnostics.extend(reports.into_iter().map(|(_, found)| found));
    nesting.forward = (0..wiring.wires.len()).filter(|&wire| !is_cut[wire]).collect();
    nesting.topological = graph::topological_order(wiring.vertices.len(), nesting.forward_edges(wiring));
    nesting
}

impl Nesting {
    /// Sets the bound of each cycle from the nodes that are in it and in no inner one.
    fn set_bounds(&mut self, wiring: &Wiring) {
        for (vertex, around) in wiring.vertices.iter().zip(&self.around) {
            let Some(&innermost) = around.last() else { continue };
            let bound = &mut self.cycles[innermost].max_epochs;
            *bound = bound.iter().copied().chain(vertex.limits.max_epochs).min();
        }
    }

    /// Reports cycles that might never end: those without a bound of their own and without a node that can ask a person.
    fn refuse_unbounded(
        &mut self,
        wiring: &Wiring,
        wires_inside: &[Vec<usize>],
        reports: &mut Vec<(usize, Diagnostic)>,
    ) {
        let mut members = vec![Vec::new(); self.cycles.len()];
        let mut can_ask = vec![false; self.cycles.len()];
        for (vertex, around) in self.around.iter().enumerate() {
            for &cycle in around {
                members[cycle].push(vertex);
                can_ask[cycle] |= wiring.vertices[vertex].can_ask;
            }
        }
        for (at, cycle) in self.cycles.iter_mut().enumerate() {
            if cycle.is_refused || can_ask[at] || cycle.max_epochs.is_some() {
                continue;
            }
            cycle.is_refused = true;
            let why = "The cycle is unbounded: no node in it asks a person, and none sets `limits.maxEpochs` for it.";
            // Without the ways around inner cycles, so that the message names a way around this one.
            let inside = wires_inside[at].iter().copied();
            let inside: Vec<usize> =
                inside.filter(|wire| self.back_wires.get(wire).is_none_or(|cycle| *cycle == at)).collect();
            reports.push((members[at][0], circular(wiring, &members[at], &inside, why)));
        }
    }
}

/// The strongly connected components that hold a cycle, each with the wires inside it. Members in order.
fn components(vertices: &[usize], wires: &[usize], wiring: &Wiring) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut graph = DiGraph::<usize, ()>::with_capacity(vertices.len(), wires.len());
    let node_of: FxHashMap<usize, NodeIndex> =
        vertices.iter().map(|&vertex| (vertex, graph.add_node(vertex))).collect();
    for &wire in wires {
        let wire = &wiring.wires[wire];
        if let (Some(&source), Some(&target)) = (node_of.get(&wire.source), node_of.get(&wire.target)) {
            graph.add_edge(source, target, ());
        }
    }
    // Kosaraju's algorithm, since petgraph's Tarjan recurses and a long chain would overflow the stack.
    let mut component_of = FxHashMap::default();
    let mut components = Vec::new();
    for nodes in kosaraju_scc(&graph) {
        let feeds_itself = nodes.len() == 1 && graph.contains_edge(nodes[0], nodes[0]);
        if nodes.len() > 1 || feeds_itself {
            let mut members: Vec<usize> = nodes.iter().map(|&node| graph[node]).collect();
            members.sort_unstable();
            for &member in &members {
                component_of.insert(member, components.len());
            }
            components.push((members, Vec::new()));
        }
    }
    for &wire in wires {
        let Wire { source, target, .. } = &wiring.wires[wire];
        if let (Some(&component), Some(&other)) = (component_of.get(source), component_of.get(target))
            && component == other
        {
            components[component].1.push(wire);
        }
    }
    components.sort_by_key(|(members, _)| members[0]);
    components
}

/// A vertex that can start: each of its required ports that is fed from inside is also fed from outside. Of several, one
/// with a port that is fed from both, then a pausing one, then the first.
fn pick_entry(
    wiring: &Wiring,
    incoming: &[Vec<&Wire>],
    members: &[usize],
    inside: &[usize],
) -> Option<usize> {
    let port = |wire: &Wire| (wire.target, wire.target_port);
    let fed_inside: BTreeSet<_> = inside.iter().map(|&wire| port(&wiring.wires[wire])).collect();
    let is_member = |vertex: usize| members.binary_search(&vertex).is_ok();
    let fed_outside: BTreeSet<_> = members
        .iter()
        .flat_map(|&member| &incoming[member])
        .filter(|wire| !is_member(wire.source))
        .map(|wire| port(wire))
        .collect();
    let ports_fed_inside = |vertex: usize| fed_inside.range((vertex, 0)..=(vertex, usize::MAX));
    let can_start = |&vertex: &usize| {
        ports_fed_inside(vertex).all(|key| {
            fed_outside.contains(key) || !wiring.vertices[vertex].node.ports().inputs[key.1].required
        })
    };
    members.iter().copied().filter(can_start).min_by_key(|&vertex| {
        let is_fed_from_both = ports_fed_inside(vertex).any(|key| fed_outside.contains(key));
        (!is_fed_from_both, !wiring.vertices[vertex].node.behavior().pauses, vertex)
    })
}

fn too_deep(entry: &NodeId) -> Diagnostic {
    let message = format!("The cycle through `{entry}` is nested more than {MAX_NESTING_DEPTH} cycles deep.");
    Diagnostic::on_node(codes::FLOW_NESTED_TOO_DEEP, entry, message)
        .hint("Remove edges that lead back, or move the inner cycles into a flow of their own and call it with `subflow`.")
}

fn circular(wiring: &Wiring, members: &[usize], inside: &[usize], why: &str) -> Diagnostic {
    let first = &wiring.vertices[members[0]].id;
    let path = shortest_cycle(wiring, members, inside);
    let path: Vec<_> = path.iter().map(|&at| wiring.vertices[at].id.as_str()).collect();
    let message = format!("Circular dependency detected at node {first}: {}. {why}", path.join(" → "));
    Diagnostic::on_node(codes::FLOW_CIRCULAR, first, message)
        .hint("Add a `userInput` or `approval` node to the cycle, set `limits.maxEpochs` on one of its nodes, or remove an edge.")
}

/// The shortest cycle through the first member over the wires inside the component, from the first member to itself.
fn shortest_cycle(wiring: &Wiring, members: &[usize], inside: &[usize]) -> Vec<usize> {
    let start = members[0];
    let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for wire in inside.iter().map(|&wire| &wiring.wires[wire]) {
        targets.entry(wire.source).or_default().push(wire.target);
    }
    let mut reached_from = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &target in targets.get(&at).into_iter().flatten() {
            if target == start {
                let mut path = vec![start];
                let mut step = at;
                while step != start {
                    path.push(step);
                    step = reached_from[&step];
                }
                path.push(start);
                path.reverse();
                return path;
            }
            if let Entry::Vacant(slot) = reached_from.entry(target) {
                slot.insert(at);
                queue.push_back(target);
            }
        }
    }
    members.to_vec()
}
