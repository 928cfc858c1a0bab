//! The condition of a loop: the loop node executes to test it before each iteration.

use serde_json::Value;

use super::split;
use crate::plan::NodeIx;
use crate::scheduler::slot::Phase;
use crate::scheduler::{Scheduler, Start, impossible};
use plait_core::error::Fault;
use plait_core::id::Epoch;
use plait_core::origin::Origins;
use plait_journal::{Event, NodeEvent, NodeOutputs, SkipReason};

/// The condition is to be tested for the next iteration.
pub(in crate::scheduler) struct Test {
    pub is_running: bool,
    pub attempt: u32,
}

impl Scheduler {
    /// What happens to the test of a loop's condition.
    pub(in crate::scheduler) fn apply_test_event(
        &mut self,
        ix: NodeIx,
        epoch: &Epoch,
        change: &NodeEvent,
        event: &Event,
        derived: &mut Vec<Event>,
    ) -> Result<(), Fault> {
        let outer = epoch.outer();
        let Some(test) = self.test(ix, epoch) else {
            return Err(impossible(event, "that activation is not open"));
        };
        match change {
            NodeEvent::Started { attempt } => {
                test.attempt = *attempt;
                test.is_running = true;
            }
            NodeEvent::Retrying { attempt, .. } => test.attempt = attempt + 1,
            NodeEvent::Finished { outputs, .. } => {
                self.shared.counts.change(Some(Phase::Ready), None);
                self.apply_test(ix, &outer, outputs, derived);
            }
            NodeEvent::Failed { error, origins, .. } => {
                self.shared.counts.change(Some(Phase::Ready), None);
                if let Some(run) = self.loops.get_mut(&(ix, outer.clone())) {
                    run.test = None;
                }
                self.fail_loop(ix, &outer, error, origins, derived);
            }
            NodeEvent::Ready { .. }
            | NodeEvent::Skipped { .. }
            | NodeEvent::Delta { .. }
            | NodeEvent::Progressed { .. }
            | NodeEvent::Noticed { .. } => {}
            NodeEvent::Paused { .. } | NodeEvent::Answered { .. } => {
                return Err(impossible(event, "the test of a loop asks nobody"));
            }
        }
        Ok(())
    }

    /// The condition of a loop was tested for its next iteration.
    fn apply_test(&mut self, node: NodeIx, epoch: &Epoch, outputs: &NodeOutputs, derived: &mut Vec<Event>) {
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
        run.test = None;
        let goes_on = outputs.get(crate::node::CONTINUE).is_some_and(|value| **value == Value::Bool(true));
        if goes_on {
            self.open_iteration(node, epoch, derived);
        } else {
            run.ends = true;
            self.advance_loop(node, epoch, derived);
        }
    }

    /// The final state of the test of a loop that is closed while it runs. Nothing is in the journal of one that has not started.
    pub(super) fn stopped_test(
        &self,
        test: Option<&Test>,
        (node, epoch): (NodeIx, &Epoch),
        reason: SkipReason,
        stopped: Option<&Fault>,
    ) -> Option<Event> {
        test.filter(|test| test.is_running)?;
        let change = match stopped {
            Some(error) => {
                NodeEvent::Failed { error: Box::new(error.clone()), handled: false, origins: Origins::NONE }
            }
            None => NodeEvent::Skipped { reason, failed: None },
        };
        Some(Event::Node(self.activation(node, epoch), change))
    }

    /// Whether this is the test of a loop's condition, and not the loop itself.
    pub(in crate::scheduler) fn is_test(&self, node: NodeIx, epoch: &Epoch) -> bool {
        self.plan.is_test(node, epoch)
    }

    /// The test of a loop's condition for its next iteration, if this is it.
    pub(in crate::scheduler) fn test(&mut self, node: NodeIx, epoch: &Epoch) -> Option<&mut Test> {
        let (outer, index) = split(epoch);
        let run = self.loops.get_mut(&(node, outer))?;
        run.test.as_mut().filter(|_| run.next == index)
    }

    /// How to start a test.
    pub(in crate::scheduler) fn test_start(&self, node: NodeIx, epoch: &Epoch) -> Option<Start> {
        let run = self.loops.get(&(node, split(epoch).0))?;
        let test = run.test.as_ref()?;
        Some(Start {
            node,
            epoch: epoch.clone(),
            inputs: run.test_inputs(),
            attempt: test.attempt,
            answer: None,
            hidden_context: None,
        })
    }

    /// The tests that were running when the journal ended.
    pub(in crate::scheduler) fn interrupted_tests(&self) -> Vec<Start> {
        let running =
            self.loops.iter().filter(|(_, run)| run.test.as_ref().is_some_and(|test| test.is_running));
        let mut keys: Vec<_> = running.map(|((node, epoch), run)| (*node, epoch.child(run.next))).collect();
        keys.sort();
        keys.into_iter().filter_map(|(node, epoch)| self.test_start(node, &epoch)).collect()
    }
}
