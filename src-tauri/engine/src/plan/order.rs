//! Plan order: topological over forward edges, ties by node id, the nodes of a cycle together.
//!
//! Cycles stand together so that an order among nodes is also an order among cycles: what shares a context takes its
//! turns in plan order, and a cycle that had to wait for a node that waits for the cycle would never end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::nesting::Forest;

/// A topological order of the vertices over `forward`, ties by index, cycles aside. Vertices on a cycle of `forward`
/// (there is none once back edges are cut) would be missing.
pub(super) fn topological(vertices: usize, forward: &[(usize, usize)]) -> Vec<usize> {
    kahn(vertices, forward.iter().copied())
}

/// The circle that each vertex stands on, if it stands on one, numbered as they come.
pub(super) fn on_circles(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Option<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = (0..count).map(|_| graph.add_node(())).collect();
    for (from, to) in edges {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let mut circles = vec![None; count];
    for (at, members) in kosaraju_scc(&graph).into_iter().enumerate().filter(|(_, members)| members.len() > 1)
    {
        for member in members {
            circles[member.index()] = Some(at);
        }
    }
    circles
}

/// Plan order, given each vertex's clock and who must come before whom.
pub(super) fn plan_order(
    vertices: usize,
    forest: &Forest,
    clocks: &[Vec<usize>],
    before: impl Iterator<Item = (usize, usize)>,
) -> Vec<usize> {
    // The path of blocks a vertex stands in. A follower stands beside inner cycles of the one it follows: nothing waits
    // for it there.
    let blocks: Vec<&[usize]> = clocks
        .iter()
        .zip(&forest.around)
        .map(
            |(clock, around)| {
                if around.is_empty() { &clock[..clock.len().min(1)] } else { around.as_slice() }
            },
        )
        .collect();
    // Each region (the root first, then each cycle) orders its items: vertices, and inner cycles as one item.
    let mut regions: Vec<Region> = (0..=forest.nests.len()).map(|_| Region::default()).collect();
    for (vertex, path) in blocks.iter().enumerate() {
        regions[path.last().map_or(0, |nest| nest + 1)].items.push(vertex);
    }
    for (nest, found) in forest.nests.iter().enumerate() {
        regions[found.parent.map_or(0, |parent| parent + 1)].items.push(vertices + nest);
    }
    for (source, target) in before {
        let (from, to) = (blocks[source], blocks[target]);
        let level = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        let item = |path: &[usize], vertex: usize| path.get(level).map_or(vertex, |nest| vertices + nest);
        let region = if level == 0 { 0 } else { from[level - 1] + 1 };
        regions[region].edges.push((item(from, source), item(to, target)));
    }
    let entry = |item: usize| if item < vertices { item } else { forest.nests[item - vertices].entry };
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
    fn ordered(&mut self, key: impl Fn(usize) -> usize) -> Vec<usize> {
        self.items.sort_by_key(|&item| key(item));
        let at: rustc_hash::FxHashMap<usize, usize> =
            self.items.iter().enumerate().map(|(at, &item)| (item, at)).collect();
        let edges: Vec<_> = self
            .edges
            .iter()
            .filter_map(|(from, to)| Some((*at.get(from)?, *at.get(to)?)))
            .filter(|(from, to)| from != to)
            .collect();
        kahn(self.items.len(), edges.into_iter()).into_iter().map(|at| self.items[at]).collect()
    }
}

fn kahn(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut waiting = vec![0_usize; count];
    let mut next = vec![Vec::new(); count];
    for (from, to) in edges {
        waiting[to] += 1;
        next[from].push(to);
    }
    let mut ready: BinaryHeap<_> = (0..count).filter(|&at| waiting[at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &to in &next[at] {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(Reverse(to));
            }
        }
    }
    order
}
