//! The reference interpreter: computes the meaning of a flow in the slowest and simplest way, from the design alone.
//!
//! It shares no code with the planner or the scheduler and was written without looking at them. It has no queue, no state
//! machine and no clock: the outcome of an activation is a function of the outcomes of the activations before it.
//!
//! The rules, in the order of the design: [`nesting`] has entries, back edges and bounds; [`clocks`] has epochs and
//! followers; [`order`] has plan order; [`interpreter`] has readiness, dead paths and epochs; [`context_history`] has shared
//! contexts; [`memory`] has the workflow's memory; [`iterations`] has loops; [`expected_outcome`] has how a run ends.

mod clocks;
mod context_history;
mod contexts;
mod document;
mod expected_outcome;
mod features;
mod graph;
mod interpreter;
mod iterations;
mod memory;
mod nesting;
mod order;
mod outcome;
pub mod repetition;
mod scope_run;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plait_core::Value;
use plait_core::flow::Flow;
use plait_core::id::{Activation, ContextId, NodeId, PortName};

use crate::journal_summary::{ActivationRecord, History};
use crate::nodes::semantics::Script;
use document::Document;
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

#[derive(Debug)]
pub struct Expected {
    /// Every activation with a certain outcome: activations that do not depend on an unhandled failure or an open
    /// pause.
    pub activations: BTreeMap<Activation, ActivationRecord>,
    /// The outcomes of activations in iterations that failed or were stopped, unless they were stopped before.
    pub in_part: BTreeMap<Activation, ActivationRecord>,
    /// The iterations that failed or were stopped, or may have begun before their loop failed.
    pub broken: BTreeSet<Activation>,
    /// The nodes inside of each loop.
    pub bodies: BTreeMap<NodeId, BTreeSet<NodeId>>,
    /// The activations of followers with dead inputs. Of a follower that never ran, the run's end skips one.
    pub passed_over: BTreeSet<Activation>,
    /// The epochs of cycles that open after the first, by entry.
    pub epochs: Vec<Activation>,
    /// The iterations of loops, and whether each succeeded. Nothing while it is open.
    pub iterations: BTreeMap<Activation, Option<bool>>,
    pub exhausted: Vec<Activation>,
    pub contexts: BTreeMap<ContextId, History>,
    /// The workflow's memory.
    pub memory: Vec<String>,
    /// How many external calls each activation makes.
    pub calls: BTreeMap<Activation, u32>,
    pub end: ExpectedEnd,
    /// Whether a cycle ended because nobody was asked for too long.
    pub hit_unattended_bound: bool,
    /// Whether something depends on which of several failures comes first.
    pub is_ambiguous: bool,
    /// An activation that would have to come before itself, if there is one. There should be none.
    pub contradiction: Option<Activation>,
}

/// The facts about a flow, or about the body of a loop, before it runs.
pub struct FlowAnalysis {
    document: Rc<Document>,
    /// The loops around it, outermost first.
    scope: Vec<NodeId>,
    graph: Graph,
    nesting: Nesting,
    clocks: clocks::Clocks,
    /// All nodes in plan order.
    places: Vec<Place>,
    /// The place of each node in plan order.
    ranks: Vec<usize>,
    max_unattended_epochs: Option<u32>,
    /// The bodies of its loops.
    bodies: BTreeMap<Place, FlowAnalysis>,
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
        Self::to_node(flow, overrides, None)
    }

    /// Analyzes a flow to be run to a node, without what that does not need. The error is why it can't run.
    pub fn to_node(
        flow: &Flow,
        overrides: &InputOverrides,
        target: Option<&NodeId>,
    ) -> Result<Self, Refusal> {
        let mut document = Document::of(flow);
        document.target = target.cloned();
        let document = Rc::new(document);
        let unattended = flow.settings.max_unattended_epochs;
        Self::of_scope(&document, Vec::new(), &BTreeMap::new(), overrides, unattended)
    }

    fn of_scope(
        document: &Rc<Document>,
        scope: Vec<NodeId>,
        around: &BTreeMap<NodeId, graph::Origin>,
        overrides: &InputOverrides,
        max_unattended_epochs: Option<u32>,
    ) -> Result<Self, Refusal> {
        let graph = Graph::of(document, &scope, around);
        let nesting = Nesting::of(&graph)?;
        nesting.check_bounds(&graph)?;
        let clocks = clocks::Clocks::of(&graph, &nesting)?;
        let named =
            if scope.is_empty() { Self::named(document, &graph, &clocks, overrides)? } else { Vec::new() };
        let places = order::plan_order(&graph, &nesting, &clocks, &named);
        let mut ranks = vec![0; places.len()];
        places.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let order = places
            .iter()
            .filter(|&&node| !graph.is_border(node))
            .map(|&node| graph.nodes[node].id.clone())
            .collect();
        let mut origins = around.clone();
        origins.extend(graph.places().map(|node| (graph.nodes[node].id.clone(), (scope.len(), ranks[node]))));
        let mut bodies = BTreeMap::new();
        for node in graph.places().filter(|&node| graph.nodes[node].repetition.is_some()) {
            let body = document.body(&graph.nodes[node].id);
            let body = Self::of_scope(document, body, &origins, overrides, max_unattended_epochs)?;
            bodies.insert(node, body);
        }
        Ok(Self {
            document: Rc::clone(document),
            scope,
            graph,
            nesting,
            clocks,
            places,
            ranks,
            max_unattended_epochs,
            bodies,
            order,
        })
    }

    /// The makers of contexts that are named ahead, and the nodes of the flow itself that name them or do so inside.
    fn named(
        document: &Document,
        graph: &Graph,
        clocks: &clocks::Clocks,
        overrides: &InputOverrides,
    ) -> Result<Vec<(Place, Place)>, Refusal> {
        let is_made_once = |maker: &NodeId| graph.find(maker).is_some_and(|maker| clocks[maker].is_empty());
        let outermost = |user: &NodeId| document.path(user).first().cloned().unwrap_or_else(|| user.clone());
        let named: Vec<(Place, Place)> = contexts::named_ahead(document, is_made_once, overrides)?
            .iter()
            .filter_map(|(maker, user)| Some((graph.find(maker)?, graph.find(&outermost(user))?)))
            .collect();
        let is_too_early = |&(maker, user): &(Place, Place)| contexts::depends_on(graph, &named, maker, user);
        if named.iter().any(is_too_early) { Err(Refusal::ContextTooEarly) } else { Ok(named) }
    }

    /// The loop with this body.
    pub fn container(&self) -> Option<&NodeId> {
        self.scope.last()
    }

    /// It and the bodies of its loops, each after the one that it is inside of.
    pub fn scopes(&self) -> Vec<&Self> {
        let mut scopes = vec![self];
        scopes.extend(self.bodies.values().flat_map(Self::scopes));
        scopes
    }

    /// For each node of the scope, how many cycles its epoch counts, and whether it is a follower.
    pub fn clocks(&self) -> BTreeMap<NodeId, (usize, bool)> {
        let clock = |node: Place| (self.clocks[node].len(), self.clocks.follows(node));
        let nodes = self.graph.places().filter(|&node| !self.graph.is_border(node));
        nodes.map(|node| (self.graph.nodes[node].id.clone(), clock(node))).collect()
    }

    /// The entries of the cycles of the scope, and the sources of each one's back edges.
    pub fn back_edges(&self) -> Vec<(NodeId, Vec<NodeId>)> {
        let id = |node: Place| self.graph.nodes[node].id.clone();
        let sources = |cycle: &nesting::Cycle| cycle.back.iter().map(|wire| id(wire.source)).collect();
        self.nesting.cycles.iter().map(|cycle| (id(cycle.entry), sources(cycle))).collect()
    }

    /// For each node that can share a context with others, in plan order: which these are, and itself.
    pub fn sharing(&self) -> Vec<Vec<NodeId>> {
        let overrides = InputOverrides::new();
        let reach = |node: Place| self.reach(&overrides, node);
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
        self.scopes().into_iter().any(|scope| {
            scope.graph.places().any(|node| {
                let works_in_one = !scope.reach(&overrides, node).is_nothing();
                let makes_one = scope.graph.nodes[node].kind == "context";
                scope.clocks.follows(node) && scope.clocks[node].len() > 1 && (works_in_one || makes_one)
            })
        })
    }

    /// Whether a node that follows a cycle inside of another uses the workflow's memory. The design has no order for that.
    pub fn has_remembering_follower_of_inner_cycle(&self) -> bool {
        self.scopes().into_iter().any(|scope| {
            scope.graph.places().any(|node| {
                let uses = memory::uses(&scope.document, &scope.graph.nodes[node].id);
                scope.clocks.follows(node) && scope.clocks[node].len() > 1 && uses
            })
        })
    }

    fn reach(&self, overrides: &InputOverrides, node: Place) -> contexts::Reach {
        contexts::reach(&self.document, overrides, &self.graph.nodes[node].id)
    }

    /// Runs the flow. Nothing if a cycle has more iterations than these tests allow.
    pub fn run(&self, overrides: &InputOverrides, script: Script) -> Option<Expected> {
        expected_outcome::expect(self, overrides, script)
    }

    /// Whether the outputs of a node are the run's: of the node that it runs to; else of the output nodes, in loops as
    /// well; without any, of the nodes of the flow itself that feed nothing; without these, of the nodes that feed only
    /// a next epoch.
    fn is_result(&self, node: Place) -> bool {
        let behavior = |node: Place| &self.graph.nodes[node].behavior;
        if let Some(target) = &self.document.target {
            return self.graph.nodes[node].id == *target;
        }
        if self.document.nodes.values().any(|node| node.behavior.is_output) {
            return behavior(node).is_output;
        }
        let from = |node: Place| self.graph.wires.iter().filter(move |wire| wire.source == node);
        let feeds_back = |node: Place| from(node).all(|wire| self.nesting.is_back(wire));
        let is_all_cycles = self.graph.places().all(|node| from(node).next().is_some());
        self.scope.is_empty() && if is_all_cycles { feeds_back(node) } else { from(node).next().is_none() }
    }

    /// The place of a node in plan order.
    fn rank(&self, node: Place) -> usize {
        self.ranks[node]
    }

    /// The wires into an input, in plan order: by the node they come from, then by edge id.
    fn wires_into(&self, node: Place, port: &PortName) -> Vec<&Wire> {
        let mut wires: Vec<&Wire> =
            self.graph.wires.iter().filter(|wire| wire.target == node && wire.input == *port).collect();
        wires.sort_by_key(|wire| (self.rank(wire.source), wire.origin, &wire.edges));
        wires
    }
}
