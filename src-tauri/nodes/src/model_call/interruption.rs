//! Why a turn ends without a reply.

use plait_core::error::Fault;
use plait_run::node::{NodeOutput, Pause};

/// Why a turn ends without a reply.
#[derive(Debug)]
pub(crate) enum Interruption {
    Failed(Fault),
    /// A person is asked about a tool call. The node is executed again with the answer, and takes what was recorded.
    Asks(Box<Pause>),
}

impl From<Fault> for Interruption {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl Interruption {
    /// What the node returns.
    pub(crate) fn into_output(self) -> Result<NodeOutput, Fault> {
        match self {
            Self::Failed(fault) => Err(fault),
            Self::Asks(pause) => Ok(NodeOutput::paused(*pause)),
        }
    }
}
