//! The values that events carry.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::world_policy::WorldPolicy;
use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, NodeId, PortName, RunId};
use plait_core::origin::Origins;
use plait_llm::models::TokenUsage;
use plait_llm::tool::ToolPause;

/// Values given to a run for ports that no edge feeds, by node and port.
pub type InputOverrides = BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>>;

/// The values of a node's live outputs, by port.
pub type NodeOutputs = BTreeMap<PortName, Arc<Value>>;

/// Where a value on an input came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourceRef {
    pub node: NodeId,
    pub epoch: Epoch,
    /// Its output.
    pub port: PortName,
}

/// Which flow a run runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlowRef {
    pub name: String,
    /// Where its file was, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Hash of the document as it ran; the store keeps that document.
    pub hash: String,
}

/// The program that a run was observed of. Plait did not run it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ProgramRef {
    /// The command with its arguments. Empty if the run comes from traces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub command: Vec<String>,
    /// Its exit code; none if the recorder ended before it, and for traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit: Option<i32>,
    /// All that it exchanged with model servers, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exchanges: Option<Attachment>,
    /// What was observed and is not in the run, for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub notes: Vec<String>,
}

/// The run that another one is forked from. What it bought, called and asked up to `seq` is not bought, called or asked
/// again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunOrigin {
    /// The earlier run.
    pub run: RunId,
    /// How many of its events count.
    #[ts(type = "number")]
    pub seq: u64,
    /// Whether this run runs the flow that it was given, and not the one that the earlier run recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub edited: bool,
    /// Whether the earlier run went on after these events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub cut: bool,
    /// Where it was cut inside of a child run of the earlier one: the first event there that does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cut_in: Option<EventRef>,
    /// Whether the earlier run writes to a branch of its own. So does this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub of_branch: bool,
    /// What is done again although the earlier run has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fresh: Option<FreshFrom>,
    /// What it asks the world for.
    #[serde(default, skip_serializing_if = "WorldPolicy::is_default")]
    #[ts(optional, as = "Option<WorldPolicy>")]
    pub world: WorldPolicy,
    /// The file that the earlier run is read from, if the store does not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub recording: Option<RecordingRef>,
}

impl RunOrigin {
    /// Whether the run may come to something else than the earlier one, or that one than its own, or that one is no run of this store. Then
    /// what it says and remembers is a branch of its own.
    pub fn differs(&self) -> bool {
        self.of_branch
            || self.edited
            || self.cut
            || self.fresh.is_some()
            || self.recording.is_some()
            || !self.world.live.is_empty()
    }
}

/// A file with a recorded run tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordingRef {
    /// Where it was.
    pub path: String,
    /// The hash of its list of parts, which holds the hash of each part.
    pub hash: String,
}

/// Where a fork begins to do again what the earlier run has: at an activation, and in all that follows from it unless it is alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FreshFrom {
    pub node: NodeId,
    /// Nothing for all activations of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
    /// The place in the child run of the activation, if it begins there: what comes before in that run is taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub inside: Option<Box<FreshFrom>>,
    /// Whether what follows is taken over wherever it asks the same as before: only the activation itself is done again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub alone: bool,
}

impl FreshFrom {
    /// Whether this is the activation, or one of those, that it names.
    pub fn names(&self, activation: &Activation) -> bool {
        self.node == activation.node && self.epoch.as_ref().is_none_or(|epoch| *epoch == activation.epoch)
    }
}

/// The runs from which a run takes replies of models that were bought before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ReplySource {
    /// The one that it is forked from, if there is one.
    #[default]
    Earlier,
    /// After that one, any run of the same user.
    Any,
}

impl ReplySource {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An event of another run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct EventRef {
    pub run: RunId,
    /// The position in its journal, from 0.
    #[ts(type = "number")]
    pub seq: u64,
}

/// What a node has to say about its own execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FinishMetadata {
    /// How long it took, in milliseconds.
    #[ts(type = "number")]
    pub duration_ms: u64,
    /// What its model calls used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub token_usage: Option<TokenUsage>,
    /// Whether the outputs were taken from an earlier execution.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub cached: bool,
    /// Whether the outputs are pinned: the node was not executed. Its inputs are what came in nevertheless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub pinned: bool,
    /// Whether the end of its model's reply is missing: it reached a limit of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// Where the outputs come from, besides the inputs. Pinned outputs come from here alone.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// Anything more, by node type.
    #[serde(default, flatten)]
    #[ts(skip)]
    pub extra: BTreeMap<String, Value>,
}

/// Set in the metadata of a success: a model has called the tool that ends the loop around the node.
pub const FINISHES_LOOP: &str = "finishesLoop";

/// Set in the metadata of a success: what the node said as a turn of the conversation of the loop around it, if a person attached
/// something to it. A [`Content`](plait_llm::context::Content). Without it, the turn is the output.
pub const LOOP_TURN: &str = "loopTurn";

/// Why a node did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SkipReason {
    /// A required input was never going to arrive.
    DeadInput,
    /// The run failed before its turn came.
    RunFailed,
    /// The run was cancelled before its turn came.
    RunCancelled,
    /// The run had reached the node it was to run to.
    TargetReached,
    /// The loop around it, or its iteration, failed before its turn came.
    LoopFailed,
    /// The loop around it ended with an earlier item before its turn came.
    LoopEnded,
    /// A person skipped it at a stop of the debugger.
    ByPerson,
}

/// What a person gives to a pause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Answer {
    /// A value; it becomes the node's output.
    Value(#[ts(type = "unknown")] Arc<Value>),
    /// The same with images and files, where the question takes them.
    Attached {
        #[ts(type = "unknown")]
        value: Arc<Value>,
        attachments: Vec<Attachment>,
    },
    /// Nothing more: the pause ends and its outputs are dead.
    End,
}

impl Answer {
    /// What the person answered, unless the pause was ended.
    pub fn value(&self) -> Option<&Arc<Value>> {
        match self {
            Self::Value(value) | Self::Attached { value, .. } => Some(value),
            Self::End => None,
        }
    }
}

/// A question asked by a child run or by one of its descendants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChildQuestion {
    /// The run that asks and takes the answer.
    pub run: RunId,
    /// The node that asks in it.
    pub node: NodeId,
    /// The epoch of the activation that asks.
    pub epoch: Epoch,
    /// The question, in Markdown.
    pub prompt: String,
    /// JSON Schema of the answer.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Value,
    /// The tool call it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ToolPause>,
}

/// Why a run failed, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunFault {
    /// The node that failed.
    pub node: NodeId,
    /// The epoch of the activation that failed.
    pub epoch: Epoch,
    /// What went wrong.
    pub error: Fault,
}
