//! How runs end: finished, failed, cancelled, or at the node they were to run to. Every node gets a final state.

use super::scope::{Scope, Shared};
use super::slot::Phase;
use super::{Event, Fault, NodeIx, RunPhase, Scheduler};
use crate::codes;
use crate::plan::Plan;
use plait_core::id::{Activation, Epoch, NodeId};
use plait_core::origin::Origins;
use plait_journal::{MAX_LISTED_QUESTIONS, NodeEvent, RunEvent, SkipReason};

impl Scheduler {
    /// After all that follows from an event: has the run ended, or does it wait?
    pub(super) fn settle(&mut self, derived: &mut Vec<Event>) {
        if self.root.open == 0 {
            self.finish(derived);
            return;
        }
        let waiting = self.phase() == RunPhase::Waiting;
        if waiting && !self.shared.was_waiting {
            let on: Vec<_> = self.pauses().take(MAX_LISTED_QUESTIONS).collect();
            // A run has at most 2^32 nodes: each takes more than a byte.
            let more = u32::try_from(self.shared.asking.len() - on.len()).unwrap_or(u32::MAX);
            derived.push(Event::Run(RunEvent::Waiting { on, more }));
        }
        self.shared.was_waiting = waiting;
        if self.shared.counts.active == 0 && self.shared.counts.needing_person == 0 {
            // The plan has no cycle of waits, so this is a mistake of the engine. A run is never left hanging for it.
            let stuck = self.root.open_slots().next().map(|(node, slot)| (node, slot.epoch.clone()));
            let (stuck, epoch) = stuck.unwrap_or_default();
            let error =
                Fault::new(codes::ENGINE_STUCK, "Nothing of this run can go on, though it has not ended.")
                    .hint("This is a mistake in Plait; please report it with the flow.");
            self.fail(stuck, &epoch, &error, derived);
        }
    }

    fn finish(&mut self, derived: &mut Vec<Event>) {
        self.root.skip_idle_followers(&self.plan, derived);
        derived.push(Event::Run(RunEvent::Finished {
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// The node that the run was to run to has finished: nothing else is needed.
    pub(super) fn reach_target(&mut self, derived: &mut Vec<Event>) {
        self.close_all(None, SkipReason::TargetReached, None, derived);
        derived.push(Event::Run(RunEvent::Finished {
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// A node failed and nothing handles it.
    pub(super) fn fail(&mut self, node: NodeIx, epoch: &Epoch, error: &Fault, derived: &mut Vec<Event>) {
        let id = self.plan.nodes[node].id.clone();
        if let Some(scope) = self.scope_of(node, epoch) {
            *scope.ran(node) = true;
        }
        self.close_all(Some((node, epoch)), SkipReason::RunFailed, Some(&stopped_by(&id)), derived);
        derived.push(Event::Run(RunEvent::Failed {
            node: id,
            epoch: epoch.clone(),
            error: Box::new(error.clone()),
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// The run is cancelled.
    pub(super) fn cancel(&mut self, derived: &mut Vec<Event>) {
        let stopped = Fault::new(codes::NODE_CANCELED, "Stopped, because the run was cancelled.");
        self.close_all(None, SkipReason::RunCancelled, Some(&stopped), derived);
        derived.push(Event::Run(RunEvent::Canceled {
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// Gives every open activation its final state: running ones are stopped (with a fault that says why), the others
    /// skipped.
    fn close_all(
        &mut self,
        but: Option<(NodeIx, &Epoch)>,
        reason: SkipReason,
        stopped: Option<&Fault>,
        derived: &mut Vec<Event>,
    ) {
        self.close_all_iterations(but, reason, stopped, derived);
        self.root.close_all(&self.plan, &mut self.shared, but, reason, stopped, derived);
    }
}

/// Why activations are stopped beside one that failed.
pub(super) fn stopped_by(failed: &NodeId) -> Fault {
    Fault::new(codes::NODE_STOPPED, format!("Stopped, because `{failed}` failed."))
}

/// Why something was stopped when an iteration for an earlier item ended its loop.
pub(super) fn ended_by(container: &NodeId) -> Fault {
    let message = format!("Stopped, because an earlier item has ended the loop `{container}`.");
    Fault::new(codes::NODE_STOPPED, message)
}

impl Scope {
    /// The loops with running iterations.
    pub(super) fn repeating(&self) -> Vec<(NodeIx, Epoch)> {
        let repeating = self.open_slots().filter(|(_, slot)| slot.phase == Phase::Repeating);
        repeating.map(|(node, slot)| (node, slot.epoch.clone())).collect()
    }

    /// Gives every open activation its final state, in plan order: running ones are stopped (with a fault that says
    /// why), the others skipped.
    pub(super) fn close_all(
        &mut self,
        plan: &Plan,
        run: &mut Shared,
        but: Option<(NodeIx, &Epoch)>,
        reason: SkipReason,
        stopped: Option<&Fault>,
        derived: &mut Vec<Event>,
    ) {
        for at in plan.scopes[self.index].nodes.clone() {
            self.touch(plan, at);
            let spec = &plan.nodes[at];
            for slot in std::mem::take(self.slots_mut(at)) {
                self.open -= 1;
                run.changed_phase(at, &slot.epoch, Some(slot.phase), None);
                if spec.is_border {
                    continue;
                }
                let node = spec.id.clone();
                let is_started = slot.phase.is_started() && !run.forget_opening(at, &slot.epoch);
                match (slot.phase, stopped) {
                    _ if is_started && but == Some((at, &slot.epoch)) => {}
                    (_, Some(stopped)) if is_started => {
                        derived.push(Event::Node(
                            Activation { node, epoch: slot.epoch },
                            NodeEvent::Failed {
                                error: Box::new(stopped.clone()),
                                handled: false,
                                origins: Origins::NONE,
                            },
                        ));
                        *self.ran(at) = true;
                    }
                    (Phase::Waiting | Phase::AwaitingTurn, _) if spec.is_follower => {
                        self.idle.insert(at, (slot.epoch, reason));
                    }
                    _ => {
                        derived.push(Event::Node(
                            Activation { node, epoch: slot.epoch },
                            NodeEvent::Skipped { reason, failed: None },
                        ));
                        *self.ran(at) = true;
                    }
                }
            }
        }
        self.skip_idle_followers(plan, derived);
    }

    /// A node that follows a cycle and never ran was skipped after all.
    pub(super) fn skip_idle_followers(&mut self, plan: &Plan, derived: &mut Vec<Event>) {
        let mut idle: Vec<_> = std::mem::take(&mut self.idle).into_iter().collect();
        idle.retain(|(node, _)| !*self.ran(*node));
        idle.sort_by_key(|(node, _)| *node);
        for (node, (epoch, reason)) in idle {
            let node = plan.nodes[node].id.clone();
            let skipped = NodeEvent::Skipped { reason, failed: None };
            derived.push(Event::Node(Activation { node, epoch }, skipped));
        }
    }
}
