//! What a fork makes anew although the earlier run has it: what an activation did, and everything that follows from it.
//!
//! What follows is decided by the plan alone, so that a fork and its bill agree before anything has run: values, contexts and the
//! workflow's memory lead from one node to the next, in the same iteration, and where a cycle or loop hands something on also in later
//! ones. The items of a `forEach` loop do not follow from each other.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::journal::FreshFrom;
use crate::plan::{CycleIx, NodeIx, Plan, ScopeIx};
use plait_core::id::{Activation, Epoch, NodeId};

/// A counter of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counter {
    Cycle(CycleIx),
    /// The iterations of the loop with this body.
    Loop(ScopeIx),
}

type Counters = SmallVec<[Counter; 4]>;

/// An activation, or all of a node, and what follows from it.
#[derive(Debug)]
pub(super) struct Fresh {
    /// Nothing for all activations of the node.
    epoch: Option<Epoch>,
    /// The nodes that follow, in any iteration, and how many counters they share with the start.
    nodes: FxHashMap<NodeId, (NodeIx, usize)>,
    /// By number of shared counters: the nodes that follow where all of those are equal.
    same: Vec<FxHashSet<NodeIx>>,
    /// By counter: the nodes that follow where that counter is the first that differs, and is greater.
    later: Vec<FxHashSet<NodeIx>>,
}

impl Fresh {
    /// None if the plan does not have the node, or no such activation of it.
    pub fn of(plan: &Plan, from: &FreshFrom) -> Option<Self> {
        let start = plan.find(&from.node)?;
        let counters = counters_of(plan, start);
        if from.epoch.as_ref().is_some_and(|epoch| epoch.depth() != counters.len()) {
            return None;
        }
        let same: Vec<_> =
            (0..=counters.len()).map(|count| follow(plan, [start], &counters[..count], |_, _| ())).collect();
        let shared = |node: NodeIx| shared(&counters, &counters_of(plan, node));
        let nodes =
            same[0].iter().map(|node| (plan.nodes[*node].id.clone(), (*node, shared(*node)))).collect();
        let later = (0..counters.len())
            .map(|at| {
                let mut next = Vec::new();
                follow(plan, [start], &counters[..=at], |counter, target| {
                    if counter == counters[at] {
                        next.push(target);
                    }
                });
                follow(plan, next, &counters[..at], |_, _| ())
            })
            .collect();
        Some(Self { epoch: from.epoch.clone(), nodes, same, later })
    }

    /// Whether this activation is made anew.
    pub fn covers(&self, activation: &Activation) -> bool {
        let Some(&(node, shared)) = self.nodes.get(&activation.node) else { return false };
        let shared = shared.min(activation.epoch.depth());
        let Some(start) = &self.epoch else {
            return self.same[shared].contains(&node)
                || (0..shared).any(|at| activation.epoch.0[at] > 0 && self.later[at].contains(&node));
        };
        let counters = activation.epoch.0.iter().zip(&start.0).take(shared);
        let mut orders = counters.map(|(counter, start)| counter.cmp(start)).enumerate();
        match orders.find(|(_, order)| order.is_ne()) {
            None => self.same[shared].contains(&node),
            Some((at, order)) => order.is_gt() && self.later[at].contains(&node),
        }
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
