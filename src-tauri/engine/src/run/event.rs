//! Events: the events of a run, in the order they happened. A run *is* its journal of these.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::context::{ContextChange, ContextRecord, ConversationRef, SharedMessage, Snapshot, ToolCall};
use crate::error::Fault;
use crate::id::{Activation, ContextId, Epoch, MessageId, NodeId, PortName, RunId};
use crate::models::{CalibrationSample, ModelOverrides};
use crate::prompt::PromptRecord;
use crate::provider::ModelReply;
use crate::subflow::ChildQuestion;

use super::CallAccount;
use super::carried::{Answer, FinishMetadata, FlowRef, NodeOutputs, SkipReason, SourceRef};

/// One line of a journal, or of what a watcher sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Entry {
    /// Its place in the journal, from 0 without gaps. Absent on `node.delta`, which is only for watching.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub seq: Option<u64>,
    /// When, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum Event {
    /// The run began. Always the first event.
    #[serde(rename = "run.started")]
    RunStarted {
        /// The run.
        run: RunId,
        /// The flow it runs.
        flow: FlowRef,
        /// The node it runs to, if not the whole flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to: Option<NodeId>,
        /// Text given to the run at its start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        input: Option<String>,
        /// Values given to ports that no edge feeds, by node and port.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
        set: BTreeMap<NodeId, BTreeMap<PortName, Arc<Value>>>,
        /// The run that started this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        parent_run_id: Option<RunId>,
        /// The conversation it goes on in, as far as that had come when the run began: what came later is not its past.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<ConversationRef>")]
        conversation: Option<Arc<ConversationRef>>,
        /// What was set and had been learnt of models by then; the run keeps to it.
        #[serde(default, skip_serializing_if = "is_blank")]
        #[ts(optional, as = "Option<ModelOverrides>")]
        models: Arc<ModelOverrides>,
    },
    /// All inputs of an activation are decided; it waits for a place.
    #[serde(rename = "node.ready")]
    NodeReady {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Where the value on each fed input comes from; one source, or several for a port that collects.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, Vec<SourceRef>>>", optional)]
        inputs: BTreeMap<PortName, Vec<SourceRef>>,
    },
    /// An activation began to run.
    #[serde(rename = "node.started")]
    NodeStarted {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Which try, from 1.
        attempt: u32,
    },
    /// Partial output. For watching only: never journaled.
    #[serde(rename = "node.delta")]
    NodeDelta {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The text that came.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        text: String,
        /// The reasoning that came.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        reasoning: String,
    },
    /// An activation succeeded, or its pause was ended.
    #[serde(rename = "node.finished")]
    NodeFinished {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Its live outputs; a declared output that is missing here is dead.
        #[ts(as = "BTreeMap<PortName, Value>")]
        outputs: NodeOutputs,
        /// Outputs whose value is a message of a context already.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, MessageId>>", optional)]
        messages: BTreeMap<PortName, MessageId>,
        /// Duration, tokens and the like.
        metadata: FinishMetadata,
    },
    /// A node will not run.
    #[serde(rename = "node.skipped")]
    NodeSkipped {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Why.
        reason: SkipReason,
    },
    /// An activation failed for good.
    #[serde(rename = "node.failed")]
    NodeFailed {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// What went wrong.
        error: Fault,
        /// Whether its `error` output is wired, so that the run goes on.
        handled: bool,
    },
    /// An activation failed and is to be tried again.
    #[serde(rename = "node.retrying")]
    NodeRetrying {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The try that failed, from 1.
        attempt: u32,
        /// How long until the next, in milliseconds.
        #[ts(type = "number")]
        delay_ms: u64,
        /// What went wrong.
        error: Fault,
    },
    /// A context was made. Its history is empty or, for a copy, given whole.
    #[serde(rename = "context.created")]
    ContextCreated {
        /// The node that made it.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The context. Shared, like all that is large and seldom: it would make every event as large.
        #[ts(as = "ContextRecord")]
        context: Snapshot,
    },
    /// A context changed otherwise than by a model's turn.
    #[serde(rename = "context.changed")]
    ContextChanged {
        /// The node that changed it.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The context.
        context_id: ContextId,
        /// The change.
        change: ContextChange,
    },
    /// A model call took the context for its turn.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The context.
        context_id: ContextId,
    },
    /// A turn was added to the context's history, whole.
    #[serde(rename = "turn.committed")]
    TurnCommitted {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The context.
        context_id: ContextId,
        /// The messages added, in order: the user's (unless it was there already) and the assistant's.
        #[ts(as = "Vec<crate::context::Message>")]
        messages: Vec<SharedMessage>,
        /// What the provider's reports taught of Plait's counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        learned: Option<CalibrationSample>,
    },
    /// A turn was given up; the context is as it was.
    #[serde(rename = "turn.discarded")]
    TurnDiscarded {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The context.
        context_id: ContextId,
        /// What had been streamed by then.
        partial: String,
    },
    /// What is about to be sent to a model.
    #[serde(rename = "prompt.rendered")]
    PromptRendered {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Which model call of this activation, from 0.
        step: u32,
        /// The messages, by reference, and what they take of the window.
        #[ts(as = "PromptRecord")]
        prompt: Arc<PromptRecord>,
    },
    /// A model answered. Flushed before anything follows, so that the call is never paid for twice.
    #[serde(rename = "model.replied")]
    ModelReplied {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Which model call of this activation, from 0.
        step: u32,
        /// The whole reply.
        reply: ModelReply,
        /// What the call comes to. Journals of old have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<CallAccount>")]
        account: Option<Arc<CallAccount>>,
    },
    /// A tool is about to be called.
    #[serde(rename = "tool.called")]
    ToolCalled {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Which model call of this activation asked for it, from 0.
        step: u32,
        /// The call.
        call: ToolCall,
    },
    /// A tool answered. Flushed before anything follows.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// Which model call of this activation asked for it, from 0.
        step: u32,
        /// The call's id.
        call_id: String,
        /// The result, unless it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        result: Option<Value>,
        /// What went wrong; the model is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        error: Option<Fault>,
    },
    /// A cycle goes round: epoch `epoch` of it opens.
    #[serde(rename = "loop.iteration")]
    LoopIteration {
        /// The cycle's entry node.
        node: NodeId,
        /// The epoch that opens.
        epoch: Epoch,
    },
    /// A cycle was stopped by its `maxEpochs` although it would have gone on.
    #[serde(rename = "loop.exhausted")]
    LoopExhausted {
        /// The cycle's entry node.
        node: NodeId,
        /// Its last epoch.
        epoch: Epoch,
        /// The bound.
        max_epochs: u32,
    },
    /// A try of an activation began a run of another flow, or took it up again.
    #[serde(rename = "child.started")]
    ChildStarted {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The child run.
        run: RunId,
    },
    /// The child run waits for a person, and so does the node. Who answers addresses the run that asks.
    #[serde(rename = "child.waiting")]
    ChildWaiting {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The child run.
        run: RunId,
        /// What is asked in it, and in the runs it began.
        questions: Vec<ChildQuestion>,
    },
    /// The child run was answered and goes on.
    #[serde(rename = "child.resumed")]
    ChildResumed {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The child run.
        run: RunId,
    },
    /// A node asks a person.
    #[serde(rename = "run.paused")]
    RunPaused {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The question, in Markdown.
        prompt: String,
        /// JSON Schema of the answer.
        #[ts(type = "Record<string, unknown>")]
        schema: Value,
    },
    /// A person answered.
    #[serde(rename = "input.provided")]
    InputProvided {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// The answer.
        answer: Answer,
    },
    /// Nothing can go on until a person answers one of these.
    #[serde(rename = "run.waiting")]
    RunWaiting {
        /// The open pauses, in plan order.
        on: Vec<Activation>,
    },
    /// The run is being cancelled; the events that end it follow.
    #[serde(rename = "run.cancelling")]
    RunCancelling {},
    /// The run ended well.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// The last live outputs of the flow's `output` nodes (without any, of its last nodes), by node and port.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
    },
    /// The run ended because a node failed and nothing handled it.
    #[serde(rename = "run.failed")]
    RunFailed {
        /// The node.
        node: NodeId,
        /// Which time round.
        epoch: Epoch,
        /// What went wrong.
        error: Fault,
        /// As in `run.finished`: what had been put out by then.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
    },
    /// The run was cancelled.
    #[serde(rename = "run.cancelled")]
    RunCancelled {
        /// As in `run.finished`: what had been put out by then.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
    },
}

fn is_blank(models: &Arc<ModelOverrides>) -> bool {
    models.is_empty()
}
