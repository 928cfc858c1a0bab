//! One line of a journal.

use serde::Serialize;
use ts_rs::TS;

use crate::Event;

/// One line of a journal, or of what a watcher receives.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
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
}
