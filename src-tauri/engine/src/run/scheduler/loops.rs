//! Loops: opening iterations, taking their results, and ending.
//!
//! To the scope around it, a loop is one activation. Each iteration is a [`Scope`] of its own, which is gone when the
//! iteration is over, so a loop takes no more room in its thousandth iteration than in its first, but for the list of its
//! results where somebody uses that.
//!
//! | kind | before an iteration | iterations open at once |
//! |---|---|---|
//! | `while` with a condition | the loop node executes as `(loop, epoch of the iteration)`, to test it | 1 |
//! | `while`, `times` | | 1 |
//! | `forEach` | | `concurrency` |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::ending::{ended_by, stopped_by};
use super::scope::{IterationResult, Opening, Scope, error_outputs};
use super::slot::{Delivered, Phase};
use super::{Event, Fault, NodeOutputs, Scheduler, Start};
use crate::context::ContextHandle;
use crate::error::ErrorCode;
use crate::expression::is_truthy;
use crate::host::tree_budget::is_limit_of_tree;
use crate::id::{Activation, Epoch, MessageId, PortName};
use crate::journal::{ContextEvent, FinishMetadata, LoopEvent, NodeEvent, SkipReason, SourceRef};
use crate::node::{Datum, Inputs, LoopKind, LoopSpec};
use crate::origin::Origins;
use crate::plan::{NodeIx, PlanNode, ScopeIx};

/// A scope that is open: the index in the plan and the epoch of the iteration.
pub(super) type IterationKey = (ScopeIx, Epoch);

/// A loop whose iterations run.
pub(super) struct LoopRun {
    body: ScopeIx,
    spec: LoopSpec,
    /// What is held for all iterations, by output of the border's begin.
    held: Vec<(PortName, Delivered)>,
    context: Option<Delivered>,
    items: Option<(Arc<Value>, Delivered)>,
    input: Option<Delivered>,
    /// The iteration with the greatest number that has ended, and its result.
    latest: Option<(u32, Option<Delivered>)>,
    /// The number of the next iteration.
    next: u32,
    /// The numbers of the open ones.
    open: BTreeSet<u32>,
    finished: u32,
    /// By iteration, where somebody uses the list.
    results: Option<Vec<Arc<Value>>>,
    /// Where the results come from.
    origins: Origins,
    /// By iteration for an item of a list, the activations that have written to contexts or to the memory.
    written: BTreeMap<u32, Vec<Activation>>,
    /// No further iteration opens.
    ends: bool,
    pub test: Option<Test>,
}

/// The condition is to be tested for the next iteration.
pub(super) struct Test {
    pub is_running: bool,
    pub attempt: u32,
}

/// How far a failure reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureReach {
    /// The run fails.
    Run,
    /// A loop ends, or one of its iterations.
    Loop {
        /// The loop.
        node: NodeIx,
        /// Its own epoch, or that of the iteration.
        epoch: Epoch,
    },
}

/// The ports of a loop, by the names that its node type gives them.
mod port {
    pub(super) const CONTEXT: &str = "context";
    pub(super) const ITEMS: &str = "items";
    pub(super) const INPUT: &str = "input";
    pub(super) const ITEM: &str = "item";
    pub(super) const INDEX: &str = "index";
    pub(super) const PREVIOUS: &str = "previous";
    pub(super) const RESULT: &str = "result";
    pub(super) const RESULTS: &str = "results";
    pub(super) const ITERATIONS: &str = "iterations";
}

impl LoopRun {
    fn new(opening: Opening, loop_node: &PlanNode, spec: LoopSpec, body: ScopeIx) -> Self {
        let Opening { epoch, inputs, sources, .. } = opening;
        let mut run = Self {
            body,
            spec,
            held: Vec::new(),
            context: None,
            items: None,
            input: None,
            latest: None,
            next: 0,
            open: BTreeSet::new(),
            finished: 0,
            results: None,
            origins: Origins::NONE,
            written: BTreeMap::new(),
            ends: false,
            test: None,
        };
        for (name, data) in inputs.iter() {
            let Some(datum) = data.last() else { continue };
            let given = || SourceRef { node: loop_node.id.clone(), epoch: epoch.clone(), port: name.clone() };
            let source = sources.get(name).and_then(|sources| sources.last().cloned()).unwrap_or_else(given);
            let delivered = Delivered { datum: datum.clone(), source };
            match name.as_str() {
                port::CONTEXT => run.context = Some(delivered),
                port::INPUT => run.input = Some(delivered),
                port::ITEMS => run.items = Some((Arc::clone(&datum.value), delivered)),
                _ => run.held.push((name.clone(), delivered)),
            }
        }
        run
    }

    /// What the first iteration starts from.
    pub fn input(&self) -> Option<&Datum> {
        self.input.as_ref().map(|input| &input.datum)
    }

    /// How many iterations there are, if that is known.
    fn count(&self) -> Option<u32> {
        match self.spec.kind {
            LoopKind::While { .. } => None,
            LoopKind::Times(times) => Some(times),
            LoopKind::ForEach { .. } => {
                let items = self.items.as_ref().and_then(|(items, _)| items.as_array());
                Some(u32::try_from(items.map_or(0, Vec::len)).unwrap_or(u32::MAX))
            }
        }
    }

    /// What the next iteration starts from. Iterations for items of a list do not build on each other.
    fn previous(&self) -> Option<&Delivered> {
        match &self.latest {
            Some((_, result)) if !self.spec.kind.is_for_each() => result.as_ref(),
            _ => self.input.as_ref(),
        }
    }

    /// The number of items from this one on, for a loop over a list.
    fn items_from(&self, index: u32) -> Option<u64> {
        let items = self.items.as_ref()?.0.as_array()?;
        Some((items.len() as u64).saturating_sub(index.into()))
    }

    /// Whether the next iteration starts from a result, which is null if nothing fed it.
    fn builds_on_results(&self) -> bool {
        self.latest.is_some() && !self.spec.kind.is_for_each()
    }

    fn concurrency(&self) -> usize {
        match self.spec.kind {
            LoopKind::ForEach { concurrency, .. } => concurrency as usize,
            _ => 1,
        }
    }

    fn continues_on_error(&self) -> bool {
        matches!(self.spec.kind, LoopKind::ForEach { continues_on_error: true, .. })
    }

    /// What the border gives to the nodes inside in an iteration.
    fn border_value(
        &self,
        loop_node: &PlanNode,
        epoch: &Epoch,
        index: u32,
        name: &PortName,
    ) -> Option<Delivered> {
        let own = |datum: Datum| Delivered {
            datum,
            source: SourceRef { node: loop_node.id.clone(), epoch: epoch.clone(), port: name.clone() },
        };
        match name.as_str() {
            port::INDEX => Some(own(Datum::from(json!(index)))),
            port::PREVIOUS => {
                let previous = self.previous().cloned();
                previous.or_else(|| self.builds_on_results().then(|| own(Datum::from(Value::Null))))
            }
            port::CONTEXT => self.context.clone(),
            port::ITEM => {
                let (items, list) = self.items.as_ref()?;
                let item = items.get(index as usize)?.clone();
                Some(own(Datum { value: Arc::new(item), message: None, origins: list.datum.origins.clone() }))
            }
            _ => self.held.iter().find(|(held, _)| held == name).map(|(_, value)| value.clone()),
        }
    }

    /// What the condition is about.
    fn test_inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        inputs.push(&port::INDEX.into(), Datum::from(json!(self.next)));
        for (name, value) in [(port::PREVIOUS, self.previous()), (port::INPUT, self.input.as_ref())] {
            if let Some(value) = value {
                inputs.push(&name.into(), value.datum.clone());
            }
        }
        inputs
    }
}

impl Scheduler {
    /// For an iteration of a loop that keeps several open at once: how many those are at most, and how many there are from this one on.
    pub fn parallel_iterations(&self, node: NodeIx, epoch: &Epoch) -> Option<(u64, u64)> {
        let run = self.loops.get(&(node, epoch.outer())).filter(|run| run.concurrency() > 1)?;
        Some((run.concurrency() as u64, run.items_from(*epoch.0.last()?)?))
    }

    /// Opens a loop whose inputs are decided.
    pub(super) fn open_loop(&mut self, opening: Opening, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.shared.plan);
        let (node, epoch) = (opening.node, opening.epoch.clone());
        let spec = &plan.nodes[node];
        let (Some(body), Some(repeats)) = (spec.body, spec.node.behavior().repeats.clone()) else { return };
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
            let error = Fault::new(ErrorCode::InputType, message)
                .hint("Check what feeds this input. A `json` node can select the list.");
            self.loops.insert((node, epoch.clone()), run);
            self.fail_loop(node, &epoch, &error, derived);
            return;
        }
        self.loops.insert((node, epoch.clone()), run);
        self.advance_loop(node, &epoch, derived);
    }

    /// Opens as many iterations of a loop as may be open now, or ends it.
    pub(super) fn advance_loop(&mut self, node: NodeIx, epoch: &Epoch, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.shared.plan);
        loop {
            let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
            if run.open.len() >= run.concurrency() || run.test.is_some() {
                return;
            }
            let is_over = run.ends || run.count().is_some_and(|count| run.next >= count);
            let is_exhausted = !is_over && run.next >= run.spec.max_iterations;
            if is_over || is_exhausted {
                if !run.open.is_empty() {
                    return;
                }
                if is_exhausted {
                    let last = epoch.child(run.next.saturating_sub(1));
                    derived.push(Event::Loop(
                        Activation { node: plan.nodes[node].id.clone(), epoch: last },
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
        let plan = Arc::clone(&self.shared.plan);
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
        let index = run.next;
        run.next += 1;
        run.open.insert(index);
        let inner = epoch.child(index);
        let loop_node = &plan.nodes[node];
        derived.push(Event::Loop(
            Activation { node: loop_node.id.clone(), epoch: inner.clone() },
            LoopEvent::IterationStarted,
        ));
        let mut scope = Scope::new(&plan, run.body, inner.clone());
        scope.open(&mut self.shared);
        if let Some(container) = plan.scopes[run.body].container {
            for &edge in &plan.nodes[container.begin].outgoing {
                let value = run.border_value(loop_node, &inner, index, &plan.edges[edge].port);
                scope.pass(&plan, edge, &inner, value);
            }
        }
        let key = (run.body, inner);
        self.iterations.insert(key.clone(), scope);
        self.work.push_back(key);
    }

    /// The condition of a loop was tested for its next iteration.
    pub(super) fn apply_test(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        outputs: &NodeOutputs,
        derived: &mut Vec<Event>,
    ) {
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return };
        run.test = None;
        let goes_on = outputs.get(crate::nodes::CONTINUE).is_some_and(|value| **value == Value::Bool(true));
        if goes_on {
            self.open_iteration(node, epoch, derived);
        } else {
            run.ends = true;
            self.advance_loop(node, epoch, derived);
        }
    }

    /// An iteration is over: its result counts.
    pub(super) fn end_iteration(&mut self, key: &IterationKey, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.shared.plan);
        let Some(mut scope) = self.iterations.remove(key) else { return };
        scope.skip_idle_followers(&plan, derived);
        let Some(container) = plan.scopes[key.0].container else { return };
        let IterationResult { next, exit } = scope.result;
        let exits = scope.ends_loop || exit.is_some_and(|exit| is_truthy(&exit.datum.value));
        let activation = Activation { node: plan.nodes[container.node].id.clone(), epoch: key.1.clone() };
        derived.push(Event::Loop(activation, LoopEvent::IterationFinished { error: None, exit: exits }));
        let (outer, index) = split(&key.1);
        if let Some(run) = self.loops.get_mut(&(container.node, outer.clone())) {
            run.take_result(index, next, exits);
            if run.spec.kind.is_for_each() {
                // In the order of the items, when the loop ends.
                run.written.insert(index, scope.written);
            } else {
                self.merge_written(container.node, &outer, scope.written, derived);
            }
        }
        if exits {
            self.stop_later_iterations((container.node, &outer), index, derived);
        }
        self.advance_loop(container.node, &outer, derived);
    }

    /// An iteration ended the loop: those for later items don't count, however far they have come. So the results do not depend on
    /// which is faster.
    fn stop_later_iterations(&mut self, at: (NodeIx, &Epoch), index: u32, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.shared.plan);
        let (node, epoch) = at;
        let (Some(run), Some(body)) = (self.loops.get_mut(&(node, epoch.clone())), plan.nodes[node].body)
        else {
            return;
        };
        let open = run.open.split_off(&(index + 1));
        let mut written: Vec<_> = run.written.split_off(&(index + 1)).into_values().flatten().collect();
        let stopped = ended_by(&plan.nodes[node].id);
        self.has_stopped |= !open.is_empty();
        for later in open {
            let inner = epoch.child(later);
            written.append(&mut self.close_scope(&(body, inner.clone()), at, &stopped, derived));
            derived.push(Event::Loop(
                Activation { node: plan.nodes[node].id.clone(), epoch: inner },
                LoopEvent::IterationFinished { error: Some(stopped.clone()), exit: false },
            ));
        }
        self.discard_written(node, epoch, written, derived);
    }

    /// What was written in iterations of a loop counts in the scope that the loop is in; in the flow itself, for good.
    fn merge_written(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        mut activations: Vec<Activation>,
        derived: &mut Vec<Event>,
    ) {
        if activations.is_empty() {
            return;
        }
        match self.shared.plan.iteration_of(node, epoch) {
            Some(key) => {
                if let Some(scope) = self.iterations.get_mut(&key) {
                    scope.written.append(&mut activations);
                }
            }
            None => derived
                .push(Event::Context(self.activation(node, epoch), ContextEvent::Merged { activations })),
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
        let plan = Arc::clone(&self.shared.plan);
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
        self.merge_written(node, epoch, run.written.into_values().flatten().collect(), derived);
        let metadata = FinishMetadata { origins: run.origins.clone(), ..FinishMetadata::default() };
        let Some(scope) = self.scope_of(node, epoch) else { return };
        let origins =
            scope.slot(node, epoch).map(|slot| slot.output_origins(&run.origins)).unwrap_or_default();
        self.take_results(node, &outputs, &origins);
        derived.push(Event::Node(
            Activation { node: plan.nodes[node].id.clone(), epoch: epoch.clone() },
            NodeEvent::Finished { outputs: outputs.clone(), messages: messages.clone(), metadata },
        ));
        self.close(node, epoch, &outputs, &messages, &origins);
        if self.shared.plan.target == Some(node) {
            self.reach_target(derived);
        }
    }

    /// How far a failure of this activation reaches, if it handles it not itself.
    pub fn failure_reach(&self, node: NodeIx, epoch: &Epoch, error: &Fault) -> FailureReach {
        let plan = &self.shared.plan;
        if is_limit_of_tree(&error.code) {
            return FailureReach::Run;
        }
        let is_test = plan.nodes[node].body.is_some() && self.is_test(node, epoch);
        let mut around = if is_test { Some((node, epoch.clone(), true)) } else { self.around(node, epoch) };
        while let Some((container, inner, is_test)) = around {
            let (outer, _) = split(&inner);
            let run = self.loops.get(&(container, outer.clone()));
            if !is_test && run.is_some_and(LoopRun::continues_on_error) {
                return FailureReach::Loop { node: container, epoch: inner };
            }
            if plan.nodes[container].handles_error {
                return FailureReach::Loop { node: container, epoch: outer };
            }
            around = self.around(container, &outer);
        }
        FailureReach::Run
    }

    /// The loop around an activation, and the epoch of its iteration.
    fn around(&self, node: NodeIx, epoch: &Epoch) -> Option<(NodeIx, Epoch, bool)> {
        let plan = &self.shared.plan;
        let (scope, inner) = plan.iteration_of(node, epoch)?;
        Some((plan.scopes[scope].container?.node, inner, false))
    }

    /// An activation in the body of a loop failed, and the failure reaches no further than a loop: the iteration ends, or the
    /// loop. `epoch` is the loop's own, or that of the iteration.
    pub(super) fn fail_within(
        &mut self,
        failed: (NodeIx, &Epoch),
        reach: (NodeIx, &Epoch),
        error: &Fault,
        derived: &mut Vec<Event>,
    ) {
        let plan = Arc::clone(&self.shared.plan);
        let (container, epoch) = reach;
        let is_iteration = !self.loops.contains_key(&(container, epoch.clone()));
        if !is_iteration {
            let written = self.close_iterations(container, epoch, failed, error, derived);
            self.discard_written(container, epoch, written, derived);
            self.loops.remove(&(container, epoch.clone()));
            self.fail_loop_node(container, epoch, error, derived);
            return;
        }
        let (outer, index) = split(epoch);
        let Some(body) = plan.nodes[container].body else { return };
        let stopped = stopped_by(&plan.nodes[failed.0].id);
        let written = self.close_scope(&(body, epoch.clone()), failed, &stopped, derived);
        self.discard_written(container, &outer, written, derived);
        let activation = Activation { node: plan.nodes[container].id.clone(), epoch: epoch.clone() };
        derived.push(Event::Loop(
            activation,
            LoopEvent::IterationFinished { error: Some(error.clone()), exit: false },
        ));
        let failed = Activation { node: plan.nodes[failed.0].id.clone(), epoch: failed.1.clone() };
        if let Some(run) = self.loops.get_mut(&(container, outer.clone())) {
            let outputs = error_outputs(&failed.node, error);
            let value =
                outputs.into_values().next().map(|error| json!({ "error": *error })).unwrap_or_default();
            let source =
                SourceRef { node: failed.node, epoch: failed.epoch, port: crate::port::ERROR_PORT.into() };
            run.take_result(index, Some(Delivered { datum: Datum::from(value), source }), false);
        }
        self.advance_loop(container, &outer, derived);
    }

    /// A loop fails by itself, before or between its iterations.
    pub(super) fn fail_loop(&mut self, node: NodeIx, epoch: &Epoch, error: &Fault, derived: &mut Vec<Event>) {
        if self.shared.plan.nodes[node].handles_error {
            self.fail_within((node, epoch), (node, epoch), error, derived);
            return;
        }
        match self.failure_reach(node, epoch, error) {
            FailureReach::Run => {
                self.loops.remove(&(node, epoch.clone()));
                derived.push(failed_event(&self.shared.plan.nodes[node], epoch, error, false));
                self.fail(node, epoch, error, derived);
            }
            FailureReach::Loop { node: container, epoch: reach } => {
                self.loops.remove(&(node, epoch.clone()));
                derived.push(failed_event(&self.shared.plan.nodes[node], epoch, error, false));
                self.fail_within((node, epoch), (container, &reach), error, derived);
            }
        }
    }

    /// The loop node has failed, and its `error` output takes it.
    fn fail_loop_node(&mut self, node: NodeIx, epoch: &Epoch, error: &Fault, derived: &mut Vec<Event>) {
        let plan = Arc::clone(&self.shared.plan);
        let Some(scope) = self.scope_of(node, epoch) else { return };
        let origins =
            scope.slot(node, epoch).map(|slot| slot.output_origins(&Origins::NONE)).unwrap_or_default();
        derived.push(failed_event(&plan.nodes[node], epoch, error, true));
        let outputs = error_outputs(&plan.nodes[node].id, error);
        self.close(node, epoch, &outputs, &BTreeMap::new(), &origins);
    }

    /// Closes all open iterations of a loop. They have failed, or are stopped because another one has. Returns the activations
    /// whose writes don't count.
    fn close_iterations(
        &mut self,
        node: NodeIx,
        epoch: &Epoch,
        failed: (NodeIx, &Epoch),
        error: &Fault,
        derived: &mut Vec<Event>,
    ) -> Vec<Activation> {
        let plan = Arc::clone(&self.shared.plan);
        let mut written = Vec::new();
        let Some(body) = plan.nodes[node].body else { return written };
        let Some(run) = self.loops.get_mut(&(node, epoch.clone())) else { return written };
        written.extend(std::mem::take(&mut run.written).into_values().flatten());
        let open = std::mem::take(&mut run.open);
        if run.test.take().is_some() {
            self.shared.counts.change(Some(Phase::Ready), None);
        }
        for index in open {
            let inner = epoch.child(index);
            let stopped = stopped_by(&plan.nodes[failed.0].id);
            written.append(&mut self.close_scope(&(body, inner.clone()), failed, &stopped, derived));
            derived.push(Event::Loop(
                Activation { node: plan.nodes[node].id.clone(), epoch: inner },
                LoopEvent::IterationFinished { error: Some(error.clone()), exit: false },
            ));
        }
        written
    }

    /// Closes everything that is open in an iteration, inner loops first. Returns the activations whose writes don't count.
    fn close_scope(
        &mut self,
        key: &IterationKey,
        failed: (NodeIx, &Epoch),
        stopped: &Fault,
        derived: &mut Vec<Event>,
    ) -> Vec<Activation> {
        let Some(mut scope) = self.iterations.remove(key) else { return Vec::new() };
        let mut written = std::mem::take(&mut scope.written);
        for (node, epoch) in scope.repeating() {
            written.append(&mut self.close_iterations(node, &epoch, failed, stopped, derived));
            self.loops.remove(&(node, epoch));
        }
        scope.close_all(&mut self.shared, Some(failed), SkipReason::LoopFailed, Some(stopped), derived);
        written
    }

    /// Closes all scopes inside of others, for a run that ends. The loops around them are closed with their scopes.
    pub(super) fn close_all_iterations(
        &mut self,
        but: Option<(NodeIx, &Epoch)>,
        reason: SkipReason,
        stopped: Option<&Fault>,
        derived: &mut Vec<Event>,
    ) {
        let mut keys: Vec<IterationKey> = self.iterations.keys().cloned().collect();
        // Inner ones first.
        keys.sort_by(|one, other| other.1.depth().cmp(&one.1.depth()).then_with(|| one.cmp(other)));
        for key in keys {
            if let Some(mut scope) = self.iterations.remove(&key) {
                scope.close_all(&mut self.shared, but, reason, stopped, derived);
            }
        }
        self.loops.clear();
        self.work.clear();
    }

    /// Whether this is the test of a loop's condition, and not the loop itself.
    pub(super) fn is_test(&self, node: NodeIx, epoch: &Epoch) -> bool {
        let spec = &self.shared.plan.nodes[node];
        spec.body.is_some() && epoch.depth() > self.shared.plan.scopes[spec.scope].depth + spec.clock.len()
    }

    /// The test of a loop's condition for its next iteration, if this is it.
    pub(super) fn test(&mut self, node: NodeIx, epoch: &Epoch) -> Option<&mut Test> {
        let (outer, index) = split(epoch);
        let run = self.loops.get_mut(&(node, outer))?;
        run.test.as_mut().filter(|_| run.next == index)
    }

    /// How to start a test.
    pub(super) fn test_start(&self, node: NodeIx, epoch: &Epoch) -> Option<Start> {
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
    pub(super) fn interrupted_tests(&self) -> Vec<Start> {
        let running =
            self.loops.iter().filter(|(_, run)| run.test.as_ref().is_some_and(|test| test.is_running));
        let mut keys: Vec<_> = running.map(|((node, epoch), run)| (*node, epoch.child(run.next))).collect();
        keys.sort();
        keys.into_iter().filter_map(|(node, epoch)| self.test_start(node, &epoch)).collect()
    }
}

impl LoopRun {
    fn take_result(&mut self, index: u32, next: Option<Delivered>, exits: bool) {
        self.open.remove(&index);
        self.finished += 1;
        self.ends |= exits;
        let null = || Arc::new(Value::Null);
        let value = next.as_ref().map_or_else(null, |next| Arc::clone(&next.datum.value));
        if let Some(next) = &next {
            self.origins.add(&next.datum.origins);
        }
        if let Some(results) = &mut self.results {
            let index = index as usize;
            if results.len() <= index {
                results.resize_with(index + 1, null);
            }
            results[index] = value;
        }
        if exits || self.latest.as_ref().is_none_or(|(latest, _)| *latest < index) {
            self.latest = Some((index, next));
        }
        if exits {
            // All before it have begun, and none after it counts.
            let open_before = self.open.range(..index).count();
            self.finished = index + 1 - u32::try_from(open_before).unwrap_or_default();
            if let Some(results) = &mut self.results {
                results.truncate(index as usize + 1);
            }
        }
    }
}

/// The epoch of a loop and the number of its iteration, from that of the iteration.
fn split(epoch: &Epoch) -> (Epoch, u32) {
    (epoch.prefix(epoch.depth().saturating_sub(1)), epoch.0.last().copied().unwrap_or_default())
}

fn failed_event(node: &PlanNode, epoch: &Epoch, error: &Fault, handled: bool) -> Event {
    Event::Node(
        Activation { node: node.id.clone(), epoch: epoch.clone() },
        NodeEvent::Failed { error: error.clone(), handled, origins: Origins::NONE },
    )
}
