//! How flows and nodes set up the memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// How many turns are recent if nothing else is set.
pub const DEFAULT_RECENT_TURNS: u32 = 12;
/// The most turns that can be recent: they are sent with every call.
pub const MAX_RECENT_TURNS: u32 = 200;

/// What a node may do with the workflow's memory.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "camelCase")]
pub enum MemoryMode {
    /// It neither sees nor changes it.
    #[default]
    Off,
    /// It sees it.
    Read,
    /// It sees it, and what it hears and says is added.
    ReadWrite,
}

impl MemoryMode {
    /// Whether the node sees the memory.
    pub fn reads(self) -> bool {
        self != Self::Off
    }

    /// Whether the node changes the memory.
    pub fn writes(self) -> bool {
        self == Self::ReadWrite
    }
}

/// Whether a node has to do with the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryUse {
    /// Its type has nothing to do with it.
    #[default]
    None,
    /// As the flow's settings say.
    AsFlow,
    /// As its config says.
    As(MemoryMode),
}

impl MemoryUse {
    /// What the node may do in a flow with these settings.
    pub fn mode(self, flow: &MemorySettings) -> MemoryMode {
        match self {
            Self::None => MemoryMode::Off,
            Self::AsFlow => flow.mode,
            Self::As(mode) => mode,
        }
    }
}

/// The model that writes summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SummarizerSettings {
    /// The provider of summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "provider"))]
    #[ts(optional)]
    pub provider: Option<String>,
    /// The model for summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "model"))]
    #[ts(optional)]
    pub model: Option<String>,
}

impl SummarizerSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The memory of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct MemorySettings {
    /// What the model nodes of the flow may do with the memory unless they say otherwise.
    #[serde(skip_serializing_if = "is_off")]
    #[ts(optional, as = "Option<MemoryMode>")]
    pub mode: MemoryMode,
    /// How many turns are kept verbatim. Older ones are summarized.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_RECENT_TURNS))]
    #[ts(optional)]
    pub recent_turns: Option<u32>,
    /// The model that summarizes older turns. If empty, the model of the context that the speaking node works in.
    #[serde(skip_serializing_if = "SummarizerSettings::is_empty")]
    #[ts(optional, as = "Option<SummarizerSettings>")]
    pub summarizer: SummarizerSettings,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_off(mode: &MemoryMode) -> bool {
    *mode == MemoryMode::Off
}

impl MemorySettings {
    /// How many turns are kept verbatim.
    pub fn recent_turns(&self) -> usize {
        self.recent_turns.unwrap_or(DEFAULT_RECENT_TURNS) as usize
    }

    /// Whether the number of turns is one that a flow may set.
    pub fn is_valid(&self) -> bool {
        self.recent_turns.is_none_or(|turns| (1..=MAX_RECENT_TURNS).contains(&turns))
    }
}
