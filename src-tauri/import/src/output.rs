//! The outputs of nodes that are made.

use plait_core::id::NodeId;

/// An output of a node of the flow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Output {
    pub(super) node: NodeId,
    pub(super) port: String,
}

impl Output {
    pub(super) fn new(node: &NodeId, port: &str) -> Self {
        Self { node: node.clone(), port: port.to_owned() }
    }
}
