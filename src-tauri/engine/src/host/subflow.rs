//! Nested flows: what a node asks for when it runs one, and who carries that out.
//!
//! A child is a run of its own: its journal, its contexts, its end. It is given a text, values for its inputs and the
//! parent's id, and nothing else of the parent: no messages and no outputs. Refuses to say where flows are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Host, RunInfo};
use crate::error::{ErrorCode, Fault};
use crate::flow::Flow;
use crate::id::{Activation, NodeId, RunId};
use crate::journal::{ChildEvent, InputOverrides, NodeOutputs, RunEnd, RunFault};

/// How deep flows may be inside of flows: the root is at depth 0, its children at 1. Nobody reads deeper nesting than
/// this, and a mistake that calls for ever ends soon.
pub const MAX_DEPTH: usize = 16;

/// Which flow a node runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ChildFlow {
    /// That of a file, by its path relative to the folder of the flow the node is in.
    File(String),
    /// One that stands in the node's own config.
    Inner(Arc<Flow>),
}

/// One try of a node that runs a flow.
pub struct ChildCall {
    /// The run the node is in.
    pub parent: Arc<RunInfo>,
    /// Which execution of it. With the run and the attempt it decides the child's id, so that a parent that was resumed
    /// finds the child it had begun.
    pub activation: Activation,
    /// Which try, from 1. Each is a run of its own: one that has ended is never begun again.
    pub attempt: u32,
    /// What to run.
    pub flow: ChildFlow,
    /// The text it is given, if it is given one.
    pub input: Option<String>,
    /// Values for its inputs that no edge feeds.
    pub set: InputOverrides,
    /// The world, that of the parent.
    pub host: Host,
}

/// How a child ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildEnd {
    /// Its id.
    pub run: RunId,
    /// How.
    pub end: RunEnd,
    /// What it put out, by node and port.
    pub outputs: BTreeMap<NodeId, NodeOutputs>,
    /// Why it failed, where it did.
    pub error: Option<RunFault>,
}

/// Receives the events of a child run, in order: first `Started`, once per call; then each wait for a person and each
/// resumption.
pub type ChildListener = Box<dyn FnMut(ChildEvent) + Send>;

/// Runs nested flows.
#[async_trait]
pub trait Subflows: Send + Sync {
    /// Starts the child of this call, or finds the one it began before, and waits for its end. Dropping the future
    /// cancels the child. Faults where there is no child to speak of: `subflow.*` and what is wrong with its flow.
    async fn run(&self, call: ChildCall, listener: ChildListener) -> Result<ChildEnd, Fault>;
}

/// A world without nested flows.
pub struct NoSubflows;

#[async_trait]
impl Subflows for NoSubflows {
    async fn run(&self, _call: ChildCall, _listener: ChildListener) -> Result<ChildEnd, Fault> {
        Err(Fault::new(ErrorCode::SubflowUnavailable, "Nested flows can't be run here."))
    }
}
