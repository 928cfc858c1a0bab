//! `nodes.*`: the node types there are.

use plait_engine::node::NodeDescriptor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait};

/// `nodes.list`: every node type, in the palette's order.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListNodes {}

impl Command for ListNodes {
    const NAME: &'static str = "nodes.list";
    type Reply = Vec<NodeDescriptor>;

    async fn run(self, app: &Plait) -> Result<Vec<NodeDescriptor>, ErrorReply> {
        Ok(app.registry().descriptors().into_iter().cloned().collect())
    }
}
