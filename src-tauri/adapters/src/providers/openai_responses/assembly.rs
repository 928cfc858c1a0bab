//! Putting a reply together from the events of a stream. Owns when a reply is whole. No I/O.
//!
//! A reply is whole with the event that says so of the response (`completed`, or `incomplete` with a reason). An item
//! comes in pieces and then once more in full; a server may leave out the one or the other.

use std::collections::BTreeMap;

use plait_engine::context::ToolCall;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::{Value, json};

use super::request::{CALL, STATE, TEXT};
use super::wire::{Head, Item, OfItem, OfResponse, Piece, Response};
use crate::providers::http::{self, Framing, Place, parse};
use crate::providers::tool_calls::{arguments, whole_call};

/// What some servers end every stream with.
const DONE: &str = "[DONE]";

/// A reply coming together.
pub(super) struct Assembly<'a> {
    place: &'a Place,
    /// What was streamed, of all items.
    text: String,
    reasoning: String,
    /// By their place in the output.
    items: BTreeMap<u64, Partial>,
    id: Option<String>,
    usage: Option<TokenUsage>,
    end: Option<StopReason>,
}

/// An item coming together.
#[derive(Default)]
struct Partial {
    kind: Kind,
    text: String,
    reasoning: String,
    refusal: String,
    call_id: String,
    name: String,
    arguments: String,
    /// Which part of a summary was last.
    summary: u64,
    /// Reasoning that can be handed back.
    sealed: Option<Value>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Other,
    Message,
    Call,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(place: &'a Place) -> Self {
        Self {
            place,
            text: String::new(),
            reasoning: String::new(),
            items: BTreeMap::new(),
            id: None,
            usage: None,
            end: None,
        }
    }

    fn item(&mut self, at: u64) -> &mut Partial {
        self.items.entry(at).or_default()
    }

    /// More text of an item; that of another stands apart from it.
    fn say(&mut self, at: u64, more: &str, sink: &mut ChunkSink<'_>) {
        if more.is_empty() {
            return;
        }
        let item = self.item(at);
        item.kind = Kind::Message;
        let begins = item.text.is_empty();
        item.text.push_str(more);
        push(&mut self.text, begins, more, Chunk::Text, sink);
    }

    /// More reasoning of an item; another part of it stands apart.
    fn think(&mut self, at: u64, part: u64, more: &str, sink: &mut ChunkSink<'_>) {
        if more.is_empty() {
            return;
        }
        let item = self.item(at);
        let begins = item.reasoning.is_empty() || item.summary != part;
        item.summary = part;
        item.reasoning.push_str(more);
        push(&mut self.reasoning, begins, more, Chunk::Reasoning, sink);
    }

    /// An item in full, before or after its pieces.
    fn full(&mut self, at: u64, value: Value, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let item: Item = parse(self.place, &value.to_string())?;
        match item.kind.as_str() {
            "message" => {
                self.item(at).kind = Kind::Message;
                let said: String = item.content.iter().filter_map(|part| part.text.as_deref()).collect();
                let refused = item.content.iter().filter_map(|part| part.refusal.as_deref()).collect();
                let streamed = self.item(at).text.len();
                self.say(at, said.get(streamed..).unwrap_or_default(), sink);
                let partial = self.item(at);
                if partial.refusal.is_empty() {
                    partial.refusal = refused;
                }
            }
            "function_call" => {
                let partial = self.item(at);
                partial.kind = Kind::Call;
                partial.call_id = item.call_id.unwrap_or_default();
                partial.name = item.name.unwrap_or_default();
                // It begins with none, and ends with all.
                partial.arguments = item
                    .arguments
                    .filter(|all| !all.is_empty())
                    .unwrap_or(std::mem::take(&mut partial.arguments));
            }
            "reasoning" => {
                if self.item(at).reasoning.is_empty() {
                    let parts =
                        item.summary.iter().chain(&item.content).filter_map(|part| part.text.as_deref());
                    for (number, text) in (0..).zip(parts) {
                        self.think(at, number, text, sink);
                    }
                }
                self.item(at).sealed = item.encrypted_content.is_some().then_some(value);
            }
            _ => {}
        }
        Ok(())
    }

    /// The response is over.
    fn end(&mut self, response: Response, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        self.usage = response.usage().or(self.usage);
        self.id = response.id.or(self.id.take());
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(self.place.told(&error));
        }
        // Here is all of it once more. What was streamed stands; a server may count its items otherwise here.
        if self.items.is_empty() {
            for (at, item) in (0..).zip(response.output) {
                self.full(at, item, sink)?;
            }
        }
        let reason = response.incomplete_details.and_then(|details| details.reason);
        // Why it is not complete says more than that it is not.
        self.end = Some(match reason.or(response.status).as_deref() {
            None | Some("completed") => StopReason::End,
            Some("max_output_tokens") => StopReason::MaxTokens,
            Some("content_filter") => {
                return Err(self.place.content_filtered("withheld the reply by its content filter"));
            }
            Some("failed") => return Err(self.place.told(&json!("it failed"))),
            Some(other) => StopReason::Other(other.to_owned()),
        });
        Ok(())
    }
}

/// Puts `more` behind `all` and streams it; what begins stands apart from what is there.
fn push(all: &mut String, begins: bool, more: &str, chunk: fn(String) -> Chunk, sink: &mut ChunkSink<'_>) {
    let apart = if begins && !all.is_empty() { "\n\n" } else { "" };
    let more = format!("{apart}{more}");
    all.push_str(&more);
    sink(chunk(more));
}

impl http::Assembly for Assembly<'_> {
    const FRAMING: Framing = Framing::Events;

    fn place(&self) -> &Place {
        self.place
    }

    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        if data.trim() == DONE {
            return Ok(true);
        }
        let head: Head = parse(self.place, data)?;
        match head.kind.as_str() {
            "response.created" => self.id = parse::<OfResponse>(self.place, data)?.response.id,
            "response.output_text.delta" => {
                let Piece { output_index, more, .. } = parse(self.place, data)?;
                self.say(output_index, &more, sink);
            }
            "response.refusal.delta" => {
                let Piece { output_index, more, .. } = parse(self.place, data)?;
                self.item(output_index).refusal.push_str(&more);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let Piece { output_index, summary_index, more } = parse(self.place, data)?;
                self.think(output_index, summary_index, &more, sink);
            }
            "response.function_call_arguments.delta" => {
                let Piece { output_index, more, .. } = parse(self.place, data)?;
                self.item(output_index).arguments.push_str(&more);
            }
            "response.output_item.added" | "response.output_item.done" => {
                let OfItem { output_index, item } = parse(self.place, data)?;
                self.full(output_index, item, sink)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let OfResponse { response } = parse(self.place, data)?;
                self.end(response, sink)?;
                return Ok(true);
            }
            "error" => {
                let told: Value = parse(self.place, data)?;
                return Err(self
                    .place
                    .told(told.get("error").filter(|error| error.is_object()).unwrap_or(&told)));
            }
            // What begins, what goes on, and what comes once more in full.
            _ => {}
        }
        Ok(false)
    }

    fn take_whole(&mut self, text: &str, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let response: Response = parse(self.place, text)?;
        if response.object.as_deref() == Some("response") { self.end(response, sink) } else { Ok(()) }
    }

    fn is_whole(&self) -> bool {
        self.end.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let refusal: String = self.items.values().map(|item| item.refusal.as_str()).collect();
        if !refusal.is_empty() {
            return Err(self.place.content_filtered(&format!("refused: {refusal}")));
        }
        let provider_state = state(&self.items);
        let calls = self.items.into_values().filter(|item| item.kind == Kind::Call);
        let tool_calls: Vec<ToolCall> = (0..)
            .zip(calls)
            .map(|(number, call)| whole_call(number, call.call_id, call.name, arguments(&call.arguments)))
            .collect();
        let stop_reason = match self.end.unwrap_or_default() {
            StopReason::End if !tool_calls.is_empty() => StopReason::ToolCalls,
            reason => reason,
        };
        Ok(ModelReply {
            text: self.text,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls,
            stop_reason,
            usage: self.usage,
            response_id: self.id,
            provider_state,
        })
    }
}

/// The reasoning a model wants back with the results of its tools, and where it stood.
fn state(items: &BTreeMap<u64, Partial>) -> Option<Value> {
    let is_wanted = items.values().any(|item| item.sealed.is_some())
        && items.values().any(|item| item.kind == Kind::Call);
    let piece = |item: &Partial| match item.kind {
        Kind::Message => Some(json!(TEXT)),
        Kind::Call => Some(json!(CALL)),
        Kind::Other => item.sealed.clone(),
    };
    is_wanted.then(|| json!({ STATE: items.values().filter_map(piece).collect::<Vec<_>>() }))
}
