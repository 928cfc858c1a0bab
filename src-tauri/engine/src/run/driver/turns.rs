//! What nodes did to contexts, as events; and model turns that are under way.

use rustc_hash::FxHashMap;

use crate::context::{ContextChange, Contexts, Snapshot};
use crate::id::{ContextId, Epoch, NodeId};
use crate::plan::{NodeIx, Plan};
use crate::run::Event;

/// What an activation wrote: new contexts, then changes in order.
pub(super) type Written = (Vec<Snapshot>, Vec<(ContextId, ContextChange)>);

/// The events of what an activation wrote.
pub(super) fn events(node: &NodeId, epoch: &Epoch, (created, changes): &Written) -> Vec<Event> {
    let created = created.iter().map(|context| Event::ContextCreated {
        node: node.clone(),
        epoch: epoch.clone(),
        context: context.clone(),
    });
    let written = changes.iter().map(|(context_id, change)| match change {
        ContextChange::Turn { messages, learned } => Event::TurnCommitted {
            node: node.clone(),
            epoch: epoch.clone(),
            context_id: context_id.clone(),
            messages: messages.clone(),
            learned: learned.clone(),
        },
        change => Event::ContextChanged {
            node: node.clone(),
            epoch: epoch.clone(),
            context_id: context_id.clone(),
            change: change.clone(),
        },
    });
    created.chain(written).collect()
}

/// Applies an event to the contexts, if it is about one.
pub(super) fn fold(contexts: &mut Contexts, event: &Event) {
    match event {
        Event::ContextCreated { context, .. } => contexts.create(context.clone()),
        Event::ContextChanged { context_id, change, .. } => {
            contexts.apply(context_id, change);
        }
        Event::TurnCommitted { context_id, messages, learned, .. } => {
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
            Event::TurnStarted { node, epoch, context_id } => {
                if let Some(node) = plan.find(node) {
                    self.0.insert((node, epoch.clone()), (context_id.clone(), String::new()));
                }
            }
            Event::TurnDiscarded { node, epoch, .. } => {
                if let Some(node) = plan.find(node) {
                    self.close(node, epoch);
                }
            }
            _ => {}
        }
    }

    /// Keeps what a turn has streamed.
    pub fn stream(&mut self, plan: &Plan, event: &Event) {
        if let Event::NodeDelta { node, epoch, text, .. } = event
            && let Some(node) = plan.find(node)
            && let Some((_, partial)) = self.0.get_mut(&(node, epoch.clone()))
        {
            partial.push_str(text);
        }
    }

    /// Forgets a turn whose activation is over.
    pub fn close(&mut self, node: NodeIx, epoch: &Epoch) {
        if !self.0.is_empty() {
            self.0.remove(&(node, epoch.clone()));
        }
    }

    /// Gives up the turn of one activation, if it has one under way.
    pub fn discard(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Event> {
        self.0.remove_entry(&(node, epoch.clone())).map(|turn| discarded(plan, turn))
    }

    /// Gives up all turns under way, in plan order.
    pub fn discard_all(&mut self, plan: &Plan) -> Vec<Event> {
        let mut open: Vec<_> = self.0.drain().collect();
        open.sort();
        open.into_iter().map(|turn| discarded(plan, turn)).collect()
    }
}

fn discarded(
    plan: &Plan,
    ((node, epoch), (context_id, partial)): ((NodeIx, Epoch), (ContextId, String)),
) -> Event {
    Event::TurnDiscarded { node: plan.nodes[node].id.clone(), epoch, context_id, partial }
}
