//! Plan order: topological over forward wires, ties by node id, the nodes of a cycle together.
//!
//! Cycles stay together so that an order among nodes is also an order among cycles. Nodes that share a context take turns in
//! plan order; if a cycle had to wait for a node that waits for the cycle, it would never end.

use rustc_hash::FxHashMap;

use super::clocks::Clocks;
use super::graph::{common_prefix_length, topological_order};
use super::nesting::Nesting;

/// The vertices in plan order. In each pair of `before`, the first comes before the second; the pairs form no cycle.
pub(super) fn plan_order(
    vertices: usize,
    nesting: &Nesting,
    clocks: &Clocks,
    before: impl Iterator<Item = (usize, usize)>,
) -> Vec<usize> {
    let places: Vec<&[usize]> = (0..vertices).map(|vertex| clocks.place(vertex, nesting)).collect();
    // Each region (the whole flow first, then each cycle) orders its items: vertices by their numbers, and inner cycles as
    // one item each, numbered after the vertices.
    let mut regions: Vec<Region> = (0..=nesting.cycles.len()).map(|_| Region::default()).collect();
    for (vertex, place) in places.iter().enumerate() {
        regions[place.last().map_or(0, |cycle| cycle + 1)].items.push(vertex);
    }
    for (at, cycle) in nesting.cycles.iter().enumerate() {
        regions[cycle.parent.map_or(0, |parent| parent + 1)].items.push(vertices + at);
    }
    for (source, target) in before {
        let (from, to) = (places[source], places[target]);
        let level = common_prefix_length(from, to);
        let item = |place: &[usize], vertex: usize| place.get(level).map_or(vertex, |cycle| vertices + cycle);
        let region = if level == 0 { 0 } else { from[level - 1] + 1 };
        regions[region].edges.push((item(from, source), item(to, target)));
    }
    let entry = |item: usize| if item < vertices { item } else { nesting.cycles[item - vertices].entry };
    let mut order = Vec::with_capacity(vertices);
    let mut work: Vec<usize> = regions[0].ordered(entry).into_iter().rev().collect();
    while let Some(item) = work.pop() {
        if item < vertices {
            order.push(item);
        } else {
            work.extend(regions[item - vertices + 1].ordered(entry).into_iter().rev());
        }
    }
    order
}

#[derive(Default)]
struct Region {
    items: Vec<usize>,
    edges: Vec<(usize, usize)>,
}

impl Region {
    /// The items in topological order, ties by `key`.
    fn ordered(&mut self, key: impl Fn(usize) -> usize) -> Vec<usize> {
        self.items.sort_by_key(|&item| key(item));
        let position: FxHashMap<usize, usize> =
            self.items.iter().enumerate().map(|(at, &item)| (item, at)).collect();
        let edges = self
            .edges
            .iter()
            .filter_map(|(from, to)| Some((*position.get(from)?, *position.get(to)?)))
            .filter(|(from, to)| from != to);
        topological_order(self.items.len(), edges).into_iter().map(|at| self.items[at]).collect()
    }
}
