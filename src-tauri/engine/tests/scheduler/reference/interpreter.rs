//! Computes the outcome of each activation on demand, from those before it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use plait_engine::Value;
use plait_engine::id::{Activation, Epoch, NodeId, PortName};
use plait_engine::journal::SourceRef;

use super::graph::{Node, Wire};
use super::outcome::{self, Outcome, by_port};
use super::{FlowAnalysis, InputOverrides};
use crate::journal_summary::{ActivationRecord, at};
use crate::nodes::semantics::{self, Script, Values};

/// How many iterations a cycle has, as far as that is known.
#[derive(Clone, Copy)]
pub struct Iterations {
    pub count: u32,
    ended: bool,
    pub exhausted: bool,
}

/// The outcome is not known yet, and perhaps never will be.
struct Undecided;

pub struct Interpreter<'a> {
    analysis: &'a FlowAnalysis,
    overrides: &'a InputOverrides,
    script: Script,
    outcomes: BTreeMap<Activation, Rc<Outcome>>,
    pub iterations: BTreeMap<(usize, Epoch), Iterations>,
    /// A cycle has more than [`MAX_ITERATIONS`].
    pub too_long: bool,
}

/// More iterations than a cycle of a random flow should have. A cycle whose pause is bypassed might never end.
const MAX_ITERATIONS: u32 = 8;

type Arrivals = Vec<(SourceRef, Value)>;

impl<'a> Interpreter<'a> {
    pub fn new(analysis: &'a FlowAnalysis, overrides: &'a InputOverrides, script: Script) -> Self {
        let (outcomes, iterations) = (BTreeMap::new(), BTreeMap::new());
        Self { analysis, overrides, script, outcomes, iterations, too_long: false }
    }

    fn clock(&self, id: &NodeId) -> &[usize] {
        &self.analysis.cycles.clocks[id]
    }

    fn common(&self, a: &NodeId, b: &NodeId) -> usize {
        self.clock(a).iter().zip(self.clock(b)).take_while(|(a, b)| a == b).count()
    }

    fn place(&self, id: &NodeId) -> usize {
        self.analysis.order.iter().position(|other| other == id).unwrap()
    }

    /// Which of two activations comes first.
    pub fn precedence(&self, a: &Activation, b: &Activation) -> Ordering {
        let level = self.common(&a.node, &b.node);
        let by_round = a.epoch.prefix(level).cmp(&b.epoch.prefix(level));
        by_round.then(self.place(&a.node).cmp(&self.place(&b.node))).then(a.epoch.cmp(&b.epoch))
    }

    /// The epochs of a clock under a prefix, as far as they open, and whether these are all.
    pub fn epochs(&mut self, clock: &[usize], prefix: &Epoch) -> (Vec<Epoch>, bool) {
        let Some(&cycle) = clock.get(prefix.depth()) else { return (vec![prefix.clone()], true) };
        let iterations = self.iterations(cycle, prefix);
        let (mut found, mut all) = (Vec::new(), iterations.ended);
        for counter in 0..iterations.count {
            let (epochs, complete) = self.epochs(clock, &prefix.child(counter));
            found.extend(epochs);
            all &= complete;
        }
        (found, all)
    }

    /// The iterations of a cycle in an epoch of the cycles around it.
    fn iterations(&mut self, cycle: usize, outer: &Epoch) -> Iterations {
        if let Some(known) = self.iterations.get(&(cycle, outer.clone())) {
            return *known;
        }
        let mut iterations = Iterations { count: 1, ended: false, exhausted: false };
        loop {
            let epoch = outer.child(iterations.count - 1);
            let Ok(live) = self.goes_on(cycle, &epoch) else { break };
            let analysis = self.analysis;
            iterations.exhausted = live && Some(iterations.count) == analysis.cycles.all[cycle].max_epochs;
            iterations.ended = !live || iterations.exhausted;
            if iterations.ended {
                break;
            }
            iterations.count += 1;
            if iterations.count > MAX_ITERATIONS {
                self.too_long = true;
                break;
            }
        }
        self.iterations.insert((cycle, outer.clone()), iterations);
        iterations
    }

    /// Whether a back edge of the cycle is live in this epoch of it.
    fn goes_on(&mut self, cycle: usize, epoch: &Epoch) -> Result<bool, Undecided> {
        let analysis = self.analysis;
        let mut live = false;
        let mut undecided = false;
        for &wire in &analysis.cycles.all[cycle].back {
            match self.arrival(&analysis.graph.wires[wire], epoch) {
                Ok(arrival) => live |= arrival.is_some(),
                Err(Undecided) => undecided = true,
            }
        }
        // A follower that shares a context takes its turn before the next iteration.
        for id in analysis.graph.nodes.keys() {
            let waited_for = analysis.cycles.follows(id)
                && self.clock(id).last() == Some(&cycle)
                && analysis.groups.shares(id);
            undecided |= waited_for && !self.outcome(&at(id, epoch)).is_decided();
        }
        if undecided { Err(Undecided) } else { Ok(live) }
    }

    /// What a wire brings in an epoch that has as many counters as both of its ends have in common. A source deeper
    /// inside counts as one step: the last live value of all its epochs there.
    fn arrival(&mut self, wire: &Wire, epoch: &Epoch) -> Result<Option<(SourceRef, Value)>, Undecided> {
        let clock = self.clock(&wire.source).to_vec();
        let (epochs, all) = self.epochs(&clock, epoch);
        let mut last = None;
        for epoch in epochs {
            let outcome = self.outcome(&at(&wire.source, &epoch));
            if !outcome.is_decided() {
                return Err(Undecided);
            }
            if let Some(value) = outcome.output(&wire.output) {
                let source = SourceRef { node: wire.source.clone(), epoch, port: wire.output.clone() };
                last = Some((source, value.clone()));
            }
        }
        if all { Ok(last) } else { Err(Undecided) }
    }

    /// The activations of `id` that come before `this`.
    fn before(&mut self, id: &NodeId, this: &Activation) -> Result<Vec<Activation>, Undecided> {
        let clock = self.clock(id).to_vec();
        let level = self.common(id, &this.node);
        let mut prefixes = Vec::new();
        for depth in 0..level {
            let counters = 0..this.epoch.0[depth];
            prefixes.extend(counters.map(|counter| this.epoch.prefix(depth).child(counter)));
        }
        if *id != this.node && self.place(id) < self.place(&this.node) {
            prefixes.push(this.epoch.prefix(level));
        }
        let mut found = Vec::new();
        for prefix in prefixes {
            let (epochs, all) = self.epochs(&clock, &prefix);
            found.extend(epochs.iter().map(|epoch| at(id, epoch)));
            if !all {
                return Err(Undecided);
            }
        }
        Ok(found)
    }

    pub fn outcome(&mut self, this: &Activation) -> Rc<Outcome> {
        if let Some(known) = self.outcomes.get(this) {
            return Rc::clone(known);
        }
        let outcome = Rc::new(self.compute_outcome(this).unwrap_or(Outcome::Undecided));
        self.outcomes.insert(this.clone(), Rc::clone(&outcome));
        outcome
    }

    fn compute_outcome(&mut self, this: &Activation) -> Result<Outcome, Undecided> {
        let analysis = self.analysis;
        if analysis.cycles.follows(&this.node) {
            for earlier in self.before(&this.node, this)? {
                if !self.outcome(&earlier).is_decided() {
                    return Err(Undecided);
                }
            }
        }
        let node = &analysis.graph.nodes[&this.node];
        let turns = if matches!(node.kind.as_str(), "turn" | "guest") {
            self.turns_before(this)?
        } else {
            Vec::new()
        };
        let Some((ready, values)) = self.inputs(this, node)? else { return Ok(Outcome::Skipped) };
        let mut record = ActivationRecord { ready: Some(ready), attempts: 1, ..ActivationRecord::default() };
        let failing = semantics::failing_attempts(&node.settings, this);
        let attempts = if node.settings.hard { 1 } else { node.attempts };
        record.attempts = attempts.min(failing + 1);
        if failing >= attempts {
            return Ok(outcome::failed(this, record, analysis.graph.handles_error(&this.node), node));
        }
        Ok(outcome::ran(this, node, record, &values, &turns, self.script))
    }

    /// What is live on the inputs, or nothing where one that is needed is dead.
    #[allow(clippy::type_complexity)]
    fn inputs(
        &mut self,
        this: &Activation,
        node: &Node,
    ) -> Result<Option<(BTreeMap<PortName, Vec<SourceRef>>, Values)>, Undecided> {
        let analysis = self.analysis;
        let mut arrived: BTreeMap<&PortName, (Arrivals, Arrivals)> = BTreeMap::new();
        let mut undecided = false;
        let mut fed: Vec<&PortName> = Vec::new();
        let mut wires: Vec<(usize, &Wire)> = analysis.graph.feeds(&this.node).collect();
        wires.sort_by_key(|(at, wire)| (self.place(&wire.source), *at));
        for (wire_at, wire) in wires {
            let level = self.common(&wire.source, &this.node);
            let is_back = analysis.cycles.is_back(wire_at);
            let mut epoch = this.epoch.prefix(level);
            if is_back {
                let counter = epoch.0.last_mut().unwrap();
                if *counter == 0 {
                    continue;
                }
                *counter -= 1;
            }
            fed.push(&wire.input);
            let (back, forward) = arrived.entry(&wire.input).or_default();
            match self.arrival(wire, &epoch) {
                Ok(arrival) => (if is_back { back } else { forward }).extend(arrival),
                Err(Undecided) => undecided = true,
            }
        }
        if undecided {
            return Err(Undecided);
        }
        let (mut ready, mut values) = (BTreeMap::new(), Values::new());
        for port in &node.inputs {
            let (back, forward) = arrived.remove(&port.name).unwrap_or_default();
            let mut live = if back.is_empty() { forward } else { back };
            if !port.many {
                live = live.pop().into_iter().collect();
            }
            let override_value = self.overrides.get(&this.node).and_then(|ports| ports.get(&port.name));
            if live.is_empty() && override_value.is_none() {
                // In the first iteration, nothing feeds an entry from inside yet.
                if port.required || (port.required_when_fed && fed.contains(&&port.name)) {
                    return Ok(None);
                }
                continue;
            }
            let brought = live.iter().map(|(_, value)| value);
            values
                .insert(port.name.to_string(), override_value.into_iter().chain(brought).cloned().collect());
            if !live.is_empty() {
                ready.insert(port.name.clone(), live.into_iter().map(|(source, _)| source).collect());
            }
        }
        Ok(Some((ready, values)))
    }

    /// The turns before this activation in contexts that it may share, in order.
    fn turns_before(&mut self, this: &Activation) -> Result<Vec<Rc<Outcome>>, Undecided> {
        let mut earlier = Vec::new();
        for id in self.analysis.groups.of(&this.node) {
            earlier.extend(self.before(&id, this)?);
        }
        earlier.sort_by(|a, b| self.precedence(a, b));
        let outcomes: Vec<_> = earlier.iter().map(|turn| self.outcome(turn)).collect();
        if outcomes.iter().all(|outcome| outcome.is_decided()) { Ok(outcomes) } else { Err(Undecided) }
    }

    pub fn results(&mut self) -> BTreeMap<NodeId, BTreeMap<PortName, Value>> {
        let analysis = self.analysis;
        let nodes = &analysis.graph.nodes;
        let feeds = |id: &NodeId, is_next_epoch: bool| {
            let wires = analysis.graph.wires.iter().enumerate().filter(|(_, wire)| wire.source == *id);
            wires.filter(|(at, _)| is_next_epoch || !analysis.cycles.is_back(*at)).count() > 0
        };
        let drawn = nodes.values().any(|node| node.kind == "result");
        let an_end = nodes.keys().any(|id| !feeds(id, true));
        let is_result = |id: &NodeId| match (drawn, an_end) {
            (true, _) => nodes[id].kind == "result",
            (false, true) => !feeds(id, true),
            // Nothing but cycles.
            (false, false) => !feeds(id, false),
        };
        let mut results = BTreeMap::new();
        for id in nodes.keys().filter(|id| is_result(id)) {
            for epoch in self.epochs(&analysis.cycles.clocks[id], &Epoch::root()).0 {
                // The last live value of each port, from any iteration.
                if let Outcome::Ran(ran) = &*self.outcome(&at(id, &epoch))
                    && !ran.outputs.is_empty()
                {
                    let result: &mut BTreeMap<_, _> = results.entry(id.clone()).or_default();
                    result.extend(by_port(&ran.outputs));
                }
            }
        }
        results
    }
}
