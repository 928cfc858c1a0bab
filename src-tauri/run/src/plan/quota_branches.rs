//! The branches that meet in a node and split quotas: of each input, the nodes that lead to it and to no other input of that node.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{NodeIx, Plan, QuotaBranch, QuotaSplit};

/// Which inputs of a node another node leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadsTo {
    /// One alone.
    Input(usize),
    Several,
}

impl LeadsTo {
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Several }
    }
}

/// Finds the branches of a plan, and says to each node which ones it is in.
pub(super) fn assign(plan: &mut Plan) {
    let joins = (0..plan.nodes.len()).filter(|&at| plan.nodes[at].node.behavior().splits_quota);
    let mut found: Vec<_> = joins.filter_map(|join| split_at(plan, join)).collect();
    // Branches around others have more nodes.
    found.sort_by_key(|(_, members)| Reverse(members.len()));
    for (split, members) in found {
        let index = plan.splits.len();
        plan.nodes[split.join].split = Some(index);
        for (member, branch) in members {
            plan.nodes[member].branches.push((index, branch));
        }
        plan.splits.push(split);
    }
}

/// The branches that meet in a node, and each node in one of them with the number of that. Nothing if there are fewer than two.
fn split_at(plan: &Plan, join: NodeIx) -> Option<(QuotaSplit, Vec<(NodeIx, usize)>)> {
    let mut branches: Vec<QuotaBranch> = Vec::new();
    let mut members = Vec::new();
    for (node, input) in nodes_of_one_input(plan, join) {
        let branch = branches.iter().position(|branch| branch.input == input).unwrap_or_else(|| {
            branches.push(QuotaBranch { input, last: only_source(plan, join, input) });
            branches.len() - 1
        });
        members.push((node, branch));
    }
    (branches.len() > 1).then_some((QuotaSplit { join, branches }, members))
}

/// The nodes of the same scope that lead to one input of a node alone, with that input.
///
/// Goes against plan order, so that everything that a node feeds is known before the node. Ends where only nodes are
/// left that lead to several inputs: the nodes before them do as well. So a long flow is not walked through for each of
/// its joins.
fn nodes_of_one_input(plan: &Plan, join: NodeIx) -> Vec<(NodeIx, usize)> {
    let mut open: BTreeMap<NodeIx, LeadsTo> = BTreeMap::new();
    let mut of_one_input = 0_usize;
    let mut found = Vec::new();
    let reach = |open: &mut BTreeMap<NodeIx, LeadsTo>, count: &mut usize, node: NodeIx, to: LeadsTo| {
        // One outside of the join's cycle runs before all rounds of it, and has a part of none.
        if plan.nodes[node].is_border || !plan.nodes[node].clock.starts_with(&plan.nodes[join].clock) {
            return;
        }
        let known = open.get(&node).copied();
        let now = known.map_or(to, |known| known.and(to));
        *count -= usize::from(matches!(known, Some(LeadsTo::Input(_))));
        *count += usize::from(matches!(now, LeadsTo::Input(_)));
        open.insert(node, now);
    };
    let inputs = &plan.nodes[join].node.ports().inputs;
    for &edge in &plan.nodes[join].incoming {
        let edge = &plan.edges[edge];
        if inputs[edge.target_port].order_only {
            continue;
        }
        reach(&mut open, &mut of_one_input, edge.source, LeadsTo::Input(edge.target_port));
    }
    while of_one_input > 0
        && let Some((node, to)) = open.pop_last()
    {
        if let LeadsTo::Input(input) = to {
            of_one_input -= 1;
            found.push((node, input));
        }
        for &edge in &plan.nodes[node].incoming {
            reach(&mut open, &mut of_one_input, plan.edges[edge].source, to);
        }
    }
    found
}

/// The node that feeds an input, if one alone does.
fn only_source(plan: &Plan, join: NodeIx, input: usize) -> Option<NodeIx> {
    let edges = plan.nodes[join].incoming.iter().map(|&edge| &plan.edges[edge]);
    let mut sources = edges.filter(|edge| edge.target_port == input).map(|edge| edge.source);
    sources.next().filter(|_| sources.next().is_none())
}
