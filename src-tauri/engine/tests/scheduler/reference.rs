//! The reference interpreter: what a flow means, worked out in the slowest and plainest way.
//!
//! It shares no code with the planner or the scheduler. There is no queue, no state machine and no clock in it: what an
//! activation comes to is a function of what the activations before it came to, worked out on demand.

mod contexts;
mod cycles;
mod graph;
mod meaning;
mod order;
mod outcome;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::Value;
use plait_engine::flow::Flow;
use plait_engine::id::{Activation, ContextId, NodeId, PortName};

use crate::nodes::meaning::Script;
use crate::reading::{Final, History, Told};

/// Values given to ports.
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
pub enum Verdict {
    Finished {
        outputs: BTreeMap<NodeId, BTreeMap<PortName, Value>>,
    },
    /// Of these failures one is the run's.
    Failed {
        by: Vec<Activation>,
    },
    /// On these, in plan order.
    Waiting {
        on: Vec<Activation>,
    },
}

/// What must become of a flow.
#[derive(Debug)]
pub struct Expected {
    /// Every activation that is decided: before a failure or an open pause, those that do not depend on it.
    pub activations: BTreeMap<Activation, Told>,
    /// Where nodes that follow a cycle had dead inputs. Of those that never ran, the end of the run tells one.
    pub passed_over: BTreeSet<Activation>,
    /// The epochs that open after the first, by entry.
    pub rounds: Vec<Activation>,
    pub exhausted: Vec<Activation>,
    pub contexts: BTreeMap<ContextId, History>,
    /// How many calls to the outside each activation makes.
    pub calls: BTreeMap<Activation, u32>,
    pub verdict: Verdict,
}

/// What is known of a flow before it runs.
pub struct Study {
    graph: graph::Graph,
    cycles: cycles::Cycles,
    /// Node ids in plan order.
    pub order: Vec<NodeId>,
    groups: contexts::Groups,
}

impl Study {
    /// Studies a flow, or says why it can't run.
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

    /// The ids of the nodes that have cycles around them, how many, and whether they only follow them.
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

    /// Runs the flow; nothing where a cycle goes round more often than these tests have patience for.
    pub fn run(&self, given: &InputOverrides, script: Script) -> Option<Expected> {
        verdict::run(self, given, script)
    }
}

/// An activation that ran to this end.
fn told(end: Final) -> Told {
    Told { end: Some(end), ..Told::default() }
}
