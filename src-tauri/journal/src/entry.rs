//! One line of a journal.

use serde::Serialize;
use ts_rs::TS;

use crate::Event;

/// One line of a journal, or of what a watcher receives.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Position in the journal, from 0 without gaps. Absent on `node.delta`, `node.progressed` and `tool.progressed`, which are never journaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub seq: Option<u64>,
    /// Milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
    /// How long the run was interrupted before it, in milliseconds: since the entry before it, no process drove the run.
    #[serde(skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<f64>")]
    pub interrupted_ms: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
