//! How runs end: finished, failed, cancelled, or at the node they were to run to. Every node gets a final state.

use crate::error::ErrorCode;
use std::sync::Arc;

use super::slot::Phase;
use super::{Event, Fault, NodeIx, RunPhase, Scheduler};
use crate::id::{Activation, Epoch};
use crate::journal::{MAX_LISTED_QUESTIONS, NodeEvent, RunEvent, SkipReason};
use crate::origin::Origins;

impl Scheduler {
    /// After all that follows from an event: has the run ended, or does it wait?
    pub(super) fn settle(&mut self, derived: &mut Vec<Event>) {
        if self.counts.open == 0 {
            self.finish(derived);
            return;
        }
        let waiting = self.phase() == RunPhase::Waiting;
        if waiting && !self.was_waiting {
            let on: Vec<_> = self.pauses().take(MAX_LISTED_QUESTIONS).collect();
            // A run has at most 2^32 nodes: each takes more than a byte.
            let more = u32::try_from(self.asking.len() - on.len()).unwrap_or(u32::MAX);
            derived.push(Event::Run(RunEvent::Waiting { on, more }));
        }
        self.was_waiting = waiting;
        if self.counts.active == 0 && self.counts.needing_person == 0 {
            // The plan has no cycle of waits, so this is a mistake of the engine. A run is never left hanging for it.
            let stuck = self.slots.iter().position(|slots| !slots.is_empty()).unwrap_or_default();
            let epoch = self.slots[stuck].front().map(|slot| slot.epoch.clone()).unwrap_or_default();
            let error =
                Fault::new(ErrorCode::EngineStuck, "Nothing of this run can go on, though it has not ended.")
                    .hint("This is a mistake in Plait; please report it with the flow.");
            self.fail(stuck, &epoch, &error, derived);
        }
    }

    fn finish(&mut self, derived: &mut Vec<Event>) {
        self.skip_idle_followers(derived);
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
        self.ran[node] = true;
        let stopped = Fault::new(
            ErrorCode::NodeStopped,
            format!("Stopped, because `{}` failed.", self.plan.nodes[node].id),
        );
        self.close_all(Some(node), SkipReason::RunFailed, Some(&stopped), derived);
        derived.push(Event::Run(RunEvent::Failed {
            node: self.plan.nodes[node].id.clone(),
            epoch: epoch.clone(),
            error: error.clone(),
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// The run is cancelled.
    pub(super) fn cancel(&mut self, derived: &mut Vec<Event>) {
        let stopped = Fault::new(ErrorCode::NodeCanceled, "Stopped, because the run was cancelled.");
        self.close_all(None, SkipReason::RunCancelled, Some(&stopped), derived);
        derived.push(Event::Run(RunEvent::Canceled {
            outputs: self.results.clone(),
            origins: self.result_origins.clone(),
        }));
        self.ended = true;
    }

    /// Gives every open activation its final state, in plan order: those that run are stopped (where a fault says why),
    /// the others skipped.
    fn close_all(
        &mut self,
        but: Option<NodeIx>,
        reason: SkipReason,
        stopped: Option<&Fault>,
        derived: &mut Vec<Event>,
    ) {
        let plan = Arc::clone(&self.plan);
        (0..plan.nodes.len()).for_each(|node| self.touch(node));
        for (at, slots) in self.slots.iter_mut().enumerate() {
            let follows = plan.nodes[at].is_follower;
            for slot in slots.drain(..) {
                self.counts.change(Some(slot.phase), None);
                let node = plan.nodes[at].id.clone();
                match (slot.phase, stopped) {
                    (phase, _) if phase.is_started() && but == Some(at) => {}
                    (phase, Some(stopped)) if phase.is_started() => {
                        derived.push(Event::Node(
                            Activation { node, epoch: slot.epoch },
                            NodeEvent::Failed {
                                error: stopped.clone(),
                                handled: false,
                                origins: Origins::NONE,
                            },
                        ));
                        self.ran[at] = true;
                    }
                    (Phase::Waiting | Phase::AwaitingTurn, _) if follows => {
                        self.idle.insert(at, (slot.epoch, reason));
                    }
                    _ => {
                        derived.push(Event::Node(
                            Activation { node, epoch: slot.epoch },
                            NodeEvent::Skipped { reason },
                        ));
                        self.ran[at] = true;
                    }
                }
            }
        }
        self.skip_idle_followers(derived);
    }

    /// A node that follows a cycle and never ran was skipped after all.
    fn skip_idle_followers(&mut self, derived: &mut Vec<Event>) {
        let mut idle: Vec<_> = self.idle.drain().filter(|(node, _)| !self.ran[*node]).collect();
        idle.sort_by_key(|(node, _)| *node);
        for (node, (epoch, reason)) in idle {
            let node = self.plan.nodes[node].id.clone();
            derived.push(Event::Node(Activation { node, epoch }, NodeEvent::Skipped { reason }));
        }
    }
}
