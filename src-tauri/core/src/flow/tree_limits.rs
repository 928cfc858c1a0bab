//! The limits of a run tree, as a flow or the application's settings set them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// The limits of a run tree. Those that are not set are set elsewhere: the flow's take precedence over the application's, and
/// these over the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TreeLimits {
    /// How many runs there may be, the root included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1))]
    pub max_runs: Option<u64>,
    /// How many model calls may be answered. Replies that are reused do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1))]
    pub max_model_calls: Option<u64>,
    /// After how many events no node starts any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    #[schemars(range(min = 1))]
    pub max_events: Option<u64>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl TreeLimits {
    /// The keys of all limits.
    pub const KEYS: [&str; 3] = ["maxRuns", "maxModelCalls", "maxEvents"];

    /// More runs than wide trees of sub-flows need, few enough that a mistake ends in seconds.
    pub const DEFAULT_MAX_RUNS: u64 = 1_000;
    /// More model calls than a long conversation or a batch needs, few enough that a mistake stays affordable.
    pub const DEFAULT_MAX_MODEL_CALLS: u64 = 1_000;
    /// A journal of some gigabytes.
    pub const DEFAULT_MAX_EVENTS: u64 = 10_000_000;

    /// These limits, completed by `others`.
    #[must_use]
    pub fn or(self, others: &Self) -> Self {
        Self {
            max_runs: self.max_runs.or(others.max_runs),
            max_model_calls: self.max_model_calls.or(others.max_model_calls),
            max_events: self.max_events.or(others.max_events),
            extra: self.extra,
        }
    }

    /// Whether no limit is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The key of a limit that is 0, if one is: then nothing could run.
    pub fn zero(&self) -> Option<&'static str> {
        let limits = [
            ("maxRuns", self.max_runs),
            ("maxModelCalls", self.max_model_calls),
            ("maxEvents", self.max_events),
        ];
        limits.into_iter().find(|(_, limit)| *limit == Some(0)).map(|(key, _)| key)
    }
}
