//! What a trial of an imported flow made beside what the other tool recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::expression::values_equal;
use plait_core::id::{Epoch, NodeId, PortName, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// How a node of the file compares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Compared {
    /// It made the recorded values.
    Same,
    /// It delivered what is recorded.
    Given,
    Differs {
        #[ts(type = "unknown")]
        recorded: Value,
        #[ts(type = "unknown")]
        here: Value,
    },
    /// It made a value in the record alone.
    OnlyRecorded {
        #[ts(type = "unknown")]
        recorded: Value,
    },
    /// It made a value here alone.
    OnlyHere {
        #[ts(type = "unknown")]
        here: Value,
    },
    NotCompared {
        reason: String,
    },
}

impl Compared {
    /// Whether the flow does something else than the recorded execution.
    pub fn departs(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::OnlyRecorded { .. } | Self::OnlyHere { .. })
    }

    /// Of the value in the record and of the one that was made here, if there are any.
    pub fn of(recorded: Option<Value>, here: Option<Value>) -> Option<Self> {
        Some(match (recorded, here) {
            (None, None) => return None,
            (Some(recorded), Some(here)) if values_equal(&recorded, &here) => Self::Same,
            (Some(recorded), Some(here)) => Self::Differs { recorded, here },
            (Some(recorded), None) => Self::OnlyRecorded { recorded },
            (None, Some(here)) => Self::OnlyHere { here },
        })
    }
}

/// A node of the file in a comparison, where it departs first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedNode {
    /// Its name in the file.
    pub name: String,
    /// The `subflow` nodes that it is inside of, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub subflows: Vec<NodeId>,
    /// The node of the flow that has the value.
    pub node: NodeId,
    /// The run that it ran in, if it ran: that of the trial, or of a sub-flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// The iteration in which it departs, if it is in a loop or cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
    #[serde(flatten)]
    #[ts(flatten)]
    pub compared: Compared,
}

/// What a node delivered once in the trial.
#[derive(Clone, Debug)]
pub struct Made {
    pub run: RunId,
    /// The `subflow` nodes that it is inside of, outermost first.
    pub subflows: Vec<NodeId>,
    pub node: NodeId,
    pub epoch: Epoch,
    pub outputs: BTreeMap<PortName, Arc<Value>>,
}
