//! Events of the workflow's memory.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event_payload::EventRef;
use plait_llm::memory::MemoryChange;

/// What happens to the workflow's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type")]
pub enum MemoryEvent {
    /// Turns were added, and older ones summarized if there were too many. Counts once the activation has succeeded.
    #[serde(rename = "memory.appended")]
    Appended {
        /// The change.
        #[ts(as = "MemoryChange")]
        change: Arc<MemoryChange>,
        /// The event of an earlier run that made the same change, so that a conversation gets it once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
        /// It was done in an iteration of a loop, and counts outside when `context.merged` names the activation.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        pending: bool,
    },
}
