//! Computes the outcome of an activation from the outcomes of the activations before it, on demand.
//!
//! There is no queue and no state: each rule is a function that asks the others. What was computed is remembered, because
//! naive is one thing and exponential another.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use plait_core::Value;
use plait_core::id::{Activation, Epoch, PortName};
use plait_core::port::InputPort;
use plait_journal::SourceRef;

use super::context_history::OuterContexts;
use super::contexts::Reach;
use super::graph::{Place, Wire};
use super::iterations::LoopRun;
use super::outcome::{Outcome, Start};
use super::{FlowAnalysis, InputOverrides, outcome};
use crate::nodes::semantics::{Script, Values};

/// After this many unattended epochs in a row, a cycle without a bound of its own ends.
const DEFAULT_MAX_UNATTENDED_EPOCHS: u32 = 100;

/// A flow with more activations takes the reference too long.
const MAX_ACTIVATIONS: usize = 1_500;

/// The epochs of a cycle, within one epoch of the cycles around it.
#[derive(Clone, Copy, Debug)]
pub struct Iterations {
    /// How many have opened.
    pub count: u32,
    /// Whether the last of them has ended, and the cycle with it.
    pub ended: bool,
    /// Whether a bound ended it.
    pub exhausted: bool,
}

/// What arrives at an input: the live values with their sources. Nothing if it is not decided yet.
type Arrived = Option<Vec<(Value, SourceRef)>>;

/// What the interpreters of a run have in common.
#[derive(Debug, Default)]
pub struct Common {
    /// How many activations have an outcome.
    pub activations: Cell<usize>,
    pub is_too_long: Cell<bool>,
    /// Whether a cycle may end because nobody is asked for too long.
    pub has_unbounded_cycle: Cell<bool>,
    /// Whether the run goes on after a failure that may be one of several: which one it is depends on timing.
    pub is_ambiguous: Cell<bool>,
}

/// The surroundings of a running scope: nothing around a flow, and an iteration around the body of a loop.
#[derive(Clone, Debug, Default)]
pub struct Around {
    pub epoch: Epoch,
    /// What the border gives to the body.
    pub gives: BTreeMap<PortName, (Value, SourceRef)>,
    /// The contexts of the scopes around it, as the iteration sees them.
    pub contexts: Vec<OuterContexts>,
    /// The workflow's memory, as the iteration sees it.
    pub memory: Vec<String>,
    /// Whether something around the scope takes a failure in it, so that the run goes on.
    pub takes_failures: bool,
}

pub struct Interpreter<'a> {
    pub flow: &'a FlowAnalysis,
    pub overrides: &'a InputOverrides,
    pub script: Script,
    pub around: Around,
    pub common: Rc<Common>,
    /// The contexts that each node can work in.
    pub reach: Vec<Reach>,
    /// Nothing while it is being computed.
    outcomes: BTreeMap<(Place, Epoch), Option<Rc<Outcome>>>,
    pub iterations: BTreeMap<(usize, Epoch), Iterations>,
    pub loops: BTreeMap<(Place, Epoch), LoopRun>,
    /// An activation that must come before itself, if there is one: then the rules contradict each other.
    pub contradiction: Option<Activation>,
}

impl<'a> Interpreter<'a> {
    pub fn new(
        flow: &'a FlowAnalysis,
        overrides: &'a InputOverrides,
        script: Script,
        around: Around,
        common: Rc<Common>,
    ) -> Self {
        Self {
            flow,
            overrides,
            script,
            around,
            common,
            reach: flow.graph.places().map(|node| flow.reach(overrides, node)).collect(),
            outcomes: BTreeMap::new(),
            iterations: BTreeMap::new(),
            loops: BTreeMap::new(),
            contradiction: None,
        }
    }

    /// An epoch of the scope, in the run as a whole.
    pub fn absolute(&self, epoch: &Epoch) -> Epoch {
        Epoch(self.around.epoch.0.iter().chain(&epoch.0).copied().collect())
    }

    pub fn activation(&self, node: Place, epoch: &Epoch) -> Activation {
        Activation { node: self.flow.graph.nodes[node].id.clone(), epoch: self.absolute(epoch) }
    }

    /// How an activation is called in this scope.
    pub fn name_in_scope(&self, node: Place, epoch: &Epoch) -> String {
        Activation { node: self.flow.graph.nodes[node].id.clone(), epoch: epoch.clone() }.to_string()
    }

    // ---- Epochs ------------------------------------------------------------------------------------------------------

    /// All epochs of a node that `prefix` encloses, in order, and whether these are all there will be.
    pub fn epochs(&mut self, node: Place, prefix: &Epoch) -> (Vec<Epoch>, bool) {
        let clock = &self.flow.clocks[node];
        if prefix.depth() == clock.len() {
            return (vec![prefix.clone()], true);
        }
        let Iterations { count, mut ended, .. } = self.iterations(clock[prefix.depth()], prefix);
        let mut all = Vec::new();
        for counter in 0..count {
            let (inner, inner_ended) = self.epochs(node, &prefix.child(counter));
            all.extend(inner);
            ended &= inner_ended;
        }
        (all, ended)
    }

    /// When all back edges of a cycle have resolved in an epoch and at least one is live, the next one opens. If all are
    /// dead, or a bound is reached, the cycle has ended.
    fn iterations(&mut self, cycle: usize, outer: &Epoch) -> Iterations {
        if let Some(known) = self.iterations.get(&(cycle, outer.clone())) {
            return *known;
        }
        let mut unattended = 0;
        let mut count = 0;
        let iterations = loop {
            let epoch = outer.child(count);
            count += 1;
            let Some(continues) = self.continues(cycle, &epoch) else {
                break Iterations { count, ended: false, exhausted: false };
            };
            if !continues {
                break Iterations { count, ended: true, exhausted: false };
            }
            unattended = if self.is_attended(cycle, &epoch) { 0 } else { unattended + 1 };
            let is_last = match self.flow.nesting.cycles[cycle].bound {
                Some(bound) => count == bound,
                None => {
                    unattended == self.flow.max_unattended_epochs.unwrap_or(DEFAULT_MAX_UNATTENDED_EPOCHS)
                }
            };
            if is_last {
                break Iterations { count, ended: true, exhausted: true };
            }
            if self.is_too_long() {
                break Iterations { count, ended: true, exhausted: false };
            }
        };
        self.iterations.insert((cycle, outer.clone()), iterations);
        iterations
    }

    pub fn is_too_long(&self) -> bool {
        if self.common.activations.get() > MAX_ACTIVATIONS {
            self.common.is_too_long.set(true);
        }
        self.common.is_too_long.get()
    }

    /// Whether a back edge is live at the end of an epoch. Nothing if that is not decided.
    fn continues(&mut self, cycle: usize, epoch: &Epoch) -> Option<bool> {
        let flow = self.flow;
        let mut continues = false;
        for wire in &flow.nesting.cycles[cycle].back {
            continues |= !self.last_live(wire, epoch)?.is_empty();
        }
        Some(continues)
    }

    /// Whether a pause was really asked in an epoch of a cycle.
    fn is_attended(&mut self, cycle: usize, epoch: &Epoch) -> bool {
        let flow = self.flow;
        flow.nesting.cycles[cycle].members.iter().any(|&node| {
            let (epochs, _) = self.epochs(node, epoch);
            epochs.iter().any(|epoch| {
                let asks = self.outcome(node, epoch).pauses() > 0;
                asks || self.loops.get(&(node, epoch.clone())).is_some_and(LoopRun::asks)
            })
        })
    }

    /// Which of two activations comes first where it matters: the one in the earlier epoch of the cycles that both count,
    /// and in the same epoch the first in plan order.
    pub fn precedence(&self, one: &(Place, Epoch), other: &(Place, Epoch)) -> Ordering {
        let level = self.flow.clocks.level(one.0, other.0);
        let by_epoch = one.1.prefix(level).cmp(&other.1.prefix(level));
        by_epoch.then(self.flow.rank(one.0).cmp(&self.flow.rank(other.0))).then_with(|| one.1.cmp(&other.1))
    }

    /// The epochs of `node` that come before the activation of `other` in `epoch`, and whether these are all there will be.
    pub fn epochs_before(&mut self, node: Place, other: Place, epoch: &Epoch) -> (Vec<Epoch>, bool) {
        let level = self.flow.clocks.level(node, other);
        let (mut all, mut are_all) = (Vec::new(), true);
        for depth in 0..level {
            for counter in 0..epoch.0[depth] {
                let (epochs, ended) = self.epochs(node, &epoch.prefix(depth).child(counter));
                all.extend(epochs);
                are_all &= ended;
            }
        }
        if self.flow.rank(node) < self.flow.rank(other) {
            let (epochs, ended) = self.epochs(node, &epoch.prefix(level));
            all.extend(epochs);
            are_all &= ended;
        }
        (all, are_all)
    }

    // ---- Inputs ------------------------------------------------------------------------------------------------------

    /// What a wire brings from the epochs that `prefix` encloses: to everything else a cycle is a single step, done when it
    /// has ended, and its last live value counts.
    pub fn last_live(&mut self, wire: &Wire, prefix: &Epoch) -> Arrived {
        if self.flow.graph.is_border(wire.source) {
            return Some(self.around.gives.get(&wire.output).cloned().into_iter().collect());
        }
        let (epochs, ended) = self.epochs(wire.source, prefix);
        if !ended {
            return None;
        }
        let mut last = None;
        for epoch in epochs {
            let outcome = self.outcome(wire.source, &epoch);
            if !outcome.is_decided() {
                return None;
            }
            if let Some(value) = outcome.output(&wire.output) {
                let Activation { node, epoch } = self.activation(wire.source, &epoch);
                last = Some((value.clone(), SourceRef { node, epoch, port: wire.output.clone() }));
            }
        }
        Some(last.into_iter().collect())
    }

    /// What arrives at an input in an epoch. A port fed both from outside and by a back edge takes the back edge's value,
    /// else the held one.
    fn arrived(&mut self, node: Place, port: &InputPort, epoch: &Epoch) -> Arrived {
        let flow = self.flow;
        let wires = flow.wires_into(node, &port.name);
        let (back, forward): (Vec<&Wire>, Vec<&Wire>) =
            wires.into_iter().partition(|wire| flow.nesting.is_back(wire));
        let mut live = Vec::new();
        if let Some(before) = epoch.0.last().and_then(|counter| counter.checked_sub(1)) {
            let before = epoch.prefix(epoch.depth() - 1).child(before);
            for wire in back {
                live.extend(self.last_live(wire, &before)?);
            }
        }
        if live.is_empty() {
            for wire in forward {
                let level = flow.clocks.level(wire.source, node);
                live.extend(self.last_live(wire, &epoch.prefix(level))?);
            }
        }
        if !port.many && live.len() > 1 {
            live.drain(..live.len() - 1);
        }
        Some(live)
    }

    /// Whether an edge can feed an input in an epoch: back edges can't in the first one.
    fn is_fed(&self, node: Place, port: &InputPort, epoch: &Epoch) -> bool {
        let is_first = epoch.0.last().is_none_or(|&counter| counter == 0);
        let wires = self.flow.wires_into(node, &port.name);
        wires.iter().any(|wire| !is_first || !self.flow.nesting.is_back(wire))
    }

    // ---- Activations -------------------------------------------------------------------------------------------------

    pub fn outcome(&mut self, node: Place, epoch: &Epoch) -> Rc<Outcome> {
        let key = (node, epoch.clone());
        match self.outcomes.get(&key) {
            Some(Some(outcome)) => return Rc::clone(outcome),
            Some(None) => {
                self.contradiction = Some(self.activation(node, epoch));
                return Rc::new(Outcome::Undecided);
            }
            None => {}
        }
        self.outcomes.insert(key.clone(), None);
        self.common.activations.set(self.common.activations.get() + 1);
        let outcome = Rc::new(self.decide(node, epoch).unwrap_or(Outcome::Undecided));
        self.outcomes.insert(key, Some(Rc::clone(&outcome)));
        outcome
    }

    /// Nothing if something before it is not decided.
    fn decide(&mut self, node: Place, epoch: &Epoch) -> Option<Outcome> {
        let flow = self.flow;
        if flow.clocks.follows(node) {
            // It runs once for each epoch, in order.
            let (before, are_all) = self.epochs_before(node, node, epoch);
            let is_its_turn = before.last().is_none_or(|last| self.outcome(node, last).is_decided());
            if !is_its_turn || !are_all {
                return None;
            }
        }
        let it = &flow.graph.nodes[node];
        let at = self.activation(node, epoch);
        let mut values = Values::new();
        let mut sources = BTreeMap::new();
        let mut is_dead = false;
        for port in &it.inputs {
            let given = self.overrides.get(&it.id).and_then(|ports| ports.get(&port.name));
            if let Some(value) = given {
                values.insert(port.name.to_string(), vec![value.clone()]);
                continue;
            }
            let arrived = self.arrived(node, port, epoch)?;
            if arrived.is_empty() {
                is_dead |= port.required || (port.required_when_fed && self.is_fed(node, port, epoch));
                continue;
            }
            if port.order_only {
                continue;
            }
            let (of_port, from): (Vec<Value>, Vec<SourceRef>) = arrived.into_iter().unzip();
            values.insert(port.name.to_string(), of_port);
            sources.insert(port.name.clone(), from);
        }
        if is_dead {
            return Some(Outcome::Skipped);
        }
        let memory = self.memory_before(node, epoch)?;
        if let Some(repetition) = &it.repetition {
            self.wait_for_turn(node, epoch)?;
            return Some(self.repeat(node, epoch, repetition, &values, sources, memory));
        }
        let place = self.place(node, epoch, &values)?;
        let handled = flow.graph.handles_errors_of(node);
        let is_result = flow.is_result(node);
        let memory = (!it.settings.memory.is_empty()).then_some(memory);
        let start = Start {
            node: it,
            at: &at,
            name: self.name_in_scope(node, epoch),
            values,
            sources,
            handled,
            is_result,
            memory,
        };
        Some(outcome::run(start, place, self.script))
    }

    pub fn all_decided(
        &mut self,
        node: Place,
        epochs: impl FnOnce(&mut Self) -> (Vec<Epoch>, bool),
    ) -> Option<Vec<(Epoch, Rc<Outcome>)>> {
        let (epochs, are_all) = epochs(self);
        let mut outcomes = Vec::new();
        for epoch in epochs {
            let outcome = self.outcome(node, &epoch);
            if !outcome.is_decided() {
                return None;
            }
            outcomes.push((epoch, outcome));
        }
        are_all.then_some(outcomes)
    }
}
