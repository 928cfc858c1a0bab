//! Putting a reply together from the events of a stream. Owns when a reply is whole. No I/O.
//!
//! A reply is whole when its choice has given a finish reason, or the stream its `[DONE]`. Whatever ends before that was
//! cut short; what happens to the connection after it no longer matters.

use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::Value;

use super::wire::{CallDelta, Delta, Event};
use crate::providers::http::{self, Framing, Place};
use crate::providers::tool_calls::{arguments, whole_call};

/// What ends a stream, by OpenAI's word.
const DONE: &str = "[DONE]";

/// A reply coming together.
pub(super) struct Assembly<'a> {
    place: &'a Place,
    text: String,
    reasoning: String,
    refusal: String,
    calls: Vec<PartialCall>,
    usage: Option<TokenUsage>,
    response_id: Option<String>,
    finish_reason: Option<String>,
    begun: bool,
    done: bool,
}

#[derive(Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(place: &'a Place) -> Self {
        Self {
            place,
            text: String::new(),
            reasoning: String::new(),
            refusal: String::new(),
            calls: Vec::new(),
            usage: None,
            response_id: None,
            finish_reason: None,
            begun: false,
            done: false,
        }
    }

    fn add(&mut self, delta: Delta, sink: &mut ChunkSink<'_>) {
        if let Some(reasoning) = delta.reasoning_content.or(delta.reasoning).filter(|text| !text.is_empty()) {
            self.reasoning.push_str(&reasoning);
            sink(Chunk::Reasoning(reasoning));
        }
        if let Some(text) = delta.content.map(super::wire::Text::into_string).filter(|text| !text.is_empty())
        {
            self.text.push_str(&text);
            sink(Chunk::Text(text));
        }
        self.refusal.push_str(&delta.refusal.unwrap_or_default());
        delta.tool_calls.into_iter().for_each(|call| self.add_call(call));
    }

    /// Pieces of a call have its index, and the first its id. Some servers give every call index 0 and tell them apart by
    /// id alone, and some give no index.
    fn add_call(&mut self, piece: CallDelta) {
        let id = piece.id.unwrap_or_default();
        let found = match piece.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        let is_another = |call: &PartialCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        let at = found.filter(|&at| !is_another(&self.calls[at])).unwrap_or_else(|| {
            self.calls.push(PartialCall { index: piece.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = piece.function.name.unwrap_or_default();
        }
        match piece.function.arguments {
            Some(Value::String(text)) => call.arguments.push_str(&text),
            Some(Value::Null) | None => {}
            Some(whole) => call.arguments.push_str(&whole.to_string()),
        }
    }
}

impl http::Assembly for Assembly<'_> {
    const FRAMING: Framing = Framing::Events;

    fn place(&self) -> &Place {
        self.place
    }

    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        if data.trim() == DONE {
            if !self.begun {
                return Err(self.place.garbage("sent an empty stream", data));
            }
            self.done = true;
            return Ok(true);
        }
        let event: Event = http::parse(self.place, data)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.place.told(&error));
        }
        self.usage = event.usage.and_then(|usage| usage.read()).or(self.usage);
        let id = event.id.as_ref().and_then(Value::as_str).filter(|id| !id.is_empty());
        self.response_id = self.response_id.take().or(id.map(str::to_owned));
        // Only one was asked for.
        for choice in event.choices.into_iter().filter(|choice| choice.index == 0) {
            self.begun = true;
            if let Some(delta) = choice.delta.or(choice.message) {
                self.add(delta, sink);
            }
            self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        }
        Ok(false)
    }

    fn is_whole(&self) -> bool {
        self.finish_reason.is_some() || self.done
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        if reason == "content_filter" {
            return Err(self.place.content_filtered("withheld the reply by its content filter"));
        }
        if !self.refusal.is_empty() {
            return Err(self.place.content_filtered(&format!("refused: {}", self.refusal)));
        }
        let stop_reason = match reason {
            "length" => StopReason::MaxTokens,
            // Some say `stop` whatever they ask for.
            "tool_calls" | "function_call" | "stop" | "" if !self.calls.is_empty() => StopReason::ToolCalls,
            "stop" | "tool_calls" | "function_call" | "" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        let calls = self.calls.into_iter().enumerate();
        Ok(ModelReply {
            text: self.text,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls: calls
                .map(|(number, call)| whole_call(number, call.id, call.name, arguments(&call.arguments)))
                .collect(),
            stop_reason,
            usage: self.usage,
            response_id: self.response_id,
            provider_state: None,
        })
    }
}
