//! What a view knows of one node: its activations, and which of them it shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::{Answer, CallAccount, EventRef, FinishMetadata, NodeOutputs, SkipReason, SourceRef};
use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, Epoch, MessageId, PortName, RunId};
use plait_core::origin::Origins;
use plait_llm::context::ToolCall;
use plait_llm::models::{Cost, TokenUsage};
use plait_llm::prompt_record::PromptRecord;
use plait_llm::provider::ModelReply;
use plait_llm::retriever::Retrieval;
use plait_llm::tool::{SamplingRef, ToolPause, ToolProgress};

/// What a node, or one activation of it, is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum NodeState {
    /// Its inputs are decided; it waits for a place.
    Ready,
    /// It works.
    Running,
    /// It waits for a person.
    Paused,
    /// A try failed; it waits for the next.
    Retrying,
    /// It succeeded, or its pause was ended.
    Done,
    /// It did not run.
    Skipped,
    /// It failed for good.
    Failed,
    /// It succeeded with what an earlier execution gave.
    Cached,
}

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct NodeView {
    /// The state it shows: that of its latest activation that was not skipped; skipped if all were.
    pub state: NodeState,
    /// The epoch of that activation.
    pub epoch: Epoch,
    /// All its activations, by epoch.
    pub epochs: Vec<EpochView>,
}

impl NodeView {
    /// The activation of that epoch.
    pub fn at(&self, epoch: &Epoch) -> Option<&EpochView> {
        let index = self.epochs.binary_search_by(|view| view.epoch.cmp(epoch)).ok()?;
        self.epochs.get(index)
    }

    /// The activation whose state the node shows.
    pub fn shown(&self) -> Option<&EpochView> {
        self.at(&self.epoch)
    }
}

/// One execution of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EpochView {
    /// The iteration.
    pub epoch: Epoch,
    /// What it is doing.
    pub state: NodeState,
    /// Where the value on each fed input comes from.
    pub inputs: BTreeMap<PortName, Vec<SourceRef>>,
    /// Its live outputs.
    #[ts(as = "BTreeMap<PortName, Value>")]
    pub outputs: NodeOutputs,
    /// Outputs whose value is a message of a context already.
    pub messages: BTreeMap<PortName, MessageId>,
    /// Where its outputs, or its error, come from, besides its inputs.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// Its tries, in order.
    pub attempts: Vec<AttemptView>,
    /// What it asked people, in order.
    pub pauses: Vec<PauseView>,
    /// Its model calls, in order.
    pub calls: Vec<ModelCallView>,
    /// Its tool calls, in order.
    pub tools: Vec<ToolCallView>,
    /// What was done less well than asked, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
    /// What it waits for outside of the run, while it does. Only watchers have it: no journal keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<ToolProgress>,
    /// What knowledge bases held for its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retrieval: Option<Retrieval>,
    /// The runs it began, one for each try that got so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<RunId>>")]
    pub children: Vec<RunId>,
    /// Its turn in a context, where it took one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<TurnView>,
    /// The contexts it made, changed or took its turn in.
    pub contexts: Vec<ContextId>,
    /// When its inputs were decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ready_at: Option<u64>,
    /// When it began to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub started_at: Option<u64>,
    /// When its first iteration began, if it is a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub iterating_since: Option<u64>,
    /// When it succeeded, failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// Why it failed, or why its last try did while it waits for the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// Whether its `error` output took the failure, so that the run went on.
    pub handled: bool,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub skipped: Option<SkipReason>,
    /// The activation of which the handled failure was the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<Activation>")]
    pub skipped_after: Option<Box<Activation>>,
    /// Duration, tokens and the like, once it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub metadata: Option<FinishMetadata>,
    /// What its model calls used so far.
    pub usage: TokenUsage,
    /// What they cost so far.
    pub cost: Cost,
    /// What attempts used that a person dropped. It is part of `usage` and `cost`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dropped: Option<DroppedSpending>,
    /// The config that a person tried on its last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub trial: Option<Arc<Map<String, Value>>>,
    /// The way that a person had it take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forced: Option<ForcedWay>,
    /// The text streamed by the model call that goes on or went last. Only watchers have it: no journal keeps it.
    pub streamed: String,
    /// The reasoning streamed with it.
    pub reasoning: String,
}

impl EpochView {
    pub(super) fn new(epoch: Epoch) -> Self {
        Self {
            epoch,
            state: NodeState::Ready,
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            messages: BTreeMap::new(),
            origins: Origins::NONE,
            attempts: Vec::new(),
            pauses: Vec::new(),
            calls: Vec::new(),
            tools: Vec::new(),
            notices: Vec::new(),
            progress: None,
            retrieval: None,
            children: Vec::new(),
            turn: None,
            contexts: Vec::new(),
            ready_at: None,
            started_at: None,
            iterating_since: None,
            ended_at: None,
            error: None,
            handled: false,
            skipped: None,
            skipped_after: None,
            metadata: None,
            usage: TokenUsage::default(),
            cost: Cost::default(),
            dropped: None,
            trial: None,
            forced: None,
            streamed: String::new(),
            reasoning: String::new(),
        }
    }
}

/// What attempts used that a person dropped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct DroppedSpending {
    pub usage: TokenUsage,
    pub cost: Cost,
}

/// A way that a person chose in place of the one that the node chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ForcedWay {
    /// The output that the node chose.
    pub from: PortName,
    /// The output that was taken.
    pub to: PortName,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    /// Which, from 1.
    pub attempt: u32,
    /// When it began.
    #[ts(type = "number")]
    pub started_at: u64,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// How long it then waited for the next, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub delay_ms: Option<u64>,
    /// What it gave, if a person had the node run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, as = "Option<BTreeMap<PortName, Value>>")]
    pub dropped: Option<NodeOutputs>,
}

/// One question to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PauseView {
    /// The question, in Markdown.
    pub prompt: String,
    /// JSON Schema of the answer.
    #[ts(type = "Record<string, unknown>")]
    pub schema: Value,
    /// The tool call it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ToolPause>,
    /// When it was asked.
    #[ts(type = "number")]
    pub asked_at: u64,
    /// When it was answered or ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub answered_at: Option<u64>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answer: Option<Answer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelCallView {
    /// Which model call of this activation, from 0.
    pub step: u32,
    /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sampling: Option<SamplingRef>,
    /// When it was made.
    #[ts(type = "number")]
    pub started_at: u64,
    /// What was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub prompt: Option<PromptRecord>,
    /// When the model had answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reply: Option<ModelReply>,
    /// What it comes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub account: Option<CallAccount>,
    /// Where the reply comes from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// The event of an earlier run that the reply is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reused: Option<EventRef>,
}

impl ModelCallView {
    /// What the call cost in the run that bought it. Nothing for a call without a reply.
    pub fn bought_cost(&self) -> Cost {
        let price = || self.account.as_ref().and_then(|account| account.cost_nano_usd);
        self.reply.as_ref().map_or_else(Cost::default, |_| Cost::of_call(price()))
    }

    /// A call of which nothing is known but that it began.
    pub(super) fn begun(step: u32, sampling: Option<SamplingRef>, at: u64) -> Self {
        Self {
            step,
            sampling,
            started_at: at,
            prompt: None,
            ended_at: None,
            reply: None,
            account: None,
            origins: Origins::NONE,
            reused: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallView {
    /// Which model call of this activation asked for it, from 0.
    pub step: u32,
    pub call: ToolCall,
    /// When it was made.
    #[ts(type = "number")]
    pub started_at: u64,
    /// When the tool had answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// How far it has come, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub progress: Option<ToolProgress>,
    /// The result, unless it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub result: Option<Value>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// Where the result or the error comes from, besides the arguments.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub origins: Origins,
    /// The event of an earlier run that the result is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reused: Option<EventRef>,
}

/// How far a turn got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum TurnState {
    /// It goes on.
    Started,
    /// Its messages stand in the history.
    Committed,
    /// It was given up; the history is as it was.
    Discarded,
}

/// A turn in a context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    pub context_id: ContextId,
    /// How far it got.
    pub state: TurnState,
    /// The messages it added.
    pub messages: Vec<MessageId>,
    /// What had been streamed when it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub partial: Option<String>,
}
