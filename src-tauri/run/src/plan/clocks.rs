//! Phase 3, clocks: which counters the epoch of each node has, and who follows a cycle.
//!
//! An *epoch* says which iteration an activation belongs to: one counter for each cycle that counts for the node,
//! outermost first. The list of these cycles is the node's *clock*. It follows three rules:
//!
//! 1. **A member of cycles** has the cycles around it as its clock. A member of an inner cycle counts the outer one as well.
//! 2. **A follower** stands outside of all cycles but is fed by one. It runs once for each epoch of that cycle, so it has the
//!    clock of its source, and so do the nodes behind it. Fed by several, it takes the deepest clock; the others must be
//!    prefixes of that.
//! 3. **To a member of a cycle, any other cycle is a single step**: one inside its own, or one beside it that feeds it. A wire
//!    out of that cycle, or out of a follower of it, delivers once, when the cycle has ended and the follower has caught up,
//!    with its last live value. It adds no counter. So two conversations can follow each other.
//!
//! # Example
//!
//! ```text
//! start → ask → draft → critique → ask        outer cycle, entered at ask
//!               draft ← critique              inner cycle, entered at draft
//!         ask → log                           log follows the outer cycle
//!                       critique → trace      trace follows the inner cycle
//! ```
//!
//! | node              | clock        | why |
//! |-------------------|--------------|-----|
//! | `start`           | –            | outside of all cycles, fed by none |
//! | `ask`             | outer        | rule 1; the inner cycle's wire to it is one step (rule 3) |
//! | `draft, critique` | outer, inner | rule 1 |
//! | `log`             | outer        | rule 2 |
//! | `trace`           | outer, inner | rule 2 |
//!
//! If a person is asked twice and the drafts take two iterations, then one, the activations are:
//!
//! ```text
//! start
//! ask#0   draft#0.0  critique#0.0   draft#0.1  critique#0.1     log#0   trace#0.0  trace#0.1
//! ask#1   draft#1.0  critique#1.0                               log#1   trace#1.0
//! ```
//!
//! `critique#0.1` ends the inner cycle of epoch `#0`. Only then does its value reach `ask`, which opens epoch `#1`. A
//! follower may lag behind its cycle, but runs its epochs in order. An epoch in which its inputs are dead is passed
//! over; it is `skipped` only if it never ran.
//!
//! A follower of two cycles that do not enclose each other would have no defined epoch: it is refused with
//! `flow.mixed_cycles`.
//!
//! # Places
//!
//! A node's *place* is where it stands in plan order: the cycles around it or, for a follower, the outermost cycle of
//! its clock. Nothing inside an inner cycle can wait for a follower of it, so a follower stands beside the inner
//! cycles.

use super::nesting::Nesting;
use super::wiring::Wiring;
use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::EdgeId;

/// The clock of each vertex: indices into the cycles of the [`Nesting`], outermost first.
pub(super) struct Clocks(Vec<Vec<usize>>);

impl Clocks {
    pub fn of(&self, vertex: usize) -> &[usize] {
        &self.0[vertex]
    }

    /// Whether the vertex runs once per run: it is in no cycle and follows none.
    pub fn runs_once(&self, vertex: usize) -> bool {
        self.0[vertex].is_empty()
    }

    /// Where the vertex stands in plan order: the cycles around it or, for a follower, the outermost cycle of its clock.
    pub fn place(&self, vertex: usize, nesting: &Nesting) -> &[usize] {
        let clock = self.of(vertex);
        if self.is_follower(vertex, nesting) { &clock[..1] } else { clock }
    }

    /// Whether the vertex follows a cycle without being in one.
    pub fn is_follower(&self, vertex: usize, nesting: &Nesting) -> bool {
        nesting.around[vertex].is_empty() && !self.0[vertex].is_empty()
    }
}

/// Sets the clocks, and reports followers of cycles that don't enclose each other.
pub(super) fn set_clocks(wiring: &Wiring, nesting: &Nesting, diagnostics: &mut Vec<Diagnostic>) -> Clocks {
    let mut clocks = nesting.around.clone();
    if nesting.cycles.is_empty() {
        return Clocks(clocks);
    }
    let mut incoming = vec![Vec::new(); wiring.vertices.len()];
    for &wire in &nesting.forward {
        incoming[wiring.wires[wire].target].push(&wiring.wires[wire]);
    }
    let followers = nesting.topological.iter().filter(|&&vertex| nesting.around[vertex].is_empty());
    // To the end of a border, a cycle is a single step: an iteration has one result.
    for &vertex in followers.filter(|&&vertex| wiring.border.is_none_or(|border| vertex != border.end)) {
        for wire in &incoming[vertex] {
            let of_source = clocks[wire.source].clone();
            let own = &clocks[vertex];
            if own.starts_with(&of_source) {
                continue;
            }
            if of_source.starts_with(own) {
                clocks[vertex] = of_source;
            } else if !nesting.depends_on_refused(own) && !nesting.depends_on_refused(&of_source) {
                diagnostics.push(mixed_cycles(wiring, nesting, &wire.edge, vertex, &of_source));
            }
        }
    }
    Clocks(clocks)
}

fn mixed_cycles(
    wiring: &Wiring,
    nesting: &Nesting,
    edge: &EdgeId,
    vertex: usize,
    clock: &[usize],
) -> Diagnostic {
    let id = &wiring.vertices[vertex].id;
    let entry = clock.last().map_or(id, |&cycle| &wiring.vertices[nesting.cycles[cycle].entry].id);
    let message = format!(
        "`{id}` is fed by the cycle through `{entry}` and by another cycle, so its iteration is undefined."
    );
    let found = Diagnostic::on_node(codes::FLOW_MIXED_CYCLES, id, message).hint(
        "Feed it from only one of the cycles. A cycle may feed another one, and its last value counts there.",
    );
    Diagnostic { edge: Some(edge.clone()), ..found }
}
