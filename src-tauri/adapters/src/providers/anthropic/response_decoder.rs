//! Decodes the events of a stream into a reply. Owns when a reply is complete. No I/O.
//!
//! A reply is complete when it has a stop reason. A stream that ends before that was cut short; what happens to the
//! connection afterwards no longer matters.

use plait_core::error::Fault;
use plait_llm::context::ToolCall;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::{Map, Value, json};

use super::STATE_KEY;
use super::wire::{ContentBlock, Delta, Message, StreamEvent, Untyped, Usage};
use crate::providers::http::{self, ErrorContext, Framing};
use crate::providers::protocol::tool_calls::parse_arguments;

/// A reply being decoded.
pub(super) struct Decoder<'a> {
    context: &'a ErrorContext,
    /// The name of the tool whose call is the reply, if the request used one for structured output.
    reply_tool: Option<String>,
    id: Option<String>,
    text: String,
    blocks: Vec<(u64, Part)>,
    usage: Usage,
    stop_reason: Option<String>,
}

type MakeChunk = fn(String) -> Chunk;

/// One block of the reply.
enum Part {
    /// A section of the text, with its length in bytes.
    Text(usize),
    Thinking {
        thinking: String,
        signature: String,
    },
    Redacted(String),
    /// A call, with its arguments as text.
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// The reply, as the arguments of the reply tool.
    Reply(String),
    Other,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(context: &'a ErrorContext, reply_tool: Option<String>) -> Self {
        Self {
            context,
            reply_tool,
            id: None,
            text: String::new(),
            blocks: Vec::new(),
            usage: Usage::default(),
            stop_reason: None,
        }
    }

    fn parse_event(&self, data: &str) -> Result<StreamEvent, Fault> {
        http::parse(self.context, data).map_err(|mismatch| match http::parse(self.context, data) {
            Ok(Untyped { error }) => self.context.stream_error(&error),
            Err(_) => mismatch,
        })
    }

    fn begin(&mut self, message: Message, sink: &mut ChunkSink<'_>) {
        self.id = message.id;
        for (index, block) in (0..).zip(message.content) {
            self.open(index, block, sink);
        }
        self.stop_reason = message.stop_reason.filter(|reason| !reason.is_empty());
        self.usage.update(&message.usage);
    }

    /// Opens a block with its initial content: empty in a stream, complete in a whole response.
    fn open(&mut self, index: u64, block: ContentBlock, sink: &mut ChunkSink<'_>) {
        let (mut part, first) = match block {
            ContentBlock::Text { text } => (Part::Text(0), Delta::Text { text }),
            ContentBlock::Thinking { thinking, signature } => {
                (Part::Thinking { thinking: String::new(), signature }, Delta::Thinking { thinking })
            }
            ContentBlock::RedactedThinking { data } => (Part::Redacted(data), Delta::Other),
            ContentBlock::ToolUse { id, name, input } => {
                let part = if self.reply_tool.as_ref() == Some(&name) {
                    Part::Reply(String::new())
                } else {
                    Part::Call { id, name, arguments: String::new() }
                };
                let has_input = !input.is_null() && input != Value::Object(Map::new());
                let partial_json = if has_input { input.to_string() } else { String::new() };
                (part, Delta::InputJson { partial_json })
            }
            ContentBlock::Other => (Part::Other, Delta::Other),
        };
        part.add(first, &mut self.text, sink);
        self.blocks.push((index, part));
    }
}

impl http::ResponseDecoder for Decoder<'_> {
    const FRAMING: Framing = Framing::Events;

    fn error_context(&self) -> &ErrorContext {
        self.context
    }

    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        match self.parse_event(data)? {
            StreamEvent::MessageStart { message } | StreamEvent::Message(message) => {
                self.begin(message, sink);
            }
            StreamEvent::ContentBlockStart { index, content_block } => self.open(index, content_block, sink),
            StreamEvent::ContentBlockDelta { index, delta } => {
                let part = self.blocks.iter_mut().rev().find(|(known, _)| *known == index);
                if !part.is_some_and(|(_, part)| part.add(delta, &mut self.text, sink)) {
                    return Err(self
                        .context
                        .invalid_response("sent a delta of a block that it had not started", data));
                }
            }
            StreamEvent::MessageDelta { delta, usage } => {
                let reason = delta.stop_reason.filter(|reason| !reason.is_empty());
                self.stop_reason = reason.or(self.stop_reason.take());
                self.usage.update(&usage);
            }
            StreamEvent::MessageStop if !self.is_complete() => {
                return Err(self.context.invalid_response("ended its message without a stop reason", ""));
            }
            StreamEvent::MessageStop => return Ok(true),
            StreamEvent::Error { error } => return Err(self.context.stream_error(&error)),
            StreamEvent::Other => {}
        }
        Ok(false)
    }

    fn is_complete(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let parts = || self.blocks.iter().map(|(_, part)| part);
        let reason = self.stop_reason.as_deref().unwrap_or_default();
        let refused = reason == "refusal";
        // Calls that were in progress when the model refused are dropped.
        let calls: Vec<ToolCall> = parts().filter(|_| !refused).filter_map(Part::call).collect();
        // Calls of other tools come first: their results may change the reply.
        let reply_json = parts().find_map(|part| match part {
            Part::Reply(json) if calls.is_empty() => Some(if json.is_empty() { "{}" } else { json }),
            _ => None,
        });
        let stop_reason = match reason {
            "refusal" => StopReason::ContentFilter,
            "max_tokens" => StopReason::MaxTokens,
            "model_context_window_exceeded" => StopReason::WindowFull,
            "pause_turn" => StopReason::Paused,
            "tool_use" | "end_turn" | "stop_sequence" if !calls.is_empty() => StopReason::ToolCalls,
            "tool_use" | "end_turn" | "stop_sequence" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        let thoughts = parts().filter_map(|part| match part {
            Part::Thinking { thinking, .. } if !thinking.is_empty() => Some(thinking.as_str()),
            _ => None,
        });
        let reasoning = thoughts.collect::<Vec<_>>().join("\n\n");
        Ok(ModelReply {
            reasoning: Some(reasoning).filter(|reasoning| !reasoning.is_empty()),
            provider_state: if calls.is_empty() { None } else { provider_state(&self.blocks) },
            text: reply_json.map_or_else(|| self.text.clone(), str::to_owned),
            attachments: Vec::new(),
            tool_calls: calls,
            stop_reason,
            usage: self.usage.tokens(),
            response_id: self.id,
        })
    }
}

impl Part {
    /// Adds a delta. Returns false if it does not fit this kind of block.
    fn add(&mut self, delta: Delta, text: &mut String, sink: &mut ChunkSink<'_>) -> bool {
        let (whole, fragment, chunk): (_, _, Option<MakeChunk>) = match (self, delta) {
            (Self::Text(bytes), Delta::Text { text: fragment }) => {
                *bytes += fragment.len();
                (text, fragment, Some(Chunk::Text))
            }
            (Self::Thinking { thinking, .. }, Delta::Thinking { thinking: fragment }) => {
                (thinking, fragment, Some(Chunk::Reasoning))
            }
            (Self::Thinking { signature, .. }, Delta::Signature { signature: fragment }) => {
                (signature, fragment, None)
            }
            (Self::Call { arguments, .. }, Delta::InputJson { partial_json }) => {
                (arguments, partial_json, None)
            }
            (Self::Reply(whole), Delta::InputJson { partial_json }) => {
                (whole, partial_json, Some(Chunk::Text))
            }
            (Self::Other, _) | (_, Delta::Other) => return true,
            _ => return false,
        };
        whole.push_str(&fragment);
        if let Some(chunk) = chunk.filter(|_| !fragment.is_empty()) {
            sink(chunk(fragment));
        }
        true
    }

    fn call(&self) -> Option<ToolCall> {
        let Self::Call { id, name, arguments: text } = self else { return None };
        Some(ToolCall { id: id.clone(), name: name.clone(), arguments: parse_arguments(text) })
    }
}

/// The state to send back with the results of the calls: the signed thinking blocks, verbatim, and the positions of text
/// and calls between them. None if the model did not think.
fn provider_state(blocks: &[(u64, Part)]) -> Option<Value> {
    let is_thinking = |part: &Part| matches!(part, Part::Thinking { .. } | Part::Redacted(_));
    let encode = |part: &Part| match part {
        Part::Thinking { thinking, signature } => {
            Some(json!({ "type": "thinking", "thinking": thinking, "signature": signature }))
        }
        Part::Redacted(data) => Some(json!({ "type": "redacted_thinking", "data": data })),
        Part::Text(bytes) => Some(json!({ "type": "text", "bytes": bytes })),
        Part::Call { .. } => Some(json!({ "type": "tool_use" })),
        Part::Reply(_) | Part::Other => None,
    };
    blocks.iter().any(|(_, part)| is_thinking(part)).then(|| {
        let blocks: Vec<Value> = blocks.iter().filter_map(|(_, part)| encode(part)).collect();
        json!({ STATE_KEY: blocks })
    })
}
