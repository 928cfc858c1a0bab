//! What is wrong, or doubtful, with a flow as a whole; and what the editor wants to know of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::build::{InputOverrides, study};
use super::nesting::Forest;
use super::wiring::Wiring;
use crate::diagnostic::Diagnostic;
use crate::flow::Flow;
use crate::id::{EdgeId, NodeId};
use crate::node::Registry;
use crate::port::Ports;

/// A flow, checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckedFlow {
    /// What is wrong or doubtful. Without an error among them, the flow runs.
    pub diagnostics: Vec<Diagnostic>,
    /// The ports of every node whose type is known and whose config is right.
    pub ports: BTreeMap<NodeId, Ports>,
    /// The node that makes the context each node works in or hands on, where that is one.
    pub contexts: BTreeMap<NodeId, NodeId>,
    /// The edges that lead into a cycle's next round.
    pub back_edges: BTreeSet<EdgeId>,
}

/// Checks a flow. Never fails and executes nothing.
pub fn check(flow: &Flow, registry: &Registry) -> CheckedFlow {
    let study = study(flow, registry, &InputOverrides::new());
    let back_edges = study.back_wires().map(|wire| study.wiring.wires[wire].edge.clone()).collect();
    let id = |vertex: usize| study.wiring.vertices[vertex].id.clone();
    let contexts = study
        .origins
        .iter()
        .enumerate()
        .filter_map(|(vertex, origins)| Some((id(vertex), id(origins.only()?))))
        .collect();
    let ports = study.wiring.bound.iter().map(|(id, node)| (id.clone(), node.ports().clone())).collect();
    CheckedFlow { ports, contexts, back_edges, diagnostics: study.wiring.diagnostics }
}

/// Required ports that nothing was to feed; values given to ports that do not exist or are fed already.
pub(super) fn unfed_ports(wiring: &Wiring, given: &InputOverrides) -> Vec<Diagnostic> {
    let mut feeds: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); wiring.vertices.len()];
    for wire in &wiring.wires {
        *feeds[wire.target].entry(wire.target_port).or_default() += 1;
    }
    let mut found = Vec::new();
    for (vertex, feeds) in wiring.vertices.iter().zip(&feeds) {
        let given = given.get(&vertex.id);
        for (at, port) in vertex.node.ports().inputs.iter().enumerate() {
            let is_given = given.is_some_and(|values| values.contains_key(&port.name));
            let is_unfed = port.required && !feeds.contains_key(&at) && !is_given;
            if is_unfed && !wiring.left_out.contains(&(vertex.id.clone(), port.name.clone())) {
                found.push(
                    Diagnostic::on_node(
                        "port.unfed",
                        &vertex.id,
                        format!("Input `{}` must be fed and is not.", port.name),
                    )
                    .hint(format!("Wire something to it: {}.", port.description)),
                );
            }
            if is_given && feeds.contains_key(&at) {
                found.push(
                    Diagnostic::on_node(
                        "port.given_and_fed",
                        &vertex.id,
                        format!("Input `{}` is fed by an edge, so no value can be given for it.", port.name),
                    )
                    .hint("Leave out the value, or remove the edge."),
                );
            }
        }
        for port in given.into_iter().flat_map(BTreeMap::keys) {
            if vertex.node.ports().find_input(port.as_str()).is_none() {
                found.push(
                    Diagnostic::on_node(
                        "port.unknown",
                        &vertex.id,
                        format!("Node `{}` has no input `{port}`.", vertex.id),
                    )
                    .hint("Give values only to inputs that the node has."),
                );
            }
        }
    }
    let runs = |id: &NodeId| wiring.vertices.binary_search_by(|vertex| vertex.id.cmp(id)).is_ok();
    for id in given.keys().filter(|id| !runs(id) && !wiring.unread.nodes.contains(*id)) {
        found.push(if wiring.bound.contains_key(id) {
            let message = format!("`{id}` is a comment or a portal: it takes no values.");
            Diagnostic::on_node("port.unknown", id, message).hint("Give values only to nodes that run.")
        } else {
            Diagnostic::error("node.unknown", "", format!("There is no node `{id}` to give a value to."))
        });
    }
    found
}

/// How many vertices the search for paths may visit in all: a check stays well under a frame on large flows, and what
/// it then does not warn of is only a hint less.
const PATH_BUDGET: usize = 200_000;

/// Nodes that share a context without a path between them (a warning: plan order decides), and nodes outside of an
/// inner cycle that share one with it (an error: no order of turns would ever let the cycle end).
pub(super) fn shared_contexts(
    wiring: &Wiring,
    forest: &Forest,
    clocks: &[Vec<usize>],
    groups: &[Vec<usize>],
) -> Vec<Diagnostic> {
    let ways = if groups.is_empty() { Ways::default() } else { Ways::of(wiring, forest) };
    let mut budget = PATH_BUDGET;
    let mut found = Vec::new();
    for group in groups {
        for pair in group.windows(2) {
            let (first, second) = (&wiring.vertices[pair[0]].id, &wiring.vertices[pair[1]].id);
            if ways.lead(pair[0], pair[1], &clocks[pair[1]], &mut budget) == Some(false) {
                found.push(
                    Diagnostic::on_node(
                        "context.unordered",
                        second,
                        format!("`{first}` and `{second}` use one context with no path between them; `{first}` goes first."),
                    )
                    .warning()
                    .hint("Join them by an edge to say the order, or give one of them a context of its own with `newContext`."),
                );
            }
        }
        for &vertex in group {
            if forest.around[vertex].is_empty() && clocks[vertex].len() > 1 {
                let id = &wiring.vertices[vertex].id;
                found.push(
                    Diagnostic::on_node(
                        "context.shared_outside_cycle",
                        id,
                        format!(
                            "`{id}` stands outside of the inner cycle that feeds it, and shares its context."
                        ),
                    )
                    .hint("Give it a context of its own with `newContext`, or put it into the cycle."),
                );
            }
        }
    }
    found
}

/// Where each vertex's edges lead, and of which cycle each is a way back.
#[derive(Default)]
struct Ways(Vec<Vec<(usize, Option<usize>)>>);

impl Ways {
    fn of(wiring: &Wiring, forest: &Forest) -> Self {
        let back = forest.nests.iter().enumerate();
        let back: FxHashMap<usize, usize> =
            back.flat_map(|(nest, found)| found.back.iter().map(move |&wire| (wire, nest))).collect();
        let mut ways = vec![Vec::new(); wiring.vertices.len()];
        for (at, wire) in wiring.wires.iter().enumerate() {
            ways[wire.source].push((wire.target, back.get(&at).copied()));
        }
        Self(ways)
    }

    /// Whether a path leads from one vertex to another, so that in each round of `clock`, the target's, the one comes
    /// before the other; nothing where the budget ran out first. A way back leads into the next round of its cycle; only to
    /// who waits for that cycle to end are all its rounds one.
    fn lead(&self, from: usize, to: usize, clock: &[usize], budget: &mut usize) -> Option<bool> {
        let mut seen = FxHashSet::from_iter([from]);
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            *budget = budget.checked_sub(1)?;
            for &(vertex, back) in &self.0[at] {
                if back.is_some_and(|nest| clock.contains(&nest)) {
                    continue;
                }
                if vertex == to {
                    return Some(true);
                }
                if seen.insert(vertex) {
                    queue.push_back(vertex);
                }
            }
        }
        Some(false)
    }
}
