//! `nodes.*`: the node types.

use plait_run::node::{NodeDescriptor, Registry};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

/// `nodes.list`: every node type, in the order of the palette.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListNodes {}

impl Command for ListNodes {
    const NAME: &'static str = "nodes.list";
    type Service = Registry;
    type Reply = Vec<NodeDescriptor>;

    async fn run(self, registry: &Registry) -> Result<Vec<NodeDescriptor>, ErrorReply> {
        Ok(registry.descriptors().into_iter().cloned().collect())
    }
}
