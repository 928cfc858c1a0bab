//! What happens in a run.
//!
//! An [`Event`] belongs to the run, to one of its cycles, or to one activation of a node. Code that follows one matter
//! matches one of the groups: the scheduler reads runs, nodes and children, contexts fold [`ContextEvent`]s, model calls
//! read [`CallEvent`]s. The JSON form is flat; see the codec.

mod type_script;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::CallAccount;
use super::event_payload::{
    Answer, ChildQuestion, EventRef, FinishMetadata, FlowRef, InputOverrides, NodeOutputs, RunOrigin,
    SkipReason, SourceRef,
};
use crate::context::{ContextChange, ContextRecord, ConversationRef, SharedMessage, Snapshot, ToolCall};
use crate::error::Fault;
use crate::grant::Grants;
use crate::id::{Activation, ContextId, Epoch, MessageId, NodeId, PortName, ReplyKey, RunId};
use crate::long_term_memory::{MemoryRecord, Recall};
use crate::memory::MemoryChange;
use crate::models::{CalibrationSample, ModelOverrides};
use crate::origin::Origins;
use crate::prompt::PromptRecord;
use crate::provider::ModelReply;
use crate::retriever::Retrieval;
use crate::tool::{ToolPause, ToolProgress};
use crate::user::UserName;

/// How many open questions an event lists. A run may have thousands, and waits again after each answer; each has an event of
/// its own anyway (`run.paused`).
pub const MAX_LISTED_QUESTIONS: usize = 16;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The run as a whole started, waits or ended.
    Run(RunEvent),
    /// A cycle, named by its entry node and one of its epochs, opened that epoch or was stopped in it.
    Loop(Activation, LoopEvent),
    /// An activation passed from one phase to another.
    Node(Activation, NodeEvent),
    /// An activation created or changed a context.
    Context(Activation, ContextEvent),
    /// An activation changed the workflow's memory.
    Memory(Activation, MemoryEvent),
    /// An activation called a model or a tool.
    Call(Activation, CallEvent),
    /// An activation runs another flow.
    Child(Activation, ChildEvent),
}

impl Event {
    /// The activation the event belongs to. Events of the run and of its cycles have none.
    pub fn activation(&self) -> Option<&Activation> {
        match self {
            Self::Run(_) | Self::Loop(..) => None,
            Self::Node(activation, _)
            | Self::Context(activation, _)
            | Self::Memory(activation, _)
            | Self::Call(activation, _)
            | Self::Child(activation, _) => Some(activation),
        }
    }

    /// How the run ended, if this event ends it.
    pub fn run_end(&self) -> Option<RunEnd> {
        match self {
            Self::Run(RunEvent::Finished { .. }) => Some(RunEnd::Finished),
            Self::Run(RunEvent::Failed { .. }) => Some(RunEnd::Failed),
            Self::Run(RunEvent::Canceled { .. }) => Some(RunEnd::Canceled),
            _ => None,
        }
    }

    /// Whether the event ends the run: no entry follows it.
    pub fn is_terminal(&self) -> bool {
        self.run_end().is_some()
    }
}

/// An event of an activation that does not say yet which.
pub trait ActivationEvent {
    /// The event, of `activation`.
    fn of(self, activation: Activation) -> Event;
}

impl ActivationEvent for NodeEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Node(activation, self)
    }
}

impl ActivationEvent for ContextEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Context(activation, self)
    }
}

impl ActivationEvent for MemoryEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Memory(activation, self)
    }
}

impl ActivationEvent for CallEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Call(activation, self)
    }
}

impl ActivationEvent for ChildEvent {
    fn of(self, activation: Activation) -> Event {
        Event::Child(activation, self)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// `run.finished`.
    Finished,
    /// `run.failed`.
    Failed,
    /// `run.cancelled`.
    Canceled,
}

/// What happens to the run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum RunEvent {
    /// The run began. Always the first event.
    #[serde(rename = "run.started")]
    Started {
        /// This run.
        run: RunId,
        /// The revision of the engine that wrote this event; see [`ENGINE_REVISION`](super::ENGINE_REVISION).
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
        from: Option<RunOrigin>,
        /// The flow it runs.
        flow: FlowRef,
        /// The node it runs to, if not the whole flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to: Option<NodeId>,
        /// Input text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        input: Option<String>,
        /// Values for ports that no edge feeds, by node and port.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
        set: InputOverrides,
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
    },
    /// Nothing can continue until a person answers one of these.
    #[serde(rename = "run.waiting")]
    Waiting {
        /// The open pauses, in plan order; the first [`MAX_LISTED_QUESTIONS`] of them.
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
        error: Fault,
        /// As in `run.finished`: the outputs up to the failure.
        #[ts(as = "BTreeMap<NodeId, BTreeMap<PortName, Value>>")]
        outputs: BTreeMap<NodeId, NodeOutputs>,
        /// Where the outputs come from, all of them together.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// The run was canceled.
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

/// What happens to a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum LoopEvent {
    /// The epoch opened.
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
}

/// What happens to an activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum NodeEvent {
    /// All inputs are decided; the activation is queued.
    #[serde(rename = "node.ready")]
    Ready {
        /// The source of the value on each fed input; several for a port that collects.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, Vec<SourceRef>>>", optional)]
        inputs: BTreeMap<PortName, Vec<SourceRef>>,
    },
    /// An attempt began.
    #[serde(rename = "node.started")]
    Started {
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// Partial output. For watchers only: never journaled.
    #[serde(rename = "node.delta")]
    Delta {
        /// New text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        text: String,
        /// New reasoning.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        reasoning: String,
    },
    /// The activation succeeded, or its pause was ended without an answer.
    #[serde(rename = "node.finished")]
    Finished {
        /// Its live outputs. A declared output that is missing here is dead.
        #[ts(as = "BTreeMap<PortName, Value>")]
        outputs: NodeOutputs,
        /// Outputs whose value already is a message of a context.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, MessageId>>", optional)]
        messages: BTreeMap<PortName, MessageId>,
        /// Duration, tokens and the like.
        metadata: FinishMetadata,
    },
    /// The activation will not run.
    #[serde(rename = "node.skipped")]
    Skipped {
        /// Why.
        reason: SkipReason,
    },
    /// The activation failed and will not be retried.
    #[serde(rename = "node.failed")]
    Failed {
        /// What went wrong.
        error: Fault,
        /// Whether its `error` output is wired, so that the run continues.
        handled: bool,
        /// Where the error comes from, besides the inputs.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// An attempt failed and another one follows.
    #[serde(rename = "node.retrying")]
    Retrying {
        /// Number of the attempt that failed, from 1.
        attempt: u32,
        /// Delay before the next attempt, in milliseconds.
        #[ts(type = "number")]
        delay_ms: u64,
        /// What went wrong.
        error: Fault,
    },
    /// The node asks a person.
    #[serde(rename = "run.paused")]
    Paused {
        /// The question, in Markdown.
        prompt: String,
        /// JSON Schema of the answer.
        #[ts(type = "Record<string, unknown>")]
        schema: Value,
        /// Whether the answer follows at once, because the run that this one is forked from has it. Nobody is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        answered: bool,
        /// The tool call it is about, if it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        tool: Option<ToolPause>,
    },
    /// A person answered.
    #[serde(rename = "input.provided")]
    Answered {
        /// The answer.
        answer: Answer,
        /// The event of an earlier run that the answer is taken from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
}

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
        /// The change.
        change: ContextChange,
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
        #[ts(as = "Vec<crate::context::Message>")]
        messages: Vec<SharedMessage>,
        /// Calibration of Plait's token counts by the provider's reports.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        learned: Option<CalibrationSample>,
        /// The event of an earlier run that committed the same turn, so that a conversation gets it once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// A turn was discarded; the context did not change.
    #[serde(rename = "turn.discarded")]
    TurnDiscarded {
        /// The context that was locked for the turn.
        context_id: ContextId,
        /// The text streamed before the turn was discarded.
        partial: String,
    },
}

/// What happens to the workflow's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type")]
pub enum MemoryEvent {
    /// Turns were added, and older ones summarized if there were too many. Counts once the activation has succeeded.
    #[serde(rename = "memory.appended")]
    Appended {
        /// The change.
        #[ts(as = "MemoryChange")]
        change: Arc<MemoryChange>,
        /// The event of an earlier run that made the same change, so that a conversation gets it once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
}

/// What happens while an activation calls models and tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum CallEvent {
    /// A prompt is about to be sent to a model.
    #[serde(rename = "prompt.rendered")]
    PromptRendered {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The messages, by reference, and the tokens they take.
        #[ts(as = "PromptRecord")]
        prompt: Arc<PromptRecord>,
    },
    /// A model replied. Flushed before anything follows, so that the call is never paid for twice.
    #[serde(rename = "model.replied")]
    ModelReplied {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The whole reply.
        reply: ModelReply,
        /// Usage and cost of the call. Absent in journals of early versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<CallAccount>")]
        account: Option<Arc<CallAccount>>,
        /// What identifies the request: an equal request of a forked run takes this reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        key: Option<ReplyKey>,
        /// Where the reply comes from: its prompt and the model.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// The event of an earlier run that the reply is taken from. It costs nothing here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// Knowledge bases were searched for a prompt. Flushed before the prompt, so that a resumed run sends the same.
    #[serde(rename = "knowledge.retrieved")]
    KnowledgeRetrieved {
        /// What was found.
        #[ts(as = "Retrieval")]
        retrieval: Arc<Retrieval>,
    },
    /// The user's long-term memory was searched. Flushed before anything follows, so that a resumed run sees the same.
    #[serde(rename = "memory.recalled")]
    MemoryRecalled {
        /// What was found.
        #[ts(as = "Recall")]
        recall: Arc<Recall>,
        /// The event of an earlier run that it is taken from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// Something is about to be stored in the user's long-term memory. Flushed before it is stored.
    #[serde(rename = "memory.remembered")]
    MemoryRemembered {
        /// What is stored.
        #[ts(as = "Vec<MemoryRecord>")]
        memories: Arc<Vec<MemoryRecord>>,
        /// The event of an earlier run that stored the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// A tool is about to be called.
    #[serde(rename = "tool.called")]
    ToolCalled {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The tool and its arguments.
        call: ToolCall,
    },
    /// A tool has come further. For watchers only: never journaled.
    #[serde(rename = "tool.progressed")]
    ToolProgressed {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The id of the tool call.
        call_id: String,
        progress: ToolProgress,
    },
    /// A tool returned. Flushed before anything follows.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The id of the tool call.
        call_id: String,
        /// The result, unless it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        result: Option<Value>,
        /// The error, which is also reported to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        error: Option<Fault>,
        /// Where the result or the error comes from, besides the arguments.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// The event of an earlier run that the result is taken from. The tool was not called again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
}

/// What happens to the child run of an activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ChildEvent {
    /// An attempt started a child run, or attached to the one it had started before a restart.
    #[serde(rename = "child.started")]
    Started {
        /// The child run.
        run: RunId,
    },
    /// The child run, or one inside it, asked a person for the first time.
    #[serde(rename = "child.asked")]
    Asked {
        /// The child run.
        run: RunId,
    },
    /// The child run waits for a person, and so does the node. An answer addresses the run that asks.
    #[serde(rename = "child.waiting")]
    Waiting {
        /// The child run.
        run: RunId,
        /// The open questions of the child run and of its descendants; the first [`MAX_LISTED_QUESTIONS`] of them. Others
        /// follow when these are answered.
        questions: Vec<ChildQuestion>,
    },
    /// The child run was answered and continues.
    #[serde(rename = "child.resumed")]
    Resumed {
        /// The child run.
        run: RunId,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn has_no_overrides(models: &Arc<ModelOverrides>) -> bool {
    models.is_empty()
}
