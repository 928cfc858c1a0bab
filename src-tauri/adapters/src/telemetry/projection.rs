//! The fold from a run's entries to its spans. A span is given out when it ends.
//!
//! | span | name | from | to |
//! |---|---|---|---|
//! | run | `invoke_workflow FLOW` | `run.started` | the end of the run |
//! | node | `NODE` | `node.started` | `node.finished`, `node.failed`, `node.skipped` |
//! | model call | `chat MODEL` | `prompt.rendered` | `model.replied`, or the end of the attempt |
//! | tool call | `execute_tool NAME` | `tool.called` | `tool.finished`, or the end of the attempt |

mod content;

use std::collections::HashMap;

use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use plait_insight::lens::Lens;
use plait_journal::{CallAccount, CallEvent, ChildEvent, Entry, Event, NodeEvent, RunEvent};
use plait_llm::prompt_record::{PromptPurpose, PromptRecord};
use plait_llm::provider::{ModelReply, StopReason};
use plait_llm::tool::SamplingRef;
use serde_json::{Value, json};

use super::conventions as names;
use super::span::{Span, SpanEvent, SpanId, SpanKind, TraceId};

/// Where a run stands in its tree.
#[derive(Clone, Copy, Debug)]
pub struct RunPlace {
    pub trace: TraceId,
    /// The span of the activation that started it, if it is a child run.
    pub parent: Option<SpanId>,
}

impl RunPlace {
    pub fn root(run: &RunId) -> Self {
        Self { trace: TraceId::of_tree(run), parent: None }
    }
}

/// Turns the entries of one run into spans.
pub struct SpanProjector {
    run: RunId,
    place: RunPlace,
    /// Reads messages, if spans contain them.
    lens: Option<Lens>,
    root: Option<OpenSpan>,
    activations: HashMap<Activation, OpenSpan>,
    /// Model calls and tool calls that have not ended, by activation.
    calls: HashMap<Activation, Vec<OpenCall>>,
    /// How many model calls each activation has made.
    call_counts: HashMap<Activation, usize>,
    ended: Vec<Span>,
}

struct OpenSpan {
    id: SpanId,
    name: String,
    start_ms: u64,
    attributes: Vec<(&'static str, Value)>,
    events: Vec<SpanEvent>,
}

struct OpenCall {
    what: CallKey,
    span: OpenSpan,
}

/// What ends a call.
#[derive(PartialEq, Eq)]
enum CallKey {
    Model { step: u32, sampling: Option<SamplingRef>, index: usize },
    Tool { step: u32, id: String },
}

/// A child run that an entry started, with its place.
pub type ChildRun = (RunId, RunPlace);

impl SpanProjector {
    /// The spans of `run`; with messages, tool arguments and results if `content`.
    pub fn new(run: RunId, place: RunPlace, content: bool) -> Self {
        Self {
            run,
            place,
            lens: content.then(Lens::default),
            root: None,
            activations: HashMap::new(),
            calls: HashMap::new(),
            call_counts: HashMap::new(),
            ended: Vec::new(),
        }
    }

    /// Takes in one entry. Returns the spans that it ends, and the child run that it starts, if it starts one.
    pub fn apply(&mut self, entry: &Entry) -> (Vec<Span>, Option<ChildRun>) {
        let Some(seq) = entry.seq else { return (Vec::new(), None) };
        if let Some(lens) = &mut self.lens {
            lens.apply(entry);
        }
        let (at, mut child) = (entry.at, None);
        match &entry.event {
            Event::Run(event) => self.apply_run(event, seq, at),
            Event::Node(activation, event) => self.apply_node(activation, event, seq, at),
            Event::Call(activation, event) => self.apply_call(activation, event, seq, at),
            Event::Child(activation, ChildEvent::Started { run }) => {
                let parent = self.activations.get(activation).map(|span| span.id);
                child = Some((run.clone(), RunPlace { trace: self.place.trace, parent }));
            }
            _ => {}
        }
        (std::mem::take(&mut self.ended), child)
    }

    fn apply_run(&mut self, event: &RunEvent, seq: u64, at: u64) {
        match event {
            RunEvent::Started { flow, conversation, .. } => {
                let mut span = self.open(seq, at, named(names::INVOKE_WORKFLOW, &flow.name));
                span.attributes.push((names::OPERATION_NAME, json!(names::INVOKE_WORKFLOW)));
                if !flow.name.is_empty() {
                    span.attributes.push((names::WORKFLOW_NAME, json!(flow.name)));
                }
                if let Some(conversation) = conversation {
                    span.attributes.push((names::CONVERSATION_ID, json!(conversation.id)));
                }
                self.root = Some(span);
            }
            RunEvent::Finished { .. } => self.end_run("finished", None, at),
            RunEvent::Failed { error, .. } => self.end_run("failed", Some(error), at),
            RunEvent::Canceled { .. } => self.end_run("canceled", None, at),
            RunEvent::Waiting { .. } | RunEvent::Canceling => {}
        }
    }

    fn end_run(&mut self, status: &'static str, error: Option<&Fault>, at: u64) {
        let open: Vec<Activation> = self.activations.keys().cloned().collect();
        for activation in open {
            self.end_activation(&activation, None, at);
        }
        if let Some(mut root) = self.root.take() {
            root.attributes.push((names::RUN_STATUS, json!(status)));
            let parent = self.place.parent;
            self.end(root, parent, SpanKind::Internal, error, at);
        }
    }

    fn apply_node(&mut self, activation: &Activation, event: &NodeEvent, seq: u64, at: u64) {
        match event {
            // Another attempt, or the same one after a pause, goes on in the span.
            NodeEvent::Started { .. } if !self.activations.contains_key(activation) => {
                let mut span = self.open(seq, at, activation.node.to_string());
                span.attributes.push((names::NODE_ID, json!(activation.node)));
                if activation.epoch.depth() > 0 {
                    span.attributes.push((names::NODE_EPOCH, json!(activation.epoch)));
                }
                self.activations.insert(activation.clone(), span);
            }
            NodeEvent::Finished { .. } | NodeEvent::Skipped { .. } => {
                self.end_activation(activation, None, at);
            }
            NodeEvent::Failed { error, .. } => self.end_activation(activation, Some(error), at),
            NodeEvent::Retrying { error, .. } => {
                self.end_calls(activation, Some(error), at);
                if let Some(span) = self.activations.get_mut(activation) {
                    let attributes = vec![(names::ERROR_TYPE, json!(error.code))];
                    span.events.push(SpanEvent { at_ms: at, name: "retry", attributes });
                }
            }
            // Open spans are discarded, and made again when there is an answer.
            NodeEvent::Paused { .. } => self.end_calls(activation, None, at),
            _ => {}
        }
    }

    fn end_activation(&mut self, activation: &Activation, error: Option<&Fault>, at: u64) {
        self.end_calls(activation, error, at);
        self.call_counts.remove(activation);
        if let Some(span) = self.activations.remove(activation) {
            let parent = self.root.as_ref().map(|root| root.id);
            self.end(span, parent, SpanKind::Internal, error, at);
        }
    }

    /// Ends the calls that were going on.
    fn end_calls(&mut self, activation: &Activation, error: Option<&Fault>, at: u64) {
        for call in self.calls.remove(activation).unwrap_or_default() {
            self.end_call(activation, call, error, at);
        }
    }

    fn end_call(&mut self, activation: &Activation, call: OpenCall, error: Option<&Fault>, at: u64) {
        let parent = self.activations.get(activation).or(self.root.as_ref()).map(|span| span.id);
        let kind =
            if matches!(call.what, CallKey::Model { .. }) { SpanKind::Client } else { SpanKind::Internal };
        self.end(call.span, parent, kind, error, at);
    }

    fn apply_call(&mut self, activation: &Activation, event: &CallEvent, seq: u64, at: u64) {
        match event {
            CallEvent::PromptRendered { step, prompt, sampling } => {
                let count = self.call_counts.entry(activation.clone()).or_default();
                let index = *count;
                *count += 1;
                let mut span = self.open(seq, at, named(names::CHAT, &prompt.model));
                span.attributes.extend(request_attributes(prompt));
                let what = CallKey::Model { step: *step, sampling: sampling.clone(), index };
                self.calls.entry(activation.clone()).or_default().push(OpenCall { what, span });
            }
            CallEvent::ModelReplied { step, reply, account, sampling, reused, .. } => {
                let is_it = |key: &CallKey| matches!(key, CallKey::Model { step: own, sampling: other, .. } if own == step && other == sampling);
                let Some(mut call) = self.take_call(activation, is_it) else { return };
                call.span.attributes.extend(reply_attributes(reply, account.as_deref(), reused.is_some()));
                if let (Some(lens), CallKey::Model { index, .. }) = (&self.lens, &call.what) {
                    call.span.attributes.extend(content::of_call(lens, activation, *index));
                }
                self.end_call(activation, call, None, at);
            }
            CallEvent::ToolCalled { step, call, .. } => {
                // One that was interrupted is made again.
                let is_it = |key: &CallKey| matches!(key, CallKey::Tool { step: own, id } if own == step && *id == call.id);
                if let Some(interrupted) = self.take_call(activation, is_it) {
                    self.end_call(activation, interrupted, None, at);
                }
                let mut span = self.open(seq, at, named(names::EXECUTE_TOOL, &call.name));
                span.attributes.extend([
                    (names::OPERATION_NAME, json!(names::EXECUTE_TOOL)),
                    (names::TOOL_NAME, json!(call.name)),
                    (names::TOOL_CALL_ID, json!(call.id)),
                    (names::TOOL_TYPE, json!("function")),
                ]);
                if self.lens.is_some() {
                    let arguments = json!(call.arguments.to_string());
                    span.attributes.push((names::TOOL_CALL_ARGUMENTS, arguments));
                }
                let what = CallKey::Tool { step: *step, id: call.id.clone() };
                self.calls.entry(activation.clone()).or_default().push(OpenCall { what, span });
            }
            CallEvent::ToolFinished { step, call_id, result, error, reused, .. } => {
                let is_it = |key: &CallKey| matches!(key, CallKey::Tool { step: own, id } if own == step && id == call_id);
                let Some(mut call) = self.take_call(activation, is_it) else { return };
                if reused.is_some() {
                    call.span.attributes.push((names::REUSED, json!(true)));
                }
                if let (Some(_), Some(result)) = (&self.lens, result) {
                    call.span.attributes.push((names::TOOL_CALL_RESULT, json!(result.to_string())));
                }
                self.end_call(activation, call, error.as_deref(), at);
            }
            _ => {}
        }
    }

    fn take_call(&mut self, activation: &Activation, is_it: impl Fn(&CallKey) -> bool) -> Option<OpenCall> {
        let calls = self.calls.get_mut(activation)?;
        let index = calls.iter().rposition(|call| is_it(&call.what))?;
        Some(calls.remove(index))
    }

    fn open(&self, seq: u64, at: u64, name: String) -> OpenSpan {
        OpenSpan {
            id: SpanId::of_entry(&self.run, seq),
            name,
            start_ms: at,
            attributes: vec![(names::RUN_ID, json!(self.run))],
            events: Vec::new(),
        }
    }

    fn end(
        &mut self,
        open: OpenSpan,
        parent: Option<SpanId>,
        kind: SpanKind,
        error: Option<&Fault>,
        at: u64,
    ) {
        let OpenSpan { id, name, start_ms, mut attributes, events } = open;
        // The message of an error may quote contents.
        let error = error.map(|fault| fault.code.to_string());
        attributes.extend(error.iter().map(|code| (names::ERROR_TYPE, json!(code))));
        let trace = self.place.trace;
        self.ended.push(Span {
            trace,
            id,
            parent,
            name,
            kind,
            start_ms,
            end_ms: at,
            attributes,
            events,
            error,
        });
    }
}

fn named(operation: &str, target: &str) -> String {
    if target.is_empty() { operation.to_owned() } else { format!("{operation} {target}") }
}

fn request_attributes(prompt: &PromptRecord) -> Vec<(&'static str, Value)> {
    let settings = &prompt.settings;
    let mut attributes = vec![
        (names::OPERATION_NAME, json!(names::CHAT)),
        (names::PROVIDER_NAME, json!(names::provider_name(&prompt.provider))),
        (names::REQUEST_MODEL, json!(prompt.model)),
    ];
    attributes
        .extend(settings.temperature.map(|temperature| (names::REQUEST_TEMPERATURE, json!(temperature))));
    attributes.extend(settings.max_tokens.map(|max_tokens| (names::REQUEST_MAX_TOKENS, json!(max_tokens))));
    if settings.response_schema.is_some() {
        attributes.push((names::OUTPUT_TYPE, json!("json")));
    }
    attributes.extend(prompt.purpose.map(|purpose| {
        let purpose = match purpose {
            PromptPurpose::MemorySummary => "memory_summary",
            PromptPurpose::HistorySummary => "history_summary",
            PromptPurpose::Sampling => "sampling",
        };
        (names::PURPOSE, json!(purpose))
    }));
    attributes
}

fn reply_attributes(
    reply: &ModelReply,
    account: Option<&CallAccount>,
    is_reused: bool,
) -> Vec<(&'static str, Value)> {
    let mut attributes = vec![(names::RESPONSE_FINISH_REASONS, json!([finish_reason(&reply.stop_reason)]))];
    attributes.extend(reply.response_id.as_ref().map(|id| (names::RESPONSE_ID, json!(id))));
    if is_reused {
        // It cost nothing here.
        attributes.push((names::REUSED, json!(true)));
        return attributes;
    }
    if let Some(usage) = reply.usage {
        attributes.push((names::USAGE_INPUT_TOKENS, json!(usage.input)));
        attributes.push((names::USAGE_OUTPUT_TOKENS, json!(usage.output)));
        for (name, tokens) in
            [(names::USAGE_CACHE_READ, usage.cached_input), (names::USAGE_CACHE_CREATION, usage.cache_write)]
        {
            attributes.extend((tokens > 0).then(|| (name, json!(tokens))));
        }
    }
    let cost = account.and_then(|account| account.cost_nano_usd);
    attributes.extend(cost.map(|cost| (names::COST_NANO_USD, json!(cost))));
    attributes
}

fn finish_reason(reason: &StopReason) -> &str {
    match reason {
        StopReason::End => "stop",
        StopReason::ToolCalls => "tool_call",
        StopReason::MaxTokens | StopReason::WindowFull => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::MalformedToolCall
        | StopReason::UnsupportedLanguage
        | StopReason::Paused
        | StopReason::Interrupted => "error",
        StopReason::Other(other) => other,
    }
}

#[cfg(test)]
mod tests;
