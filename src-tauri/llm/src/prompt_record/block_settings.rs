//! The order of the blocks and their caps, as a node sets them.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A kind of block.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum BlockKind {
    /// What was found in knowledge bases.
    Retrieval,
    /// How to use the tools.
    Tools,
    /// The workflow's memory: its summary and the recent turns.
    Memory,
    /// The message that the model is to answer.
    Partner,
}

/// The order of the blocks if a node sets none.
pub const DEFAULT_ORDER: [BlockKind; 4] =
    [BlockKind::Retrieval, BlockKind::Tools, BlockKind::Memory, BlockKind::Partner];

/// How many tokens each block may take at most. Those without a cap are limited by the model's window alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BlockCaps {
    /// For what was retrieved. The chunks with the lowest scores are left out first.
    pub retrieval: Option<NonZeroU32>,
    /// For the instructions of tools. Those of the last tools are left out first.
    pub tools: Option<NonZeroU32>,
    /// For the workflow's memory. The oldest turns are left out first, the summary last.
    pub memory: Option<NonZeroU32>,
    /// For the message to the model. The rest of it is cut off.
    pub partner: Option<NonZeroU32>,
}

impl BlockCaps {
    /// The cap of a block.
    pub fn of(&self, kind: BlockKind) -> Option<u32> {
        let cap = match kind {
            BlockKind::Retrieval => self.retrieval,
            BlockKind::Tools => self.tools,
            BlockKind::Memory => self.memory,
            BlockKind::Partner => self.partner,
        };
        cap.map(NonZeroU32::get)
    }
}

/// How the user message is put together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BlockSettings {
    /// The blocks in their order. If empty: `retrieval`, `tools`, `memory`, `partner`. A block that is not listed is not
    /// sent; `partner`, the message itself, must be.
    pub order: Vec<BlockKind>,
    /// Maximum tokens of each block.
    pub caps: BlockCaps,
}

impl BlockSettings {
    /// The blocks in their order.
    pub fn order(&self) -> &[BlockKind] {
        if self.order.is_empty() { &DEFAULT_ORDER } else { &self.order }
    }

    /// The problem with the order, if there is one.
    pub fn problem(&self) -> Option<String> {
        let order = self.order();
        if !order.contains(&BlockKind::Partner) {
            return Some("`order` lacks `partner`, the message that the model is to answer.".to_owned());
        }
        let repeated = (1..order.len()).any(|at| order[..at].contains(&order[at]));
        repeated.then(|| "`order` lists a block twice.".to_owned())
    }
}
