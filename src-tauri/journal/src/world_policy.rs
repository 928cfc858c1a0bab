//! What a fork does about what came from outside of the earlier run: results of tools, passages of knowledge bases, recalled memories.
//! By default it takes over what was recorded, and asks the world where nothing is.
//!
//! A person may have some of it asked again, and may choose what happens where nothing is recorded. To have a node give a fixed value,
//! pin its output.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::id::NodeId;

/// What a fork asks the world for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorldPolicy {
    /// What is asked again although it is recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<LivePart>>")]
    pub live: Vec<LivePart>,
    #[serde(default)]
    #[ts(optional, as = "Option<Misses>")]
    pub misses: Misses,
    /// How replies that are recorded are streamed.
    #[serde(default, skip_serializing_if = "Pace::is_fast")]
    #[ts(optional, as = "Option<Pace>")]
    pub pace: Pace,
}

/// How replies are streamed that are taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Pace {
    /// They are there at once.
    #[default]
    Fast,
    /// Their parts arrive as they did when they were recorded.
    Recorded,
}

impl Pace {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_fast(&self) -> bool {
        *self == Self::Fast
    }
}

/// A part of the world that is asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LivePart {
    /// All tools, knowledge bases and memories.
    All,
    /// What a node of the flow asks for. In sub-flows nodes have other names: this names none of them.
    Node(NodeId),
    /// What nodes of this type ask for, in sub-flows as well.
    Type(String),
    /// A tool, in sub-flows as well.
    Tool(String),
}

/// What happens where nothing is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Misses {
    /// The world is asked.
    #[default]
    Live,
    /// A person is asked before a tool is called. Searches and memories, which change nothing, are live.
    Ask,
    /// The node fails, with `run.not_recorded`. A model is not called either.
    Fail,
}

impl WorldPolicy {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all nodes of a type ask again.
    pub fn names_type(&self, node_type: &str) -> bool {
        self.live.iter().any(|part| matches!(part, LivePart::Type(named) if named == node_type))
    }

    /// Whether a node asks again, where it calls this tool if for one, be it for its type or not. `is_root` says whether it is a node of
    /// the run that no other one started.
    pub fn is_live(&self, node: &NodeId, is_root: bool, tool: Option<&str>) -> bool {
        self.live.iter().any(|part| match part {
            LivePart::All => true,
            LivePart::Node(named) => is_root && named == node,
            LivePart::Type(_) => false,
            LivePart::Tool(named) => tool == Some(named),
        })
    }
}
