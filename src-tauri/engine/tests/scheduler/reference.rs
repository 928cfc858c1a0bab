//! The reference interpreter: computes the meaning of a flow in the slowest and simplest way, from the design alone.
//!
//! It shares no code with the planner or the scheduler and was written without looking at them. It has no queue, no state
//! machine and no clock: the outcome of an activation is a function of the outcomes of the activations before it.
//!
//! The rules, in the order of the design: [`nesting`] has entries, back edges and bounds; [`clocks`] has epochs and
//! followers; [`order`] has plan order; [`interpreter`] has readiness, dead paths, iterations and shared contexts;
//! [`expected_outcome`] has how a run ends.

mod clocks;
mod contexts;
mod expected_outcome;
mod features;
mod graph;
mod interpreter;
mod nesting;
mod order;
mod outcome;

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::Value;
use plait_engine::flow::Flow;
use plait_engine::id::{Activation, ContextId, NodeId, PortName};

use crate::journal_summary::{ActivationRecord, History};
use crate::nodes::semantics::Script;
pub use features::features;
use graph::{Graph, Place, Wire};
use nesting::Nesting;

/// Values for inputs that no edge feeds.
pub type InputOverrides = BTreeMap<NodeId, BTreeMap<PortName, Value>>;

/// Why a flow can't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    Circular,
    MixedCycles,
    ContextUnknown,
    ContextTooEarly,
}

impl Refusal {
    pub fn code(self) -> &'static str {
        match self {
            Self::Circular => "flow.circular",
            Self::MixedCycles => "flow.mixed_cycles",
            Self::ContextUnknown => "context.unknown",
            Self::ContextTooEarly => "context.too_early",
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
    /// Whether a cycle ended because nobody was asked for too long.
    pub hit_unattended_bound: bool,
    /// An activation that would have to come before itself, if there is one. There should be none.
    pub contradiction: Option<Activation>,
}

/// What is known about a flow before it runs.
pub struct FlowAnalysis {
    graph: Graph,
    nesting: Nesting,
    clocks: clocks::Clocks,
    /// All nodes in plan order.
    places: Vec<Place>,
    /// The place of each node in plan order.
    ranks: Vec<usize>,
    max_unattended_epochs: Option<u32>,
    /// Node ids in plan order.
    pub order: Vec<NodeId>,
}

impl FlowAnalysis {
    /// Analyzes a flow without overrides. The error is why it can't run.
    pub fn of(flow: &Flow) -> Result<Self, Refusal> {
        Self::with_overrides(flow, &InputOverrides::new())
    }

    /// Analyzes a flow. The error is why it can't run.
    pub fn with_overrides(flow: &Flow, overrides: &InputOverrides) -> Result<Self, Refusal> {
        let graph = Graph::of(flow);
        let nesting = Nesting::of(&graph)?;
        nesting.check_bounds(&graph)?;
        let clocks = clocks::Clocks::of(&graph, &nesting)?;
        let named = contexts::named_ahead(&graph, &clocks, overrides)?;
        let places = order::plan_order(&graph, &nesting, &clocks, &named);
        let mut ranks = vec![0; places.len()];
        places.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let order = places.iter().map(|&node| graph.nodes[node].id.clone()).collect();
        Ok(Self {
            graph,
            nesting,
            clocks,
            places,
            ranks,
            max_unattended_epochs: flow.settings.max_unattended_epochs,
            order,
        })
    }

    /// For each node, how many cycles its epoch counts, and whether it is a follower.
    pub fn clocks(&self) -> BTreeMap<NodeId, (usize, bool)> {
        let clock = |node: Place| (self.clocks[node].len(), self.clocks.follows(node));
        self.graph.places().map(|node| (self.graph.nodes[node].id.clone(), clock(node))).collect()
    }

    /// The entries of the cycles, and the sources of each one's back edges.
    pub fn back_edges(&self) -> Vec<(NodeId, Vec<NodeId>)> {
        let id = |node: Place| self.graph.nodes[node].id.clone();
        let sources = |cycle: &nesting::Cycle| cycle.back.iter().map(|wire| id(wire.source)).collect();
        self.nesting.cycles.iter().map(|cycle| (id(cycle.entry), sources(cycle))).collect()
    }

    /// For each node that can share a context with others, in plan order: which these are, and itself.
    pub fn sharing(&self) -> Vec<Vec<NodeId>> {
        let overrides = InputOverrides::new();
        let reach = |node: Place| contexts::reach(&self.graph, &overrides, node);
        let shares = |one: Place| -> Vec<NodeId> {
            let others = self.places.iter().filter(|&&other| reach(one).meets(&reach(other)));
            others.map(|&other| self.graph.nodes[other].id.clone()).collect()
        };
        let mut all: Vec<Vec<NodeId>> = self.places.iter().map(|&node| shares(node)).collect();
        all.retain(|shared| shared.len() > 1);
        all.dedup();
        all
    }

    /// Whether a node that follows a cycle inside of another works in a context.
    pub fn has_sharing_follower_of_inner_cycle(&self) -> bool {
        let overrides = InputOverrides::new();
        self.graph.places().any(|node| {
            let works_in_one = !contexts::reach(&self.graph, &overrides, node).is_nothing();
            let makes_one = self.graph.nodes[node].kind == "context";
            self.clocks.follows(node) && self.clocks[node].len() > 1 && (works_in_one || makes_one)
        })
    }

    /// Runs the flow. Nothing if a cycle has more iterations than these tests allow.
    pub fn run(&self, overrides: &InputOverrides, script: Script) -> Option<Expected> {
        expected_outcome::expect(self, overrides, script)
    }

    /// The place of a node in plan order.
    fn rank(&self, node: Place) -> usize {
        self.ranks[node]
    }

    /// The wires into an input, in plan order: by the node they come from, then by edge id.
    fn wires_into(&self, node: Place, port: &PortName) -> Vec<&Wire> {
        let mut wires: Vec<&Wire> =
            self.graph.wires.iter().filter(|wire| wire.target == node && wire.input == *port).collect();
        wires.sort_by_key(|wire| (self.rank(wire.source), &wire.edges));
        wires
    }
}
