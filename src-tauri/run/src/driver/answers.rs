//! What people answered in the loops that are open, as a fold over the events of the run.
//!
//! An answer belongs to the innermost loop around the node that asked. In its iteration the nodes see it that a path leads to from
//! there; the iterations after it see it if they run one after the other. An iteration that failed leaves none.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::body_path::{Ancestors, BodyPath, is_sequential};
use crate::plan::{NodeIx, Plan};
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{Event, LoopEvent, NodeEvent};
use plait_llm::loop_history::{PersonAnswer, PersonAnswers};

type Key = (NodeIx, Epoch);

/// The answers in the loops that are open.
#[derive(Default)]
pub(super) struct LoopAnswers {
    /// The open questions, and questions with answers that their nodes have not taken yet.
    asked: FxHashMap<Key, (String, Option<Arc<Value>>)>,
    /// By loop and iteration, the answers in it.
    pending: FxHashMap<Key, Vec<Pending>>,
    /// By loop, the answers in the iterations that are over.
    over: FxHashMap<Key, PersonAnswers>,
}

struct Pending {
    path: BodyPath,
    order: Vec<usize>,
    answer: Arc<PersonAnswer>,
}

impl LoopAnswers {
    /// Takes in an event. `origins` is where the outputs come from of an activation that finishes.
    pub fn apply(&mut self, plan: &Plan, event: &Event, origins: impl FnOnce() -> Origins) {
        match event {
            Event::Node(at, NodeEvent::Paused { prompt, tool, .. }) => {
                if let Some(key) = key_in_loop(plan, at) {
                    match tool {
                        None => self.asked.insert(key, (prompt.clone(), None)),
                        Some(_) => self.asked.remove(&key),
                    };
                }
            }
            Event::Node(at, NodeEvent::Answered { answer, .. }) => {
                let asked = key_in_loop(plan, at).and_then(|key| self.asked.get_mut(&key));
                if let Some(((_, slot), value)) = asked.zip(answer.value()) {
                    *slot = Some(Arc::clone(value));
                }
            }
            Event::Node(at, NodeEvent::Finished { .. } | NodeEvent::Failed { .. })
                if !(self.asked.is_empty() && self.over.is_empty()) =>
            {
                let Some(node) = plan.find(&at.node) else { return };
                let key = (node, at.epoch.clone());
                if plan.nodes[node].body.is_some() {
                    self.over.remove(&key);
                }
                let asked = if self.asked.is_empty() { None } else { self.asked.remove(&key) };
                if let (Some((question, Some(answer))), Event::Node(_, NodeEvent::Finished { .. })) =
                    (asked, event)
                {
                    let origins = origins();
                    self.take(plan, &key, PersonAnswer { node: at.node.clone(), question, answer, origins });
                }
            }
            Event::Loop(at, LoopEvent::IterationFinished { error, .. }) => {
                if self.pending.is_empty() {
                    return;
                }
                let Some(node) = plan.find(&at.node) else { return };
                let pending = self.pending.remove(&(node, at.epoch.clone()));
                let Some(mut pending) = pending.filter(|_| error.is_none() && is_sequential(plan, node))
                else {
                    return;
                };
                pending.sort_by(|one, other| one.order.cmp(&other.order));
                let over = self.over.entry((node, at.epoch.outer())).or_default();
                for pending in pending {
                    over.push(pending.answer);
                }
            }
            _ => {}
        }
    }

    /// What the person answered to an activation that has not finished yet.
    pub fn answer(&self, key: &Key) -> Option<&Arc<Value>> {
        self.asked.get(key)?.1.as_ref()
    }

    /// The answers that an activation in a loop sees, or a loop before an iteration.
    pub fn view(&self, plan: &Plan, node: NodeIx, epoch: &Epoch, is_test: bool) -> PersonAnswers {
        if self.over.is_empty() && self.pending.is_empty() {
            return PersonAnswers::default();
        }
        if is_test {
            return self.over.get(&(node, epoch.outer())).cloned().unwrap_or_default();
        }
        let Some(iteration) = iteration(plan, node, epoch) else { return PersonAnswers::default() };
        let over = self.over.get(&(iteration.0, iteration.1.outer()));
        let mut answers = over.cloned().unwrap_or_default();
        if let Some(pending) = self.pending.get(&iteration)
            && let Some(path) = BodyPath::of(plan, node, epoch, iteration.0)
        {
            let mut ancestors = Ancestors::default();
            let before = pending.iter().filter(|pending| pending.path.is_before(&path, plan, &mut ancestors));
            let mut before: Vec<&Pending> = before.collect();
            before.sort_by(|one, other| one.order.cmp(&other.order));
            for pending in before {
                answers.push(Arc::clone(&pending.answer));
            }
        }
        answers
    }

    fn take(&mut self, plan: &Plan, (node, epoch): &Key, answer: PersonAnswer) {
        let Some(iteration) = iteration(plan, *node, epoch) else { return };
        let Some(path) = BodyPath::of(plan, *node, epoch, iteration.0) else { return };
        let pending = Pending { order: path.order(plan), path, answer: Arc::new(answer) };
        self.pending.entry(iteration).or_default().push(pending);
    }
}

/// The loop directly around an activation, and the epoch of the iteration.
fn iteration(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Key> {
    let (scope, inner) = plan.iteration_of(node, epoch)?;
    Some((plan.scopes[scope].container?.node, inner))
}

/// An activation, if it is in a loop.
fn key_in_loop(plan: &Plan, at: &Activation) -> Option<Key> {
    let node = plan.find(&at.node)?;
    plan.iteration_of(node, &at.epoch).map(|_| (node, at.epoch.clone()))
}
