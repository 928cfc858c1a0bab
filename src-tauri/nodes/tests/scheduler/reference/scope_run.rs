//! What becomes of all activations of a scope: of a flow, or of the body of a loop in one iteration.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::Value;
use plait_core::id::{Activation, ContextId, Epoch};
use plait_journal::SkipReason;

use super::graph::Place;
use super::interpreter::Interpreter;
use super::iterations::IterationEnd;
use super::outcome::{Outcome, Target, Write};
use crate::journal_summary::{ActivationRecord, Final, History};
use crate::nodes::semantics;

#[derive(Debug, Default)]
pub struct ScopeRun {
    /// Every activation with a certain outcome, those in iterations of loops among them.
    pub activations: BTreeMap<Activation, ActivationRecord>,
    /// Those in iterations that failed or were stopped: each may have been stopped before it had this outcome.
    pub in_part: BTreeMap<Activation, ActivationRecord>,
    /// The iterations that failed or were stopped, or that may have begun before their loop failed.
    pub broken: BTreeSet<Activation>,
    pub passed_over: BTreeSet<Activation>,
    /// The contexts that it made.
    pub contexts: BTreeMap<ContextId, History>,
    /// What it leaves to the scopes around it, in order.
    pub writes: Vec<Write>,
    pub calls: BTreeMap<Activation, u32>,
    /// The failures that are not handled, with what their errors say.
    pub failures: Vec<(Activation, Value)>,
    pub waiting: Vec<Activation>,
    pub undecided: usize,
    /// The epochs of cycles that open after the first.
    pub epochs: BTreeSet<Activation>,
    pub exhausted: BTreeSet<Activation>,
    /// The iterations of loops, and whether each succeeded. Nothing while it is open.
    pub iterations: BTreeMap<Activation, Option<bool>>,
    pub hit_unattended_bound: bool,
    pub contradiction: Option<Activation>,
    pub asks: bool,
    /// Whether a person ended a question of a node directly in this scope, or a node there ends the loop.
    pub ends_loop: bool,
}

impl ScopeRun {
    pub fn of(interpreter: &mut Interpreter) -> Self {
        let flow = interpreter.flow;
        let mut run = Self::default();
        let mut turns: BTreeMap<Target, Vec<_>> = BTreeMap::new();
        let mut idle = Vec::new();
        for &node in flow.places.iter().filter(|&&node| !flow.graph.is_border(node)) {
            let (epochs, _) = interpreter.epochs(node, &Epoch::root());
            let mut has_run = false;
            for epoch in &epochs {
                let outcome = interpreter.outcome(node, epoch);
                for write in outcome.writes() {
                    turns.entry(write.target()).or_default().push(((node, epoch.clone()), write.clone()));
                }
                has_run |= run.take(interpreter, node, epoch, &outcome);
            }
            if flow.clocks.follows(node) && !has_run {
                idle.extend(epochs.last().map(|epoch| interpreter.activation(node, epoch)));
            }
        }
        // Only values for the same place have an order: nodes that share nothing may follow cycles with unordered
        // epochs.
        for turns in turns.values_mut() {
            turns.sort_by(|(one, _), (other, _)| interpreter.precedence(one, other));
        }
        for (_, write) in turns.into_values().flatten() {
            match &write {
                Write::Messages(context, added) if run.contexts.contains_key(context) => {
                    run.contexts.entry(context.clone()).or_default().extend(added.clone());
                }
                _ => run.writes.push(write),
            }
        }
        if run.is_over() && run.failures.is_empty() {
            // A follower that never ran is skipped once, at the end.
            run.activations.extend(idle.into_iter().map(|at| (at, skipped())));
        }
        for ((cycle, outer), known) in &interpreter.iterations {
            let cycle = &flow.nesting.cycles[*cycle];
            let at = |counter: u32| interpreter.activation(cycle.entry, &outer.child(counter));
            run.epochs.extend((1..known.count).map(at));
            run.exhausted.extend(known.exhausted.then(|| at(known.count - 1)));
            run.hit_unattended_bound |= known.exhausted && cycle.bound.is_none();
        }
        run.contradiction = run.contradiction.take().or_else(|| interpreter.contradiction.clone());
        run
    }

    /// Whether nothing in it waits.
    pub fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.undecided == 0
    }

    /// Takes an activation in. Returns whether it ran.
    fn take(&mut self, interpreter: &mut Interpreter, node: Place, epoch: &Epoch, outcome: &Outcome) -> bool {
        let flow = interpreter.flow;
        let it = &flow.graph.nodes[node];
        let at = interpreter.activation(node, epoch);
        if let Some(repeated) = interpreter.loops.remove(&(node, epoch.clone())) {
            self.asks |= repeated.asks();
            self.failures.extend(repeated.failures);
            self.activations.extend(repeated.tests);
            self.exhausted.extend(repeated.exhausted);
            for (iteration, run, end) in repeated.iterations {
                let is_broken = matches!(end, IterationEnd::Failed | IterationEnd::Stopped);
                if is_broken && run.asks && interpreter.common.has_unbounded_cycle.get() {
                    // Whether somebody is asked before it fails depends on timing.
                    interpreter.common.is_ambiguous.set(true);
                }
                self.take_iteration(iteration, run, end);
            }
        }
        let record = match outcome {
            Outcome::Skipped if flow.clocks.follows(node) => {
                self.passed_over.insert(at);
                return false;
            }
            Outcome::Skipped => skipped(),
            Outcome::Finished { record, makes, outputs, .. } => {
                self.ends_loop |= it.kind == "ask" && outputs.is_empty();
                self.ends_loop |= it.kind == "finish" && semantics::finishes(&it.settings, &at);
                self.contexts.extend(makes.clone().map(|id| (id, History::new())));
                record.clone()
            }
            Outcome::Failed { record, handled, error, .. } => {
                if !handled && it.repetition.is_none() {
                    self.failures.push((at.clone(), error.clone()));
                }
                record.clone()
            }
            Outcome::Waits(record) => {
                self.waiting.push(at.clone());
                record.clone()
            }
            Outcome::Open { record, .. } => record.clone(),
            Outcome::Undecided => {
                self.undecided += 1;
                return false;
            }
        };
        self.asks |= record.pauses > 0;
        let has_run = record.attempts > 0 || it.repetition.is_some() && record.ready.is_some();
        if it.kind == "effect" && has_run {
            self.calls.insert(at.clone(), it.settings.steps);
        }
        self.activations.insert(at, record);
        has_run
    }

    fn take_iteration(&mut self, at: Activation, run: Self, end: IterationEnd) {
        self.in_part.extend(run.in_part);
        self.broken.extend(run.broken);
        self.passed_over.extend(run.passed_over);
        self.contradiction = self.contradiction.take().or(run.contradiction);
        self.hit_unattended_bound |= run.hit_unattended_bound;
        match end {
            IterationEnd::Succeeded | IterationEnd::Open => {
                self.iterations.insert(at, (end == IterationEnd::Succeeded).then_some(true));
                if end == IterationEnd::Open {
                    self.waiting.extend(run.waiting);
                    self.undecided += run.undecided;
                }
                self.activations.extend(run.activations);
                self.calls.extend(run.calls);
                self.epochs.extend(run.epochs);
                self.exhausted.extend(run.exhausted);
                self.iterations.extend(run.iterations);
            }
            IterationEnd::Failed | IterationEnd::Stopped => {
                if end == IterationEnd::Failed {
                    self.iterations.insert(at.clone(), Some(false));
                }
                self.broken.insert(at);
                self.in_part.extend(run.activations);
            }
        }
    }
}

fn skipped() -> ActivationRecord {
    ActivationRecord { end: Some(Final::Skipped(SkipReason::DeadInput)), ..ActivationRecord::default() }
}
