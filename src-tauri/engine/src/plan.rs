//! From a flow to a plan: portals resolved, cycles found, edges classified, order fixed.
//!
//! A plan is what the scheduler works on. Building one executes nothing.

mod build;
mod check;
mod clock;
mod feeds;
mod lease;
mod makers;
mod nesting;
mod order;
mod portals;
mod restrict;
mod wiring;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;
use smallvec::SmallVec;

use crate::flow::RetryPolicy;
use crate::id::{NodeId, PortName};
use crate::node::BoundNode;

pub use build::{InputOverrides, plan};
pub use check::{CheckedFlow, check};

/// A node's place in plan order.
pub type NodeIx = usize;
/// An edge's place in the plan.
pub type EdgeIx = usize;
/// A cycle's place in the plan; outer cycles come before inner ones.
pub type CycleIx = usize;

/// A flow compiled for running. Nodes are in plan order.
pub struct Plan {
    /// The nodes, in plan order.
    pub nodes: Vec<PlanNode>,
    /// The edges.
    pub edges: Vec<PlanEdge>,
    /// The cycles.
    pub cycles: Vec<Cycle>,
    /// Nodes outside of every cycle that follow none.
    pub root: Vec<NodeIx>,
    /// The node the run is to stop at, if not at the end.
    pub target: Option<NodeIx>,
    /// How many activations may run at once.
    pub max_concurrency: usize,
    /// The window that the flow's settings give every model call, in tokens.
    pub context_window: Option<u64>,
    pub(crate) index: FxHashMap<NodeId, NodeIx>,
}

/// A node of a plan.
pub struct PlanNode {
    /// Its id in the flow.
    pub id: NodeId,
    /// What it does.
    pub node: Arc<dyn BoundNode>,
    /// The cycles whose counters its epoch has, outermost first.
    pub clock: SmallVec<[CycleIx; 2]>,
    /// Whether it stands outside of all cycles but is fed by one.
    pub follows: bool,
    /// Its forward edges in, by plan order of their sources.
    pub incoming: Vec<EdgeIx>,
    /// Its edges out, back edges included.
    pub outgoing: Vec<EdgeIx>,
    /// Which of its inputs must be live for it to run in the first epoch of a cycle that it enters, and anywhere else.
    pub must_first: SmallVec<[bool; 4]>,
    /// The same for the later epochs, which are also fed by back edges.
    pub must_later: SmallVec<[bool; 4]>,
    /// Values given to its ports for this run, by index of the port.
    pub given: BTreeMap<usize, Arc<Value>>,
    /// Whether its `error` output feeds something.
    pub handles_error: bool,
    /// Whether its outputs are the run's.
    pub is_result: bool,
    /// What to do when it fails in a way that another try could mend.
    pub retry: Option<RetryPolicy>,
    /// How long one execution may take, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// An edge of a plan.
#[derive(Debug)]
pub struct PlanEdge {
    /// Where it comes from.
    pub source: NodeIx,
    /// The output it carries; none for an edge that only makes its target wait.
    pub port: Option<PortName>,
    /// Where it goes.
    pub target: NodeIx,
    /// The index of the input it feeds.
    pub target_port: usize,
    /// How many counters source and target have in common on it: deeper epochs of the source count as one step, ended
    /// with its last live value; deeper epochs of the target all see the same value.
    pub level: usize,
    /// The cycle whose next epoch it feeds, if it is a back edge.
    pub back: Option<CycleIx>,
}

/// A cycle of a plan.
#[derive(Debug)]
pub struct Cycle {
    /// Where it is entered.
    pub entry: NodeIx,
    /// The cycle around it.
    pub parent: Option<CycleIx>,
    /// How many cycles are around it.
    pub depth: usize,
    /// The nodes that run once in each of its epochs, in plan order: members and followers, without inner cycles'.
    pub nodes: Vec<NodeIx>,
    /// The cycles directly inside.
    pub inner: Vec<CycleIx>,
    /// Its back edges, in plan order of their sources.
    pub back: Vec<EdgeIx>,
    /// The edges that carry its last live values to where it counts as one step.
    pub exits: Vec<EdgeIx>,
    /// After how many epochs it ends at the latest.
    pub max_epochs: Option<u32>,
}

impl Plan {
    /// The place of a node.
    pub fn find(&self, id: &NodeId) -> Option<NodeIx> {
        self.index.get(id).copied()
    }

    /// Whether an edge's source counts as ended only with a cycle, and which.
    pub(crate) fn collapses(&self, edge: EdgeIx) -> Option<CycleIx> {
        let edge = &self.edges[edge];
        self.nodes[edge.source].clock.get(edge.level).copied()
    }

    /// Whether an edge's target sees one value over several of its own epochs.
    pub(crate) fn holds(&self, edge: EdgeIx) -> bool {
        let edge = &self.edges[edge];
        self.nodes[edge.target].clock.len() > edge.level
    }
}
