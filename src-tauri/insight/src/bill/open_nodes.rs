//! The nodes of a rehearsed run that may still execute: those that come after one that waits.

use std::collections::BTreeSet;

use plait_core::id::Activation;
use plait_journal::{CallEvent, ChildEvent, Entry, Event, NodeEvent, RunEvent};
use plait_run::plan::{NodeIx, Plan};

/// These nodes, in the order of the plan; none if the run has ended. `attempts` says how often a node is tried.
pub(super) fn open_nodes(plan: &Plan, entries: &[Entry], attempts: impl Fn(NodeIx) -> u32) -> Vec<NodeIx> {
    let mut waiting: BTreeSet<&Activation> = BTreeSet::new();
    let mut undecided: BTreeSet<NodeIx> = (0..plan.nodes.len()).collect();
    // Those that wait for a reply: what they may call after it is part of what that call costs. And those with a child run, which has
    // its own lines, unless a further attempt would be another child.
    let mut buying: BTreeSet<&Activation> = BTreeSet::new();
    for entry in entries {
        match &entry.event {
            Event::Run(RunEvent::Finished { .. } | RunEvent::Failed { .. }) => return Vec::new(),
            Event::Node(at, NodeEvent::Ready { .. } | NodeEvent::Started { .. }) => {
                waiting.insert(at);
            }
            Event::Node(
                at,
                NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Skipped { .. },
            ) => {
                waiting.remove(at);
                if let Some(node) = plan.find(&at.node) {
                    undecided.remove(&node);
                }
            }
            Event::Call(at, CallEvent::PromptRendered { .. }) => {
                buying.insert(at);
            }
            Event::Child(at, ChildEvent::Started { .. })
                if plan.find(&at.node).is_some_and(|node| attempts(node) == 1) =>
            {
                buying.insert(at);
            }
            Event::Call(at, CallEvent::ModelReplied { .. }) => {
                buying.remove(at);
            }
            _ => {}
        }
    }
    let mut next: Vec<NodeIx> = Vec::new();
    for node in buying.intersection(&waiting).filter_map(|at| plan.find(&at.node)) {
        undecided.remove(&node);
    }
    for at in waiting {
        let Some(node) = plan.find(&at.node) else { continue };
        if !buying.contains(at) {
            undecided.insert(node);
        }
        let repeats = plan.nodes[node].node.behavior().repeats.as_ref();
        if repeats.is_some_and(|spec| spec.kind.is_for_each()) {
            // Each item has an iteration already, in which its nodes wait for themselves.
            next.extend(successors(plan, node));
        } else {
            next.extend(successors(plan, node).chain(inside(plan, node)));
        }
    }
    let mut open = undecided;
    // Those that are open too: what follows them may have run in an earlier iteration of a cycle.
    let mut followed = BTreeSet::new();
    while let Some(node) = next.pop() {
        open.insert(node);
        if followed.insert(node) {
            next.extend(successors(plan, node).chain(inside(plan, node)));
        }
    }
    open.into_iter().collect()
}

/// What follows a node. The loop around it does not: a value that reaches its border from inside does not begin it again.
fn successors(plan: &Plan, node: NodeIx) -> impl Iterator<Item = NodeIx> {
    let targets = plan.nodes[node].outgoing.iter().map(|&edge| plan.edges[edge].target);
    targets.filter(move |&target| plan.nodes[target].body != Some(plan.nodes[node].scope))
}

fn inside(plan: &Plan, node: NodeIx) -> impl Iterator<Item = NodeIx> {
    plan.nodes[node].body.into_iter().flat_map(|body| plan.scopes[body].nodes.clone())
}
