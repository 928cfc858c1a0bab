//! The shape of `*.flow.json`: nodes and edges keyed by stable ids, layout apart, unknown keys kept.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::diagnostic::Diagnostic;
use crate::id::{EdgeId, NodeId, PortName};

/// The version of the format this build writes.
pub const VERSION: u32 = 1;

/// A flow: nodes, edges, layout and settings. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Flow {
    /// The version of the format.
    pub version: u32,
    /// Its name, for people.
    #[serde(default)]
    pub name: String,
    /// What it is for, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub description: String,
    /// The nodes, by id.
    #[serde(default)]
    pub nodes: BTreeMap<NodeId, Node>,
    /// The edges, by id.
    #[serde(default)]
    pub edges: BTreeMap<EdgeId, Edge>,
    /// Where nodes stand on the canvas, by node id.
    #[serde(default)]
    pub layout: BTreeMap<NodeId, Position>,
    /// Settings of the whole flow.
    #[serde(default, skip_serializing_if = "FlowSettings::is_default")]
    #[ts(optional, as = "Option<FlowSettings>")]
    pub settings: FlowSettings,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            version: VERSION,
            name: String::new(),
            description: String::new(),
            nodes: BTreeMap::new(),
            edges: BTreeMap::new(),
            layout: BTreeMap::new(),
            settings: FlowSettings::default(),
            extra: Map::new(),
        }
    }
}

/// A node: what it does, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// The name of its node type, for example `chat`.
    #[serde(rename = "type")]
    pub node_type: String,
    /// What people call it; without one, its type's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// Its configuration, as its type's schema has it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub config: Map<String, Value>,
    /// Bounds on its execution.
    #[serde(default, skip_serializing_if = "Limits::is_default")]
    #[ts(optional, as = "Option<Limits>")]
    pub limits: Limits,
    /// What to do when it fails in a way that another try could mend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry: Option<RetryPolicy>,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// Bounds on a node's execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// How many times round the cycles it stands in may go, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1))]
    pub max_epochs: Option<u32>,
    /// How long one execution may take, in milliseconds; then it fails with `node.timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Limits {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What still fails at the hundredth try is not mended by another.
pub(crate) const MOST_ATTEMPTS: u32 = 100;

/// How often and how patiently to try again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    #[schemars(range(min = 1, max = MOST_ATTEMPTS))]
    pub attempts: u32,
    /// The wait before the second try, in milliseconds; doubled for each one after.
    #[ts(type = "number")]
    pub backoff_ms: u64,
    /// The longest wait, in milliseconds.
    #[ts(type = "number")]
    pub max_backoff_ms: u64,
    /// How much of each wait is left to chance, from 0 (none) to 1 (all).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Default for RetryPolicy {
    /// Three tries, half a second apart and then a second, at most 30 s, half of it by chance: patient enough for a
    /// provider's hiccup, short enough for a person who watches.
    fn default() -> Self {
        Self { attempts: 3, backoff_ms: 500, max_backoff_ms: 30_000, jitter: 0.5, extra: Map::new() }
    }
}

/// An explicit wire from an output to an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// The node it comes from.
    pub source: NodeId,
    /// Which of its outputs.
    pub source_output: PortName,
    /// The node it goes to.
    pub target: NodeId,
    /// Which of its inputs.
    pub target_input: PortName,
    /// Anything more; kept, not interpreted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub metadata: Map<String, Value>,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// Where a node stands on the canvas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Position {
    /// To the right, in canvas units.
    pub x: f64,
    /// Down, in canvas units.
    pub y: f64,
    /// Width, where the person set one (notes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub width: Option<f64>,
    /// Height, where the person set one (notes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub height: Option<f64>,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// Settings of a whole flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlowSettings {
    /// How many activations may run at once; without it, 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// The window, in tokens, that every model call of the flow has to make do with; without it, what the settings and
    /// the table say of the model. Kept as it stands in the file: [`check`](crate::plan::check) says when it is no window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(with = "Option<std::num::NonZeroU32>")]
    pub context_window: Option<Value>,
    /// Keys this build does not know, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl FlowSettings {
    /// How many activations may run at once, where that is set; an error where none ever could.
    pub fn concurrency(&self) -> Result<Option<u32>, Diagnostic> {
        match self.max_concurrency {
            Some(0) => Err(Diagnostic::error(
                "settings.max_concurrency",
                "/settings/maxConcurrency",
                "With a `maxConcurrency` of 0 nothing could ever run.",
            )
            .hint("Give a number from 1, or leave it out for the usual one.")),
            set => Ok(set),
        }
    }

    /// The window in tokens, where one is set; an error where what is set is none.
    pub fn window(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(set) = self.context_window.as_ref().filter(|set| !set.is_null()) else { return Ok(None) };
        match set.as_u64().filter(|window| (1..=u64::from(u32::MAX)).contains(window)) {
            Some(window) => Ok(Some(window)),
            None => Err(Diagnostic::error(
                "settings.context_window",
                "/settings/contextWindow",
                format!("`{set}` is no window: it is a whole number of tokens, at least 1."),
            )
            .hint("Give the tokens of prompt and reply together, or leave it out.")),
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
