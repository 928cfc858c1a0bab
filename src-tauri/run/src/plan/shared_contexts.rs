//! Checks the nodes that share a context: whether the flow itself sets the order of their turns, and whether any order is
//! possible.
use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::clocks::Clocks;
use super::nesting::Nesting;
use super::turn_order::Turns;
use super::wiring::Wiring;
use crate::codes;
use plait_core::diagnostic::Diagnostic;

/// How many vertices the search for paths may visit in all. It keeps a check well under a frame on large flows; pairs that
/// are not searched get no warning.
const MAX_VISITS: usize = 200_000;

/// Warns of nodes that share a context without a path between them, where plan order decides; and reports followers of an
/// inner cycle that share a context, since no order of turns would ever let the outer cycle go on.
pub(super) fn check_shared_contexts(
    wiring: &Wiring,
    nesting: &Nesting,
    clocks: &Clocks,
    turns: &Turns,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if turns.groups.is_empty() {
        return;
    }
    let mut paths = Paths::of(wiring, nesting);
    for group in &turns.groups {
        let sound: Vec<usize> =
            group.iter().copied().filter(|&at| !nesting.depends_on_refused(clocks.of(at))).collect();
        for pair in sound.windows(2) {
            if paths.lead(pair[0], pair[1], clocks.of(pair[1])) == Some(false) {
                let (first, second) = (&wiring.vertices[pair[0]].id, &wiring.vertices[pair[1]].id);
                let message = format!(
                    "`{first}` and `{second}` share a context, but no path between them sets their order. `{first}` goes first."
                );
                let found = Diagnostic::on_node(codes::CONTEXT_UNORDERED, second, message).warning();
                diagnostics.push(found.hint(
                    "Connect them by an edge to set the order, or give one of them a context of its own with `newContext`.",
                ));
            }
        }
        for &vertex in &sound {
            if clocks.is_follower(vertex, nesting) && clocks.of(vertex).len() > 1 {
                let id = &wiring.vertices[vertex].id;
                let message = format!(
                    "`{id}` runs once per iteration of an inner cycle without being part of it, and shares a context with other nodes."
                );
                diagnostics.push(
                    Diagnostic::on_node(codes::CONTEXT_SHARED_OUTSIDE_CYCLE, id, message).hint(
                        "Give it a context of its own with `newContext`, or make it part of the cycle.",
                    ),
                );
            }
        }
    }
}

/// Answers whether paths exist, until its visits are used up.
struct Paths<'a> {
    nesting: &'a Nesting,
    /// By vertex, its targets and the wires that lead there.
    targets: Vec<Vec<(usize, usize)>>,
    visits_left: usize,
}

impl<'a> Paths<'a> {
    fn of(wiring: &Wiring, nesting: &'a Nesting) -> Self {
        let mut targets = vec![Vec::new(); wiring.vertices.len()];
        for (at, wire) in wiring.wires.iter().enumerate() {
            targets[wire.source].push((wire.target, at));
        }
        Self { nesting, targets, visits_left: MAX_VISITS }
    }

    /// Whether a path from one vertex to another puts the first before the second in each epoch of `clock`, the second's
    /// clock. Back wires of the cycles in `clock` lead into a later epoch, so they don't count. Nothing if the visits are
    /// used up.
    fn lead(&mut self, from: usize, to: usize, clock: &[usize]) -> Option<bool> {
        let mut seen = FxHashSet::from_iter([from]);
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            self.visits_left = self.visits_left.checked_sub(1)?;
            for &(vertex, wire) in &self.targets[at] {
                if self.nesting.back_wires.get(&wire).is_some_and(|cycle| clock.contains(cycle)) {
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
