//! Contexts and the workflow's memory, as each scope of a run sees them.
//!
//! An iteration of a loop begins with a snapshot of its surroundings, in constant time. What it writes counts outside
//! once it has succeeded: at once for `while` and `times`, in the order of the items when the loop ends for `forEach`:
//! all of its iterations begin with the same state. What a failed iteration wrote never counts. A context that an
//! iteration creates ends with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::turns::fold;
use crate::plan::{NodeIx, Plan, ROOT_SCOPE, ScopeIx};
use plait_core::id::{Activation, ContextId, Epoch};
use plait_journal::{ContextEvent, Event, LoopEvent, NodeEvent};
use plait_llm::context::{ContextChange, Contexts};
use plait_llm::memory::WorkflowMemory;

/// The contexts and the memory of one scope.
#[derive(Clone, Default)]
pub(super) struct ScopeState {
    pub contexts: Contexts,
    pub memory: WorkflowMemory,
}

/// An open iteration.
struct Iteration {
    /// Shared with the surroundings until it writes.
    state: Arc<ScopeState>,
    /// What counts outside if it succeeds.
    written: Vec<Event>,
    created: Vec<ContextId>,
}

#[derive(Default)]
pub(super) struct ScopedState {
    root: Arc<ScopeState>,
    iterations: FxHashMap<(ScopeIx, Epoch), Iteration>,
    /// By loop, what its iterations for items of a list wrote, until the loop ends.
    awaiting_end: FxHashMap<(NodeIx, Epoch), BTreeMap<u32, Vec<Event>>>,
}

impl ScopedState {
    /// What the run starts with.
    pub fn set_memory(&mut self, memory: WorkflowMemory) {
        Arc::make_mut(&mut self.root).memory = memory;
    }

    /// What an activation sees.
    pub fn of(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> &Arc<ScopeState> {
        // An activation that is open is in an open iteration.
        let iteration = plan.iteration_of(node, epoch).and_then(|key| self.iterations.get(&key));
        iteration.map_or(&self.root, |iteration| &iteration.state)
    }

    /// Whether the activation is in a loop that gives each iteration the same contexts, and an iteration has not created this
    /// one itself.
    pub fn shares_context(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, context: &ContextId) -> bool {
        let mut at = plan.iteration_of(node, epoch);
        while let Some(key) = at {
            let Some(container) = plan.scopes[key.0].container else { return false };
            if self.iterations.get(&key).is_some_and(|iteration| iteration.created.contains(context)) {
                return false;
            }
            if is_for_each(plan, container.node) {
                return true;
            }
            at = plan.iteration_of(container.node, &key.1);
        }
        false
    }

    /// Takes in an event: what an activation wrote, or what became of a loop.
    pub fn apply(&mut self, plan: &Plan, event: &Event) {
        match event {
            Event::Context(at, _) | Event::Memory(at, _) => {
                let Some(node) = plan.find(&at.node) else { return };
                let key = plan.iteration_of(node, &at.epoch);
                self.write(key.as_ref(), event);
            }
            Event::Loop(at, LoopEvent::IterationStarted) => {
                let Some((node, body)) = loop_of(plan, at) else { return };
                let outer = at.epoch.outer();
                let state = Arc::clone(self.of(plan, node, &outer));
                let iteration = Iteration { state, written: Vec::new(), created: Vec::new() };
                self.iterations.insert((body, at.epoch.clone()), iteration);
            }
            Event::Loop(at, LoopEvent::IterationFinished { error, exit }) => {
                let Some((node, body)) = loop_of(plan, at) else { return };
                let Some(iteration) = self.iterations.remove(&(body, at.epoch.clone())) else { return };
                let outer = at.epoch.outer();
                if error.is_some() {
                    return;
                }
                if is_for_each(plan, node) {
                    let index = at.epoch.0.last().copied().unwrap_or_default();
                    let key = (node, outer);
                    if *exit && let Some(awaiting) = self.awaiting_end.get_mut(&key) {
                        // Later items don't count, also if they are done already.
                        awaiting.retain(|item, _| *item <= index);
                    }
                    if !iteration.written.is_empty() {
                        self.awaiting_end.entry(key).or_default().insert(index, iteration.written);
                    }
                } else {
                    self.merge(plan, node, &outer, iteration.written);
                }
            }
            Event::Node(at, NodeEvent::Finished { .. }) => {
                let Some((node, _)) = loop_of(plan, at) else { return };
                let written = self.awaiting_end.remove(&(node, at.epoch.clone())).unwrap_or_default();
                self.merge(plan, node, &at.epoch, written.into_values().flatten());
            }
            Event::Node(at, NodeEvent::Failed { .. }) => {
                if let Some((node, _)) = loop_of(plan, at) {
                    self.awaiting_end.remove(&(node, at.epoch.clone()));
                }
            }
            _ => {}
        }
    }

    /// What iterations of a loop wrote counts in the scope that the loop is in.
    fn merge(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch, written: impl IntoIterator<Item = Event>) {
        let key = plan.iteration_of(node, epoch);
        for event in written {
            self.write(key.as_ref(), &event);
        }
    }

    fn write(&mut self, key: Option<&(ScopeIx, Epoch)>, event: &Event) {
        let Some(key) = key else {
            fold_into(&mut self.root, event);
            return;
        };
        let Some(iteration) = self.iterations.get_mut(key) else { return };
        fold_into(&mut iteration.state, event);
        match event {
            Event::Context(_, ContextEvent::Created { context }) => {
                iteration.created.push(context.context_id.clone());
            }
            Event::Context(
                _,
                ContextEvent::Changed { context_id, .. } | ContextEvent::TurnCommitted { context_id, .. },
            ) if iteration.created.contains(context_id) => {}
            Event::Context(..) | Event::Memory(..) => iteration.written.push(event.clone()),
            _ => {}
        }
    }
}

fn fold_into(state: &mut Arc<ScopeState>, event: &Event) {
    let ScopeState { contexts, memory } = Arc::make_mut(state);
    fold(contexts, memory, event);
}

/// Whether a change of a context that other iterations have as well can't be put in an order with theirs.
pub(super) fn is_unordered(change: &ContextChange) -> bool {
    !matches!(change, ContextChange::Messages { .. } | ContextChange::Turn { .. })
}

/// The loop that an activation is of, and its body.
fn loop_of(plan: &Plan, at: &Activation) -> Option<(NodeIx, ScopeIx)> {
    if plan.scopes.len() == 1 {
        return None;
    }
    let node = plan.find(&at.node)?;
    plan.nodes[node].body.filter(|&body| body != ROOT_SCOPE).map(|body| (node, body))
}

fn is_for_each(plan: &Plan, node: NodeIx) -> bool {
    plan.nodes[node].node.behavior().repeats.as_ref().is_some_and(|repeats| repeats.kind.is_for_each())
}
