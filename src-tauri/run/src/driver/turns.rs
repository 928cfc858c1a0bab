//! What nodes did to contexts and to the workflow's memory, as events; and model turns that are under way.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::plan::{NodeIx, Plan};
use plait_core::id::{Activation, ContextId, Epoch};
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{ActivationEvent, ContextEvent, Event, MemoryEvent, NodeEvent};
use plait_llm::context::{ContextChange, Contexts, Writes};
use plait_llm::memory::WorkflowMemory;

/// The events of what an activation wrote; `pending` if it is in a loop. A turn that it committed in an earlier run names that
/// event.
pub(super) fn events(
    activation: &Activation,
    Writes { created, changes, memory }: &Writes,
    earlier: Option<&EarlierRun>,
    pending: bool,
) -> Vec<Event> {
    // Most activations write nothing.
    if created.is_empty() && changes.is_empty() && memory.is_none() {
        return Vec::new();
    }
    let created = created.iter().map(|context| ContextEvent::Created { context: context.clone() });
    let written = changes.iter().map(|(context_id, change)| match change {
        ContextChange::Turn { messages, learned } => ContextEvent::TurnCommitted {
            context_id: context_id.clone(),
            messages: messages.clone(),
            learned: learned.clone(),
            reused: earlier.and_then(|earlier| earlier.turn(activation, context_id, messages)),
            pending,
        },
        change => ContextEvent::Changed { context_id: context_id.clone(), change: change.clone(), pending },
    });
    let memory = memory.iter().map(|change| {
        let reused = earlier.and_then(|earlier| earlier.memory(activation, change));
        MemoryEvent::Appended { change: Arc::clone(change), reused, pending }.of(activation.clone())
    });
    created.chain(written).map(|event| event.of(activation.clone())).chain(memory).collect()
}

/// Applies an event to the contexts or to the memory, if it is about them.
pub(super) fn fold(contexts: &mut Contexts, memory: &mut WorkflowMemory, event: &Event) {
    match event {
        Event::Memory(_, MemoryEvent::Appended { change, .. }) => memory.apply(change),
        Event::Context(_, ContextEvent::Created { context }) => contexts.create(context.clone()),
        Event::Context(_, ContextEvent::Changed { context_id, change, .. }) => {
            contexts.apply(context_id, change);
        }
        Event::Context(_, ContextEvent::TurnCommitted { context_id, messages, learned, .. }) => {
            let (messages, learned) = (messages.clone(), learned.clone());
            contexts.apply(context_id, &ContextChange::Turn { messages, learned });
        }
        _ => {}
    }
}

/// Model turns that were begun and neither committed nor given up.
#[derive(Default)]
pub(super) struct OpenTurns(FxHashMap<(NodeIx, Epoch), (ContextId, String)>);

impl OpenTurns {
    /// Notices that a turn begins or is given up.
    pub fn note(&mut self, plan: &Plan, event: &Event) {
        match event {
            Event::Context(Activation { node, epoch }, ContextEvent::TurnStarted { context_id }) => {
                if let Some(node) = plan.find(node) {
                    self.0.insert((node, epoch.clone()), (context_id.clone(), String::new()));
                }
            }
            Event::Context(Activation { node, epoch }, ContextEvent::TurnDiscarded { .. }) => {
                if let Some(node) = plan.find(node) {
                    self.close(node, epoch);
                }
            }
            _ => {}
        }
    }

    /// Keeps what a turn has streamed.
    pub fn stream(&mut self, plan: &Plan, event: &Event) {
        if let Event::Node(Activation { node, epoch }, NodeEvent::Delta { text, .. }) = event
            && let Some(node) = plan.find(node)
            && let Some((_, partial)) = self.0.get_mut(&(node, epoch.clone()))
        {
            partial.push_str(text);
        }
    }

    /// Forgets a turn after its activation has ended.
    pub fn close(&mut self, node: NodeIx, epoch: &Epoch) {
        if !self.0.is_empty() {
            self.0.remove(&(node, epoch.clone()));
        }
    }

    /// Gives up the turn of one activation, if it has one under way.
    pub fn discard(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Event> {
        self.0.remove_entry(&(node, epoch.clone())).map(|turn| discarded(plan, turn))
    }

    /// Gives up the turns of activations that end with these events.
    pub fn discard_ended(&mut self, plan: &Plan, events: &[Event]) -> Vec<Event> {
        let mut given_up = Vec::new();
        for event in events {
            if self.0.is_empty() {
                break;
            }
            if let Event::Node(
                Activation { node, epoch },
                NodeEvent::Finished { .. } | NodeEvent::Failed { .. } | NodeEvent::Skipped { .. },
            ) = event
                && let Some(node) = plan.find(node)
            {
                given_up.extend(self.discard(plan, node, epoch));
            }
        }
        given_up
    }
}

fn discarded(
    plan: &Plan,
    ((node, epoch), (context_id, partial)): ((NodeIx, Epoch), (ContextId, String)),
) -> Event {
    Event::Context(
        Activation { node: plan.nodes[node].id.clone(), epoch },
        ContextEvent::TurnDiscarded { context_id, partial },
    )
}
