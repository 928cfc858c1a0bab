//! The shape of `*.flow.json`: nodes and edges keyed by stable ids, layout in a section of its own, unknown keys kept.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::drawing::{Frame, Point, Position};
use super::folders::{self, FolderAccess};
use super::pin::Pin;
use super::tree_limits::TreeLimits;
use super::trigger::Trigger;
use super::unconfirmed::Unconfirmed;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::flow::{MAX_RECENT_TURNS, MemorySettings};
use crate::id::{EdgeId, FrameId, NodeId, PortName};
use crate::quota::{FlowQuotas, Quota};

/// The version of the format this build writes.
pub const VERSION: u32 = 1;

/// A flow: nodes, edges, layout and settings. Never holds a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Flow {
    /// The version of the format.
    pub version: u32,
    /// The name that people see.
    #[serde(default)]
    pub name: String,
    /// What it is for, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub description: String,
    #[serde(default)]
    pub nodes: BTreeMap<NodeId, Node>,
    #[serde(default)]
    pub edges: BTreeMap<EdgeId, Edge>,
    /// The positions of nodes on the canvas.
    #[serde(default)]
    pub layout: BTreeMap<NodeId, Position>,
    /// Boxes around nodes that belong together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<FrameId, Frame>>")]
    pub frames: BTreeMap<FrameId, Frame>,
    /// The points that edges pass through, in the edge's direction. An edge without any takes the way that the canvas gives it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<EdgeId, Vec<Point>>>")]
    pub routes: BTreeMap<EdgeId, Vec<Point>>,
    #[serde(default, skip_serializing_if = "FlowSettings::is_default")]
    #[ts(optional, as = "Option<FlowSettings>")]
    pub settings: FlowSettings,
    /// Unknown keys, kept unchanged.
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
            frames: BTreeMap::new(),
            routes: BTreeMap::new(),
            settings: FlowSettings::default(),
            extra: Map::new(),
        }
    }
}

/// A node of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// The name of the node type, for example `chat`.
    #[serde(rename = "type")]
    pub node_type: String,
    /// The title that people see; without one, the title of the node type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The loop whose body it is in. Nothing outside of all loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent: Option<NodeId>,
    /// The configuration, described by the node type's schema.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub config: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Limits::is_default")]
    #[ts(optional, as = "Option<Limits>")]
    pub limits: Limits,
    /// How to retry after a failure that a retry could fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry: Option<RetryPolicy>,
    /// Whether runs pass over it, as if it were not there: its outputs give what its inputs get. With a loop, its body is
    /// disabled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub disabled: bool,
    /// What it delivers in place of being executed. Of a loop or a sub-flow, nothing inside runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pin: Option<Pin>,
    /// Whether it is one of several ways into the flow. A run takes one, and passes over the nodes that only others reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub trigger: Option<Trigger>,
    /// What its import made different from the original, until a person confirms it. A flow with any cannot run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Unconfirmed>>")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// Bounds on a node's execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The maximum number of iterations of the innermost cycle that contains the node, at least 1. Of several bounds on
    /// one cycle, the lowest holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(title = "Max iterations", range(min = 1))]
    pub max_epochs: Option<u32>,
    /// The maximum duration of one execution, in milliseconds; then it fails with `node.timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// What its model calls may use in a run; those of a loop's body, each time the loop runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub quota: Option<Quota>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Limits {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What still fails at the hundredth attempt, a retry does not fix.
pub const MAX_ATTEMPTS: u32 = 100;

/// How often and after which delays to retry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// The maximum number of attempts, including the first; at least 1.
    #[schemars(range(min = 1, max = MAX_ATTEMPTS))]
    pub attempts: u32,
    /// The delay before the second attempt, in milliseconds. It doubles with each further attempt.
    #[ts(type = "number")]
    pub backoff_ms: u64,
    /// The maximum delay, in milliseconds.
    #[ts(type = "number")]
    pub max_backoff_ms: u64,
    /// The share of each delay that is random, from 0 (none) to 1 (all).
    #[schemars(range(min = 0.0, max = 1.0), extend("x-rank" = 7))]
    pub jitter: f64,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Default for RetryPolicy {
    /// Three attempts with delays of 0.5 s and 1 s, half of it random: long enough for a provider's short outage, short
    /// enough for a person who is watching.
    fn default() -> Self {
        Self { attempts: 3, backoff_ms: 500, max_backoff_ms: 30_000, jitter: 0.5, extra: Map::new() }
    }
}

/// An edge from an output to an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    pub source: NodeId,
    pub source_output: PortName,
    pub target: NodeId,
    pub target_input: PortName,
    /// The place of its value among those of other edges into an input that takes several, lowest first; 0 by default. Edges of
    /// the same place come in plan order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub order: Option<i32>,
    /// Further data. Plait keeps it and does not interpret it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub metadata: Map<String, Value>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// Settings of a whole flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlowSettings {
    /// How many activations may run at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<u32>,
    /// After how many iterations in a row without a question to a person a cycle ends, unless `limits.maxEpochs` bounds
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(range(min = 1))]
    pub max_unattended_epochs: Option<u32>,
    /// What a run of the flow and all runs below it may use together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limits: Option<TreeLimits>,
    /// What the model calls of a run, and of a conversation, may use.
    #[serde(default, skip_serializing_if = "FlowQuotas::is_default")]
    #[ts(optional, as = "Option<FlowQuotas>")]
    pub quotas: FlowQuotas,
    /// The context window of every model call in the flow, in tokens; by default, the model's own. It stays as it is in the
    /// file: `plait_run::plan::check` reports an invalid value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(with = "Option<std::num::NonZeroU32>")]
    pub context_window: Option<Value>,
    /// The memory that nodes of the flow share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub memory: Option<MemorySettings>,
    /// The folders whose files the flow's tools may read or write. Without any, they may read the folder of the flow's file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<FolderAccess>>")]
    pub folders: Vec<FolderAccess>,
    /// Values for all loops and nodes of the flow that do not set them, by key, for example `history_management.max_tokens`. They
    /// come before those of the application's settings. `plait config list` shows the keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub config: BTreeMap<String, Value>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl FlowSettings {
    /// How many activations may run at once, if set; an error if it is 0.
    pub fn concurrency(&self) -> Result<Option<u32>, Diagnostic> {
        match self.max_concurrency {
            Some(0) => Err(Diagnostic::error(
                codes::SETTINGS_MAX_CONCURRENCY,
                "/settings/maxConcurrency",
                "`maxConcurrency` must be at least 1.",
            )
            .hint("Enter a number from 1, or remove the setting to use the default.")),
            valid => Ok(valid),
        }
    }

    /// The limits of a run tree, as far as they are set; an error if one is 0.
    pub fn tree_limits(&self) -> Result<TreeLimits, Diagnostic> {
        let limits = self.limits.clone().unwrap_or_default();
        match limits.zero() {
            Some(key) => Err(Diagnostic::error(
                codes::SETTINGS_LIMITS,
                format!("/settings/limits/{key}"),
                format!("`{key}` must be at least 1."),
            )
            .hint("Enter a number from 1, or remove the setting to use the default.")),
            None => Ok(limits),
        }
    }

    /// After how many unattended iterations a cycle ends, if set; an error if it is 0.
    pub fn unattended_epochs(&self) -> Result<Option<u32>, Diagnostic> {
        match self.max_unattended_epochs {
            Some(0) => Err(Diagnostic::error(
                codes::SETTINGS_MAX_UNATTENDED_EPOCHS,
                "/settings/maxUnattendedEpochs",
                "`maxUnattendedEpochs` must be at least 1.",
            )
            .hint("Enter a number from 1, or remove the setting to use the default.")),
            valid => Ok(valid),
        }
    }

    /// The settings of the workflow's memory; an error if the number of recent turns is out of range.
    pub fn memory(&self) -> Result<MemorySettings, Diagnostic> {
        let settings = self.memory.clone().unwrap_or_default();
        if settings.is_valid() {
            return Ok(settings);
        }
        Err(Diagnostic::error(
            codes::SETTINGS_MEMORY,
            "/settings/memory/recentTurns",
            format!("`recentTurns` must be from 1 to {MAX_RECENT_TURNS}."),
        )
        .hint("Enter a number in this range, or remove the setting to use the default."))
    }

    /// The context window in tokens, if set; an error if the value is invalid.
    pub fn window(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(value) = self.context_window.as_ref().filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        match value.as_u64().filter(|window| (1..=u64::from(u32::MAX)).contains(window)) {
            Some(window) => Ok(Some(window)),
            None => Err(Diagnostic::error(
                codes::SETTINGS_CONTEXT_WINDOW,
                "/settings/contextWindow",
                format!("`{value}` is not a valid context window. It must be a whole number of tokens, at least 1."),
            )
            .hint("Enter the number of tokens for prompt and reply together, or remove the setting.")),
        }
    }

    /// The problems with the quotas.
    pub fn quota_problems(&self) -> Vec<Diagnostic> {
        let problem = |(key, quota): (&str, &Quota)| {
            let (field, message) = quota.problem()?;
            Some(Diagnostic::error(codes::QUOTA_BAD, format!("/settings/quotas/{key}/{field}"), message))
        };
        self.quotas.entries().filter_map(problem).collect()
    }

    /// The problems with the folders.
    pub fn folder_problems(&self) -> Vec<Diagnostic> {
        folders::check(&self.folders)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
