//! Where a run is to stand still, and where it does.

mod text;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, Epoch, NodeId, PortName, RunId};
use plait_core::port::PortKind;

pub use text::{BREAKPOINT_SYNTAX, BreakpointText};

/// A place of an activation at which it can be held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// It is ready and has not started.
    #[default]
    Before,
    /// It is about to call a model or a tool.
    Call,
    /// It has ended, and its outputs are not delivered yet.
    After,
}

/// How much stands still at a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum StopScope {
    /// The whole run tree.
    #[default]
    Tree,
    /// The activation that is held, and with it what depends on its outputs. Everything else goes on.
    Branch,
}

impl StopScope {
    pub fn is_tree(&self) -> bool {
        *self == Self::Tree
    }
}

/// Where activations are held, or what is noted when they come there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Breakpoint {
    /// Its name, unique in a run tree.
    pub id: String,
    /// The `subflow` nodes that lead to its flow, the outermost first. Empty for the flow that was started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    /// None: every node of its flow and of the flows that run below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// Without a meaning where an event is waited for: it says itself where activations are held.
    #[serde(default)]
    pub side: Side,
    /// An input on the side `before`, an output on the side `after`: only what has a value there is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub port: Option<PortName>,
    /// The output at the other end of an edge into the input: only what has a value from there is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<OutputRef>,
    /// Only what has a value on an edge of this kind is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kind: Option<PortKind>,
    /// What has to happen. Without it, every activation that comes there is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub event: Option<StopEvent>,
    /// A condition in CEL. Without one, every activation is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub when: Option<String>,
    /// A template. With it, the text is noted in the journal and nothing is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub log: Option<String>,
    /// How much stands still there.
    #[serde(default, skip_serializing_if = "StopScope::is_tree")]
    #[ts(optional, as = "Option<StopScope>")]
    pub scope: StopScope,
    /// Whether it is kept without an effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub disabled: bool,
}

/// An output of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct OutputRef {
    pub node: NodeId,
    pub port: PortName,
}

/// Something that happens to an activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum StopEvent {
    /// It has changed a context: this one, or any. It is held after its end, before the change counts.
    ContextChanged {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        context: Option<ContextId>,
    },
    /// It has added to the workflow's memory, or to the user's long-term memory. It is held after its end, before a change of the former
    /// counts.
    MemoryChanged,
    /// A history was trimmed for a model call of it, or it had a history or a memory summarized. It is held at the next place.
    HistoryTrimmed,
    /// It is about to call a tool that sends or changes something, with arguments that others can have written. It is held before.
    UntrustedSent,
    /// It is about to call a tool as a grant allows that the run has not used before. It is held before.
    GrantUsed,
    /// An attempt has failed and the next one begins. It is held before.
    AttemptRetried,
    /// With one of its model calls, all model calls of the run tree have cost more than this. Calls without a known price do not count. It
    /// is held at the next place.
    SpendingPassed {
        /// In billionths of a US dollar.
        #[ts(type = "number")]
        nano_usd: u64,
    },
}

/// A place at which one activation is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StopPoint {
    pub node: NodeId,
    pub epoch: Epoch,
    /// Which try, from 1.
    pub attempt: u32,
    pub side: Side,
    /// Which call, on the side `call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call: Option<String>,
}

impl StopPoint {
    pub fn activation(&self) -> Activation {
        Activation { node: self.node.clone(), epoch: self.epoch.clone() }
    }
}

/// Why a run stands still.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StopCause {
    /// A breakpoint was reached.
    Breakpoint { id: String },
    /// The condition of a breakpoint, or the template of its text, could not be evaluated.
    Condition { id: String, error: Box<Fault> },
    /// A step is over.
    Step,
    /// A person wanted it.
    Pause,
    /// Another run of the tree stands still, and so do all.
    Elsewhere { run: RunId },
}

/// How a run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DebugVerb {
    /// Everything goes on.
    #[default]
    Continue,
    /// One activation goes on until its outputs are delivered, with all that is inside of it.
    Over,
    /// One activation goes on to the next place inside of it.
    Into,
    /// The rest of the iteration or run around an activation goes on.
    Out,
    /// Everything that is held now goes on by one place.
    All,
    /// One activation that has not started is passed over: its outputs are dead.
    Skip,
    /// One activation that has ended is run again; what came of it is dropped.
    Retry,
}
