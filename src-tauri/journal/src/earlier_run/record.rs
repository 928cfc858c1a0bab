//! What one run recorded that a fork can take over, from its journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::EarlierReply;
use crate::{
    Answer, CallEvent, ChildEvent, ContextEvent, Entry, Event, EventRef, MemoryEvent, NodeEvent, RunEvent,
};
use plait_core::error::ErrorCode;
use plait_core::id::{Activation, ContextId, NodeId, ReplyKey, RunId};
use plait_llm::context::{SharedMessage, ToolCall};
use plait_llm::long_term_memory::{MemoryRecord, Recall};
use plait_llm::memory::MemoryChange;
use plait_llm::prompt_record::PromptRecord;
use plait_llm::provider::ModelReply;
use plait_llm::retriever::{KnowledgeRef, Retrieval};
use plait_llm::tool::{SamplingRef, ToolResult};

/// Prompts with the positions of their events, by step and by the request of a tool that they serve.
type Prompts = BTreeMap<(u32, Option<SamplingRef>), (Arc<PromptRecord>, u64)>;

/// What a run recorded, by activation. Positions are those in its journal.
#[derive(Debug)]
pub(super) struct RecordedRun {
    pub run: RunId,
    pub activations: FxHashMap<Activation, Recorded>,
    /// The activations, in the order of their first records.
    pub order: Vec<Activation>,
    /// The latest prompt of each step of an activation, and of each request of a tool.
    pub prompts: FxHashMap<Activation, Prompts>,
    /// The activations that succeeded. Most of them have recorded nothing.
    pub finished: FxHashSet<Activation>,
}

/// What one activation recorded.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// Replies by step, and by the request of a tool that they serve, with the keys of their requests.
    pub replies: BTreeMap<(u32, Option<SamplingRef>), (ReplyKey, Arc<EarlierReply>)>,
    pub tool_calls: Vec<RecordedToolCall>,
    /// The latest question.
    question: Option<(String, Value)>,
    /// The questions that were answered, in order.
    pub answers: Vec<RecordedAnswer>,
    pub turns: Vec<(ContextId, Vec<SharedMessage>, u64)>,
    pub memory: Option<(Arc<MemoryChange>, u64)>,
    pub recalled: Option<(Arc<Recall>, u64)>,
    pub remembered: Option<(Arc<Vec<MemoryRecord>>, u64)>,
    /// What was found in these knowledge bases.
    pub retrieved: Option<(Arc<Retrieval>, Vec<KnowledgeRef>, u64)>,
    pub child: Option<RunId>,
}

#[derive(Debug)]
pub(super) struct RecordedToolCall {
    pub step: u32,
    pub call: ToolCall,
    /// Of its begin.
    pub seq: u64,
    /// What its host knew besides the arguments, as a hash.
    pub binding: Option<String>,
    pub result: Option<(ToolResult, u64)>,
    /// Whether the run went on after its end.
    went_on: bool,
}

impl RecordedToolCall {
    /// The result that a fork takes over.
    pub fn reusable(&self) -> Option<&(ToolResult, u64)> {
        self.result.as_ref().filter(|(result, _)| result.outcome.is_ok() || self.went_on)
    }
}

#[derive(Debug)]
pub(super) struct RecordedAnswer {
    pub prompt: String,
    pub schema: Value,
    pub answer: Answer,
    pub seq: u64,
}

impl RecordedRun {
    pub fn of(run: &RunId, entries: &[Entry]) -> Self {
        let mut recorded = Self {
            run: run.clone(),
            activations: FxHashMap::default(),
            order: Vec::new(),
            prompts: FxHashMap::default(),
            finished: FxHashSet::default(),
        };
        for (place, entry) in (0..).zip(entries) {
            recorded.apply(entry.seq.unwrap_or(place), &entry.event);
        }
        recorded
    }

    /// The nodes that recorded anything.
    pub fn nodes(&self) -> FxHashSet<&NodeId> {
        self.order.iter().map(|activation| &activation.node).collect()
    }

    fn apply(&mut self, seq: u64, event: &Event) {
        match event {
            Event::Call(
                activation,
                CallEvent::ModelReplied {
                    step,
                    reply,
                    account,
                    key: Some(key),
                    sampling,
                    reused,
                    bought,
                    ..
                },
            ) => {
                let event = EventRef { run: self.run.clone(), seq };
                let (reply, account) = (ModelReply::clone(reply), account.clone());
                let bought = bought.as_ref().or(reused.as_ref());
                // A run takes nothing from itself.
                let bought = bought.filter(|bought| bought.run != self.run).cloned();
                let reply = (key.clone(), Arc::new(EarlierReply { reply, account, event, bought }));
                self.recorded(activation).replies.insert((*step, sampling.clone()), reply);
            }
            Event::Call(activation, CallEvent::ToolCalled { step, call, binding, .. }) => {
                let calls = &mut self.recorded(activation).tool_calls;
                // A call that asked the person is made again.
                let is_open = |made: &RecordedToolCall| {
                    made.step == *step && made.call.id == call.id && made.result.is_none()
                };
                if !calls.iter().any(is_open) {
                    let (call, binding) = (call.clone(), binding.clone());
                    let (step, result, went_on) = (*step, None, false);
                    calls.push(RecordedToolCall { step, call, seq, binding, result, went_on });
                }
            }
            Event::Call(
                activation,
                CallEvent::ToolFinished { step, call_id, result, error, origins, .. },
            ) => {
                let result = ToolResult::recorded(result.as_ref(), error.as_deref(), origins);
                let mut calls = self.recorded(activation).tool_calls.iter_mut().rev();
                if let Some(call) = calls.find(|call| call.step == *step && call.call.id == *call_id) {
                    call.result = Some((result, seq));
                }
            }
            Event::Node(activation, NodeEvent::Paused { prompt, schema, .. }) => {
                self.recorded(activation).question = Some((prompt.clone(), schema.clone()));
            }
            Event::Node(activation, NodeEvent::Answered { answer, .. }) => {
                let recorded = self.recorded(activation);
                if let Some((prompt, schema)) = recorded.question.take() {
                    recorded.answers.push(RecordedAnswer { prompt, schema, answer: answer.clone(), seq });
                }
            }
            Event::Call(activation, CallEvent::PromptRendered { step, prompt, sampling }) => {
                let prompts = self.prompts.entry(activation.clone()).or_default();
                prompts.insert((*step, sampling.clone()), (Arc::clone(prompt), seq));
                // A model is informed of the calls of its replies.
                if let Some(recorded) = self.activations.get_mut(activation).filter(|_| sampling.is_none()) {
                    recorded.go_on(|call| call.step < *step);
                }
            }
            Event::Node(activation, NodeEvent::Finished { .. }) => {
                self.finished.insert(activation.clone());
                if let Some(recorded) = self.activations.get_mut(activation) {
                    recorded.go_on(|_| true);
                }
            }
            Event::Node(activation, NodeEvent::Retrying { dropped: Some(_), .. }) => {
                self.recorded(activation).answers.clear();
            }
            Event::Node(activation, NodeEvent::Failed { handled: true, .. }) => {
                self.recorded(activation).go_on(|_| true);
            }
            Event::Context(activation, ContextEvent::TurnCommitted { context_id, messages, .. }) => {
                let turn = (context_id.clone(), messages.clone(), seq);
                self.recorded(activation).turns.push(turn);
            }
            Event::Memory(activation, MemoryEvent::Appended { change, .. }) => {
                self.recorded(activation).memory = Some((Arc::clone(change), seq));
            }
            Event::Call(activation, CallEvent::MemoryRecalled { recall, .. }) => {
                self.recorded(activation).recalled = Some((Arc::clone(recall), seq));
            }
            Event::Call(activation, CallEvent::KnowledgeRetrieved { retrieval, bases, .. }) => {
                self.recorded(activation).retrieved = Some((Arc::clone(retrieval), bases.clone(), seq));
            }
            Event::Call(activation, CallEvent::MemoryRemembered { memories, .. }) => {
                self.recorded(activation).remembered = Some((Arc::clone(memories), seq));
            }
            Event::Child(activation, ChildEvent::Started { run }) => {
                self.recorded(activation).child = Some(run.clone());
            }
            _ => {}
        }
        if let Some(activation) = disowned_replies(event) {
            self.forget_replies(&activation);
        }
    }

    fn recorded(&mut self, activation: &Activation) -> &mut Recorded {
        if !self.activations.contains_key(activation) {
            self.order.push(activation.clone());
        }
        self.activations.entry(activation.clone()).or_default()
    }

    /// Forgets the replies of an attempt that is not what the run went on with, and what they asked of tools.
    fn forget_replies(&mut self, activation: &Activation) {
        if let Some(recorded) = self.activations.get_mut(activation) {
            recorded.replies.clear();
            recorded.tool_calls.clear();
        }
    }
}

impl Recorded {
    /// Whether it called a tool, or searched knowledge or memories.
    pub fn asked_world(&self) -> bool {
        !self.tool_calls.is_empty() || self.retrieved.is_some() || self.recalled.is_some()
    }

    /// Notes that the run went on after the calls that have ended.
    fn go_on(&mut self, is_meant: impl Fn(&RecordedToolCall) -> bool) {
        let ended = self.tool_calls.iter_mut().filter(|call| call.result.is_some() && is_meant(call));
        ended.for_each(|call| call.went_on = true);
    }
}

/// The activation whose replies the run does not go on with after an event: they made it fail, or a person has rejected what came of
/// them.
pub fn disowned_replies(event: &Event) -> Option<Activation> {
    match event {
        Event::Node(activation, NodeEvent::Retrying { dropped: Some(_), .. }) => Some(activation.clone()),
        Event::Node(activation, NodeEvent::Failed { error, .. } | NodeEvent::Retrying { error, .. })
            if blames_reply(&error.code) =>
        {
            Some(activation.clone())
        }
        Event::Run(RunEvent::Failed { node, epoch, error, .. }) if blames_reply(&error.code) => {
            Some(Activation { node: node.clone(), epoch: epoch.clone() })
        }
        _ => None,
    }
}

/// Whether a fault with this code says that a reply could not be used.
fn blames_reply(code: &ErrorCode) -> bool {
    matches!(code.domain(), "chat" | "classify" | "extract")
}
