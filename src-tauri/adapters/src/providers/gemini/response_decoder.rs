//! Decodes the events of a stream into a reply. Owns when a reply is complete. No I/O.
//!
//! A reply is complete when it has a finish reason, or when the prompt was blocked. A stream that ends before that was cut
//! short. The protocol has no closing event.

use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_llm::context::ToolCall;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::{Map, Value, json};

use super::STATE_KEY;
use super::wire::{FunctionCall, Part, StreamEvent};
use crate::providers::http::{self, ErrorContext, Framing};
use crate::providers::protocol::received_attachments::received_image;
use crate::providers::protocol::tool_calls::received_call;

/// Finish reasons of replies that were withheld, entirely or from some point on.
const CONTENT_FILTER_REASONS: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "JAILBREAK",
];

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    id: Option<String>,
    text: String,
    reasoning: String,
    attachments: Vec<Attachment>,
    calls: Vec<ToolCall>,
    parts: Vec<StatePart>,
    usage: Option<TokenUsage>,
    finish_reason: Option<String>,
    blocked: bool,
}

/// The part of a reply that must be sent back in its original order. Texts without a signature are joined; a text with a
/// signature stays separate.
enum StatePart {
    Text { bytes: usize, signature: Option<String> },
    Call { id: Option<String>, signature: Option<String> },
    Attachment { signature: Option<String> },
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext) -> Self {
        Self {
            context,
            id: None,
            text: String::new(),
            reasoning: String::new(),
            attachments: Vec::new(),
            calls: Vec::new(),
            parts: Vec::new(),
            usage: None,
            finish_reason: None,
            blocked: false,
        }
    }

    fn add(&mut self, part: Part, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            self.add_call(call, signature);
            return Ok(());
        }
        if let Some(image) = part.inline_data {
            // Drafts of an image are a part of the thoughts.
            if !part.thought {
                self.attachments.push(received_image(self.attachments.len(), &image.data, self.context)?);
                self.parts.push(StatePart::Attachment { signature });
            }
            return Ok(());
        }
        let Some(text) = part.text else { return Ok(()) };
        if part.thought {
            self.reasoning.push_str(&text);
        } else {
            self.text.push_str(&text);
            match self.parts.last_mut() {
                Some(StatePart::Text { bytes, signature: None }) if signature.is_none() => {
                    *bytes += text.len();
                }
                _ => self.parts.push(StatePart::Text { bytes: text.len(), signature }),
            }
        }
        if !text.is_empty() {
            sink(if part.thought { Chunk::Reasoning(text) } else { Chunk::Text(text) });
        }
        Ok(())
    }

    fn add_call(&mut self, call: FunctionCall, signature: Option<String>) {
        let id = call.id.filter(|id| !id.is_empty());
        let arguments = call.args.filter(|args| !args.is_null()).unwrap_or_else(|| Value::Object(Map::new()));
        let call_id = id.clone().unwrap_or_default();
        self.calls.push(received_call(self.calls.len(), call_id, call.name, arguments));
        self.parts.push(StatePart::Call { id, signature });
    }
}

impl http::ResponseDecoder for Decoder<'_> {
    const FRAMING: Framing = Framing::Events;

    fn error_context(&self) -> &ErrorContext {
        self.context
    }

    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        let event: StreamEvent = http::parse(self.context, data)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.context.stream_error(&error));
        }
        self.id = event.response_id.or(self.id.take());
        self.usage = event.usage_metadata.and_then(|usage| usage.read()).or(self.usage);
        self.blocked |= event.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some());
        // Only one candidate was requested.
        for candidate in event.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            candidate.content.parts.into_iter().try_for_each(|part| self.add(part, sink))?;
            let says_nothing = |reason: &str| matches!(reason, "" | "FINISH_REASON_UNSPECIFIED");
            let reason = candidate.finish_reason.filter(|reason| !says_nothing(reason));
            self.finish_reason = reason.or(self.finish_reason.take());
        }
        Ok(false)
    }

    fn is_complete(&self) -> bool {
        self.finish_reason.is_some() || self.blocked
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        let withheld = self.blocked || CONTENT_FILTER_REASONS.contains(&reason);
        let calls = if withheld { Vec::new() } else { self.calls };
        let stop_reason = match reason {
            _ if withheld => StopReason::ContentFilter,
            "MAX_TOKENS" => StopReason::MaxTokens,
            "MALFORMED_FUNCTION_CALL" => StopReason::MalformedToolCall,
            "LANGUAGE" => StopReason::UnsupportedLanguage,
            "STOP" if !calls.is_empty() => StopReason::ToolCalls,
            "STOP" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        Ok(ModelReply {
            text: self.text,
            attachments: if withheld { Vec::new() } else { self.attachments },
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            provider_state: if calls.is_empty() { None } else { provider_state(&self.parts) },
            tool_calls: calls,
            stop_reason,
            usage: self.usage,
            response_id: self.id,
        })
    }
}

/// The state to send back with the results of the calls: signatures, ids, and the order of text and calls. None if there
/// are no signatures and no ids.
fn provider_state(parts: &[StatePart]) -> Option<Value> {
    let is_plain = |part: &StatePart| match part {
        StatePart::Text { signature, .. } | StatePart::Attachment { signature } => signature.is_none(),
        StatePart::Call { id, signature } => id.is_none() && signature.is_none(),
    };
    let encode = |part: &StatePart| {
        let (mut encoded, signature) = match part {
            StatePart::Text { bytes, signature } => (json!({ "text": bytes }), signature),
            StatePart::Call { id, signature } => (json!({ "call": id }), signature),
            StatePart::Attachment { signature } => (json!({ "attachment": true }), signature),
        };
        if let Some(signature) = signature {
            encoded["thoughtSignature"] = json!(signature);
        }
        encoded
    };
    if parts.iter().all(is_plain) {
        return None;
    }
    Some(json!({ STATE_KEY: parts.iter().map(encode).collect::<Vec<_>>() }))
}
