//! Where an activation stands in the body of a loop: its place in plan order, and what comes before it by a path.
//!
//! Both follow from the plan and from counters of iterations, and never from timing. What was said in an iteration is seen in it
//! by the nodes that a path leads to from there, and by later iterations of cycles and loops inside the body. Nodes beside each
//! other do not see each other.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::node::LoopKind;
use crate::plan::{NodeIx, Plan};
use plait_core::id::Epoch;

/// An activation in the body of a loop, with the loops inside the body that are around it.
#[derive(Clone, Debug)]
pub(super) struct BodyPath {
    /// Outermost first: a loop in the body, a loop in its body, …, the node.
    nodes: SmallVec<[NodeIx; 2]>,
    epoch: Epoch,
}

/// By node, all nodes of its scope from which a path leads to it. Found when they are asked for.
#[derive(Default)]
pub(super) struct Ancestors(FxHashMap<NodeIx, FxHashSet<NodeIx>>);

impl BodyPath {
    /// Where an activation stands in the body of `owner`. Nothing if it is not in there.
    pub fn of(plan: &Plan, node: NodeIx, epoch: &Epoch, owner: NodeIx) -> Option<Self> {
        let body = plan.nodes[owner].body;
        let mut nodes: SmallVec<[NodeIx; 2]> = SmallVec::from_iter([node]);
        let mut outermost = node;
        while Some(plan.nodes[outermost].scope) != body {
            outermost = plan.scopes[plan.nodes[outermost].scope].container?.node;
            nodes.push(outermost);
        }
        nodes.reverse();
        Some(Self { nodes, epoch: epoch.clone() })
    }

    /// What activations of one iteration are ordered by: plan order, where the iterations of a cycle and of a loop inside the
    /// body follow each other.
    pub fn order(&self, plan: &Plan) -> Vec<usize> {
        let counter = |at: usize| self.epoch.0.get(at).map_or(0, |counter| *counter as usize);
        let mut order = Vec::new();
        for (level, &node) in self.nodes.iter().enumerate() {
            let spec = &plan.nodes[node];
            let depth = plan.scopes[spec.scope].depth;
            let place = spec.place();
            for (at, cycle) in place.iter().enumerate() {
                order.extend([plan.cycles[*cycle].position, counter(depth + at)]);
            }
            order.push(node);
            order.extend((place.len()..spec.clock.len()).map(|at| counter(depth + at)));
            if level + 1 < self.nodes.len() {
                order.push(counter(depth + spec.clock.len()));
            }
        }
        order
    }

    /// Whether it is over, by the plan, when `other` starts. Both are in the same iteration of the same loop.
    pub fn is_before(&self, other: &Self, plan: &Plan, ancestors: &mut Ancestors) -> bool {
        for (&one, &another) in self.nodes.iter().zip(&other.nodes) {
            let (spec, beside) = (&plan.nodes[one], &plan.nodes[another]);
            let depth = plan.scopes[spec.scope].depth;
            let common = spec.clock.iter().zip(&beside.clock).take_while(|(one, other)| one == other).count();
            let shared = depth..depth + common;
            match self.epoch.0.get(shared.clone()).cmp(&other.epoch.0.get(shared)) {
                std::cmp::Ordering::Greater => return false,
                // A cycle opens its next epoch when all of its nodes are done. Its followers may lag behind.
                std::cmp::Ordering::Less => {
                    return !spec.is_follower || one == another || ancestors.has(plan, one, another);
                }
                std::cmp::Ordering::Equal if one != another => return ancestors.has(plan, one, another),
                std::cmp::Ordering::Equal => {}
            }
            // Both are in the same loop: in one of its iterations, or in two.
            let at = depth + spec.clock.len();
            let (Some(index), Some(later)) = (self.epoch.0.get(at), other.epoch.0.get(at)) else {
                return false;
            };
            if index != later {
                return index < later && is_sequential(plan, one);
            }
        }
        false
    }
}

impl Ancestors {
    /// Whether a path along forward edges leads from one node of a scope to another.
    fn has(&mut self, plan: &Plan, from: NodeIx, to: NodeIx) -> bool {
        // Plan order is topological.
        from < to && self.0.entry(to).or_insert_with(|| Self::find(plan, to)).contains(&from)
    }

    fn find(plan: &Plan, to: NodeIx) -> FxHashSet<NodeIx> {
        let mut found = FxHashSet::default();
        let mut open = vec![to];
        while let Some(node) = open.pop() {
            let sources = plan.nodes[node].incoming.iter().map(|edge| plan.edges[*edge].source);
            open.extend(sources.filter(|source| found.insert(*source)));
        }
        found
    }
}

/// Whether the iterations of a loop run one after the other.
pub(super) fn is_sequential(plan: &Plan, node: NodeIx) -> bool {
    let repeats = plan.nodes[node].node.behavior().repeats.as_ref();
    !repeats.is_some_and(
        |repeats| matches!(repeats.kind, LoopKind::ForEach { concurrency, .. } if concurrency > 1),
    )
}

/// The loop directly around an activation.
pub(super) fn container(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch)> {
    let (scope, inner) = plan.iteration_of(node, epoch)?;
    Some((plan.scopes[scope].container?.node, inner.outer()))
}
