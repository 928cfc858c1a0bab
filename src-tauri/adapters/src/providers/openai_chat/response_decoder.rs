//! Decodes the events of a stream into a reply. Owns when a reply is complete. No I/O.
//!
//! A reply is complete when its choice has a finish reason or the stream has sent `[DONE]`. A stream that ends before that
//! was cut short; what happens to the connection afterwards no longer matters.

use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::Value;

use super::reasoning_details::ReasoningDetails;
use super::wire::{CallDelta, Delta, StreamEvent, Text};
use crate::providers::http::{self, ErrorContext, Framing};
use crate::providers::protocol::received_attachments::received_data_url;
use crate::providers::protocol::tool_calls::{parse_arguments, received_call};

/// The last event of a stream, as OpenAI defines it.
const DONE: &str = "[DONE]";

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    text: String,
    reasoning: String,
    reasoning_details: ReasoningDetails,
    refusal: String,
    attachments: Vec<Attachment>,
    calls: Vec<PartialCall>,
    usage: Option<TokenUsage>,
    response_id: Option<String>,
    finish_reason: Option<String>,
    has_choice: bool,
    done: bool,
}

#[derive(Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext) -> Self {
        Self {
            context,
            text: String::new(),
            reasoning: String::new(),
            reasoning_details: ReasoningDetails::default(),
            refusal: String::new(),
            attachments: Vec::new(),
            calls: Vec::new(),
            usage: None,
            response_id: None,
            finish_reason: None,
            has_choice: false,
            done: false,
        }
    }

    fn add(&mut self, delta: Delta, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        if let Some(reasoning) = delta.reasoning_content.or(delta.reasoning).filter(|text| !text.is_empty()) {
            self.reasoning.push_str(&reasoning);
            sink(Chunk::Reasoning(reasoning));
        }
        delta.reasoning_details.into_iter().for_each(|part| self.reasoning_details.add(part));
        if let Some(text) = delta.content.map(Text::into_string).filter(|text| !text.is_empty()) {
            self.text.push_str(&text);
            sink(Chunk::Text(text));
        }
        self.refusal.push_str(&delta.refusal.unwrap_or_default());
        for image in delta.images {
            let image = received_data_url(self.attachments.len(), &image.image_url.url, self.context)?;
            // The last event may repeat them.
            if self.attachments.iter().all(|known| known.hash != image.hash) {
                self.attachments.push(image);
            }
        }
        delta.tool_calls.into_iter().for_each(|call| self.add_call(call));
        Ok(())
    }

    /// Every delta of a call has its index, and the first one its id. Some servers give every call index 0 and distinguish
    /// calls only by id, and some send no index.
    fn add_call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let found = match delta.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        let is_another = |call: &PartialCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        let at = found.filter(|&at| !is_another(&self.calls[at])).unwrap_or_else(|| {
            self.calls.push(PartialCall { index: delta.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = delta.function.name.unwrap_or_default();
        }
        match delta.function.arguments {
            Some(Value::String(text)) => call.arguments.push_str(&text),
            Some(Value::Null) | None => {}
            Some(whole) => call.arguments.push_str(&whole.to_string()),
        }
    }
}

/// Whether a finish reason says nothing: sglang, Ollama and `KoboldCpp` have sent such texts in place of null, on events after
/// which the reply went on.
fn is_blank(reason: &str) -> bool {
    matches!(reason.trim(), "" | "null" | "None")
}

/// The reasons of OpenAI and of compatible servers. Without a reason, the server has sent its end mark.
fn stop_reason(reason: &str) -> StopReason {
    match reason.to_lowercase().as_str() {
        // TGI: `eos_token`, `stop_sequence`. Together: `eos`. Cohere: `COMPLETE`. Gateways pass on what vendors say.
        "" | "stop" | "tool_calls" | "function_call" | "tool_use" | "end_turn" | "eos" | "eos_token"
        | "stop_sequence" | "complete" => StopReason::End,
        "length" | "max_tokens" => StopReason::MaxTokens,
        // Mistral: `model_length`.
        "model_length" | "model_context_window_exceeded" => StopReason::WindowFull,
        // Zhipu: `sensitive`.
        "content_filter" | "sensitive" => StopReason::ContentFilter,
        "malformed_function_call" => StopReason::MalformedToolCall,
        // vLLM and sglang: `abort`. OpenRouter: `error`. DeepSeek: `insufficient_system_resource`. Zhipu: `network_error`.
        "abort" | "error" | "insufficient_system_resource" | "network_error" => StopReason::Interrupted,
        _ => StopReason::Other(reason.to_owned()),
    }
}

impl http::ResponseDecoder for Decoder<'_> {
    const FRAMING: Framing = Framing::Events;

    fn error_context(&self) -> &ErrorContext {
        self.context
    }

    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        if data.trim() == DONE {
            if !self.has_choice {
                return Err(self.context.invalid_response("sent an empty stream", data));
            }
            self.done = true;
            return Ok(true);
        }
        let event: StreamEvent = http::parse(self.context, data)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(&error));
        }
        if event.object.as_ref().and_then(Value::as_str) == Some("error") {
            return Err(self.context.stream_error(&http::parse::<Value>(self.context, data)?));
        }
        self.usage = event.usage.and_then(|usage| usage.read()).or(self.usage);
        let id = event.id.as_ref().and_then(Value::as_str).filter(|id| !id.is_empty());
        self.response_id = self.response_id.take().or(id.map(str::to_owned));
        // Only one choice was requested.
        for choice in event.choices.into_iter().filter(|choice| choice.index == 0) {
            self.has_choice = true;
            if let Some(delta) = choice.delta.or(choice.message) {
                self.add(delta, sink)?;
            }
            let reason = choice.finish_reason.filter(|reason| !is_blank(reason));
            self.finish_reason = reason.or(self.finish_reason.take());
        }
        Ok(false)
    }

    fn is_complete(&self) -> bool {
        self.finish_reason.is_some() || self.done
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        // Some servers send `stop` for tool calls, too.
        let stop_reason = match stop_reason(reason) {
            _ if !self.refusal.is_empty() => StopReason::ContentFilter,
            StopReason::End if !self.calls.is_empty() => StopReason::ToolCalls,
            other => other,
        };
        let provider_state = self.reasoning_details.into_state().filter(|_| !self.calls.is_empty());
        let calls = self.calls.into_iter().enumerate();
        Ok(ModelReply {
            // The model's text instead of a reply.
            text: self.text + &self.refusal,
            attachments: self.attachments,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            tool_calls: calls
                .map(|(number, call)| {
                    received_call(number, call.id, call.name, parse_arguments(&call.arguments))
                })
                .collect(),
            stop_reason,
            usage: self.usage,
            response_id: self.response_id,
            provider_state,
        })
    }
}
