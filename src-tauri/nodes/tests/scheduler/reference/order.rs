//! Plan order: topological over forward wires, ties by node id.
//!
//! To everything else a cycle is a single step, so its nodes stand together. The nodes that follow an outermost cycle stand
//! with it, since they run in its epochs: what they wait for comes before the cycle, and what comes after the cycle comes
//! after them.

use std::collections::BTreeSet;

use super::clocks::Clocks;
use super::graph::{Graph, Place};
use super::nesting::Nesting;

/// All nodes in plan order. A node that names a context in its settings comes after the node that makes it.
pub fn plan_order(graph: &Graph, nesting: &Nesting, clocks: &Clocks, named: &[(Place, Place)]) -> Vec<Place> {
    let forward = graph.wires.iter().filter(|wire| !nesting.is_back(wire));
    let before: Vec<(Place, Place)> =
        forward.map(|wire| (wire.source, wire.target)).chain(named.iter().copied()).collect();
    let steps: Vec<Step> = (0..nesting.cycles.len())
        .filter(|&cycle| nesting.cycles[cycle].parent.is_none())
        .map(|cycle| Step {
            cycle,
            nodes: graph.places().filter(|&node| clocks[node].first() == Some(&cycle)).collect(),
        })
        .collect();
    order_of(nesting, &graph.places().collect(), &steps, &before)
}

/// Nodes that stand together.
struct Step {
    cycle: usize,
    nodes: BTreeSet<Place>,
}

/// The order of some nodes. Nodes of one step stand together.
fn order_of(
    nesting: &Nesting,
    nodes: &BTreeSet<Place>,
    steps: &[Step],
    before: &[(Place, Place)],
) -> Vec<Place> {
    let step_of = |node: Place| steps.iter().find(|step| step.nodes.contains(&node));
    let mut left = nodes.clone();
    let mut order = Vec::new();
    while !left.is_empty() {
        // The first by id of what waits for nothing; a cycle goes by its entry, which is where it starts.
        let waits_for_nothing = |&node: &Place| {
            let step = step_of(node);
            let is_of_it =
                |other: Place| other == node || step.is_some_and(|step| step.nodes.contains(&other));
            let waits = |&(source, target): &(Place, Place)| {
                is_of_it(target) && !is_of_it(source) && left.contains(&source)
            };
            step.is_none_or(|step| nesting.cycles[step.cycle].entry == node) && !before.iter().any(waits)
        };
        let next = left.iter().copied().find(waits_for_nothing);
        let next = next.expect("without its back wires, a flow has no cycles");
        match step_of(next) {
            None => order.push(next),
            Some(step) => {
                let is_inside = |cycle: &usize| nesting.cycles[*cycle].parent == Some(step.cycle);
                let inside = (0..nesting.cycles.len()).filter(is_inside);
                let inner = |cycle: usize| Step { cycle, nodes: nesting.cycles[cycle].members.clone() };
                order.extend(order_of(nesting, &step.nodes, &inside.map(inner).collect::<Vec<_>>(), before));
            }
        }
        left.retain(|node| !order.contains(node));
    }
    order
}
