//! Decodes the events of a stream into a reply. Owns when a reply is complete. No I/O.
//!
//! A reply is complete with the event that ends the interaction. A step starts, grows by deltas and stops; the last event may
//! repeat all steps.

use std::collections::BTreeMap;

use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_llm::context::ToolCall;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::{Value, json};

use super::steps::{CALL, STATE_KEY, TEXT};
use super::wire::{Content, Delta, Interaction, Step, StreamEvent};
use crate::providers::http::{self, ErrorContext, Framing, parse};
use crate::providers::protocol::received_attachments::received_image;
use crate::providers::protocol::streamed_text::push_text;
use crate::providers::protocol::tool_calls::{parse_arguments, received_call};

/// The last event of a stream.
const DONE: &str = "[DONE]";

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    /// The text streamed so far, of all steps.
    text: String,
    reasoning: String,
    attachments: Vec<Attachment>,
    /// By index.
    steps: BTreeMap<u64, PartialStep>,
    id: Option<String>,
    usage: Option<TokenUsage>,
    stop_reason: Option<StopReason>,
}

/// A step being decoded.
enum PartialStep {
    /// What the model says; its text is streamed already.
    Output {
        has_text: bool,
    },
    Thought {
        summary: String,
        signature: Option<String>,
    },
    Call {
        id: String,
        name: String,
        /// The arguments that came with the start of the step.
        whole: Option<Value>,
        /// The JSON text of arguments that came as deltas.
        fragments: String,
    },
    /// A step of the provider's own tools.
    Other,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext) -> Self {
        Self {
            context,
            text: String::new(),
            reasoning: String::new(),
            attachments: Vec::new(),
            steps: BTreeMap::new(),
            id: None,
            usage: None,
            stop_reason: None,
        }
    }

    /// Decodes a step that starts, or that arrives in full.
    fn start(&mut self, at: u64, step: &Value, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let step: Step = parse(self.context, &step.to_string())?;
        if let Some(error) = step.error.filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(&error));
        }
        let partial = match step.kind.as_str() {
            "model_output" => PartialStep::Output { has_text: false },
            "thought" => PartialStep::Thought { summary: String::new(), signature: step.signature },
            "function_call" => PartialStep::Call {
                id: step.id.unwrap_or_default(),
                name: step.name.unwrap_or_default(),
                whole: step.arguments.filter(|arguments| !arguments.is_null()),
                fragments: String::new(),
            },
            _ => PartialStep::Other,
        };
        self.steps.insert(at, partial);
        for content in step.content {
            self.add_output(at, content.text.as_deref(), content.data.as_deref(), sink)?;
        }
        for Content { text, .. } in step.summary {
            self.add_summary(at, &text.unwrap_or_default(), sink);
        }
        Ok(())
    }

    fn add(&mut self, at: u64, delta: Delta, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        match delta.kind.as_str() {
            "text" | "image" => {
                self.add_output(at, delta.text.as_deref(), delta.data.as_deref(), sink)?;
            }
            "thought_summary" => {
                self.add_summary(
                    at,
                    &delta.content.and_then(|content| content.text).unwrap_or_default(),
                    sink,
                );
            }
            "thought_signature" => {
                if let Some(PartialStep::Thought { signature, .. }) = self.steps.get_mut(&at) {
                    *signature = delta.signature.or(signature.take());
                }
            }
            "arguments_delta" => {
                if let Some(PartialStep::Call { fragments, .. }) = self.steps.get_mut(&at) {
                    fragments.push_str(&delta.arguments.unwrap_or_default());
                }
            }
            // Citations, and the steps of the provider's own tools.
            _ => {}
        }
        Ok(())
    }

    /// Adds a text or an image to what the model says, and streams the text. A blank line separates the texts of different steps.
    fn add_output(
        &mut self,
        at: u64,
        text: Option<&str>,
        image: Option<&str>,
        sink: &mut ChunkSink<'_>,
    ) -> Result<(), Fault> {
        let Some(PartialStep::Output { has_text }) = self.steps.get_mut(&at) else { return Ok(()) };
        if let Some(image) = image {
            self.attachments.push(received_image(self.attachments.len(), image, self.context)?);
        }
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let starts = !std::mem::replace(has_text, true);
            push_text(&mut self.text, starts, text, Chunk::Text, sink);
        }
        Ok(())
    }

    fn add_summary(&mut self, at: u64, more: &str, sink: &mut ChunkSink<'_>) {
        let Some(PartialStep::Thought { summary, .. }) = self.steps.get_mut(&at) else { return };
        if !more.is_empty() {
            let starts = summary.is_empty();
            summary.push_str(more);
            push_text(&mut self.reasoning, starts, more, Chunk::Reasoning, sink);
        }
    }

    /// Decodes the final state of the interaction.
    fn finish_interaction(
        &mut self,
        interaction: Interaction,
        sink: &mut ChunkSink<'_>,
    ) -> Result<(), Fault> {
        self.usage = interaction.usage().or(self.usage);
        self.id = interaction.id.or(self.id.take());
        let status = interaction.status.as_deref();
        if status == Some("failed") {
            let unnamed = json!("the interaction failed");
            return Err(self.context.stream_error(interaction.errors.first().unwrap_or(&unnamed)));
        }
        if self.steps.is_empty() {
            for (at, step) in (0..).zip(&interaction.steps) {
                self.start(at, step, sink)?;
            }
        }
        self.stop_reason = Some(match status {
            None | Some("completed" | "requires_action") => StopReason::End,
            // The limit of the request, or the server's own limit.
            Some("incomplete" | "requires_continuation") => StopReason::MaxTokens,
            Some("cancelled" | "in_progress" | "queued") => StopReason::Interrupted,
            Some(other) => StopReason::Other(other.to_owned()),
        });
        Ok(())
    }
}

impl http::ResponseDecoder for Decoder<'_> {
    const FRAMING: Framing = Framing::Events;

    fn error_context(&self) -> &ErrorContext {
        self.context
    }

    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        if data.trim() == DONE {
            return Ok(true);
        }
        let event: StreamEvent = parse(self.context, data)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(&error));
        }
        match event.kind.as_str() {
            "interaction.created" => self.id = event.interaction.id,
            "step.start" => {
                if let Some(step) = event.step {
                    self.start(event.index, &step, sink)?;
                }
            }
            "step.delta" => self.add(event.index, event.delta, sink)?,
            "interaction.completed" => {
                self.finish_interaction(event.interaction, sink)?;
                return Ok(true);
            }
            // Progress.
            _ => {}
        }
        Ok(false)
    }

    fn decode_whole(&mut self, text: &str, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let interaction: Interaction = parse(self.context, text)?;
        if interaction.status.is_some() { self.finish_interaction(interaction, sink) } else { Ok(()) }
    }

    fn is_complete(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let provider_state = provider_state(&self.steps);
        let mut tool_calls: Vec<ToolCall> = Vec::new();
        for step in self.steps.into_values() {
            if let PartialStep::Call { id, name, whole, fragments } = step {
                let arguments = whole.filter(|_| fragments.is_empty());
                let arguments = arguments.unwrap_or_else(|| parse_arguments(&fragments));
                tool_calls.push(received_call(tool_calls.len(), id, name, arguments));
            }
        }
        let stop_reason = match self.stop_reason.unwrap_or_default() {
            StopReason::End if !tool_calls.is_empty() => StopReason::ToolCalls,
            reason => reason,
        };
        Ok(ModelReply {
            text: self.text,
            attachments: self.attachments,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls,
            stop_reason,
            usage: self.usage,
            response_id: self.id,
            provider_state,
        })
    }
}

/// The signed thoughts to send back with the results of the functions, and their position between text and calls.
fn provider_state(steps: &BTreeMap<u64, PartialStep>) -> Option<Value> {
    let is_signed = |step: &PartialStep| matches!(step, PartialStep::Thought { signature: Some(_), .. });
    let is_needed =
        steps.values().any(is_signed) && steps.values().any(|step| matches!(step, PartialStep::Call { .. }));
    let entry = |step: &PartialStep| match step {
        PartialStep::Output { .. } => Some(json!(TEXT)),
        PartialStep::Call { .. } => Some(json!(CALL)),
        PartialStep::Thought { signature: Some(signature), summary } => {
            let mut thought = json!({ "type": "thought", "signature": signature });
            if !summary.is_empty() {
                thought["summary"] = json!([{ "type": "text", "text": summary }]);
            }
            Some(thought)
        }
        PartialStep::Thought { signature: None, .. } | PartialStep::Other => None,
    };
    is_needed.then(|| json!({ STATE_KEY: steps.values().filter_map(entry).collect::<Vec<_>>() }))
}
