//! Putting a reply together from lines. Owns when a reply is whole: with the line that says it is done. No I/O.

use plait_engine::context::ToolCall;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::Value;

use super::wire::{Call, Line};
use crate::providers::http::{self, Framing, Place, parse};
use crate::providers::tool_calls::{arguments, whole_call};

/// A reply coming together.
pub(super) struct Assembly<'a> {
    place: &'a Place,
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    usage: Option<TokenUsage>,
    /// Why it ended, once it has.
    end: Option<String>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(place: &'a Place) -> Self {
        Self {
            place,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            usage: None,
            end: None,
        }
    }

    /// A call comes whole.
    fn add_call(&mut self, call: Call) {
        let arguments = match call.function.arguments {
            None | Some(Value::Null) => arguments(""),
            Some(Value::String(text)) => arguments(&text),
            Some(given) => given,
        };
        let id = call.id.unwrap_or_default();
        self.calls.push(whole_call(self.calls.len(), id, call.function.name, arguments));
    }
}

impl http::Assembly for Assembly<'_> {
    const FRAMING: Framing = Framing::Lines;

    fn place(&self) -> &Place {
        self.place
    }

    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        let line: Line = parse(self.place, data)?;
        if let Some(error) = line.error.as_ref().filter(|error| !error.is_null()) {
            return Err(self.place.told(error));
        }
        if line.message.is_none() && line.done.is_none() {
            return Err(self.place.not_the_protocol(data));
        }
        self.usage = line.usage().or(self.usage);
        let said = line.message.unwrap_or_default();
        if let Some(thought) = said.thinking.filter(|text| !text.is_empty()) {
            self.reasoning.push_str(&thought);
            sink(Chunk::Reasoning(thought));
        }
        if let Some(text) = said.content.filter(|text| !text.is_empty()) {
            self.text.push_str(&text);
            sink(Chunk::Text(text));
        }
        said.tool_calls.into_iter().for_each(|call| self.add_call(call));
        if line.done == Some(true) {
            self.end = Some(line.done_reason.unwrap_or_default());
        }
        Ok(self.end.is_some())
    }

    fn is_whole(&self) -> bool {
        self.end.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let stop_reason = match self.end.as_deref().unwrap_or_default() {
            "length" => StopReason::MaxTokens,
            "stop" | "" if !self.calls.is_empty() => StopReason::ToolCalls,
            "stop" | "" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        Ok(ModelReply {
            text: self.text,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls: self.calls,
            stop_reason,
            usage: self.usage,
            response_id: None,
            provider_state: None,
        })
    }
}
