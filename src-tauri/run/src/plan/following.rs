//! What follows from an activation, so that a fork which does that one again does those again as well.
//!
//! The plan alone decides it, so a fork and its bill agree before anything has run: values, contexts and the workflow's memory lead
//! from one node to the next, in the same iteration, and where a cycle or loop hands something on also in later ones. The items of a
//! `forEach` loop do not follow from each other.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{CycleIx, NodeIx, Plan, ScopeIx};
use plait_core::id::NodeId;
use plait_journal::FreshFrom;
use plait_journal::earlier_run::Fresh;

/// A counter of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counter {
    Cycle(CycleIx),
    /// The iterations of the loop with this body.
    Loop(ScopeIx),
}

type Counters = SmallVec<[Counter; 4]>;

impl Plan {
    /// An activation, or all of a node, and what follows from it unless it is alone. None if there is no such node, or no such activation of it.
    pub fn fresh_from(&self, from: &FreshFrom) -> Option<Fresh> {
        let start = self.find(&from.node)?;
        let counters = counters_of(self, start);
        if from.epoch.as_ref().is_some_and(|epoch| epoch.depth() != counters.len()) {
            return None;
        }
        let same: Vec<_> = (0..=counters.len())
            .map(|count| {
                if from.alone {
                    with_body(self, start)
                } else {
                    follow(self, [start], &counters[..count], |_, _| ())
                }
            })
            .collect();
        let later: Vec<_> = (0..counters.len())
            .map(|at| {
                if from.alone {
                    return FxHashSet::default();
                }
                let mut next = Vec::new();
                follow(self, [start], &counters[..=at], |counter, target| {
                    if counter == counters[at] {
                        next.push(target);
                    }
                });
                follow(self, next, &counters[..at], |_, _| ())
            })
            .collect();
        let id = |node: &NodeIx| self.nodes[*node].id.clone();
        let ids = |nodes: &FxHashSet<NodeIx>| -> FxHashSet<NodeId> { nodes.iter().map(id).collect() };
        Some(Fresh {
            from: from.clone(),
            shared: same[0]
                .iter()
                .map(|node| (id(node), shared(&counters, &counters_of(self, *node))))
                .collect(),
            same: same.iter().map(ids).collect(),
            later: later.iter().map(ids).collect(),
        })
    }
}

/// The counters of a node's epochs, outermost first.
fn counters_of(plan: &Plan, node: NodeIx) -> Counters {
    let spec = &plan.nodes[node];
    let mut counters = match plan.scopes[spec.scope].container {
        None => Counters::new(),
        Some(container) => {
            let mut around = counters_of(plan, container.node);
            around.push(Counter::Loop(spec.scope));
            around
        }
    };
    counters.extend(spec.clock.iter().map(|cycle| Counter::Cycle(*cycle)));
    counters
}

fn shared(one: &[Counter], other: &[Counter]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// A node, and those inside of it if it is a loop.
fn with_body(plan: &Plan, node: NodeIx) -> FxHashSet<NodeIx> {
    let mut open = vec![node];
    let mut found = FxHashSet::default();
    while let Some(node) = open.pop() {
        found.insert(node);
        open.extend(plan.nodes[node].body.into_iter().flat_map(|body| plan.scopes[body].nodes.clone()));
    }
    found
}

/// The nodes that follow from some nodes, and these, within one iteration of the `still` counters. `turned` is called with each step
/// into the next iteration of one of them.
fn follow(
    plan: &Plan,
    from: impl IntoIterator<Item = NodeIx>,
    still: &[Counter],
    mut turned: impl FnMut(Counter, NodeIx),
) -> FxHashSet<NodeIx> {
    let mut open: Vec<NodeIx> = from.into_iter().collect();
    let mut found = FxHashSet::default();
    while let Some(node) = open.pop() {
        if !found.insert(node) {
            continue;
        }
        let spec = &plan.nodes[node];
        let container = plan.scopes[spec.scope].container;
        let mut out = spec.outgoing.as_slice();
        if let Some(container) = container.filter(|container| container.end == node) {
            // What an iteration leads to, its loop does.
            out = &plan.nodes[container.node].outgoing;
            let next = Counter::Loop(spec.scope);
            if !hands_on(plan, container.node) {
                // The next iteration does not see it.
            } else if still.contains(&next) {
                turned(next, container.begin);
            } else {
                open.push(container.begin);
            }
        }
        for edge in out.iter().map(|edge| &plan.edges[*edge]) {
            match edge.back.map(Counter::Cycle).filter(|cycle| still.contains(cycle)) {
                Some(cycle) => turned(cycle, edge.target),
                None => open.push(edge.target),
            }
        }
        if let Some(body) = spec.body.and_then(|body| plan.scopes[body].container) {
            open.push(body.begin);
        }
        open.extend(sharers_after(plan, node));
    }
    found
}

/// Whether an iteration of a loop sees what the one before led to.
fn hands_on(plan: &Plan, node: NodeIx) -> bool {
    let behavior = plan.nodes[node].node.behavior();
    behavior.conversation.is_some() || behavior.repeats.as_ref().is_some_and(|it| !it.kind.is_for_each())
}

/// The nodes that see what a node says in a context or in the workflow's memory, without an edge: later ones in its scope.
fn sharers_after(plan: &Plan, node: NodeIx) -> impl Iterator<Item = NodeIx> {
    let roles = &plan.nodes[node].contexts;
    let nodes = plan.scopes[plan.nodes[node].scope].nodes.clone();
    (node + 1..nodes.end).filter(move |later| {
        let later = &plan.nodes[*later].contexts;
        let meets = roles.takes_turns()
            && later.takes_turns()
            && (roles.works_in_any
                || later.works_in_any
                || roles.works_in.iter().any(|context| later.works_in.contains(context)));
        meets || roles.memory.writes() && later.memory.reads()
    })
}
