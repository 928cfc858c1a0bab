//! Nested flows: the trait that runs them, its call and its result.
//!
//! A child is a run of its own, with its own journal, contexts and end. It receives a text, values for its inputs and the
//! parent's id, and nothing else of the parent: no messages and no outputs. Where flows are stored is not decided here.
//!
//! A child's id is derived from its parent's id, the activation and the attempt, so a resumed parent finds the child that it had started.
//! Dropping the node's future cancels the child. A child that waits for a person makes its parent wait: `child.waiting` carries
//! the questions with their address, and answers go directly to the run that asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Host, RunInfo};
use crate::codes;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId, RunId};
use plait_core::origin::Origins;
use plait_journal::{ChildEvent, InputOverrides, NodeOutputs, RunEnd, RunFault};

/// The maximum depth of nested flows. The root has depth 0, its children 1. It stops endless recursion early.
pub const MAX_DEPTH: usize = 16;

/// The flow that a node runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ChildFlow {
    /// A file, by its path relative to the folder of the calling flow.
    File(String),
    /// A flow inside of the node's config.
    Inner(Arc<Flow>),
}

/// One attempt of a node that runs a flow.
pub struct ChildCall {
    /// The run of the node.
    pub parent: Arc<RunInfo>,
    /// The execution of the node. The child's id is derived from it, the run and the attempt, so that a resumed parent
    /// finds the child that it had started.
    pub activation: Activation,
    /// The attempt, from 1. Each attempt is a run of its own; a child that has ended is never restarted.
    pub attempt: u32,
    /// What to run.
    pub flow: ChildFlow,
    /// The input text, if any.
    pub input: Option<String>,
    /// Values for its inputs without an edge.
    pub set: InputOverrides,
    /// Where these come from.
    pub origins: Origins,
    /// The parent's host.
    pub host: Host,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChildEnd {
    pub run: RunId,
    pub end: RunEnd,
    /// Its outputs, by node and port.
    pub outputs: BTreeMap<NodeId, NodeOutputs>,
    /// Where they, or the error, come from.
    pub origins: Origins,
    /// Why it failed, if it did.
    pub error: Option<RunFault>,
}

/// Receives the events of a child run in order: first `Started`, once per call; then each wait for a person and each
/// resumption.
pub type ChildListener = Box<dyn FnMut(ChildEvent) + Send>;

/// Runs nested flows.
#[async_trait]
pub trait Subflows: Send + Sync {
    /// Starts the child of this call, or finds the one started earlier, and waits for its end. Dropping the future cancels
    /// the child. Faults: `subflow.*` and the errors of its flow, if no child can be started.
    async fn run(&self, call: ChildCall, listener: ChildListener) -> Result<ChildEnd, Fault>;
}

/// A host without nested flows.
pub struct NoSubflows;

#[async_trait]
impl Subflows for NoSubflows {
    async fn run(&self, _call: ChildCall, _listener: ChildListener) -> Result<ChildEnd, Fault> {
        Err(Fault::new(codes::SUBFLOW_UNAVAILABLE, "Nested flows can't be run here."))
    }
}
