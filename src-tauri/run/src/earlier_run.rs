//! The run that another one is forked from, as the fork sees it: what it bought, called, was answered and waited for.
//!
//! Built from the journal of that run alone. A fork executes its flow from the start. What an activation would buy or do
//! outside it takes from here, if the same activation did the same before:
//!
//! - a model's reply, if the request has the same reply key: a hash of protocol, base URL and body;
//! - a tool's result, if the reply that requested it is reused and the arguments are equal. Its failure as well, but only if the
//!   earlier run went on after it: the model was informed of it, or the `error` output of the node was wired;
//! - a person's answer, if the question and its schema are equal;
//! - what it recalled from long-term memory and stored there; the end of a `delay`;
//! - in a sub-flow all of this, from the child run of the same activation.
//!
//! Values are computed again. Where one differs, the request that contains it differs, and nothing is found for it. If the earlier run
//! failed because of a model's reply, the replies of that activation are not reused. A reply is never taken from another activation:
//! two samples of one prompt stay two samples.

mod forecast;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::context::{SharedMessage, ToolCall};
use crate::journal::{
    Answer, CallAccount, CallEvent, ChildEvent, ContextEvent, Entry, Event, EventRef, MemoryEvent, NodeEvent,
    RunEvent,
};
use crate::long_term_memory::{MemoryContent, MemoryRecord, Recall, RecallRequest};
use crate::memory::MemoryChange;
use crate::provider::ModelReply;
use crate::tool::{SamplingRef, ToolResult};
use plait_core::error::ErrorCode;
use plait_core::id::{Activation, ContextId, ReplyKey, RunId};

pub use forecast::RetryForecast;

/// What a run recorded that a fork of it can take over.
#[derive(Debug)]
pub struct EarlierRun {
    run: RunId,
    activations: FxHashMap<Activation, Recorded>,
}

/// What one activation recorded. Positions are those in the journal.
#[derive(Debug, Default)]
struct Recorded {
    /// Replies by step, and by the request of a tool that they serve, with the keys of their requests.
    replies: BTreeMap<(u32, Option<SamplingRef>), (ReplyKey, EarlierReply)>,
    tool_calls: Vec<RecordedToolCall>,
    /// The latest question.
    question: Option<(String, Value)>,
    /// The questions that were answered, in order.
    answers: Vec<RecordedAnswer>,
    turns: Vec<(ContextId, Vec<SharedMessage>, u64)>,
    memory: Option<(Arc<MemoryChange>, u64)>,
    recalled: Option<(Arc<Recall>, u64)>,
    remembered: Option<(Arc<Vec<MemoryRecord>>, u64)>,
    child: Option<RunId>,
    finished: bool,
}

#[derive(Debug)]
struct RecordedToolCall {
    step: u32,
    call: ToolCall,
    result: Option<(ToolResult, u64)>,
    /// Whether the run went on after its end.
    went_on: bool,
}

impl RecordedToolCall {
    /// The result that a fork takes over.
    fn reusable(&self) -> Option<&(ToolResult, u64)> {
        self.result.as_ref().filter(|(result, _)| result.outcome.is_ok() || self.went_on)
    }
}

#[derive(Debug)]
struct RecordedAnswer {
    prompt: String,
    schema: Value,
    answer: Answer,
    seq: u64,
}

/// A reply that was bought before.
#[derive(Clone, Debug)]
pub struct EarlierReply {
    pub reply: ModelReply,
    pub account: Option<Arc<CallAccount>>,
    /// The event that holds it.
    pub event: EventRef,
}

impl EarlierRun {
    /// What `run` recorded, from its journal or the beginning of it.
    ///
    /// If the run failed because of what a model replied (nothing, or not what was asked for), that activation's replies are
    /// left out: with them the fork would fail again.
    pub fn of(run: &RunId, entries: &[Entry]) -> Self {
        let mut earlier = Self { run: run.clone(), activations: FxHashMap::default() };
        for (place, entry) in (0..).zip(entries) {
            earlier.apply(entry.seq.unwrap_or(place), &entry.event);
        }
        earlier
    }

    /// The reply that the activation's request with this key got in this step, for this request of a tool if for one.
    pub fn reply(
        &self,
        activation: &Activation,
        step: u32,
        sampling: Option<&SamplingRef>,
        key: &ReplyKey,
    ) -> Option<EarlierReply> {
        let place = (step, sampling.cloned());
        let (recorded_key, reply) = self.activations.get(activation)?.replies.get(&place)?;
        (recorded_key == key).then(|| reply.clone())
    }

    /// What an equal tool call, requested in the same step, led to. Not a failure that ended the node.
    pub fn tool_result(
        &self,
        activation: &Activation,
        step: u32,
        call: &ToolCall,
    ) -> Option<(ToolResult, EventRef)> {
        let calls = &self.activations.get(activation)?.tool_calls;
        // The latest attempt decides.
        let mut calls = calls.iter().rev().filter(|recorded| recorded.step == step && recorded.call == *call);
        let (result, seq) = calls.find_map(RecordedToolCall::reusable)?.clone();
        Some((result, self.event(seq)))
    }

    /// Whether an equal tool call, requested in the same step, was made and nobody knows what came of it.
    pub fn was_interrupted(&self, activation: &Activation, step: u32, call: &ToolCall) -> bool {
        let calls = self.activations.get(activation).map(|recorded| &recorded.tool_calls);
        calls
            .into_iter()
            .flatten()
            .any(|recorded| recorded.step == step && recorded.call == *call && recorded.result.is_none())
    }

    /// What a person answered to the same question of the activation. `index` counts the answers that it got before.
    pub fn answer(
        &self,
        activation: &Activation,
        index: usize,
        prompt: &str,
        schema: &Value,
    ) -> Option<(Answer, EventRef)> {
        let recorded = self.activations.get(activation)?.answers.get(index)?;
        let is_same = recorded.prompt == prompt && recorded.schema == *schema;
        is_same.then(|| (recorded.answer.clone(), self.event(recorded.seq)))
    }

    /// The event by which the activation committed the same turn.
    pub fn turn(
        &self,
        activation: &Activation,
        context: &ContextId,
        messages: &[SharedMessage],
    ) -> Option<EventRef> {
        let turns = &self.activations.get(activation)?.turns;
        let same = turns.iter().find(|(id, committed, _)| {
            let is_same = |(left, right): (&SharedMessage, &SharedMessage)| left.says_the_same(right);
            id == context && committed.len() == messages.len() && committed.iter().zip(messages).all(is_same)
        })?;
        Some(self.event(same.2))
    }

    /// The event that made this change of the workflow's memory.
    pub fn memory(&self, activation: &Activation, change: &MemoryChange) -> Option<EventRef> {
        let (known, seq) = self.activations.get(activation)?.memory.as_ref()?;
        (**known == *change).then(|| self.event(*seq))
    }

    /// What the activation found for the same request in the user's long-term memory.
    pub fn recalled(
        &self,
        activation: &Activation,
        request: &RecallRequest,
    ) -> Option<(Arc<Recall>, EventRef)> {
        let (recall, seq) = self.activations.get(activation)?.recalled.as_ref()?;
        (recall.request == *request).then(|| (Arc::clone(recall), self.event(*seq)))
    }

    /// What the activation stored in the user's long-term memory, if it says the same.
    pub fn remembered(
        &self,
        activation: &Activation,
        contents: &[MemoryContent],
    ) -> Option<(Arc<Vec<MemoryRecord>>, EventRef)> {
        let (memories, seq) = self.activations.get(activation)?.remembered.as_ref()?;
        let is_same = memories.iter().map(|memory| &memory.content).eq(contents);
        is_same.then(|| (Arc::clone(memories), self.event(*seq)))
    }

    pub fn child(&self, activation: &Activation) -> Option<&RunId> {
        self.activations.get(activation)?.child.as_ref()
    }

    /// Whether the activation succeeded.
    pub fn has_finished(&self, activation: &Activation) -> bool {
        self.activations.get(activation).is_some_and(|recorded| recorded.finished)
    }

    fn event(&self, seq: u64) -> EventRef {
        EventRef { run: self.run.clone(), seq }
    }

    fn apply(&mut self, seq: u64, event: &Event) {
        match event {
            Event::Call(
                activation,
                CallEvent::ModelReplied { step, reply, account, key: Some(key), sampling, .. },
            ) => {
                let (reply, account, event) = (ModelReply::clone(reply), account.clone(), self.event(seq));
                let reply = (key.clone(), EarlierReply { reply, account, event });
                self.recorded(activation).replies.insert((*step, sampling.clone()), reply);
            }
            Event::Call(activation, CallEvent::ToolCalled { step, call }) => {
                let calls = &mut self.recorded(activation).tool_calls;
                // A call that asked the person is made again.
                let is_open = |made: &RecordedToolCall| {
                    made.step == *step && made.call.id == call.id && made.result.is_none()
                };
                if !calls.iter().any(is_open) {
                    let call = call.clone();
                    calls.push(RecordedToolCall { step: *step, call, result: None, went_on: false });
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
            // A model is informed of the calls of its replies.
            Event::Call(activation, CallEvent::PromptRendered { step, sampling: None, .. }) => {
                if let Some(recorded) = self.activations.get_mut(activation) {
                    recorded.go_on(|call| call.step < *step);
                }
            }
            Event::Node(activation, NodeEvent::Finished { .. }) => {
                let recorded = self.recorded(activation);
                recorded.finished = true;
                recorded.go_on(|_| true);
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
            Event::Call(activation, CallEvent::MemoryRemembered { memories, .. }) => {
                self.recorded(activation).remembered = Some((Arc::clone(memories), seq));
            }
            Event::Child(activation, ChildEvent::Started { run }) => {
                self.recorded(activation).child = Some(run.clone());
            }
            Event::Run(RunEvent::Failed { node, epoch, error, .. }) if blames_reply(&error.code) => {
                let activation = Activation { node: node.clone(), epoch: epoch.clone() };
                let recorded = self.recorded(&activation);
                recorded.replies.clear();
                recorded.tool_calls.clear();
            }
            _ => {}
        }
    }

    fn recorded(&mut self, activation: &Activation) -> &mut Recorded {
        self.activations.entry(activation.clone()).or_default()
    }
}

impl Recorded {
    /// Notes that the run went on after the calls that have ended.
    fn go_on(&mut self, is_meant: impl Fn(&RecordedToolCall) -> bool) {
        let ended = self.tool_calls.iter_mut().filter(|call| call.result.is_some() && is_meant(call));
        ended.for_each(|call| call.went_on = true);
    }
}

/// Whether a fault with this code says that a reply could not be used.
fn blames_reply(code: &ErrorCode) -> bool {
    matches!(code.domain(), "chat" | "classify" | "extract")
}

#[cfg(test)]
mod tests;
