//! From a flow to a plan: portals resolved, cycles found, edges classified, order fixed. Executes nothing.
//!
//! Planning has five phases. Each is a function from the results of those before it to a type of its own:
//!
//! | phase   | module         | type                    | what it decides |
//! |---------|----------------|-------------------------|-----------------|
//! | wiring  | [`wiring`]     | [`Wiring`](wiring::Wiring) | the graph of the nodes that run |
//! | nesting | [`nesting`]    | [`Nesting`](nesting::Nesting) | the cycles, their entries and back edges |
//! | clocks  | [`clocks`]     | [`Clocks`](clocks::Clocks) | which counters each node's epoch has; followers |
//! | turns   | [`turn_order`] | [`Turns`](turn_order::Turns) | plan order, and who shares a context |
//! | plan    | [`build`]      | [`Plan`]                | what the scheduler works on |
//!
//! [`analysis`] runs the first four and the checks in between. All of them run on every flow: an error in one phase does
//! not hide what later ones find, and no phase reports what only follows from an earlier error. [`check()`] returns what
//! they found, and [`plan()`] goes on to the last phase if there is no error.

mod analysis;
mod build;
mod check;
mod clocks;
mod context_names;
mod context_roles;
mod following;
mod graph;
mod input_conflicts;
mod input_overrides;
mod loops;
mod nesting;
mod pins;
mod plan_order;
mod quota_branches;
mod restrict;
mod shared_contexts;
mod summarizers;
mod turn_order;
mod unused_settings;
mod wiring;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;
use smallvec::SmallVec;

use crate::node::BoundNode;
use plait_core::flow::{FolderAccess, MemorySettings, RetryPolicy, SummarizerAgent};
use plait_core::id::{Epoch, NodeId, PortName};
use plait_core::quota::{FlowQuotas, Quota};

pub use build::{PlannedFlow, plan, plan_bound};
pub use check::{CheckedFlow, check, check_bound};
pub use context_roles::{ContextIx, ContextRoles, ContextSource, PlanContexts};
pub(crate) use wiring::is_entering;
pub use wiring::{BoundFlow, PLACEHOLDER_HINT};

/// The index of a node in [`Plan::nodes`]: its position in plan order, scope by scope.
pub type NodeIx = usize;
/// The index of an edge in [`Plan::edges`].
pub type EdgeIx = usize;
/// The index of a cycle in [`Plan::cycles`]. Outer cycles come before inner ones.
pub type CycleIx = usize;
/// The index of a scope in [`Plan::scopes`]. Outer scopes come before inner ones.
pub type ScopeIx = usize;

/// The scope of the flow itself.
pub(crate) const ROOT_SCOPE: ScopeIx = 0;

/// A flow compiled for running. Clones share its bound nodes.
#[derive(Clone)]
pub struct Plan {
    /// Scope by scope, in plan order.
    pub nodes: Vec<PlanNode>,
    /// Scope by scope, by plan order of their sources, then by edge id. Values of several edges into one input are in this
    /// order.
    pub edges: Vec<PlanEdge>,
    /// Scope by scope.
    pub cycles: Vec<Cycle>,
    /// The flow itself, then the bodies of its loops.
    pub scopes: Vec<PlanScope>,
    /// The node after which the run stops, in a run to a node.
    pub target: Option<NodeIx>,
    /// How many activations may run at once.
    pub max_concurrency: usize,
    /// A cycle without `max_epochs` ends after this many epochs in a row in which nobody was asked.
    pub max_unattended_epochs: u32,
    /// The window that the flow's settings set for every model call, in tokens.
    pub context_window: Option<u64>,
    /// The flow's settings of the workflow's memory.
    pub memory: Arc<MemorySettings>,
    /// The last node outside of loops that reads the workflow's memory; a loop counts with its body.
    pub last_memory_reader: Option<NodeIx>,
    /// The folders that the flow declares for its tools.
    pub folders: Arc<[FolderAccess]>,
    /// The agents that summarize the histories of loops, by node.
    pub summarizers: BTreeMap<NodeId, Arc<SummarizerAgent>>,
    /// Whether a loop has a conversation.
    pub has_conversations: bool,
    /// Where branches meet that split quotas among them.
    pub splits: Vec<QuotaSplit>,
    /// The quotas of the flow's settings.
    pub quotas: FlowQuotas,
    /// The agent that summarizes the histories of loops that name none.
    pub default_summarizer: Option<Arc<SummarizerAgent>>,
    pub(crate) index: FxHashMap<NodeId, NodeIx>,
}

/// A part of a plan that is executed as a whole: the flow itself, or the body of a loop in each of its iterations.
#[derive(Clone, Debug)]
pub struct PlanScope {
    /// The loop with this body. Nothing for the flow itself.
    pub container: Option<Container>,
    /// How many counters the epochs of its nodes have, without those of its own cycles.
    pub depth: usize,
    /// Its nodes, the ends of the border among them.
    pub nodes: Range<NodeIx>,
    pub cycles: Range<CycleIx>,
    /// The nodes that run once: they are in no cycle and follow none.
    pub root: Vec<NodeIx>,
    pub contexts: PlanContexts,
}

/// The loop around a scope.
#[derive(Clone, Copy, Debug)]
pub struct Container {
    pub node: NodeIx,
    /// Where what the border's ports carry and what comes from outside enters the scope.
    pub begin: NodeIx,
    /// What takes the result of an iteration.
    pub end: NodeIx,
}

#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a node")]
pub struct PlanNode {
    pub id: NodeId,
    pub node: Arc<dyn BoundNode>,
    pub scope: ScopeIx,
    /// Its body, if it is a loop.
    pub body: Option<ScopeIx>,
    /// Whether it is an end of a loop's border, and so never executed.
    pub is_border: bool,
    /// The cycles of its scope that its epoch counts, outermost first.
    pub clock: SmallVec<[CycleIx; 2]>,
    /// Whether it follows a cycle: it is fed by one and in none.
    pub is_follower: bool,
    /// Its forward edges in, by plan order of their sources.
    pub incoming: SmallVec<[EdgeIx; 2]>,
    /// Its edges out, including back edges.
    pub outgoing: SmallVec<[EdgeIx; 2]>,
    /// By input, whether it must be live for the node to run, in the first epoch of a cycle that it is the entry of and
    /// anywhere else.
    pub required_first: SmallVec<[bool; 4]>,
    /// The same in later epochs, which back edges feed as well.
    pub required_later: SmallVec<[bool; 4]>,
    /// The values given to its inputs for this run, by index of the input.
    pub overrides: BTreeMap<usize, Arc<Value>>,
    /// The contexts that it makes and may work in, and what it does with the workflow's memory.
    pub contexts: ContextRoles,
    /// Where it gets the context from that it works in.
    pub context_source: ContextSource,
    /// Whether an edge comes from its `error` output.
    pub handles_error: bool,
    /// Whether its outputs are the run's.
    pub is_result: bool,
    pub retry: Option<RetryPolicy>,
    /// How long one execution may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// What its model calls may use.
    pub quota: Option<Arc<Quota>>,
    /// The branches that split quotas in it: an index in [`Plan::splits`].
    pub split: Option<usize>,
    /// The branches that it is in and that split quotas, outermost first: indexes in [`Plan::splits`], and of the branch there.
    pub branches: SmallVec<[(usize, usize); 1]>,
}

/// Branches that meet in a node and get equal parts of the rest of quotas.
#[derive(Clone, Debug)]
pub struct QuotaSplit {
    /// Where they meet.
    pub join: NodeIx,
    pub branches: Vec<QuotaBranch>,
}

/// One of these branches.
#[derive(Clone, Debug)]
pub struct QuotaBranch {
    /// The input that it feeds.
    pub input: usize,
    /// The last node of it, if there is one such node.
    pub last: Option<NodeIx>,
}

#[derive(Clone, Debug)]
pub struct PlanEdge {
    pub source: NodeIx,
    /// The output it carries.
    pub port: PortName,
    pub target: NodeIx,
    /// The index of the input it feeds.
    pub target_port: usize,
    /// The place of its value among those of other edges into the same input, if that takes several.
    pub order: i32,
    /// How many counters the epochs of source and target share. If the source's epoch has more, its deeper epochs count as
    /// one step, which ends with its last live value. If the target's epoch has more, all its deeper epochs get the same
    /// value.
    pub level: usize,
    /// The cycle that it feeds the next epoch of, if it is a back edge.
    pub back: Option<CycleIx>,
}

#[derive(Clone, Debug)]
pub struct Cycle {
    pub entry: NodeIx,
    /// The cycle directly around it.
    pub parent: Option<CycleIx>,
    /// How many counters of an epoch belong to its surroundings: cycles, and loops.
    pub depth: usize,
    /// Where it begins in plan order: its members, and their followers if it is an outer cycle, stand together.
    pub position: NodeIx,
    /// The contexts that are made and worked in where it stands in plan order: by its members and, if it is an outer
    /// cycle, its followers.
    pub contexts: ContextRoles,
    /// The followers that count its epochs and have to do with contexts, but stand beside it: it is an inner cycle.
    pub context_followers: Vec<NodeIx>,
    /// The nodes that run once in each of its epochs, in plan order: members and followers, without those of inner cycles.
    pub nodes: Vec<NodeIx>,
    /// The cycles directly inside it.
    pub inner: Vec<CycleIx>,
    /// Its back edges, in plan order of their sources.
    pub back: Vec<EdgeIx>,
    /// The edges to targets for which the cycle is one step. They carry its last live values.
    pub exits: Vec<EdgeIx>,
    /// The cycle ends after this many epochs at the latest. Without a bound, it ends after a number of unattended epochs
    /// in a row: see [`Plan::max_unattended_epochs`].
    pub max_epochs: Option<u32>,
}

impl PlanNode {
    /// Where the node stands in plan order: the cycles around it or, for a follower, the outermost cycle of its clock.
    pub(crate) fn place(&self) -> &[CycleIx] {
        if self.is_follower { &self.clock[..1] } else { &self.clock }
    }
}

impl Plan {
    /// The nodes that deliver pinned values, in plan order.
    pub fn pinned_nodes(&self) -> Vec<NodeId> {
        let pinned = self.nodes.iter().filter(|node| node.node.behavior().is_pinned);
        pinned.map(|node| node.id.clone()).collect()
    }

    /// Whether an activation after one of this node may read the workflow's memory. Around a node in a loop or cycle there may always
    /// be one.
    pub fn is_memory_read_after(&self, node: NodeIx) -> bool {
        let spec = &self.nodes[node];
        spec.scope != ROOT_SCOPE
            || !spec.clock.is_empty()
            || self.last_memory_reader.is_some_and(|last| last > node)
    }

    /// The index of a node.
    pub fn find(&self, id: &NodeId) -> Option<NodeIx> {
        self.index.get(id).copied()
    }

    /// The iteration that an activation is in: its loop's body, and the epoch that the iteration has. Nothing outside of all
    /// loops.
    pub fn iteration_of(&self, node: NodeIx, epoch: &Epoch) -> Option<(ScopeIx, Epoch)> {
        let scope = self.nodes[node].scope;
        (scope != ROOT_SCOPE).then(|| (scope, epoch.prefix(self.scopes[scope].depth)))
    }

    /// Whether there is a loop around a node.
    pub(crate) fn is_in_loop(&self, node: NodeIx) -> bool {
        self.nodes[node].scope != ROOT_SCOPE
    }

    /// Whether an activation of a loop is the test of its condition, before an iteration.
    pub fn is_test(&self, node: NodeIx, epoch: &Epoch) -> bool {
        let spec = &self.nodes[node];
        spec.body.is_some() && epoch.depth() > self.scopes[spec.scope].depth + spec.clock.len()
    }

    /// Whether a node is in a loop, at any depth.
    pub(crate) fn is_inside(&self, node: NodeIx, container: NodeIx) -> bool {
        let around = |node: NodeIx| self.scopes[self.nodes[node].scope].container.map(|it| it.node);
        std::iter::successors(around(node), |&node| around(node)).any(|node| node == container)
    }

    /// The outermost cycle that an edge leaves: its source's deeper epochs count as one step, done when that cycle has ended.
    pub(crate) fn cycle_left_by(&self, edge: EdgeIx) -> Option<CycleIx> {
        let edge = &self.edges[edge];
        let source = &self.nodes[edge.source];
        source.clock.get(edge.level - self.scopes[source.scope].depth).copied()
    }

    /// Whether an edge enters a cycle, so that its value is held for several epochs of its target.
    pub(crate) fn holds_value(&self, edge: EdgeIx) -> bool {
        let edge = &self.edges[edge];
        let target = &self.nodes[edge.target];
        self.scopes[target.scope].depth + target.clock.len() > edge.level
    }
}
