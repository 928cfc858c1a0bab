//! The loop nesting forest: which cycles there are, how they nest, and where each is entered.
//!
//! For each strongly connected component an entry is picked, the component's edges into it (its *back edges*) are cut,
//! and the same is done inside what remains. All other edges are forward.
//!
//! Each level of nesting is a pass over what lies inside it; so how deep they may nest is bounded, and nothing inside is
//! looked at once the flow is refused.

use std::collections::{BTreeMap, BTreeSet, VecDeque, btree_map::Entry};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::wiring::{Wire, Wiring};
use crate::diagnostic::Diagnostic;
use crate::id::NodeId;

/// A cycle: where it is entered, and what closes and bounds it.
#[derive(Debug)]
pub(super) struct Nest {
    pub entry: usize,
    pub parent: Option<usize>,
    /// Indices of the wires that go from the component into its entry.
    pub back: Vec<usize>,
    /// The least `limits.maxEpochs` of its members.
    pub max_epochs: Option<u32>,
}

/// The forest. Outer cycles come before inner ones.
#[derive(Debug, Default)]
pub(super) struct Forest {
    pub nests: Vec<Nest>,
    /// The cycles around each vertex, outermost first, as indices into `nests`.
    pub around: Vec<Vec<usize>>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether cycles were left uncut: there can be no plan.
    pub refused: bool,
}

/// How deep cycles may lie in one another: far deeper than anybody draws them.
const DEEPEST: usize = 256;

/// Finds the cycles of the graph, and those that could never start or never end.
pub(super) fn nest(wiring: &Wiring) -> Forest {
    let mut forest = Forest { around: vec![Vec::new(); wiring.vertices.len()], ..Forest::default() };
    // What can't start for want of an edge that was left out is not to blame, and what nothing bounds has been told of.
    let mut told = refuse_unbounded(wiring, &mut forest);
    let lacking: FxHashSet<&NodeId> = wiring.left_out.iter().map(|(id, _)| id).collect();
    told.extend((0..wiring.vertices.len()).filter(|&at| lacking.contains(&wiring.vertices[at].id)));
    let mut incoming = vec![Vec::new(); wiring.vertices.len()];
    for wire in &wiring.wires {
        incoming[wire.target].push(wire);
    }
    let all: Vec<usize> = (0..wiring.wires.len()).collect();
    let mut work = vec![(None, (0..wiring.vertices.len()).collect::<Vec<_>>(), all)];
    while let Some((parent, vertices, wires)) = work.pop() {
        for (members, inside) in components(&vertices, &wires, wiring) {
            let Some(entry) = pick_entry(wiring, &incoming, &members, &inside) else {
                forest.refused = true;
                if !members.iter().any(|at| told.contains(at)) {
                    let why = "none of its nodes could ever start: each waits for another";
                    forest.diagnostics.push(circular(wiring, &members, &inside, why));
                }
                continue;
            };
            let (back, rest): (Vec<_>, Vec<_>) =
                inside.into_iter().partition(|&wire| wiring.wires[wire].target == entry);
            let at = forest.nests.len();
            for &member in &members {
                forest.around[member].push(at);
            }
            if forest.around[entry].len() > DEEPEST {
                forest.refused = true;
                forest.diagnostics.push(too_deep(&wiring.vertices[entry].id));
            }
            let max_epochs =
                members.iter().filter_map(|&member| wiring.vertices[member].limits.max_epochs).min();
            forest.nests.push(Nest { entry, parent, back, max_epochs });
            if !forest.refused {
                work.push((Some(at), members, rest));
            }
        }
    }
    forest
}

/// The strongly connected components that hold a cycle, each with the wires inside it. Members in order.
fn components(vertices: &[usize], wires: &[usize], wiring: &Wiring) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut graph = DiGraph::<usize, ()>::with_capacity(vertices.len(), wires.len());
    let at: FxHashMap<usize, NodeIndex> =
        vertices.iter().map(|&vertex| (vertex, graph.add_node(vertex))).collect();
    for &wire in wires {
        let wire = &wiring.wires[wire];
        if let (Some(&source), Some(&target)) = (at.get(&wire.source), at.get(&wire.target)) {
            graph.add_edge(source, target, ());
        }
    }
    // Kosaraju's algorithm, since petgraph's Tarjan recurses and a long chain would overflow the stack.
    let mut component = FxHashMap::default();
    let mut found = Vec::new();
    for nodes in kosaraju_scc(&graph) {
        let loops_to_itself = nodes.len() == 1 && graph.contains_edge(nodes[0], nodes[0]);
        if nodes.len() > 1 || loops_to_itself {
            let mut members: Vec<usize> = nodes.iter().map(|&node| graph[node]).collect();
            members.sort_unstable();
            for &member in &members {
                component.insert(member, found.len());
            }
            found.push((members, Vec::new()));
        }
    }
    for &wire in wires {
        let ends = (component.get(&wiring.wires[wire].source), component.get(&wiring.wires[wire].target));
        if let (Some(&source), Some(&target)) = ends
            && source == target
        {
            found[source].1.push(wire);
        }
    }
    found.sort_by_key(|(members, _)| members[0]);
    found
}

/// A vertex that can start: each of its required ports that is fed from inside is also fed from outside. Of several, one
/// that takes its start from outside and its next round from inside, then a pausing one, then the first.
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
    members
        .iter()
        .copied()
        .filter(|&vertex| {
            fed_inside.range((vertex, 0)..=(vertex, usize::MAX)).all(|key| {
                fed_outside.contains(key) || !wiring.vertices[vertex].node.ports().inputs[key.1].required
            })
        })
        .min_by_key(|&vertex| {
            let takes_over =
                fed_inside.range((vertex, 0)..=(vertex, usize::MAX)).any(|key| fed_outside.contains(key));
            (!takes_over, !wiring.vertices[vertex].node.behavior().pauses, vertex)
        })
}

/// Every cycle must hold a node that pauses or has `maxEpochs`: else it might go round for ever. Gives the nodes at which
/// that is told.
fn refuse_unbounded(wiring: &Wiring, forest: &mut Forest) -> FxHashSet<usize> {
    let free: Vec<usize> = (0..wiring.vertices.len())
        .filter(|&at| {
            let vertex = &wiring.vertices[at];
            !vertex.node.behavior().pauses && vertex.limits.max_epochs.is_none()
        })
        .collect();
    let wires: Vec<usize> = (0..wiring.wires.len()).collect();
    let mut told = FxHashSet::default();
    for (members, inside) in components(&free, &wires, wiring) {
        let why = "nothing bounds it: no node of it pauses or has `limits.maxEpochs`";
        forest.diagnostics.push(circular(wiring, &members, &inside, why));
        told.insert(members[0]);
    }
    forest.refused = !told.is_empty();
    told
}

fn too_deep(entry: &NodeId) -> Diagnostic {
    let message = format!("The cycle through `{entry}` lies inside of {DEEPEST} others; no more can be.");
    Diagnostic::on_node("flow.nested_too_deep", entry, message)
        .hint("Remove edges that lead back, or call the inner cycles as a flow of their own with `subflow`.")
}

fn circular(wiring: &Wiring, members: &[usize], inside: &[usize], why: &str) -> Diagnostic {
    let first = &wiring.vertices[members[0]].id;
    let path = walk(wiring, members, inside);
    let named: Vec<_> = path.iter().map(|&at| wiring.vertices[at].id.as_str()).collect();
    Diagnostic::on_node(
        "flow.circular",
        first,
        format!("Circular dependency detected at node {first}: {} is a cycle, and {why}.", named.join(" → ")),
    )
    .hint("Put a `userInput` or `approval` node into the cycle, set `limits.maxEpochs` on one of its nodes, or remove an edge.")
}

/// One closed walk through the component, over the wires inside it, starting and ending at its first member.
fn walk(wiring: &Wiring, members: &[usize], inside: &[usize]) -> Vec<usize> {
    let start = members[0];
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for wire in inside.iter().map(|&wire| &wiring.wires[wire]) {
        next.entry(wire.source).or_default().push(wire.target);
    }
    // Breadth first back to the start: the shortest cycle through it.
    let mut came = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &to in next.get(&at).into_iter().flatten() {
            if to == start {
                let mut path = vec![start, at];
                let mut back = at;
                while back != start {
                    back = came[&back];
                    path.push(back);
                }
                path.reverse();
                if at == start {
                    return vec![start, start];
                }
                return path;
            }
            if let Entry::Vacant(slot) = came.entry(to) {
                slot.insert(at);
                queue.push_back(to);
            }
        }
    }
    members.to_vec()
}
