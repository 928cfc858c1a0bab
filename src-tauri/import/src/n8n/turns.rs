//! Branches of a workflow run one after the other in n8n, and beside each other in Plait. What they do to the world keeps n8n's order:
//! each node with an effect waits for the one before it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};

use super::super::builder::Output;
use super::Reader;
use super::starts::triggers;
use super::workflow::Connection;

/// In a workflow with more edges that lead back, nodes keep the order of their edges only.
const MAX_CYCLES: usize = 100;

impl Reader<'_> {
    /// Makes nodes of several branches wait for each other.
    pub(super) fn take_turns(&mut self, back: &HashSet<usize>) {
        let mut known = HashSet::new();
        for trigger in triggers(self.workflow) {
            // The last node with an effect, in the workflow and in each loop.
            let mut last: HashMap<Option<usize>, usize> = HashMap::new();
            for at in self.turns(trigger, back) {
                // A node in a cycle runs in its iterations.
                if self.is_repeated[at] || self.effect(at).is_none() {
                    continue;
                }
                if let Some(before) = last.insert(self.loop_of[at], at)
                    && known.insert((before, at))
                    // A node that another trigger reaches, too, would lead there to this one.
                    && self.ways[before].is_within(&self.ways[at])
                    && !self.excludes(before, at)
                {
                    self.run_in_turn(before, at);
                }
            }
        }
    }

    /// An output that is live when the node has done what others see.
    fn effect(&self, at: usize) -> Option<Output> {
        self.builder.effect(self.effects[at].as_ref().filter(|_| !self.workflow.nodes[at].is_disabled)?)
    }

    fn run_in_turn(&mut self, before: usize, at: usize) {
        let (Some(first), Some(next), Some(input)) =
            (self.effect(before), self.effect(at), self.inputs[at].clone())
        else {
            return;
        };
        let node = &self.workflow.nodes[at];
        self.builder.run_in_turn(&first, &next, (node.name, node.at), &input.output);
    }

    /// Whether one of two nodes alone runs, as they follow different outputs of a node that takes one of them.
    fn excludes(&self, one: usize, other: usize) -> bool {
        let into = |at: usize| self.workflow.incoming(at).map(|(_, edge)| edge).find(|edge| edge.is_main());
        let (Some(one), Some(other)) = (into(one), into(other)) else { return false };
        self.is_either(one, other)
    }

    /// The nodes that a trigger starts, in the order in which n8n runs them: each branch to its end, those further up first. Before
    /// version 1 of that order, the first nodes of all branches came before the second ones. A node with several edges runs at the
    /// last of them.
    fn turns(&self, trigger: usize, back: &HashSet<usize>) -> Vec<usize> {
        let workflow = self.workflow;
        let leads_on = |index: usize, edge: &Connection| edge.is_main() && !back.contains(&index);
        let is_started = |at: usize| !self.ways[at].is_disjoint(&self.ways[trigger]);
        let mut missing: Vec<usize> = (0..workflow.nodes.len())
            .map(|at| {
                workflow
                    .incoming(at)
                    .filter(|(index, edge)| leads_on(*index, edge) && is_started(edge.source))
                    .count()
            })
            .collect();
        let (mut order, mut open) = (Vec::new(), VecDeque::from([trigger]));
        while let Some(at) = open.pop_front() {
            order.push(at);
            let mut targets: Vec<usize> = Vec::new();
            for (index, edge) in workflow.outgoing_with_index(at) {
                if leads_on(index, edge) {
                    missing[edge.target] = missing[edge.target].saturating_sub(1);
                    if missing[edge.target] == 0 {
                        targets.push(edge.target);
                    }
                }
            }
            if workflow.is_breadth_first {
                open.extend(targets);
                continue;
            }
            targets.sort_by(|&one, &other| {
                let (one, other) = (&workflow.nodes[one].at, &workflow.nodes[other].at);
                let by = |one: f64, other: f64| one.partial_cmp(&other).unwrap_or(Ordering::Equal);
                by(one.y, other.y).then(by(one.x, other.x))
            });
            for target in targets.into_iter().rev() {
                open.push_front(target);
            }
        }
        order
    }

    /// The nodes of cycles, but for those in loops, which have bodies.
    pub(super) fn repeated(&self, back: &HashSet<usize>) -> Vec<bool> {
        let workflow = self.workflow;
        let mut is_repeated = vec![back.len() > MAX_CYCLES; workflow.nodes.len()];
        if is_repeated.contains(&true) {
            return is_repeated;
        }
        for edge in back.iter().map(|&index| &workflow.edges[index]) {
            if self.loop_of[edge.source] == Some(edge.target) {
                continue;
            }
            let after = reached(edge.target, workflow.nodes.len(), |at| {
                workflow.outgoing(at).filter(|edge| edge.is_main()).map(|edge| edge.target).collect()
            });
            let before = reached(edge.source, workflow.nodes.len(), |at| {
                workflow
                    .incoming(at)
                    .map(|(_, edge)| edge)
                    .filter(|edge| edge.is_main())
                    .map(|edge| edge.source)
                    .collect()
            });
            for ((is_repeated, after), before) in is_repeated.iter_mut().zip(after).zip(before) {
                *is_repeated |= after && before;
            }
        }
        is_repeated
    }
}

fn reached(from: usize, count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(next(at));
        }
    }
    reached
}
