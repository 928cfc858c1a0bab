//! Decodes the events of a stream into a reply. Owns when a reply is complete. No I/O.
//!
//! A reply is complete with the event that ends the response (`completed`, or `incomplete` with a reason). An item arrives
//! as deltas and then once more in full; a server may omit either.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_llm::context::ToolCall;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::{Value, json};

use super::request::{CALL, STATE_KEY, TEXT};
use super::wire::{EventHead, Item, ItemDelta, ItemEvent, Response, ResponseEvent};
use crate::providers::http::{self, ErrorContext, Framing, parse};
use crate::providers::protocol::streamed_text::push_text;
use crate::providers::protocol::tool_calls::{parse_arguments, received_call};

/// The last event that some servers add to a stream.
const DONE: &str = "[DONE]";

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    /// The text streamed so far, of all items.
    text: String,
    reasoning: String,
    /// By output index.
    items: BTreeMap<u64, PartialItem>,
    id: Option<String>,
    usage: Option<TokenUsage>,
    stop_reason: Option<StopReason>,
}

/// An item being decoded.
#[derive(Default)]
struct PartialItem {
    kind: ItemKind,
    text: String,
    reasoning: String,
    refusal: String,
    call_id: String,
    name: String,
    arguments: String,
    /// The part of the reasoning summary that was streamed last.
    summary_index: u64,
    /// Encrypted reasoning to send back.
    encrypted_reasoning: Option<Value>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ItemKind {
    #[default]
    Other,
    Message,
    Call,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext) -> Self {
        Self {
            context,
            text: String::new(),
            reasoning: String::new(),
            items: BTreeMap::new(),
            id: None,
            usage: None,
            stop_reason: None,
        }
    }

    fn item(&mut self, at: u64) -> &mut PartialItem {
        self.items.entry(at).or_default()
    }

    /// Adds text to an item and streams it. A blank line separates the texts of different items.
    fn push_text(&mut self, at: u64, more: &str, sink: &mut ChunkSink<'_>) {
        if more.is_empty() {
            return;
        }
        let item = self.item(at);
        item.kind = ItemKind::Message;
        let starts = item.text.is_empty();
        item.text.push_str(more);
        push_text(&mut self.text, starts, more, Chunk::Text, sink);
    }

    /// Adds reasoning to an item and streams it. A blank line separates its parts.
    fn push_reasoning(&mut self, at: u64, part: u64, more: &str, sink: &mut ChunkSink<'_>) {
        if more.is_empty() {
            return;
        }
        let item = self.item(at);
        let starts = item.reasoning.is_empty() || item.summary_index != part;
        item.summary_index = part;
        item.reasoning.push_str(more);
        push_text(&mut self.reasoning, starts, more, Chunk::Reasoning, sink);
    }

    /// Decodes an item that arrives in full, before or after its deltas.
    fn decode_item(&mut self, at: u64, value: Value, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let item: Item = parse(self.context, &value.to_string())?;
        match item.kind.as_str() {
            "message" => {
                self.item(at).kind = ItemKind::Message;
                let text: String = item.content.iter().filter_map(|part| part.text.as_deref()).collect();
                let refusal = item.content.iter().filter_map(|part| part.refusal.as_deref()).collect();
                let streamed = self.item(at).text.len();
                self.push_text(at, text.get(streamed..).unwrap_or_default(), sink);
                let partial = self.item(at);
                if partial.refusal.is_empty() {
                    partial.refusal = refusal;
                }
            }
            "function_call" => {
                let partial = self.item(at);
                partial.kind = ItemKind::Call;
                partial.call_id = item.call_id.unwrap_or_default();
                partial.name = item.name.unwrap_or_default();
                // The arguments are empty when the item is added, and complete when it is done.
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
                        self.push_reasoning(at, number, text, sink);
                    }
                }
                self.item(at).encrypted_reasoning = item.encrypted_content.is_some().then_some(value);
            }
            _ => {}
        }
        Ok(())
    }

    /// Decodes the final state of the response.
    fn finish_response(&mut self, response: Response, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        self.usage = response.usage().or(self.usage);
        self.id = response.id.or(self.id.take());
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(&error));
        }
        // The full output is repeated here. Streamed items take precedence, because a server may number its items differently.
        if self.items.is_empty() {
            for (at, item) in (0..).zip(response.output) {
                self.decode_item(at, item, sink)?;
            }
        }
        let reason = response.incomplete_details.and_then(|details| details.reason);
        // The reason is more specific than the status.
        self.stop_reason = Some(match reason.or(response.status).as_deref() {
            None | Some("completed") => StopReason::End,
            Some("max_output_tokens") => StopReason::MaxTokens,
            Some(reason) if reason.eq_ignore_ascii_case("content_filter") => StopReason::ContentFilter,
            Some("cancelled" | "in_progress" | "queued") => StopReason::Interrupted,
            Some("failed") => return Err(self.context.stream_error(&json!("the response failed"))),
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
        let head: EventHead = parse(self.context, data)?;
        match head.kind.as_str() {
            "response.created" => self.id = parse::<ResponseEvent>(self.context, data)?.response.id,
            "response.output_text.delta" => {
                let ItemDelta { output_index, more, .. } = parse(self.context, data)?;
                self.push_text(output_index, &more, sink);
            }
            "response.refusal.delta" => {
                let ItemDelta { output_index, more, .. } = parse(self.context, data)?;
                self.item(output_index).refusal.push_str(&more);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let ItemDelta { output_index, summary_index, more } = parse(self.context, data)?;
                self.push_reasoning(output_index, summary_index, &more, sink);
            }
            "response.function_call_arguments.delta" => {
                let ItemDelta { output_index, more, .. } = parse(self.context, data)?;
                self.item(output_index).arguments.push_str(&more);
            }
            "response.output_item.added" | "response.output_item.done" => {
                let ItemEvent { output_index, item } = parse(self.context, data)?;
                self.decode_item(output_index, item, sink)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let ResponseEvent { response } = parse(self.context, data)?;
                self.finish_response(response, sink)?;
                return Ok(true);
            }
            "error" => {
                let event: Value = parse(self.context, data)?;
                return Err(self
                    .context
                    .stream_error(event.get("error").filter(|error| error.is_object()).unwrap_or(&event)));
            }
            // Progress events, and content that other events repeat.
            _ => {}
        }
        Ok(false)
    }

    fn decode_whole(&mut self, text: &str, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let response: Response = parse(self.context, text)?;
        if response.object.as_deref() == Some("response") {
            self.finish_response(response, sink)
        } else {
            Ok(())
        }
    }

    fn is_complete(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let refusal: String = self.items.values().map(|item| item.refusal.as_str()).collect();
        let provider_state = provider_state(&self.items);
        let calls = self.items.into_values().filter(|item| item.kind == ItemKind::Call);
        let tool_calls: Vec<ToolCall> = (0..)
            .zip(calls)
            .map(|(number, call)| {
                received_call(number, call.call_id, call.name, parse_arguments(&call.arguments))
            })
            .collect();
        let stop_reason = match self.stop_reason.unwrap_or_default() {
            _ if !refusal.is_empty() => StopReason::ContentFilter,
            StopReason::End if !tool_calls.is_empty() => StopReason::ToolCalls,
            reason => reason,
        };
        Ok(ModelReply {
            // The model's text instead of a reply.
            text: self.text + &refusal,
            attachments: Vec::new(),
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls,
            stop_reason,
            usage: self.usage,
            response_id: self.id,
            provider_state,
        })
    }
}

/// The encrypted reasoning to send back with the results of the tools, and its position between text and calls.
fn provider_state(items: &BTreeMap<u64, PartialItem>) -> Option<Value> {
    let is_needed = items.values().any(|item| item.encrypted_reasoning.is_some())
        && items.values().any(|item| item.kind == ItemKind::Call);
    let entry = |item: &PartialItem| match item.kind {
        ItemKind::Message => Some(json!(TEXT)),
        ItemKind::Call => Some(json!(CALL)),
        ItemKind::Other => item.encrypted_reasoning.clone(),
    };
    is_needed.then(|| json!({ STATE_KEY: items.values().filter_map(entry).collect::<Vec<_>>() }))
}
