//! Loops: opening iterations, taking their results, and ending.
//!
//! To the scope around it, a loop is one activation. Each iteration is a [`Scope`](super::scope::Scope) of its own. When it is
//! over, the next one takes its buffers, so a loop takes no more room in its thousandth iteration than in its first, but for the
//! list of its results where somebody uses that.
//!
//! | kind | before an iteration | iterations open at once |
//! |---|---|---|
//! | `while` with a condition | the loop node executes as `(loop, epoch of the iteration)`, to test it | 1 |
//! | `while`, `times` | | 1 |
//! | `forEach` | | `concurrency` |

mod condition;
mod failing;
mod loop_run;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::scope::{IterationKey, IterationResult, Opening, Written};
use super::slot::Phase;
use super::{Event, Fault, NodeOutputs, Scheduler};
use crate::codes;
use crate::node::{Datum, LoopKind};
use crate::plan::NodeIx;
use plait_core::expression::is_truthy;
use plait_core::id::{Activation, Epoch, MessageId, PortName};
use plait_core::origin::Origins;
use plait_journal::{ContextEvent, FinishMetadata, LoopEvent, NodeEvent};
use plait_llm::context::ContextHandle;

use condition::Test;
pub(super) use loop_run::LoopRun;
use loop_run::port;

impl Scheduler {
    /// For an iteration of a loop that keeps several open at once: how many those are at most, and how many there are from this one on.
    pub fn parallel_iterations(&self, node: NodeIx, epoch: &Epoch) -> Option<(u64, u64)> {
        let run = self.loops.get(&(node, epoch.outer())).filter(|run| run.concurrency() > 1)?;
        Some((run.concurrency() as u64, run.items_from(*epoch.0.last()?)?))
    }

    /// Opens a loop when its inputs are decided.
    pub(super) fn open_loop(&mut self, opening: Opening, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.plan);
        let (node, epoch) = (opening.node, opening.epoch.clone());
        let spec = &plan.nodes[node];
        let (Some(body), Some(mut repeats)) = (spec.body, spec.node.behavior().repeats.clone()) else {
            return;
        };
        if plan.target.is_some_and(|target| plan.is_inside(target, node)) {
            repeats.kind = repeats.kind.one_by_one();
        }
        let origins = opening.inputs.origins();
        let mut run = LoopRun::new(opening, spec, repeats, body);
        let uses_results = spec.is_result
            || spec.outgoing.iter().any(|&edge| plan.edges[edge].port.as_str() == port::RESULTS);
        run.results = uses_results.then(Vec::new);
        let activation = Activation { node: spec.id.clone(), epoch: epoch.clone() };
        derived.push(Event::Node(activation, NodeEvent::Started { attempt: 1 }));
        if let Some((items, _)) = &run.items
            && !items.is_array()
        {
            let message = format!("`items` of the loop `{}` must be a list.", spec.id);
            let error = Fault::new(codes::INPUT_TYPE, message)
                .hint("Check what feeds this input. A `json` node can select the list.");
            self.loops.insert((node, epoch.clone()), run);
            self.fail_loop(node, &epoch, &error, &origins, derived);
            return;
        }
        self.loops.insert((node, epoch.clone()), run);
        self.advance_loop(node, &epoch, derived);
    }

    /// Opens as many iterations of a loop as may be open now, or ends it.
    pub(super) fn advance_loop(&mut self, node: NodeIx, epoch: &Epoch, derived: &mut Vec<Event>) {
        loop {
            let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
            if run.open.len() >= run.concurrency() || run.test.is_some() {
                return;
            }
            let is_over =
                run.ends || run.held_failure.is_some() || run.count().is_some_and(|count| run.next >= count);
            let is_exhausted = !is_over && run.next >= run.spec.max_iterations;
            if is_over || is_exhausted {
                if !run.open.is_empty() {
                    return;
                }
                if let Some(failure) = run.held_failure.take() {
                    self.fail_repeating(node, epoch, &failure, derived);
                    return;
                }
                if is_exhausted {
                    let last = epoch.child(run.next.saturating_sub(1));
                    derived.push(Event::Loop(
                        Activation { node: self.plan.nodes[node].id.clone(), epoch: last },
                        LoopEvent::Exhausted { max_epochs: run.spec.max_iterations, unattended: false },
                    ));
                }
                self.finish_loop(node, epoch, derived);
                return;
            }
            if run.spec.prepares || run.spec.kind == (LoopKind::While { tests: true }) {
                run.test = Some(Test { is_running: false, attempt: 1 });
                let start = (node, epoch.child(run.next));
                self.shared.counts.change(None, Some(Phase::Ready));
                self.shared.ready.push(std::cmp::Reverse(start));
                return;
            }
            self.open_iteration(node, epoch, derived);
        }
    }

    /// Opens the next iteration of a loop.
    fn open_iteration(&mut self, node: NodeIx, epoch: &Epoch, derived: &mut Vec<Event>) {
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
        let plan = &*self.plan;
        let index = run.next;
        run.next += 1;
        run.open.push_back(index);
        let inner = epoch.child(index);
        let loop_node = &plan.nodes[node];
        derived.push(Event::Loop(
            Activation { node: loop_node.id.clone(), epoch: inner.clone() },
            LoopEvent::IterationStarted,
        ));
        let mut scope = self.iterations.make(plan, (run.body, inner.clone()));
        scope.open(plan, &mut self.shared);
        if let Some(container) = plan.scopes[run.body].container {
            for &edge in &plan.nodes[container.begin].outgoing {
                let value = run.border_value(loop_node, &inner, index, &plan.edges[edge].port);
                scope.pass(plan, edge, &inner, value);
            }
        }
        self.iterations.insert(scope);
        self.work.push_back((run.body, inner));
    }

    /// An iteration is over: its result counts.
    pub(super) fn end_iteration(&mut self, key: &IterationKey, derived: &mut Vec<Event>) {
        let Some(mut scope) = self.iterations.remove(key) else { return };
        scope.skip_idle_followers(&self.plan, derived);
        let Some(container) = self.plan.scopes[key.0].container else { return };
        let IterationResult { next, exit } = std::mem::take(&mut scope.result);
        let exits = scope.ends_loop || exit.is_some_and(|exit| is_truthy(&exit.datum.value));
        let activation = self.activation(container.node, &key.1);
        derived.push(Event::Loop(activation, LoopEvent::IterationFinished { error: None, exit: exits }));
        let (outer, index) = split(&key.1);
        if let Some(run) = self.loops.get_mut(&(container.node, outer.clone())) {
            run.take_result(index, next, exits);
            let written = scope.take_written();
            if !run.spec.kind.is_for_each() {
                self.merge_written(container.node, &outer, written, derived);
            } else if !written.is_empty() {
                // In the order of the items, when the loop ends.
                run.written.insert(index, written);
            }
        }
        self.iterations.keep(scope);
        if exits {
            self.stop_later_iterations(container.node, &outer, index, derived);
        }
        self.advance_loop(container.node, &outer, derived);
    }

    /// What iterations of a loop leave behind counts in the scope that the loop is in; in the flow itself, for good.
    fn merge_written(&mut self, node: NodeIx, epoch: &Epoch, written: Written, derived: &mut Vec<Event>) {
        if let Some(key) = self.plan.iteration_of(node, epoch) {
            if let Some(scope) = self.iterations.get_mut(&key) {
                scope.written_by(&self.plan, node, epoch).append(written);
            }
            return;
        }
        for (of, outputs, origins) in written.results {
            self.add_results(of, outputs, &origins);
        }
        let activations = written.activations;
        if !activations.is_empty() {
            derived.push(Event::Context(self.activation(node, epoch), ContextEvent::Merged { activations }));
        }
    }

    /// What was written in iterations that have failed never counts.
    fn discard_written(
        &self,
        node: NodeIx,
        epoch: &Epoch,
        activations: Vec<Activation>,
        derived: &mut Vec<Event>,
    ) {
        if !activations.is_empty() {
            derived
                .push(Event::Context(self.activation(node, epoch), ContextEvent::Discarded { activations }));
        }
    }

    /// All iterations are over: the loop gives its results.
    fn finish_loop(&mut self, node: NodeIx, epoch: &Epoch, derived: &mut Vec<Event>) {
        let Some(run) = self.loops.remove(&(node, epoch.clone())) else { return };
        let mut outputs = NodeOutputs::new();
        let mut messages: BTreeMap<PortName, MessageId> = BTreeMap::new();
        let result = run.latest.map_or(run.input, |(_, result)| result);
        let result = result.map_or_else(|| Datum::from(Value::Null), |result| result.datum);
        let handle = run
            .context
            .and_then(|context| serde_json::from_value::<ContextHandle>((*context.datum.value).clone()).ok());
        if let Some(handle) = handle {
            let handle = handle.with_output((*result.value).clone(), result.message.clone());
            outputs.insert(port::CONTEXT.into(), Arc::new(Value::from(&handle)));
        }
        messages.extend(result.message.map(|message| (port::RESULT.into(), message)));
        outputs.insert(port::RESULT.into(), result.value);
        outputs.insert(port::ITERATIONS.into(), Arc::new(json!(run.finished)));
        if let Some(results) = run.results {
            let results = results.iter().map(|value| (**value).clone()).collect();
            outputs.insert(port::RESULTS.into(), Arc::new(Value::Array(results)));
        }
        self.merge_written(node, epoch, Written::concat(run.written.into_values()), derived);
        let origins = Origins::union(run.origins.values());
        let metadata = FinishMetadata { origins: origins.clone(), ..FinishMetadata::default() };
        let Some(scope) = self.scope_of(node, epoch) else { return };
        let origins = scope.slot(node, epoch).map(|slot| slot.output_origins(&origins)).unwrap_or_default();
        self.take_results(node, epoch, &outputs, &origins);
        derived.push(Event::Node(
            self.activation(node, epoch),
            NodeEvent::Finished { outputs: outputs.clone(), messages: messages.clone(), metadata },
        ));
        self.close(node, epoch, &outputs, &messages, &origins, false);
        if self.plan.target == Some(node) {
            self.reach_target(derived);
        }
    }
}

/// The epoch of a loop and the number of its iteration, from that of the iteration.
fn split(epoch: &Epoch) -> (Epoch, u32) {
    (epoch.outer(), epoch.0.last().copied().unwrap_or_default())
}
