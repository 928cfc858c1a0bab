//! Plan order: repeatedly places the first item by id that has no unplaced item before it. A cycle is one item, named by its
//! entry. A node comes after its sources and after the maker of a context that it names.

use plait_engine::id::NodeId;

use super::cycles::Cycles;
use super::graph::Graph;

#[derive(Clone, PartialEq, Eq)]
enum Item {
    Node(NodeId),
    Cycle(usize),
}

pub fn plan_order(graph: &Graph, cycles: &Cycles) -> Vec<NodeId> {
    let mut order = Vec::new();
    place(graph, cycles, &[], &mut order);
    order
}

/// The cycles that a node is placed in. A follower is placed in the outermost cycle of its clock.
fn path<'a>(cycles: &'a Cycles, id: &NodeId) -> &'a [usize] {
    let clock = &cycles.clocks[id];
    if cycles.follows(id) { &clock[..1] } else { clock }
}

/// The pairs of makers and users of named contexts. A context made in a cycle has a new name in every iteration.
fn named<'a>(graph: &'a Graph, cycles: &'a Cycles) -> impl Iterator<Item = (&'a NodeId, &'a NodeId)> {
    graph.nodes.iter().filter_map(|(id, node)| {
        let (maker, _) = graph.nodes.get_key_value(&NodeId::from(node.settings.names.as_str()))?;
        cycles.clocks[maker].is_empty().then_some((maker, id))
    })
}

/// Places everything whose path starts with `region`.
fn place(graph: &Graph, cycles: &Cycles, region: &[usize], order: &mut Vec<NodeId>) {
    let item_of = |id: &NodeId| match path(cycles, id).strip_prefix(region)?.first() {
        Some(&cycle) => Some(Item::Cycle(cycle)),
        None => Some(Item::Node(id.clone())),
    };
    let mut left: Vec<Item> = Vec::new();
    for item in graph.nodes.keys().filter_map(item_of) {
        if !left.contains(&item) {
            left.push(item);
        }
    }
    let name = |item: &Item| match item {
        Item::Node(id) => id.clone(),
        Item::Cycle(cycle) => cycles.all[*cycle].entry.clone(),
    };
    left.sort_by_key(name);
    while !left.is_empty() {
        let is_free = |item: &Item| {
            let feeds = graph.wires.iter().enumerate().filter(|(at, _)| !cycles.is_back(*at));
            let feeds = feeds.map(|(_, wire)| (&wire.source, &wire.target));
            !feeds.chain(named(graph, cycles)).any(|(source, target)| {
                item_of(target).as_ref() == Some(item)
                    && item_of(source).is_some_and(|source| source != *item && left.contains(&source))
            })
        };
        let next = left.iter().position(is_free).expect("nothing is before itself once back edges are cut");
        match left.remove(next) {
            Item::Node(id) => order.push(id),
            Item::Cycle(cycle) => {
                let inner: Vec<usize> = region.iter().copied().chain([cycle]).collect();
                place(graph, cycles, &inner, order);
            }
        }
    }
}
