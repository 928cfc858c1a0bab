//! What starts the nodes of a workflow. A run of n8n begins at one trigger and reaches what follows it: several triggers are several
//! ways into the flow. What none of them reaches is disabled.

use super::Reader;
use super::workflow::Workflow;
use plait_core::flow::Trigger;

/// The triggers that lead to a node, a bit for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways(Vec<u64>);

impl Ways {
    /// Those that lead to each node.
    pub(super) fn of(workflow: &Workflow<'_>) -> Vec<Self> {
        let mut ways = vec![Self::default(); workflow.nodes.len()];
        for (index, trigger) in triggers(workflow).into_iter().enumerate() {
            let mut reached = vec![false; workflow.nodes.len()];
            reach(workflow, trigger, &mut reached);
            let (word, bit) = (index / 64, 1u64 << (index % 64));
            for (Self(words), _) in ways.iter_mut().zip(reached).filter(|(_, is_reached)| *is_reached) {
                words.resize(words.len().max(word + 1), 0);
                words[word] |= bit;
            }
        }
        ways
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of these triggers are among others.
    pub(super) fn is_within(&self, others: &Self) -> bool {
        let other = |at: usize| others.0.get(at).copied().unwrap_or(0);
        self.0.iter().enumerate().all(|(at, own)| own & !other(at) == 0)
    }

    /// Whether no run takes both: it begins at one trigger.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one & other == 0)
    }
}

impl Reader<'_> {
    /// Leaves the conversation that recalls earlier runs to a node if no run has it with another one that took it: each way into the
    /// workflow has a conversation.
    pub(super) fn take_conversation(&mut self, at: usize) {
        let ways = self.ways[at].clone();
        if !ways.is_empty() && self.conversations.iter().all(|taken| taken.is_disjoint(&ways)) {
            self.builder.free_main_context();
        }
        self.conversations.push(ways);
    }

    /// Marks the triggers of the workflow, and disables the nodes that none of them starts. Nothing of a workflow without triggers: it
    /// is a part of one. A run takes the first trigger that starts something with an effect; a workflow that another calls, the one for
    /// calls.
    pub(super) fn mark_triggers(&mut self) {
        let workflow = self.workflow;
        let triggers = triggers(workflow);
        let acts = |trigger: &usize| {
            let mut reached = vec![false; workflow.nodes.len()];
            reach(workflow, *trigger, &mut reached);
            (0..workflow.nodes.len())
                .any(|at| reached[at] && self.builder.has_effect(workflow.nodes[at].name))
        };
        let is_called =
            |trigger: &usize| self.depth > 0 && workflow.nodes[*trigger].kind == "executeWorkflowTrigger";
        let called = triggers.iter().find(|trigger| is_called(trigger));
        let first = called.or_else(|| triggers.iter().find(|trigger| acts(trigger))).or(triggers.first());
        let Some(&first) = first else { return };
        let mut started = vec![false; workflow.nodes.len()];
        for &trigger in &triggers {
            reach(workflow, trigger, &mut started);
            if triggers.len() > 1 {
                let kind = if trigger == first { Trigger::Default } else { Trigger::Other };
                self.builder.set_trigger(workflow.nodes[trigger].name, kind);
            }
        }
        for (at, node) in workflow.nodes.iter().enumerate() {
            if !started[at] && !workflow.is_part(at) && !node.is_disabled {
                self.builder.never_started(node.name);
            }
        }
        if triggers.len() > 1 {
            let name = workflow.nodes[first].name;
            self.builder.note(format!(
                "The workflow has {} triggers. A run takes one: “{name}”, or another that you choose.",
                triggers.len()
            ));
        }
    }
}

/// The nodes that a run may begin at.
pub(super) fn triggers(workflow: &Workflow<'_>) -> Vec<usize> {
    (0..workflow.nodes.len()).filter(|&at| is_trigger(workflow, at)).collect()
}

fn is_trigger(workflow: &Workflow<'_>, at: usize) -> bool {
    let node = &workflow.nodes[at];
    let is_first = workflow.incoming(at).all(|(_, edge)| !edge.is_main());
    let starts =
        node.kind.ends_with("Trigger") || matches!(node.kind, "start" | "webhook" | "cron" | "interval");
    starts && is_first && !node.is_disabled
}

/// Notes a node and what follows it.
fn reach(workflow: &Workflow<'_>, from: usize, reached: &mut [bool]) {
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(workflow.outgoing(at).filter(|edge| edge.is_main()).map(|edge| edge.target));
        }
    }
}
