//! Events of the debugger. Nothing follows from them but where a run stands still and which values a person put in place of others: the
//! scheduler, reply keys, comparisons and the check of the revision ignore them. What a person skips or has run again does concern the
//! scheduler, and is an event of the node.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::breakpoint::{Breakpoint, DebugVerb, StopCause, StopPoint, StopScope};
use crate::event_payload::NodeOutputs;
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId, PortName};

/// An attempt of a node that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BegunAttempt {
    pub epoch: Epoch,
    /// From 1.
    pub attempt: u32,
}

/// What the debugger does to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum DebugEvent {
    /// These are the breakpoints of the run tree from now on.
    #[serde(rename = "debug.breakpoints")]
    Breakpoints { breakpoints: Arc<[Breakpoint]> },
    /// Nothing starts and nothing is delivered until the run is continued. What is under way ends. With the scope `branch`, that holds for
    /// one activation, and everything that does not depend on it goes on.
    #[serde(rename = "debug.stopped")]
    Stopped {
        cause: StopCause,
        #[serde(default, skip_serializing_if = "StopScope::is_tree")]
        #[ts(optional, as = "Option<StopScope>")]
        scope: StopScope,
        /// What is held, if it is one activation of this run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        point: Option<StopPoint>,
        /// Its inputs before it starts, its outputs before they are delivered, by port.
        #[serde(default, skip_serializing_if = "NodeOutputs::is_empty")]
        #[ts(optional, as = "Option<std::collections::BTreeMap<PortName, Value>>")]
        values: NodeOutputs,
        /// The other outputs that can be taken, after a node that takes one of several.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<PortName>>")]
        ways: Vec<PortName>,
        /// Why the activation failed that is held after its end, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<Fault>")]
        error: Option<Box<Fault>>,
    },
    /// The run goes on, or a branch of it.
    #[serde(rename = "debug.continued")]
    Continued {
        verb: DebugVerb,
        /// The number of the stop that is over. Journals of versions that had one stop at a time do not have it: it is that one. A step
        /// ends the stop of the whole tree as well, since time passes until the next one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        stop: Option<u64>,
        /// The activation that goes on alone, if it is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        point: Option<StopPoint>,
    },
    /// A person changed a value that is held: of an input before the start, of an output before its delivery.
    #[serde(rename = "value.overridden")]
    Overridden {
        point: StopPoint,
        port: PortName,
        /// What stood there.
        #[ts(type = "unknown")]
        was: Arc<Value>,
        #[ts(type = "unknown")]
        value: Arc<Value>,
    },
    /// A person chose another way than the node did, before its outputs are delivered.
    #[serde(rename = "value.rerouted")]
    Rerouted {
        point: StopPoint,
        /// The output that the node chose.
        from: PortName,
        /// The output that is taken instead.
        to: PortName,
        /// The outputs as they were.
        #[ts(as = "std::collections::BTreeMap<PortName, Value>")]
        was: NodeOutputs,
        /// The outputs from now on.
        #[ts(as = "std::collections::BTreeMap<PortName, Value>")]
        values: NodeOutputs,
    },
    /// A person tries another config of a node, until it is dropped. What starts from now on has it.
    #[serde(rename = "trial.made")]
    TrialMade {
        node: NodeId,
        /// The config that the node had until now.
        #[ts(type = "Record<string, unknown>")]
        was: Arc<Map<String, Value>>,
        #[ts(type = "Record<string, unknown>")]
        config: Arc<Map<String, Value>>,
        /// Attempts under way, which go on with the config that they began with.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<BegunAttempt>>")]
        begun: Vec<BegunAttempt>,
    },
    /// A person dropped the trial of a node: what starts from now on has the config of the flow.
    #[serde(rename = "trial.dropped")]
    TrialDropped {
        node: NodeId,
        /// Attempts under way, which go on with the config that they began with.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<BegunAttempt>>")]
        begun: Vec<BegunAttempt>,
    },
    /// A breakpoint with a text was reached.
    #[serde(rename = "debug.logged")]
    Logged { id: String, point: StopPoint, text: Arc<str> },
}
