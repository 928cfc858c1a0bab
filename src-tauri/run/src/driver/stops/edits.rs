//! What a person does to one activation that is held: passes it over, or has it run again. Each is an event of the node from which the
//! scheduler goes on, so it holds after a crash as well.

use super::steps::{Step, moved_on};
use super::{Done, Driver, Key, Outcome, Running, Side};
use crate::codes;
use plait_core::error::Fault;
use plait_journal::{DebugVerb, Event, NodeEvent, NodeOutputs, SkipReason, StopPoint};

impl Driver {
    /// The activation that is held by the stop with this number. Faults `debug.moved_on`, `debug.no_place`.
    pub(super) fn held_activation(&self, stop: u64) -> Result<(StopPoint, Key), Fault> {
        if !self.stops.open.has(stop) {
            return Err(moved_on());
        }
        let held = self.stops.open.place_of(stop).cloned();
        held.and_then(|point| Some((point.clone(), self.key_of(&point)?))).ok_or_else(|| {
            Fault::new(
                codes::DEBUG_NO_PLACE,
                "The run stands still, but at no node: nothing is held that this could be done to.",
            )
            .hint("Step to a node, or set a breakpoint and continue.")
        })
    }

    /// Passes over the activation that is held before its start, and stops at what follows. Faults `debug.moved_on`,
    /// `debug.cannot_skip`.
    pub(super) async fn skip(
        &mut self,
        stop: u64,
        running: &mut Running<'_>,
    ) -> Result<Result<(), Fault>, Fault> {
        let (point, key) = match self.held_activation(stop) {
            Ok(held) => held,
            Err(fault) => return Ok(Err(fault)),
        };
        let is_loop = self.plan.nodes[key.0].body.is_some();
        let is_ready = self.scheduler.ready_start(key.0, &key.1).is_some();
        if point.side != Side::Before || is_loop || !is_ready {
            let message = format!("`{}` can't be skipped here.", point.activation());
            let fault = Fault::new(codes::DEBUG_CANNOT_SKIP, message);
            return Ok(Err(fault.hint(
                "A node can be skipped while it is held before its first start. Loops can't be skipped.",
            )));
        }
        let goes_on_to = self.step(DebugVerb::Over, Some(key.clone()));
        self.stops.starts.retain(|start| (start.node, &start.epoch) != (key.0, &key.1));
        self.stops.close(&key);
        self.recorded.forget(&key);
        self.answer_counts.remove(&key);
        // One that was answered may have a turn under way.
        let given_up = self.turns.discard(&self.plan, key.0, &key.1);
        let skipped = NodeEvent::Skipped { reason: SkipReason::ByPerson, failed: None };
        let skipped = Event::Node(self.activation(key.0, &key.1), skipped);
        // Before the run goes on: a run that is killed in between stands at this stop, and has skipped it.
        self.record_events(given_up.into_iter().chain([skipped]))?;
        self.go_on_by(DebugVerb::Skip, (stop, point), goes_on_to, running).await?;
        Ok(Ok(()))
    }

    /// Runs an activation again that is held after its end, and stops there once more. Its outcome is kept in the journal and
    /// delivered to nobody. Faults `debug.moved_on`, `debug.cannot_retry`.
    pub(super) async fn retry(
        &mut self,
        stop: u64,
        running: &mut Running<'_>,
    ) -> Result<Result<(), Fault>, Fault> {
        let (point, key) = match self.held_activation(stop) {
            Ok(held) => held,
            Err(fault) => return Ok(Err(fault)),
        };
        let Some(done) = self.take_ended(&point, &key) else {
            let message = format!("`{}` can't be run again here.", point.activation());
            return Ok(Err(Fault::new(codes::DEBUG_CANNOT_RETRY, message)
                .hint("A node can be run again while it is held after its end. Loops can't.")));
        };
        let attempt = done.attempt.number;
        let (error, dropped) = match done.outcome {
            Outcome::Finished { output, .. } => (was_retried(), output.outputs),
            Outcome::Failed(error) => (error, NodeOutputs::new()),
            // `take_ended` takes no others.
            Outcome::Paused(_) | Outcome::Retrying { .. } | Outcome::RetryDue | Outcome::Stopped => {
                return Ok(Err(moved_on()));
            }
        };
        let goes_on_to = self.step(DebugVerb::Retry, Some(key.clone()));
        // They changed outputs that are dropped.
        self.stops.overrides.remove(&(key.clone(), Side::After));
        let given_up = self.turns.discard(&self.plan, key.0, &key.1);
        let retrying =
            NodeEvent::Retrying { attempt, delay_ms: 0, error: Box::new(error), dropped: Some(dropped) };
        let retrying = Event::Node(self.activation(key.0, &key.1), retrying);
        self.recorded.keep(&self.plan, &retrying);
        // Before the run goes on: a run that is killed in between stands at this stop, with the next attempt.
        self.record_events(given_up.into_iter().chain([retrying]))?;
        self.restart_queue.extend(self.scheduler.running(key.0, &key.1));
        self.go_on_by(DebugVerb::Retry, (stop, point), goes_on_to, running).await?;
        Ok(Ok(()))
    }

    /// Takes the outcome of an activation that is held after its end. Returns none if the journal has a part of that outcome.
    fn take_ended(&mut self, point: &StopPoint, key: &Key) -> Option<Done> {
        if point.side != Side::After || self.uncommitted.contains_key(key) {
            return None;
        }
        let is_wanted = |done: &Done| {
            (done.attempt.node, &done.attempt.epoch) == (key.0, &key.1)
                && matches!(done.outcome, Outcome::Finished { .. } | Outcome::Failed(_))
        };
        let at = self.stops.dones.iter().position(is_wanted)?;
        self.stops.dones.remove(at)
    }

    async fn go_on_by(
        &mut self,
        verb: DebugVerb,
        (number, point): (u64, StopPoint),
        step: Step,
        running: &mut Running<'_>,
    ) -> Result<(), Fault> {
        // Nothing comes after the end of a run.
        if !self.has_ended() {
            self.leave_by_step(number, verb, Some(point))?;
        }
        self.stops.step = Some(step);
        self.host.debugger.begin_step(verb);
        self.deliver_released(running).await
    }
}

/// What stands in place of an error where nothing went wrong.
fn was_retried() -> Fault {
    Fault::new(codes::DEBUG_RETRIED, "A person had it run again, so nobody got what this attempt gave.")
}
