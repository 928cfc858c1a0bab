//! The blocks of a user message, and what a cap left out of them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::BlockKind;
use crate::transcript::PromptText;
use plait_core::id::NodeId;
use plait_core::origin::Origins;

/// What a part of a block is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "from", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BlockSource {
    /// The summary in the workflow's memory.
    Summary,
    /// Something that was said: a turn in the workflow's memory, or the partner's message.
    Turn {
        /// The label under which it stands in the prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        label: Option<String>,
        /// The node that said it, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        node: Option<NodeId>,
    },
    /// The instructions of a tool.
    Tool { name: String },
    /// A passage of a document in a knowledge base.
    Passage {
        /// The knowledge base.
        base: String,
        /// The file, relative to the folder of the base.
        source: String,
        /// Where the passage begins in the text of the file, in bytes.
        #[ts(type = "number")]
        offset: u64,
        /// Its length in bytes.
        #[ts(type = "number")]
        length: u64,
        /// The line on which it begins, from 1.
        #[ts(type = "number")]
        line: u64,
        /// How well it fits the query. Higher is better.
        score: f64,
    },
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockItem {
    pub text: PromptText,
    pub source: BlockSource,
    /// Where it comes from.
    pub origins: Origins,
    /// The size of the text in tokens.
    pub tokens: u64,
    /// A cap keeps the items with the lowest numbers; of equal ones, the first.
    pub rank: u32,
}

/// A block before its cap.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// The first line. Empty for none.
    pub heading: String,
    /// What stands between two items, and after the heading.
    pub separator: &'static str,
    /// The items in the order in which they are sent.
    pub items: Vec<BlockItem>,
}

/// What a cap left out of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BlockCut {
    /// The cap, in tokens.
    pub cap: u32,
    /// The size of what was left out, in tokens.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The items that were left out whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<BlockSource>>")]
    pub left_out: Vec<BlockSource>,
    /// Whether the one item that is left was cut short.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
}
