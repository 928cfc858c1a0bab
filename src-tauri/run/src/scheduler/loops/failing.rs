//! Failures in loops: how far they reach, and closing what they end.
//!
//! A failure ends the iteration that it is in. Where the loop goes on, the failure is the iteration's result. Else the loop
//! fails, and if it does not handle that, so does the iteration around it, and so on. Of iterations that are open at once the
//! first failure counts in the order of the items, not in time: a loop fails only when all iterations before the failed one
//! have ended, and not at all if one of those ends the loop. So a loop gives the same at any concurrency.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::loop_run::{Failure, LoopRun};
use super::{IterationKey, split};
use crate::node::Datum;
use crate::plan::{NodeIx, Plan, PlanNode};
use crate::scheduler::Scheduler;
use crate::scheduler::ending::{ended_by, stopped_by};
use crate::scheduler::scope::{Scope, Written, error_outputs};
use crate::scheduler::slot::{Delivered, Phase};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{Event, LoopEvent, NodeEvent, SkipReason, SourceRef};
use plait_llm::quota::is_limit_of_tree;

/// Why iterations are closed before they have ended.
struct Closing<'a> {
    reason: SkipReason,
    /// What the activations in them say that are running.
    stopped: Fault,
    failure: Option<&'a Failure>,
}

impl<'a> Closing<'a> {
    /// Because one of the activations in them failed.
    fn failed(plan: &Plan, failure: &'a Failure) -> Self {
        let stopped = stopped_by(&plan.nodes[failure.at.0].id);
        Self { reason: SkipReason::LoopFailed, stopped, failure: Some(failure) }
    }

    /// Because an iteration for an earlier item ended their loop.
    fn ended(plan: &Plan, container: NodeIx) -> Self {
        let stopped = ended_by(&plan.nodes[container].id);
        Self { reason: SkipReason::LoopEnded, stopped, failure: None }
    }
}

impl Scheduler {
    /// An activation failed, and does not handle that itself.
    pub(in crate::scheduler) fn fail_activation(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        error: &Fault,
        origins: &Origins,
        derived: &mut Vec<Event>,
    ) {
        if self.ends_run(node, epoch, error) {
            self.result_origins.add(origins);
            self.fail(node, epoch, error, derived);
        } else {
            self.fail_around(node, epoch, &Failure::of(node, epoch, error, origins), derived);
        }
    }

    /// A loop itself fails, before or between its iterations.
    pub(in crate::scheduler) fn fail_loop(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        error: &Fault,
        origins: &Origins,
        derived: &mut Vec<Event>,
    ) {
        let failure = Failure::of(node, epoch, error, origins);
        if self.plan.nodes[node].handles_error {
            self.end_failed_loop(node, epoch, &failure, derived);
            return;
        }
        let ends_run = self.ends_run(node, epoch, error);
        self.loops.remove(&(node, epoch.clone()));
        derived.push(failed_event(&self.plan.nodes[node], epoch, &failure, false));
        if ends_run {
            self.result_origins.add(origins);
            self.fail(node, epoch, error, derived);
        } else {
            self.fail_around(node, epoch, &failure, derived);
        }
    }

    /// Whether nothing around an activation that has failed takes its error.
    fn ends_run(&self, node: NodeIx, epoch: &Epoch, error: &Fault) -> bool {
        let mut at = (node, epoch.clone());
        while let Some((container, inner)) = self.around(at.0, &at.1) {
            let outer = split(&inner).0;
            let continues =
                self.loops.get(&(container, outer.clone())).is_some_and(LoopRun::continues_on_error);
            if continues || self.plan.nodes[container].handles_error {
                return is_limit_of_tree(&error.code);
            }
            at = (container, outer);
        }
        true
    }

    /// The loop around an activation, and the epoch of its iteration.
    fn around(&self, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch)> {
        let plan = &self.plan;
        let (scope, inner) = plan.iteration_of(node, epoch)?;
        Some((plan.scopes[scope].container?.node, inner))
    }

    /// Ends the iteration around an activation that has failed, or in which something has.
    fn fail_around(&mut self, node: NodeIx, epoch: &Epoch, failure: &Failure, derived: &mut Vec<Event>) {
        let Some((container, inner)) = self.around(node, epoch) else { return };
        let (outer, index) = split(&inner);
        let Some(run) = self.loops.get(&(container, outer.clone())) else { return };
        if run.continues_on_error() {
            self.take_failure(container, &inner, failure, derived);
        } else if run.open_before(index) > 0 {
            self.hold_failure(container, &inner, failure, derived);
        } else {
            self.fail_repeating(container, &outer, failure, derived);
        }
    }

    /// An iteration has failed, and its loop goes on: the error is the iteration's result.
    fn take_failure(
        &mut self,
        container: NodeIx,
        inner: &Epoch,
        failure: &Failure,
        derived: &mut Vec<Event>,
    ) {
        let (outer, index) = split(inner);
        let failed_node = self.plan.nodes[failure.at.0].id.clone();
        let closing = Closing::failed(&self.plan, failure);
        let written = self.close_iteration(container, inner, &closing, derived);
        self.discard_written(container, &outer, written, derived);
        if let Some(run) = self.loops.get_mut(&(container, outer.clone())) {
            let outputs = error_outputs(&failed_node, &failure.error);
            let value =
                outputs.into_values().next().map(|error| json!({ "error": *error })).unwrap_or_default();
            let source = SourceRef {
                node: failed_node,
                epoch: failure.at.1.clone(),
                port: plait_core::port::ERROR_PORT.into(),
            };
            let datum = Datum { origins: failure.origins.clone(), ..Datum::from(value) };
            run.take_result(index, Some(Delivered { datum, source }), false);
        }
        self.advance_loop(container, &outer, derived);
    }

    /// An iteration has failed, and with it the loop, unless one of the iterations before it says otherwise. Those after it don't
    /// count.
    fn hold_failure(
        &mut self,
        container: NodeIx,
        inner: &Epoch,
        failure: &Failure,
        derived: &mut Vec<Event>,
    ) {
        let (outer, index) = split(inner);
        let closing = Closing::failed(&self.plan, failure);
        self.close_iterations_from(container, &outer, index, &closing, derived);
        if let Some(run) = self.loops.get_mut(&(container, outer)) {
            run.held_failure = Some(failure.clone());
        }
    }

    /// A loop fails, because one of its iterations has, and those before that have ended.
    pub(super) fn fail_repeating(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        failure: &Failure,
        derived: &mut Vec<Event>,
    ) {
        if self.plan.nodes[node].handles_error {
            self.end_failed_loop(node, epoch, failure, derived);
        } else {
            self.fail_around(node, epoch, failure, derived);
        }
    }

    /// A loop has failed, and its `error` output takes that.
    fn end_failed_loop(&mut self, node: NodeIx, epoch: &Epoch, failure: &Failure, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.plan);
        let closing = Closing::failed(&plan, failure);
        let written = self.close_loop(node, epoch, &closing, derived);
        self.discard_written(node, epoch, written, derived);
        let Some(scope) = self.scope_of(node, epoch) else { return };
        let origins =
            scope.slot(node, epoch).map(|slot| slot.output_origins(&failure.origins)).unwrap_or_default();
        derived.push(failed_event(&plan.nodes[node], epoch, failure, true));
        let outputs = error_outputs(&plan.nodes[node].id, &failure.error);
        self.close(node, epoch, &outputs, &BTreeMap::default(), &origins, true);
    }

    /// An iteration ended the loop: those for later items don't count, however far they have come.
    pub(super) fn stop_later_iterations(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        index: u32,
        derived: &mut Vec<Event>,
    ) {
        let closing = Closing::ended(&self.plan, node);
        self.close_iterations_from(node, epoch, index + 1, &closing, derived);
        if let Some(run) = self.loops.get_mut(&(node, epoch.clone())) {
            run.held_failure = None;
        }
    }

    /// Closes the iterations of a loop that are open, from one on. What they have written does not count, nor what those have
    /// that have ended.
    fn close_iterations_from(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        first: u32,
        closing: &Closing,
        derived: &mut Vec<Event>,
    ) {
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
        let open = run.open.split_off(run.open_before(first));
        let mut written = Written::concat(run.written.split_off(&first).into_values()).activations;
        for index in open {
            written.append(&mut self.close_iteration(node, &epoch.child(index), closing, derived));
        }
        self.discard_written(node, epoch, written, derived);
    }

    /// Closes a loop with all its iterations. Returns the activations with writes that don't count.
    fn close_loop(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        closing: &Closing,
        derived: &mut Vec<Event>,
    ) -> Vec<Activation> {
        let Some(mut run) = self.loops.remove(&(node, epoch.clone())) else { return Vec::new() };
        let mut written = Written::concat(std::mem::take(&mut run.written).into_values()).activations;
        if run.test.is_some() {
            self.shared.counts.change(Some(Phase::Ready), None);
            let tested = epoch.child(run.next);
            let (test, stopped) = (run.test.as_ref(), Some(&closing.stopped));
            derived.extend(self.stopped_test(test, (node, &tested), closing.reason, stopped));
        }
        for index in run.open {
            written.append(&mut self.close_iteration(node, &epoch.child(index), closing, derived));
        }
        written
    }

    /// Closes everything that is open in an iteration, inner loops first. Returns the activations with writes that
    /// don't count.
    fn close_iteration(
        &mut self,
        node: NodeIx,
        inner: &Epoch,
        closing: &Closing,
        derived: &mut Vec<Event>,
    ) -> Vec<Activation> {
        let Some(body) = self.plan.nodes[node].body else { return Vec::new() };
        let Some(mut scope) = self.iterations.remove(&(body, inner.clone())) else { return Vec::new() };
        self.has_stopped = true;
        let mut written = scope.take_written().activations;
        for (loop_node, epoch) in scope.repeating() {
            written.append(&mut self.close_loop(loop_node, &epoch, closing, derived));
        }
        let but = closing.failure.map(|Failure { at: (node, epoch), .. }| (*node, epoch));
        scope.close_all(&self.plan, &mut self.shared, but, closing.reason, Some(&closing.stopped), derived);
        let failure = closing.failure.filter(|failure| self.is_inside(&failure.at, node, inner));
        let error = failure.map_or(&closing.stopped, |failure| &failure.error);
        derived.push(Event::Loop(
            self.activation(node, inner),
            LoopEvent::IterationFinished { error: Some(Box::new(error.clone())), exit: false },
        ));
        written
    }

    /// Whether an activation is in an iteration of a loop, at any depth.
    fn is_inside(&self, (node, epoch): &(NodeIx, Epoch), container: NodeIx, inner: &Epoch) -> bool {
        let mut at = self.around(*node, epoch);
        while let Some((around, iteration)) = at {
            if around == container {
                return iteration == *inner;
            }
            at = self.around(around, &split(&iteration).0);
        }
        false
    }

    /// Closes all scopes inside of others, for a run that ends. The loops around them are closed with their scopes.
    pub(in crate::scheduler) fn close_all_iterations(
        &mut self,
        but: Option<(NodeIx, &Epoch)>,
        reason: SkipReason,
        stopped: Option<&Fault>,
        derived: &mut Vec<Event>,
    ) {
        let mut loops: Vec<_> = std::mem::take(&mut self.loops).into_iter().collect();
        loops.sort_by(|(one, _), (other, _)| one.cmp(other));
        for ((node, epoch), run) in &loops {
            let tested = epoch.child(run.next);
            derived.extend(self.stopped_test(run.test.as_ref(), (*node, &tested), reason, stopped));
        }
        let mut keys: Vec<IterationKey> = self.iterations.iter().map(Scope::key).collect();
        // Inner ones first.
        keys.sort_by(|one, other| other.1.depth().cmp(&one.1.depth()).then_with(|| one.cmp(other)));
        for key in keys {
            if let Some(mut scope) = self.iterations.remove(&key) {
                scope.close_all(&self.plan, &mut self.shared, but, reason, stopped, derived);
            }
        }
        self.work.clear();
    }
}

fn failed_event(node: &PlanNode, epoch: &Epoch, failure: &Failure, handled: bool) -> Event {
    let Failure { error, origins, .. } = failure.clone();
    Event::Node(
        Activation { node: node.id.clone(), epoch: epoch.clone() },
        NodeEvent::Failed { error: Box::new(error), handled, origins },
    )
}
