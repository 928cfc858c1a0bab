//! Graph algorithms over vertices that are numbers. None of them recurses: a flow may be a chain of 100,000 nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

/// A topological order of the vertices `0..count` (Kahn's algorithm), ties by number. Leaves out vertices that lie on a
/// cycle or behind one.
pub(super) fn topological_order(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let targets = Targets::of(count, edges);
    let mut unplaced_sources = vec![0_usize; count];
    for &target in &targets.all {
        unplaced_sources[target] += 1;
    }
    let mut ready: BinaryHeap<_> = (0..count).filter(|&at| unplaced_sources[at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &target in targets.of_source(at) {
            unplaced_sources[target] -= 1;
            if unplaced_sources[target] == 0 {
                ready.push(Reverse(target));
            }
        }
    }
    order
}

/// The targets of each vertex, in one list.
struct Targets {
    all: Vec<usize>,
    /// Where those of each vertex begin in `all`, and where the last ones end.
    begins: Vec<usize>,
}

impl Targets {
    fn of(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Self {
        let edges: Vec<_> = edges.collect();
        let mut begins = vec![0; count + 1];
        for (source, _) in &edges {
            begins[source + 1] += 1;
        }
        for at in 0..count {
            begins[at + 1] += begins[at];
        }
        let mut free = begins.clone();
        let mut all = vec![0; edges.len()];
        for (source, target) in edges {
            all[free[source]] = target;
            free[source] += 1;
        }
        Self { all, begins }
    }

    fn of_source(&self, vertex: usize) -> &[usize] {
        &self.all[self.begins[vertex]..self.begins[vertex + 1]]
    }
}

/// For each vertex, the number of the strongly connected component of two or more vertices that it is in, if it is in one.
pub(super) fn cyclic_component_of_each(
    count: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> Vec<Option<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = (0..count).map(|_| graph.add_node(())).collect();
    for (source, target) in edges {
        graph.add_edge(nodes[source], nodes[target], ());
    }
    let mut component_of = vec![None; count];
    // Kosaraju's algorithm, since petgraph's Tarjan recurses.
    for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
        if members.len() > 1 {
            for member in members {
                component_of[member.index()] = Some(number);
            }
        }
    }
    component_of
}

/// The length of the longest common prefix of two paths.
pub(super) fn common_prefix_length(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
