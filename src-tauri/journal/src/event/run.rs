//! Events of the run as a whole, and how it ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::event_payload::{FlowRef, InputOverrides, NodeOutputs, ProgramRef, ReplySource, RunOrigin};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, NodeId, PortName, RunId};
use plait_core::origin::Origins;
use plait_core::user::UserName;
use plait_llm::context::ConversationRef;
use plait_llm::grant::Grants;
use plait_llm::models::ModelOverrides;

/// What happens to the run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum RunEvent {
    /// The run began. Always the first event.
    #[serde(rename = "run.started")]
    Started {
        run: RunId,
        /// The revision of the engine that wrote this event; see [`ENGINE_REVISION`](crate::ENGINE_REVISION).
        /// Zero in journals of early versions.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[ts(optional, as = "Option<u32>")]
        revision: u32,
        /// Who it belongs to, if not the default user. All runs below it belong to the same user.
        #[serde(default, skip_serializing_if = "UserName::is_default")]
        #[ts(optional, as = "Option<UserName>")]
        user: UserName,
        /// The run that this one is forked from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        from: Option<Box<RunOrigin>>,
        /// Where it looks for replies that were bought before. It counts for all runs below it.
        #[serde(default, skip_serializing_if = "ReplySource::is_default")]
        #[ts(optional, as = "Option<ReplySource>")]
        replies: ReplySource,
        flow: Box<FlowRef>,
        /// The program that it was observed of, if Plait did not run it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        program: Option<Box<ProgramRef>>,
        /// The node it runs to, if not the whole flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to: Option<NodeId>,
        /// Input text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        input: Option<String>,
        /// Values for ports that no edge feeds, by node and port.
        #[serde(default, skip_serializing_if = "is_empty")]
        #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
        set: Arc<InputOverrides>,
        /// The nodes that deliver pinned values in place of being executed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<NodeId>>")]
        pins: Vec<NodeId>,
        /// Whether the pins of the flow, and of the flows that it runs, are ignored. The recorded flow has none.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        ignores_pins: bool,
        /// Where the input and these values come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// The run that started this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        parent_run_id: Option<RunId>,
        /// The conversation it continues, up to the turn it had reached when the run began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<ConversationRef>")]
        conversation: Option<Arc<ConversationRef>>,
        /// What the run may use, as the person decided before it began. Absent in journals of early versions, whose runs have no
        /// limits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<Grants>")]
        grants: Option<Arc<Grants>>,
        /// Model settings and calibration at the start of the run. Fixed for the whole run.
        #[serde(default, skip_serializing_if = "has_no_overrides")]
        #[ts(optional, as = "Option<ModelOverrides>")]
        models: Arc<ModelOverrides>,
        /// What the application's settings say of what flows leave open, by key. Fixed for the whole run.
        #[serde(default, skip_serializing_if = "is_empty")]
        #[ts(optional, type = "Record<string, unknown>")]
        config: Arc<BTreeMap<String, Value>>,
    },
    /// Nothing can continue until a person answers one of these.
    #[serde(rename = "run.waiting")]
    Waiting {
        /// The open pauses, in plan order; the first [`MAX_LISTED_QUESTIONS`](crate::MAX_LISTED_QUESTIONS) of them.
        on: Vec<Activation>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[ts(optional, as = "Option<u32>")]
        more: u32,
    },
    /// Cancellation was requested; the events that end the run follow.
    #[serde(rename = "run.cancelling")]
    Canceling,
    /// The run succeeded.
    #[serde(rename = "run.finished")]
    Finished {
        /// The last live outputs of the flow's `output` nodes (without any: of its last nodes), by node and port.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
        /// Where the outputs come from, all of them together.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// The run ended because a node failed and nothing handled the error.
    #[serde(rename = "run.failed")]
    Failed {
        /// The node that failed.
        node: NodeId,
        /// The epoch of the activation that failed.
        epoch: Epoch,
        /// What went wrong.
        error: Box<Fault>,
        /// As in `run.finished`: the outputs up to the failure.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
        /// Where the outputs come from, all of them together.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    #[serde(rename = "run.cancelled")]
    Canceled {
        /// As in `run.finished`: the outputs up to the cancellation.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
        /// Where the outputs come from, all of them together.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Finished,
    Failed,
    Canceled,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn has_no_overrides(models: &Arc<ModelOverrides>) -> bool {
    models.is_empty()
}

fn is_empty<K, V>(map: &Arc<BTreeMap<K, V>>) -> bool {
    map.is_empty()
}
