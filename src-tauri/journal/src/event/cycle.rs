//! Events of cycles and loops.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::Fault;
use plait_core::id::MessageId;
use plait_llm::context::{Message, SharedMessage};

/// What happens to a cycle or a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum LoopEvent {
    /// The epoch of a cycle opened.
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
    /// An iteration of a loop began.
    #[serde(rename = "iteration.started")]
    IterationStarted,
    /// Turns joined the history of a loop with a conversation: its input, or what was said in an iteration. The event is of the
    /// loop, in its own epoch.
    #[serde(rename = "history.appended")]
    HistoryAppended {
        /// In order.
        #[ts(as = "Vec<Message>")]
        turns: Vec<SharedMessage>,
        /// Those of them that are pinned: their nodes say so.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<MessageId>>")]
        pinned: Vec<MessageId>,
    },
    /// A person pinned a turn of a loop's conversation, so that no bound leaves it out, or took the pin off. It counts for the calls
    /// that follow. The event is of the loop, in its own epoch.
    #[serde(rename = "history.pinned")]
    HistoryPinned {
        turn: MessageId,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// An iteration of a loop is over.
    #[serde(rename = "iteration.finished")]
    IterationFinished {
        /// Why it failed, or was stopped. What it did in contexts does not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        error: Option<Box<Fault>>,
        /// Whether it ended the loop.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        exit: bool,
    },
}
