//! Events of the child run that an activation started.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event_payload::ChildQuestion;
use plait_core::id::RunId;

/// What happens to the child run of an activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ChildEvent {
    /// An attempt started a child run, or attached to the one it had started before a restart.
    #[serde(rename = "child.started")]
    Started { run: RunId },
    /// The child run, or one inside it, asked a person for the first time.
    #[serde(rename = "child.asked")]
    Asked { run: RunId },
    /// The child run waits for a person, and so does the node. An answer addresses the run that asks.
    #[serde(rename = "child.waiting")]
    Waiting {
        run: RunId,
        /// The open questions of the child run and of its descendants; the first [`MAX_LISTED_QUESTIONS`](crate::MAX_LISTED_QUESTIONS) of them. Others
        /// follow when these are answered.
        questions: Vec<ChildQuestion>,
    },
    /// The child run was answered and continues.
    #[serde(rename = "child.resumed")]
    Resumed { run: RunId },
}
