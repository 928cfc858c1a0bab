//! The reference interpreter: computes the meaning of a flow in the slowest and simplest way.
//!
//! It shares no code with the planner or the scheduler. It has no queue, no state machine and no clock: the outcome of an
//! activation is a function of the outcomes of the activations before it, computed on demand.

mod contexts;
mod cycles;
mod expected_outcome;
mod graph;
mod interpreter;
mod order;
mod outcome;

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::Value;
use plait_engine::flow::Flow;
use plait_engine::id::{Activation, ContextId, NodeId, PortName};

use crate::journal_summary::{ActivationRecord, Final, History};
use crate::nodes::semantics::Script;

/// Values for inputs that no edge feeds.
pub type InputOverrides = BTreeMap<NodeId, BTreeMap<PortName, Value>>;

/// Why a flow can't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    Circular,
    MixedCycles,
    SharedOutsideCycle,
}

impl Refusal {
    pub fn code(self) -> &'static str {
        match self {
            Self::Circular => "flow.circular",
            Self::MixedCycles => "flow.mixed_cycles",
            Self::SharedOutsideCycle => "context.shared_outside_cycle",
        }
    }
}

/// How a run must end.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedEnd {
    Finished {
        outputs: BTreeMap<NodeId, BTreeMap<PortName, Value>>,
    },
    /// One of these failures is the run's.
    Failed {
        by: Vec<Activation>,
    },
    /// On these pauses, in plan order.
    Waiting {
        on: Vec<Activation>,
    },
}

/// The expected result of a run.
#[derive(Debug)]
pub struct Expected {
    /// Every activation with a certain outcome: those that do not depend on an unhandled failure or an open pause.
    pub activations: BTreeMap<Activation, ActivationRecord>,
    /// The activations of followers with dead inputs. Of a follower that never ran, the run's end skips one.
    pub passed_over: BTreeSet<Activation>,
    /// The epochs that open after the first, by entry.
    pub iterations: Vec<Activation>,
    pub exhausted: Vec<Activation>,
    pub contexts: BTreeMap<ContextId, History>,
    /// How many external calls each activation makes.
    pub calls: BTreeMap<Activation, u32>,
    pub end: ExpectedEnd,
}

/// What is known about a flow before it runs.
pub struct FlowAnalysis {
    graph: graph::Graph,
    cycles: cycles::Cycles,
    /// Node ids in plan order.
    pub order: Vec<NodeId>,
    groups: contexts::Groups,
}

impl FlowAnalysis {
    /// Analyzes a flow. The error is why it can't run.
    pub fn of(flow: &Flow) -> Result<Self, Refusal> {
        let graph = graph::Graph::of(flow);
        let cycles = cycles::Cycles::of(&graph)?;
        let order = order::plan_order(&graph, &cycles);
        let groups = contexts::groups(&graph, &order);
        if groups.shared_outside_cycle(&cycles) {
            return Err(Refusal::SharedOutsideCycle);
        }
        Ok(Self { graph, cycles, order, groups })
    }

    /// For each node, how many cycles its epoch counts, and whether it is a follower.
    pub fn clocks(&self) -> BTreeMap<NodeId, (usize, bool)> {
        self.cycles
            .clocks
            .iter()
            .map(|(id, clock)| (id.clone(), (clock.len(), self.cycles.follows(id))))
            .collect()
    }

    /// The entries of the cycles, and the sources of each one's back edges.
    pub fn back_edges(&self) -> Vec<(NodeId, Vec<NodeId>)> {
        let sources = |cycle: &cycles::Cycle| {
            cycle.back.iter().map(|&wire| self.graph.wires[wire].source.clone()).collect()
        };
        self.cycles.all.iter().map(|cycle| (cycle.entry.clone(), sources(cycle))).collect()
    }

    /// The groups of nodes that share a context.
    pub fn sharing(&self) -> Vec<Vec<NodeId>> {
        self.groups.all()
    }

    /// Runs the flow. Nothing if a cycle has more iterations than these tests allow.
    pub fn run(&self, overrides: &InputOverrides, script: Script) -> Option<Expected> {
        expected_outcome::expect(self, overrides, script)
    }
}

/// The record of an activation that ended like this without running.
fn record(end: Final) -> ActivationRecord {
    ActivationRecord { end: Some(end), ..ActivationRecord::default() }
}
