//! Events of contexts: what activations create in them and change.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event_payload::EventRef;
use plait_core::id::{Activation, ContextId};
use plait_llm::context::{ContextChange, ContextRecord, SharedMessage, Snapshot};
use plait_llm::models::CalibrationSample;

/// What happens to a context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ContextEvent {
    /// A context was created, with an empty history or, as a copy, with a whole one.
    #[serde(rename = "context.created")]
    Created {
        /// The new context. Shared: inline it would make every event as large.
        #[ts(as = "ContextRecord")]
        context: Snapshot,
    },
    /// A context changed other than by a model's turn.
    #[serde(rename = "context.changed")]
    Changed {
        /// The context that changed.
        context_id: ContextId,
        change: ContextChange,
        /// It was done in an iteration of a loop, and counts outside when `context.merged` names the activation.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        pending: bool,
    },
    /// A model call began its turn in the context.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The context that is locked for the turn.
        context_id: ContextId,
    },
    /// A whole turn was added to the context's history.
    #[serde(rename = "turn.committed")]
    TurnCommitted {
        /// The context that was extended.
        context_id: ContextId,
        /// The messages added, in order: the user's (unless it was there already) and the assistant's.
        #[ts(as = "Vec<plait_llm::context::Message>")]
        messages: Vec<SharedMessage>,
        /// Calibration of Plait's token counts by the provider's reports.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        learned: Option<CalibrationSample>,
        /// The event of an earlier run that committed the same turn, so that a conversation gets it once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
        /// It was done in an iteration of a loop, and counts outside when `context.merged` names the activation.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        pending: bool,
    },
    /// A turn was discarded; the context did not change.
    #[serde(rename = "turn.discarded")]
    TurnDiscarded {
        /// The context that was locked for the turn.
        context_id: ContextId,
        /// The text streamed before the turn was discarded.
        partial: String,
    },
    /// Iterations of a loop have succeeded: what these activations did in contexts and in the workflow's memory counts from
    /// here on, in this order, in the run as a whole.
    #[serde(rename = "context.merged")]
    Merged {
        /// The activations with pending changes.
        activations: Vec<Activation>,
    },
    /// Iterations of a loop have failed: what these activations did in contexts and in the workflow's memory never counts.
    #[serde(rename = "context.discarded")]
    Discarded {
        /// The activations with pending changes.
        activations: Vec<Activation>,
    },
}
