//! Events of a cycle.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What happens to a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum LoopEvent {
    /// The epoch opened.
    #[serde(rename = "loop.iteration")]
    Iteration,
    /// The epoch was the last one because a bound was reached, although the cycle would have continued.
    #[serde(rename = "loop.exhausted")]
    Exhausted {
        /// The bound: the number of all epochs or, if `unattended`, of those in a row in which nobody was asked.
        max_epochs: u32,
        /// The cycle has no `maxEpochs` of its own, and nobody was asked for too long.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        unattended: bool,
    },
}
