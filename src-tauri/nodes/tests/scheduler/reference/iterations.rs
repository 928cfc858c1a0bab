//! A loop: its body is interpreted once for each iteration, one after the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use plait_core::Value;
use plait_core::id::{Activation, Epoch, PortName};
use plait_journal::SourceRef;
use serde_json::json;

use super::context_history::OuterContexts;
use super::graph::Place;
use super::interpreter::{Around, Interpreter};
use super::outcome::{self, Outcome, Write};
use super::repetition::{self, Kind, Repetition};
use super::scope_run::ScopeRun;
use crate::journal_summary::{ActivationRecord, Final, with_one_entrance};
use crate::nodes::semantics::Values;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationEnd {
    Succeeded,
    Failed,
    /// It waits.
    Open,
    /// The loop ended without it. Whether it has begun before depends on timing.
    Stopped,
}

/// The iterations of a loop, in one of its activations.
#[derive(Debug, Default)]
pub struct LoopRun {
    pub iterations: Vec<(Activation, ScopeRun, IterationEnd)>,
    /// The tests of the condition.
    pub tests: BTreeMap<Activation, ActivationRecord>,
    pub exhausted: Option<Activation>,
    /// Any of these has failed the loop, and it handles none.
    pub failures: Vec<(Activation, Value)>,
}

impl LoopRun {
    /// Whether a pause was asked in an iteration.
    pub fn asks(&self) -> bool {
        self.iterations.iter().any(|(_, run, _)| run.asks)
    }
}

/// What an iteration comes to.
struct Iteration {
    end: IterationEnd,
    next: Option<(Value, SourceRef)>,
    exits: bool,
    writes: Vec<Write>,
    failures: Vec<(Activation, Value)>,
}

/// A loop that runs.
struct Repeating<'r> {
    node: Place,
    repetition: &'r Repetition,
    at: Activation,
    values: &'r Values,
    sources: BTreeMap<PortName, Vec<SourceRef>>,
    /// The contexts at its beginning.
    contexts: Vec<OuterContexts>,
    /// The workflow's memory at its beginning.
    memory: Vec<String>,
    /// Whether something takes a failure of the loop: its `error` output, or something around it.
    takes_failures: bool,
    run: LoopRun,
    results: Vec<Value>,
    writes: Vec<Write>,
}

/// How a loop ended.
enum End {
    Finished,
    Failed(Vec<(Activation, Value)>),
    Open,
}

impl Interpreter<'_> {
    /// Runs a loop.
    pub fn repeat(
        &mut self,
        node: Place,
        epoch: &Epoch,
        repetition: &Repetition,
        values: &Values,
        sources: BTreeMap<PortName, Vec<SourceRef>>,
        memory: Vec<String>,
    ) -> Outcome {
        let at = self.activation(node, epoch);
        let contexts = self.contexts_for(node, epoch);
        let mut record = ActivationRecord {
            ready: Some(with_one_entrance(&sources, "entrance ")),
            attempts: 1,
            ..ActivationRecord::default()
        };
        let handled = self.flow.graph.handles_errors_of(node);
        let mut this = Repeating {
            node,
            repetition,
            at: at.clone(),
            values,
            sources,
            contexts,
            memory,
            takes_failures: handled || self.around.takes_failures,
            run: LoopRun::default(),
            results: Vec::new(),
            writes: Vec::new(),
        };
        let end =
            if repetition.is_for_each() { self.for_each(&mut this) } else { self.one_by_one(&mut this) };
        let outcome = match end {
            // The iterations that have succeeded count already.
            End::Open => Outcome::Open { record, writes: this.writes },
            End::Failed(failures) => {
                if handled && failures.len() > 1 {
                    self.common.is_ambiguous.set(true);
                }
                let mut error = failures[0].1.clone();
                if handled {
                    error["node"] = json!(at.node);
                }
                let code = error["code"].as_str().unwrap().to_owned();
                // The reference does not know what the engine says of this.
                if handled && code == "switch.condition" {
                    self.common.is_ambiguous.set(true);
                }
                record.end = Some(Final::Failed { code, handled });
                if !handled {
                    this.run.failures = failures;
                }
                Outcome::Failed { record, writes: this.writes, error, handled }
            }
            End::Finished => {
                let flow = self.flow;
                let mut wires = flow.graph.wires.iter().chain(&flow.graph.results);
                let collects = wires.any(|wire| wire.source == node && wire.output.as_str() == "results")
                    || flow.is_result(node);
                let outputs = this.outputs(collects);
                this.writes
                    .extend(flow.is_result(node).then(|| Write::Result(at.node.clone(), outputs.clone())));
                record.end = Some(Final::Finished(outputs.clone()));
                Outcome::Finished { record, outputs, makes: None, writes: this.writes }
            }
        };
        self.loops.insert((node, epoch.clone()), this.run);
        outcome
    }

    /// `while` and `times`: each iteration starts from what the one before it has left.
    fn one_by_one(&mut self, this: &mut Repeating) -> End {
        let mut previous = this.given("input").map(|value| (value, this.source("input")));
        for index in 0.. {
            // There is no iteration to test the condition for.
            if index == this.repetition.max_iterations && this.repetition.kind == Kind::While {
                this.run.exhausted = Some(this.iteration(index - 1));
                return End::Finished;
            }
            let goes_on = match this.repetition.kind {
                Kind::Times => index < this.repetition.times,
                _ => match this.test(index, previous.as_ref()) {
                    Ok(goes_on) => goes_on,
                    Err(failure) => return End::Failed(vec![failure]),
                },
            };
            if !goes_on {
                return End::Finished;
            }
            if index == this.repetition.max_iterations {
                this.run.exhausted = Some(this.iteration(index - 1));
                return End::Finished;
            }
            if self.is_too_long() {
                return End::Open;
            }
            let iteration = self.run_iteration(this, index, previous.take(), None);
            match iteration.end {
                IterationEnd::Failed => return End::Failed(iteration.failures),
                IterationEnd::Open => return End::Open,
                _ => {}
            }
            this.writes.extend(iteration.writes);
            let next = iteration.next.unwrap_or_else(|| {
                let after = this.iteration(index + 1);
                (Value::Null, SourceRef { node: after.node, epoch: after.epoch, port: "previous".into() })
            });
            this.results.push(next.0.clone());
            previous = Some(next);
            if iteration.exits {
                return End::Finished;
            }
        }
        unreachable!("there is always a bound")
    }

    /// `forEach`: every iteration starts from the contexts at the beginning, and what they add counts in the order of the items.
    fn for_each(&mut self, this: &mut Repeating) -> End {
        let Some(Value::Array(items)) = this.values["items"].last().cloned() else {
            let message = format!("`items` of the loop `{}` must be a list.", this.at.node);
            let error =
                json!({ "code": "input.type", "message": message, "node": this.at.node, "details": null });
            return End::Failed(vec![(this.at.clone(), error)]);
        };
        let (stops_on_error, concurrency) =
            (!this.repetition.continues_on_error, this.repetition.concurrency);
        let mut failures = Vec::new();
        let (mut open, mut exits) = (0, false);
        for (index, item) in (0..).zip(&items) {
            // No item after the one that ends the loop counts. Where something takes its failure, that is also the first that
            // fails.
            let is_over = exits || this.takes_failures && !failures.is_empty();
            if index == this.repetition.max_iterations {
                let goes_on = !is_over && failures.is_empty() && open == 0;
                this.run.exhausted = goes_on.then(|| this.iteration(index - 1));
                break;
            }
            let has_ended = is_over || !failures.is_empty();
            if open == concurrency || has_ended && concurrency == 1 || self.is_too_long() {
                break;
            }
            // There is no order among iterations, so none has a result before it.
            let input = this.given("input").map(|value| (value, this.source("input")));
            let iteration = self.run_iteration(this, index, input, Some(item));
            if is_over {
                // It may have begun before the loop was over.
                this.run.iterations.last_mut().unwrap().2 = IterationEnd::Stopped;
                if !iteration.failures.is_empty() && stops_on_error && !this.takes_failures {
                    // Whether it fails the run before it is stopped depends on timing.
                    self.common.is_ambiguous.set(true);
                }
                continue;
            }
            match iteration.end {
                IterationEnd::Open => open += 1,
                IterationEnd::Failed if stops_on_error => failures.extend(iteration.failures),
                IterationEnd::Failed => {
                    let code = &iteration.failures[0].1["code"];
                    if iteration.failures.len() > 1 || code == "switch.condition" {
                        self.common.is_ambiguous.set(true);
                    }
                    this.results.push(json!({ "error": iteration.failures[0].1 }));
                }
                IterationEnd::Stopped => {}
                IterationEnd::Succeeded => {
                    this.writes.extend(iteration.writes);
                    this.results.push(iteration.next.map_or(Value::Null, |(value, _)| value));
                    exits = iteration.exits;
                }
            }
        }
        if failures.is_empty() && open == 0 {
            return End::Finished;
        }
        // It has not ended, so nothing is merged.
        this.writes.clear();
        if failures.is_empty() || this.takes_failures && open > 0 {
            return End::Open;
        }
        if !this.takes_failures {
            // Any of the failures fails the run at once.
            for (_, _, end) in &mut this.run.iterations {
                *end = IterationEnd::Stopped;
            }
        }
        End::Failed(failures)
    }

    fn run_iteration(
        &mut self,
        this: &mut Repeating,
        index: u32,
        previous: Option<(Value, SourceRef)>,
        item: Option<&Value>,
    ) -> Iteration {
        let flow = self.flow;
        let at = this.iteration(index);
        let mut gives = BTreeMap::new();
        for port in &flow.graph.nodes[this.node].inputs {
            let name = port.name.as_str();
            if let Some(value) = this.given(name).filter(|_| !matches!(name, "input" | "items")) {
                gives.insert(port.name.clone(), (value, this.source(name)));
            }
        }
        let own =
            |port: &str| SourceRef { node: at.node.clone(), epoch: at.epoch.clone(), port: port.into() };
        gives.insert("index".into(), (json!(index), own("index")));
        gives.extend(item.map(|item| ("item".into(), (item.clone(), own("item")))));
        gives.extend(previous.map(|previous| ("previous".into(), previous)));
        let (mut contexts, mut memory) = (this.contexts.clone(), this.memory.clone());
        if !this.repetition.is_for_each() {
            memory.extend(this.writes.iter().filter_map(Write::to_memory).cloned());
            for outer in &mut contexts {
                for place in outer.made.values_mut().flatten() {
                    if let outcome::Place::In(id, history) = place {
                        let added = this.writes.iter().filter_map(|write| write.to_context(id));
                        history.extend(added.flatten().cloned());
                    }
                }
            }
        }
        let takes_failures = this.takes_failures || this.repetition.continues_on_error;
        let around = Around { epoch: at.epoch.clone(), gives, contexts, memory, takes_failures };
        let body = &flow.bodies[&this.node];
        let mut inside = Interpreter::new(body, self.overrides, self.script, around, Rc::clone(&self.common));
        let run = ScopeRun::of(&mut inside);
        let end = match (run.failures.is_empty(), run.is_over()) {
            (false, _) => IterationEnd::Failed,
            (true, false) => IterationEnd::Open,
            (true, true) => IterationEnd::Succeeded,
        };
        let mut result = |port: &str| -> Option<(Value, SourceRef)> {
            let mut wires: Vec<_> =
                body.graph.results.iter().filter(|wire| wire.input.as_str() == port).collect();
            wires.sort_by_key(|wire| (body.rank(wire.source), wire.origin, &wire.edges));
            let live =
                wires.into_iter().flat_map(|wire| inside.last_live(wire, &Epoch::root()).unwrap_or_default());
            live.last()
        };
        let is_over = end == IterationEnd::Succeeded;
        let (next, exit) = if is_over { (result("next"), result("exit")) } else { (None, None) };
        // Ending a question in a loop ends the loop.
        let exits = run.ends_loop || exit.is_some_and(|(value, _)| repetition::ends(&value));
        let iteration =
            Iteration { end, next, exits, writes: run.writes.clone(), failures: run.failures.clone() };
        this.run.iterations.push((at, run, end));
        iteration
    }
}

impl Repeating<'_> {
    fn iteration(&self, index: u32) -> Activation {
        Activation { node: self.at.node.clone(), epoch: self.at.epoch.child(index) }
    }

    fn given(&self, port: &str) -> Option<Value> {
        self.values.get(port)?.last().cloned()
    }

    /// Where the value on an input comes from.
    fn source(&self, port: &str) -> SourceRef {
        let from = self.sources.get(port).and_then(|sources| sources.last());
        let itself =
            || SourceRef { node: self.at.node.clone(), epoch: self.at.epoch.clone(), port: port.into() };
        from.cloned().unwrap_or_else(itself)
    }

    /// Tests the condition. The error is why that fails.
    fn test(
        &mut self,
        index: u32,
        previous: Option<&(Value, SourceRef)>,
    ) -> Result<bool, (Activation, Value)> {
        let Some(condition) = &self.repetition.condition else { return Ok(true) };
        let previous = previous.map_or(Value::Null, |(value, _)| value.clone());
        let input = self.given("input").unwrap_or_default();
        let holds = repetition::holds(condition, index, &previous, &input);
        let at = self.iteration(index);
        let mut record = ActivationRecord { attempts: 1, ..ActivationRecord::default() };
        let result = if let Some(holds) = holds {
            record.end = Some(Final::Finished(BTreeMap::from([("continue".into(), holds.into())])));
            Ok(holds)
        } else {
            let code = "switch.condition".to_owned();
            record.end = Some(Final::Failed { code: code.clone(), handled: false });
            Err((self.at.clone(), json!({ "code": code, "node": at.node })))
        };
        self.run.tests.insert(at, record);
        result
    }

    /// Its outputs. A list of all results takes room with each iteration, so it is there only if something gets it.
    fn outputs(&self, collects: bool) -> BTreeMap<PortName, Value> {
        let mut outputs = BTreeMap::new();
        let count = self.results.len();
        let result = self.results.last().cloned().or_else(|| self.given("input")).unwrap_or_default();
        if let Some(mut handle) = self.given("context") {
            if handle.is_object() {
                handle["currentOutput"] = result.clone();
            }
            outputs.insert("context".into(), handle);
        }
        outputs.insert("result".into(), result);
        if collects {
            outputs.insert("results".into(), self.results.clone().into());
        }
        outputs.insert("iterations".into(), count.into());
        outputs
    }
}
