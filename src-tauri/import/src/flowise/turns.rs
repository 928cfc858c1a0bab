//! Flowise runs one node of an agentflow at a time: the first ones of all branches, then those after them. Plait runs branches beside each
//! other, so each node that does something which others see waits for the one before it.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Reader;

impl Reader<'_> {
    pub(super) fn take_turns(&mut self) {
        // The last node with an effect, in the flow and in each iteration.
        let mut last: HashMap<Option<&str>, usize> = HashMap::new();
        let graph = self.graph;
        for at in self.turns() {
            let Some(next) = self.steps.get(&at).and_then(|id| self.builder.effect(id)) else { continue };
            let Some(before) = last.insert(graph.nodes[at].parent, at) else { continue };
            let Some(first) = self.steps.get(&before).and_then(|id| self.builder.effect(id)) else {
                continue;
            };
            let node = &graph.nodes[at];
            let input = self.branches_before(at).first().cloned();
            if let Some(input) = input.filter(|_| !self.excludes(before, at)) {
                self.builder.run_in_turn(&first, &next, (node.id, node.at), &input);
            }
        }
    }

    /// The nodes in the order in which Flowise runs them. One with several edges runs at the last of them.
    fn turns(&self) -> Vec<usize> {
        let graph = self.graph;
        let is_start = |at: &usize| graph.incoming(*at).next().is_none();
        let mut open: VecDeque<usize> = (0..graph.nodes.len()).filter(is_start).collect();
        let mut missing: Vec<usize> = (0..graph.nodes.len()).map(|at| graph.incoming(at).count()).collect();
        let mut order = Vec::new();
        while let Some(at) = open.pop_front() {
            order.push(at);
            for (_, target) in graph.outgoing(at) {
                missing[target] = missing[target].saturating_sub(1);
                if missing[target] == 0 {
                    open.push_back(target);
                }
            }
        }
        order
    }

    /// Whether two nodes follow different outputs of a node that takes one of them.
    fn excludes(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.outputs_before(one), self.outputs_before(other));
        one.iter().any(|(branch, outputs)| other.get(branch).is_some_and(|other| outputs.is_disjoint(other)))
    }

    /// The outputs of each node with branches that lead to a node.
    fn outputs_before(&self, at: usize) -> HashMap<usize, HashSet<&str>> {
        let decides = |kind: &str| kind.starts_with("condition") || kind.starts_with("humanInput");
        let mut outputs: HashMap<usize, HashSet<&str>> = HashMap::new();
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            for (edge, source) in self.graph.incoming(at) {
                if decides(self.graph.nodes[source].kind) {
                    outputs.entry(source).or_default().insert(&edge.output);
                }
                if !std::mem::replace(&mut seen[source], true) {
                    open.push(source);
                }
            }
        }
        outputs
    }
}
