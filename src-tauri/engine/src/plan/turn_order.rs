//! Phase 4, turn order: who shares a context, and in which order they take their turns in it.
//!
//! A *turn* is one activation's use of a context. What a model sees depends on the turns before its own, so turns in one
//! context must not depend on timing: they follow plan order, and within a cycle epoch by epoch. The scheduler knows nothing
//! of this. Planning adds *waits*, edges that carry no value and only make their target wait, and the ordinary rules for
//! edges do the rest. There are four steps:
//!
//! 1. **Named contexts come first.** Whoever names a context comes after its maker in plan order and waits for it. If the
//!    maker depends on the user, the context can't exist in time: `context.too_early`.
//! 2. **Plan order** is fixed ([`plan_order`]).
//! 3. **Groups.** Nodes that may work in the same context form a group ([`ContextTable`]). A node that may work in several
//!    contexts joins their groups; a node that may work in any joins all of them.
//! 4. **Waits.** In each group, each node waits for the one before it. If a member follows a cycle, the cycle's entry also
//!    waits for it, by a back edge: the next epoch opens only after the follower's turn. And where a context is named by a
//!    value at run time, plan order and epochs decide whether it exists by then, also where its maker is in a cycle or
//!    lags behind one: the user waits for all makers before it, and the makers after it wait for the user.
//!
//! # Example
//!
//! ```text
//! here ═ context ═▶ say, outside
//! start → say → tail → say                cycle, entered at say, three iterations
//!               tail → outside            outside follows the cycle
//! ```
//!
//! `say` and `outside` share the context of `here`. Plan order is `here start say tail outside`. Planning adds
//!
//! - a wait `say → outside`: in each epoch, `say` has its turn first,
//! - a back wait `outside → say`: epoch 1 opens only when `outside#0` has finished.
//!
//! So the turns are, at any parallelism and however slow `outside` is:
//!
//! ```text
//! say#0  outside#0  say#1  outside#1  say#2  outside#2
//! ```
//!
//! Without the back wait, `say#1` could run before `outside#0`, and the history would depend on timing.
//!
//! A follower of an *inner* cycle can't share a context with it: the inner cycle is one step of the outer one, so no back
//! wait could put the follower's turns between its epochs. That is refused with `context.shared_outside_cycle`
//! ([`shared_contexts`](super::shared_contexts)).

use crate::error::ErrorCode;
use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;

use super::clocks::Clocks;
use super::context_names::ContextTable;
use super::graph;
use super::nesting::Nesting;
use super::plan_order::plan_order;
use super::wiring::Wiring;
use crate::diagnostic::Diagnostic;

/// The order of everything.
pub(super) struct Turns {
    /// The vertices in plan order.
    pub order: Vec<usize>,
    /// The groups of two or more vertices that may share a context, each in plan order.
    pub groups: Vec<Vec<usize>>,
    pub waits: Vec<Wait>,
}

/// An edge that carries no value and only makes its target wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub source: usize,
    pub target: usize,
    /// How many counters the two have in common: those of the cycles that both stand in.
    pub level: usize,
    /// The cycle into whose next epoch it leads, if it is a back edge.
    pub back: Option<usize>,
}

/// Makes waits.
#[derive(Clone, Copy)]
struct Waits<'a> {
    nesting: &'a Nesting,
    clocks: &'a Clocks,
}

impl<'a> Waits<'a> {
    fn place(self, vertex: usize) -> &'a [usize] {
        self.clocks.place(vertex, self.nesting)
    }

    /// The target waits for the source, in each epoch of the cycles that both stand in.
    fn forward(self, (source, target): (usize, usize)) -> Wait {
        let level = graph::common_prefix_length(self.place(source), self.place(target));
        Wait { source, target, level, back: None }
    }

    /// The next epoch of the cycle that a follower stands in waits for the follower. Nothing for other vertices.
    fn back(self, follower: usize) -> Option<Wait> {
        let cycle = *self.place(follower).last()?;
        self.clocks.is_follower(follower, self.nesting).then(|| Wait {
            source: follower,
            target: self.nesting.cycles[cycle].entry,
            level: 1,
            back: Some(cycle),
        })
    }
}

/// Fixes plan order and the order of turns, and reports contexts that are used before they can be made.
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
    let make = Waits { nesting, clocks };
    let mut waits = turn_waits(make, &groups);
    waits.extend(named.into_iter().map(|pair| make.forward(pair)));
    waits.extend(run_time_name_waits(make, contexts, &order));
    Turns { order, groups, waits }
}

/// Reports users whose context's maker depends on them.
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
            Diagnostic::on_node(ErrorCode::ContextTooEarly, user, message).hint(hint)
        })
        .collect()
}

/// The groups of two or more vertices that may share a context, each in plan order.
fn sharing_groups(contexts: &ContextTable, order: &[usize]) -> Vec<Vec<usize>> {
    let rows = &contexts.rows;
    let all: BTreeSet<usize> = rows.iter().flat_map(|row| row.works_in.known().iter().copied()).collect();
    let all: Vec<usize> = all.into_iter().collect();
    let mut joined = UnionFind::<usize>::new(rows.len());
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

/// The waits in each group: each vertex for the one before it, and cycles for their followers.
fn turn_waits(make: Waits<'_>, groups: &[Vec<usize>]) -> Vec<Wait> {
    let mut waits = Vec::new();
    for group in groups {
        waits.extend(group.windows(2).map(|pair| make.forward((pair[0], pair[1]))));
        waits.extend(group.iter().filter_map(|&vertex| make.back(vertex)));
    }
    waits
}

/// The waits between makers and the users of contexts that are only named at run time. In plan order, each user waits for
/// the makers before it, and each maker for the user before it. Users wait for each other already: they share all groups.
///
/// A follower that lags would still be behind when the next epoch makes or names a context. So where makers and users stand
/// in one cycle, its next epoch waits for those of them that follow it.
fn run_time_name_waits(make: Waits<'_>, contexts: &ContextTable, order: &[usize]) -> Vec<Wait> {
    let is_user = |vertex: usize| {
        contexts.rows[vertex].assigned.as_ref().is_some_and(super::context_names::Makers::is_any)
    };
    let is_maker = |vertex: usize| contexts.rows[vertex].declared.makes.is_some();
    if !order.iter().any(|&vertex| is_user(vertex)) {
        return Vec::new();
    }
    let mut waits = Vec::new();
    let mut latest_user = None;
    let mut makers = Vec::new();
    let mut cycles_with_users = BTreeSet::new();
    let mut cycles_with_makers = BTreeSet::new();
    for &vertex in order {
        let cycle = make.place(vertex).first().copied();
        if is_user(vertex) {
            waits.extend(makers.drain(..).map(|maker| make.forward((maker, vertex))));
            latest_user = Some(vertex);
            cycles_with_users.extend(cycle);
        }
        if is_maker(vertex) {
            let user = latest_user.filter(|user| *user != vertex);
            waits.extend(user.map(|user| make.forward((user, vertex))));
            makers.push(vertex);
            cycles_with_makers.extend(cycle);
        }
    }
    let followers = order.iter().filter(|&&vertex| is_user(vertex) || is_maker(vertex));
    let back = followers.filter_map(|&vertex| make.back(vertex)).filter(|wait| {
        wait.back
            .is_some_and(|cycle| cycles_with_users.contains(&cycle) && cycles_with_makers.contains(&cycle))
    });
    waits.extend(back);
    waits
}
