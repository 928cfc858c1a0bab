//! Loops as places to stop at: where they begin, where they end, and what is inside of them.

use super::Key;
use crate::plan::{NodeIx, Plan};
use plait_core::id::{Activation, Epoch};
use plait_journal::{Event, NodeEvent, NodeOutputs};

/// The loops that begin when an activation starts, since it is in their first iterations. The outermost comes first.
pub(crate) fn loops_that_begin(plan: &Plan, key: &Key) -> Vec<Key> {
    let around = |key: &Key| iteration_around(plan, key.0, &key.1);
    let first = |key: &Key| around(key).filter(|(_, index)| *index == 0).map(|(of_loop, _)| of_loop);
    let mut begin: Vec<Key> = std::iter::successors(first(key), first).collect();
    begin.reverse();
    begin
}

/// Whether an activation is in a loop that another one is, at any depth.
pub(crate) fn is_inside(plan: &Plan, key: &Key, container: &Key) -> bool {
    std::iter::successors(loop_around(plan, key.0, &key.1), |(node, epoch)| loop_around(plan, *node, epoch))
        .any(|around| around == *container)
}

/// The loop directly around an activation. The test of a loop's condition is in that loop.
pub(crate) fn loop_around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Key> {
    iteration_around(plan, node, epoch).map(|(of_loop, _)| of_loop)
}

/// The same with the iteration, from 0.
fn iteration_around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(Key, u32)> {
    let (container, inner) = if plan.is_test(node, epoch) {
        (node, epoch.clone())
    } else {
        let (scope, inner) = plan.iteration_of(node, epoch)?;
        (plan.scopes[scope].container?.node, inner)
    };
    let index = *inner.0.last()?;
    Some(((container, inner.outer()), index))
}

/// What follows from an event by itself and is a place to stop at: a loop has ended.
pub(crate) fn ended_loop(plan: &Plan, event: &Event) -> Option<(Key, NodeOutputs)> {
    let Event::Node(Activation { node, epoch }, NodeEvent::Finished { outputs, .. }) = event else {
        return None;
    };
    let node = plan.find(node)?;
    plan.nodes[node].body.map(|_| ((node, epoch.clone()), outputs.clone()))
}
