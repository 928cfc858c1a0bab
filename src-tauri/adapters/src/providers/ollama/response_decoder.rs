//! Decodes lines into a reply. Owns when a reply is complete: with the line that has `done: true`. No I/O.

use plait_core::error::Fault;
use plait_llm::context::ToolCall;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::Value;

use super::wire::{Call, Line};
use crate::providers::http::{self, ErrorContext, Framing, parse};
use crate::providers::protocol::tool_calls::{parse_arguments, received_call};

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    usage: Option<TokenUsage>,
    /// Set by the last line.
    done_reason: Option<String>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext) -> Self {
        Self {
            context,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            usage: None,
            done_reason: None,
        }
    }

    /// Adds a call; calls are never split.
    fn add_call(&mut self, call: Call) {
        let arguments = match call.function.arguments {
            None | Some(Value::Null) => parse_arguments(""),
            Some(Value::String(text)) => parse_arguments(&text),
            Some(arguments) => arguments,
        };
        let id = call.id.unwrap_or_default();
        self.calls.push(received_call(self.calls.len(), id, call.function.name, arguments));
    }
}

impl http::ResponseDecoder for Decoder<'_> {
    const FRAMING: Framing = Framing::Lines;

    fn error_context(&self) -> &ErrorContext {
        self.context
    }

    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        let line: Line = parse(self.context, data)?;
        if let Some(error) = line.error.as_ref().filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(error));
        }
        if line.message.is_none() && line.done.is_none() {
            return Err(self.context.protocol_mismatch(data));
        }
        self.usage = line.usage().or(self.usage);
        let message = line.message.unwrap_or_default();
        if let Some(thought) = message.thinking.filter(|text| !text.is_empty()) {
            self.reasoning.push_str(&thought);
            sink(Chunk::Reasoning(thought));
        }
        if let Some(text) = message.content.filter(|text| !text.is_empty()) {
            self.text.push_str(&text);
            sink(Chunk::Text(text));
        }
        message.tool_calls.into_iter().for_each(|call| self.add_call(call));
        if line.done == Some(true) {
            self.done_reason = Some(line.done_reason.unwrap_or_default());
        }
        Ok(self.done_reason.is_some())
    }

    fn is_complete(&self) -> bool {
        self.done_reason.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let stop_reason = match self.done_reason.as_deref().unwrap_or_default() {
            "length" => StopReason::MaxTokens,
            "stop" | "null" | "" if !self.calls.is_empty() => StopReason::ToolCalls,
            "stop" | "null" | "" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        Ok(ModelReply {
            text: self.text,
            attachments: Vec::new(),
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls: self.calls,
            stop_reason,
            usage: self.usage,
            response_id: None,
            provider_state: None,
        })
    }
}
