//! Phase 4, turn order: plan order, and who shares a context.
//!
//! A *turn* is one activation's use of a context. What a model sees depends on the turns before its own, so turns in
//! one context must not depend on timing: they follow plan order, and within a cycle epoch by epoch. There are three
//! steps:
//!
//! 1. **Named contexts come first.** A node that names a context comes after its maker in plan order. If the maker depends on
//!    the user, the context can't exist in time: `context.too_early`.
//! 2. **Plan order** is fixed ([`plan_order`]).
//! 3. **Groups.** Nodes that may work in the same context form a group ([`ContextTable`]). A node that may work in several
//!    contexts joins their groups; a node that may work in any joins all of them.
//!
//! The scheduler holds a turn back until those before it are decided (`run/scheduler/scope/turns.rs`). It looks at the
//! context that an activation really works in; the groups serve the checks of a flow.
//!
//! # Example
//!
//! ```text
//! here ═ context ═▶ say, outside
//! start → say → tail → say                cycle, entered at say, three iterations
//!               tail → outside            outside follows the cycle
//! ```
//!
//! `say` and `outside` share the context of `here`. Plan order is `here start say tail outside`, so the turns are, at
//! any parallelism and however slow `outside` is:
//!
//! ```text
//! say#0  outside#0  say#1  outside#1  say#2  outside#2
//! ```
//!
//! Only the turns wait. The cycle's next epoch opens when its back edges are decided, and a node of it that does not
//! share the context runs at once.
//!
//! A follower of an *inner* cycle can't share a context with it: it stands beside the inner cycle in plan order, so all
//! of its turns would come after the inner cycle's end, and its place in the dialog would be lost. That is refused with
//! `context.shared_outside_cycle` ([`shared_contexts`](super::shared_contexts)).
use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;

use super::clocks::Clocks;
use super::context_names::ContextTable;
use super::graph;
use super::nesting::Nesting;
use super::plan_order::plan_order;
use super::wiring::Wiring;
use crate::codes;
use plait_core::diagnostic::Diagnostic;

/// The order of everything.
pub(super) struct Turns {
    /// The vertices in plan order.
    pub order: Vec<usize>,
    /// The groups of two or more vertices that may share a context, each in plan order.
    pub groups: Vec<Vec<usize>>,
}

/// Fixes plan order, finds who shares a context, and reports contexts that are used before they can be made.
pub(super) fn order_turns(
    wiring: &Wiring,
    nesting: &Nesting,
    clocks: &Clocks,
    contexts: &ContextTable,
    diagnostics: &mut Vec<Diagnostic>,
) -> Turns {
    let mut named = contexts.named_pairs();
    let too_early = used_too_early(wiring, nesting, &named);
    if !too_early.is_empty() {
        diagnostics.extend(too_early);
        named.clear();
    }
    let before = nesting.forward_edges(wiring).chain(named.iter().copied());
    let order = plan_order(wiring.vertices.len(), nesting, clocks, before);
    let groups = sharing_groups(contexts, &order);
    Turns { order, groups }
}

/// Reports users of a context with a maker that depends on them.
fn used_too_early(wiring: &Wiring, nesting: &Nesting, named: &[(usize, usize)]) -> Vec<Diagnostic> {
    if named.is_empty() {
        return Vec::new();
    }
    let edges = nesting.forward_edges(wiring).chain(named.iter().copied());
    let component_of = graph::cyclic_component_of_each(wiring.vertices.len(), edges);
    let is_circular = |&&(maker, user): &&(usize, usize)| {
        component_of[maker].is_some() && component_of[maker] == component_of[user]
    };
    named
        .iter()
        .filter(is_circular)
        .map(|&(maker, user)| {
            let (maker, user) = (&wiring.vertices[maker].id, &wiring.vertices[user].id);
            let message =
                format!("`{user}` uses the context that `{maker}` makes, but `{maker}` depends on `{user}`.");
            let hint =
                format!("Remove the path from `{user}` to `{maker}`, or use another context in `{user}`.");
            Diagnostic::on_node(codes::CONTEXT_TOO_EARLY, user, message).hint(hint)
        })
        .collect()
}

/// The groups of two or more vertices that may share a context, each in plan order.
fn sharing_groups(contexts: &ContextTable, order: &[usize]) -> Vec<Vec<usize>> {
    let rows = &contexts.rows;
    let all: BTreeSet<usize> = rows.iter().flat_map(|row| row.works_in.known().iter().copied()).collect();
    let all: Vec<usize> = all.into_iter().collect();
    let mut joined = UnionFind::<usize>::new(rows.len() + contexts.outer.len());
    for row in rows {
        let makers = if row.works_in.is_any() { &all } else { row.works_in.known() };
        for pair in makers.windows(2) {
            joined.union(pair[0], pair[1]);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &vertex in order {
        let makers = &rows[vertex].works_in;
        let maker = makers.known().first().or_else(|| all.first().filter(|_| makers.is_any()));
        let group = match maker {
            Some(&maker) => joined.find(maker),
            // The flow makes no context. Nodes that a value names one to at run time fail, one after the other.
            None if makers.is_any() => usize::MAX,
            None => continue,
        };
        groups.entry(group).or_default().push(vertex);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}
