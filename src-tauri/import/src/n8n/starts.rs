//! What starts the nodes of a workflow. A run of n8n begins at one trigger and reaches what follows it. In Plait, all nodes of a flow
//! run, so those that the flow's trigger does not reach are marked.

use super::Reader;
use super::workflow::Workflow;

/// A node, and the trigger that starts it if another one than the flow's does.
pub(super) struct Unstarted {
    node: usize,
    trigger: Option<usize>,
}

impl Reader<'_> {
    /// Marks the nodes that the first trigger of the workflow does not start. One that starts nothing with an effect does not count.
    pub(super) fn mark_unstarted(&mut self) {
        let has_effect = |at: usize| self.builder.has_effect(self.workflow.nodes[at].name);
        for Unstarted { node, trigger } in find_unstarted(self.workflow, has_effect) {
            let name = |at: usize| self.workflow.nodes[at].name;
            let (node, trigger) = (name(node), trigger.map(name));
            self.builder.never_started(node, trigger);
        }
    }
}

/// The nodes that the first trigger with an effect does not reach. None of a workflow without triggers: it is a part of one.
fn find_unstarted(workflow: &Workflow<'_>, has_effect: impl Fn(usize) -> bool) -> Vec<Unstarted> {
    let triggers: Vec<usize> = (0..workflow.nodes.len()).filter(|&at| is_trigger(workflow, at)).collect();
    let reached = |trigger: usize| {
        let mut reached = vec![false; workflow.nodes.len()];
        reach(workflow, trigger, |at| !std::mem::replace(&mut reached[at], true));
        reached
    };
    let acts = |trigger: &usize| {
        (0..workflow.nodes.len()).zip(reached(*trigger)).any(|(at, is)| is && has_effect(at))
    };
    let Some(first) = triggers.iter().copied().find(acts).or(triggers.first().copied()) else {
        return Vec::new();
    };
    let started = reached(first);
    let mut by: Vec<Option<usize>> = vec![None; workflow.nodes.len()];
    for &trigger in triggers.iter().filter(|&&trigger| trigger != first) {
        reach(workflow, trigger, |at| !started[at] && by[at].replace(trigger).is_none());
    }
    let is_step = |at: &usize| !workflow.is_part(*at) && !workflow.nodes[*at].is_disabled;
    let unstarted = (0..workflow.nodes.len()).filter(|&at| !started[at]).filter(is_step);
    unstarted.map(|node| Unstarted { node, trigger: by[node] }).collect()
}

fn is_trigger(workflow: &Workflow<'_>, at: usize) -> bool {
    let node = &workflow.nodes[at];
    let is_first = workflow.incoming(at).all(|(_, edge)| !edge.is_main());
    let starts =
        node.kind.ends_with("Trigger") || matches!(node.kind, "start" | "webhook" | "cron" | "interval");
    starts && is_first && !node.is_disabled
}

/// Visits a node and what follows it. `enter` says whether to go on from a node.
fn reach(workflow: &Workflow<'_>, from: usize, mut enter: impl FnMut(usize) -> bool) {
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if enter(at) {
            open.extend(workflow.outgoing(at).filter(|edge| edge.is_main()).map(|edge| edge.target));
        }
    }
}
