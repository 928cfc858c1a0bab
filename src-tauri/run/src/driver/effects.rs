//! What open activations have recorded about effects outside of the run, which must not happen twice, and what they have noticed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::plan::{NodeIx, Plan};
use plait_core::id::{Activation, Epoch};
use plait_journal::{CallEvent, Event, NodeEvent};

/// Replies, retrieved knowledge, recalled and stored memories, tool calls and their results, questions about tool calls with their answers, and
/// notices, by activation.
#[derive(Default)]
pub(super) struct RecordedEffects(FxHashMap<(NodeIx, Epoch), Vec<Event>>);

impl RecordedEffects {
    pub fn keep(&mut self, plan: &Plan, event: &Event) {
        match event {
            Event::Call(
                activation,
                CallEvent::ModelReplied { .. }
                | CallEvent::KnowledgeRetrieved { .. }
                | CallEvent::MemoryRecalled { .. }
                | CallEvent::MemoryRemembered { .. }
                | CallEvent::ToolCalled { .. }
                | CallEvent::ToolFinished { .. },
            )
            | Event::Node(activation, NodeEvent::Paused { tool: Some(_), .. } | NodeEvent::Noticed { .. }) => {
                if let Some(node) = plan.find(&activation.node) {
                    self.0.entry((node, activation.epoch.clone())).or_default().push(event.clone());
                }
            }
            // An answer belongs to the question before it. A node that asks for itself has no other effects.
            Event::Node(Activation { node, epoch }, NodeEvent::Answered { .. }) => {
                let key = plan.find(node).map(|node| (node, epoch.clone()));
                if let Some(events) = key.and_then(|key| self.0.get_mut(&key)) {
                    events.push(event.clone());
                }
            }
            // A person wants another outcome, and the same effects would give the same one.
            Event::Node(Activation { node, epoch }, NodeEvent::Retrying { dropped: Some(_), .. }) => {
                if let Some(node) = plan.find(node) {
                    self.0.remove(&(node, epoch.clone()));
                }
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Retrying { .. }) => {
                let key = plan.find(node).map(|node| (node, epoch.clone()));
                if let Some(events) = key.and_then(|key| self.0.get_mut(&key)) {
                    forget_own_failures(events);
                }
            }
            _ => {}
        }
    }

    /// What an activation has recorded.
    pub fn get(&self, node: NodeIx, epoch: &Epoch) -> Arc<[Event]> {
        let events = self.0.get(&(node, epoch.clone()));
        events.map_or_else(Arc::default, |events| Arc::from(events.as_slice()))
    }

    /// Forgets an activation that has ended. Returns whether it had recorded anything that no earlier run has.
    pub fn forget(&mut self, key: &(NodeIx, Epoch)) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let recorded = self.0.remove(key);
        recorded.is_some_and(|events| events.iter().any(|event| event.reused().is_none()))
    }
}

/// Forgets the tool calls by which the node itself failed, so that the next attempt makes them again. A call that a model requested is
/// none of them: its failure is the answer to the model.
fn forget_own_failures(events: &mut Vec<Event>) {
    let mut requested = Vec::new();
    let mut failed = Vec::new();
    for event in events.iter() {
        match event {
            Event::Call(_, CallEvent::ModelReplied { step, sampling: None, .. }) => requested.push(*step),
            Event::Call(_, CallEvent::ToolFinished { step, call_id, error: Some(_), .. }) => {
                failed.push((*step, call_id.clone()));
            }
            _ => {}
        }
    }
    failed.retain(|(step, _)| !requested.contains(step));
    events.retain(|event| match event {
        Event::Call(_, CallEvent::ToolCalled { step, call, .. }) => {
            !failed.contains(&(*step, call.id.clone()))
        }
        Event::Call(_, CallEvent::ToolFinished { step, call_id, .. }) => {
            !failed.contains(&(*step, call_id.clone()))
        }
        _ => true,
    });
}
