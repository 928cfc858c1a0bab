//! Putting a reply together from the events of a stream. Owns when a reply is whole. No I/O.
//!
//! A reply is whole when its choice has given a finish reason, or the stream its `[DONE]`. Whatever ends before that was
//! cut short; what happens to the connection after it no longer matters.

use plait_engine::context::ToolCall;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::{Map, Value};

use super::failure::Place;
use super::wire::{CallDelta, Delta, Event};

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
            finish_reason: None,
            begun: false,
            done: false,
        }
    }

    pub(super) fn place(&self) -> &'a Place {
        self.place
    }

    /// Takes one event. True when nothing more is to come.
    pub(super) fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        if data.trim() == DONE {
            self.done = true;
            return Ok(true);
        }
        let event: Event = serde_json::from_str(data)
            .map_err(|_| self.place.garbage("sent an event that is not of the protocol", data))?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.place.told(&error));
        }
        self.usage = event.usage.map(TokenUsage::from).or(self.usage);
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

    /// Whether the reply is whole, whatever may still come.
    pub(super) fn is_whole(&self) -> bool {
        self.finish_reason.is_some() || (self.done && self.begun)
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

    /// The whole reply, or why it is none.
    pub(super) fn finish(self) -> Result<ModelReply, Fault> {
        if !self.is_whole() {
            return Err(if self.done {
                self.place.garbage("sent an empty stream", DONE)
            } else {
                self.place.cut_short(&self.text)
            });
        }
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
        Ok(ModelReply {
            text: self.text,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls: self.calls.into_iter().enumerate().map(whole_call).collect(),
            stop_reason,
            usage: self.usage,
            response_id: None,
            provider_state: None,
        })
    }
}

/// A call whose arguments are no JSON keeps them as text: no schema takes that, so the model is told and can mend it.
fn whole_call((number, call): (usize, PartialCall)) -> ToolCall {
    let arguments = match call.arguments.trim() {
        "" => Value::Object(Map::new()),
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(call.arguments.clone())),
    };
    let id = if call.id.is_empty() { format!("call_{number}") } else { call.id };
    ToolCall { id, name: call.name, arguments }
}
