//! Putting a reply together from the events of a stream. Owns when a reply is whole. No I/O.
//!
//! A reply is whole when it has been told why it stopped. Whatever ends before that was cut short; what happens to the
//! connection after it no longer matters.

use plait_engine::context::ToolCall;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use super::wire::{Block, Delta, Event, Message, Untyped, Usage};
use crate::providers::http::{self, Framing, Place};
use crate::providers::tool_calls::arguments;

/// A reply coming together.
pub(super) struct Assembly<'a> {
    place: &'a Place,
    /// The name of the tool whose call is the answer, where the answer was asked for so.
    answer_tool: Option<String>,
    id: Option<String>,
    text: String,
    blocks: Vec<(u64, Part)>,
    usage: Usage,
    stop_reason: Option<String>,
}

/// What a piece becomes for whoever watches.
type MakeChunk = fn(String) -> Chunk;

/// One block of the reply.
enum Part {
    /// A piece of the text, so many bytes long.
    Text(usize),
    Thinking {
        thinking: String,
        signature: String,
    },
    Redacted(String),
    /// A call, its arguments as the text they come in.
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// The answer, as the arguments of the tool that was made for it.
    Answer(String),
    Other,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(place: &'a Place, answer_tool: Option<String>) -> Self {
        Self {
            place,
            answer_tool,
            id: None,
            text: String::new(),
            blocks: Vec::new(),
            usage: Usage::default(),
            stop_reason: None,
        }
    }

    fn read(&self, data: &str) -> Result<Event, Fault> {
        http::parse(self.place, data).map_err(|garbage| match http::parse(self.place, data) {
            Ok(Untyped { error }) => self.place.told(&error),
            Err(_) => garbage,
        })
    }

    fn begin(&mut self, message: Message, sink: &mut ChunkSink<'_>) {
        self.id = message.id;
        for (index, block) in (0..).zip(message.content) {
            self.open(index, block, sink);
        }
        self.stop_reason = message.stop_reason;
        self.usage.update(&message.usage);
    }

    /// Begins a block with what it has from the start: nothing in a stream, all of it in a whole answer.
    fn open(&mut self, index: u64, block: Block, sink: &mut ChunkSink<'_>) {
        let (mut part, first) = match block {
            Block::Text { text } => (Part::Text(0), Delta::Text { text }),
            Block::Thinking { thinking, signature } => {
                (Part::Thinking { thinking: String::new(), signature }, Delta::Thinking { thinking })
            }
            Block::RedactedThinking { data } => (Part::Redacted(data), Delta::Other),
            Block::ToolUse { id, name, input } => {
                let part = if self.answer_tool.as_ref() == Some(&name) {
                    Part::Answer(String::new())
                } else {
                    Part::Call { id, name, arguments: String::new() }
                };
                let given = !input.is_null() && input != Value::Object(Map::new());
                let partial_json = if given { input.to_string() } else { String::new() };
                (part, Delta::InputJson { partial_json })
            }
            Block::Other => (Part::Other, Delta::Other),
        };
        part.add(first, &mut self.text, sink);
        self.blocks.push((index, part));
    }
}

impl http::Assembly for Assembly<'_> {
    const FRAMING: Framing = Framing::Events;

    fn place(&self) -> &Place {
        self.place
    }

    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        match self.read(data)? {
            Event::MessageStart { message } | Event::Message(message) => self.begin(message, sink),
            Event::ContentBlockStart { index, content_block } => self.open(index, content_block, sink),
            Event::ContentBlockDelta { index, delta } => {
                let part = self.blocks.iter_mut().rev().find(|(known, _)| *known == index);
                if !part.is_some_and(|(_, part)| part.add(delta, &mut self.text, sink)) {
                    return Err(self.place.garbage("sent a piece of what it had not begun", data));
                }
            }
            Event::MessageDelta { delta, usage } => {
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
                self.usage.update(&usage);
            }
            Event::MessageStop if !self.is_whole() => {
                return Err(self.place.garbage("ended its message without a reason", ""));
            }
            Event::MessageStop => return Ok(true),
            Event::Error { error } => return Err(self.place.told(&error)),
            Event::Other => {}
        }
        Ok(false)
    }

    fn is_whole(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let parts = || self.blocks.iter().map(|(_, part)| part);
        let reason = self.stop_reason.as_deref().unwrap_or_default();
        let refused = reason == "refusal";
        // What was under way when it refused is not asked for any more.
        let calls: Vec<ToolCall> = parts().filter(|_| !refused).filter_map(Part::call).collect();
        // Calls of other tools come first: their results may change the answer.
        let answer = parts().find_map(|part| match part {
            Part::Answer(json) if calls.is_empty() => Some(if json.is_empty() { "{}" } else { json }),
            _ => None,
        });
        let stop_reason = match reason {
            "refusal" => StopReason::ContentFilter,
            "max_tokens" => StopReason::MaxTokens,
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
            provider_state: if calls.is_empty() { None } else { state(&self.blocks) },
            text: answer.map_or_else(|| self.text.clone(), str::to_owned),
            tool_calls: calls,
            stop_reason,
            usage: self.usage.tokens(),
            response_id: self.id,
        })
    }
}

impl Part {
    /// Adds a piece; false if it can't be one of this block.
    fn add(&mut self, delta: Delta, text: &mut String, sink: &mut ChunkSink<'_>) -> bool {
        let (whole, piece, chunk): (_, _, Option<MakeChunk>) = match (self, delta) {
            (Self::Text(bytes), Delta::Text { text: piece }) => {
                *bytes += piece.len();
                (text, piece, Some(Chunk::Text))
            }
            (Self::Thinking { thinking, .. }, Delta::Thinking { thinking: piece }) => {
                (thinking, piece, Some(Chunk::Reasoning))
            }
            (Self::Thinking { signature, .. }, Delta::Signature { signature: piece }) => {
                (signature, piece, None)
            }
            (Self::Call { arguments, .. }, Delta::InputJson { partial_json }) => {
                (arguments, partial_json, None)
            }
            (Self::Answer(whole), Delta::InputJson { partial_json }) => {
                (whole, partial_json, Some(Chunk::Text))
            }
            (Self::Other, _) | (_, Delta::Other) => return true,
            _ => return false,
        };
        whole.push_str(&piece);
        if let Some(chunk) = chunk.filter(|_| !piece.is_empty()) {
            sink(chunk(piece));
        }
        true
    }

    fn call(&self) -> Option<ToolCall> {
        let Self::Call { id, name, arguments: text } = self else { return None };
        Some(ToolCall { id: id.clone(), name: name.clone(), arguments: arguments(text) })
    }
}

/// What has to go back with the results of the calls: the signed thoughts, word for word, and where text and calls stood
/// between them. Nothing where the model did not think.
fn state(blocks: &[(u64, Part)]) -> Option<Value> {
    let thought = |part: &Part| matches!(part, Part::Thinking { .. } | Part::Redacted(_));
    let kept = |part: &Part| match part {
        Part::Thinking { thinking, signature } => {
            Some(json!({ "type": "thinking", "thinking": thinking, "signature": signature }))
        }
        Part::Redacted(data) => Some(json!({ "type": "redacted_thinking", "data": data })),
        Part::Text(bytes) => Some(json!({ "type": "text", "bytes": bytes })),
        Part::Call { .. } => Some(json!({ "type": "tool_use" })),
        Part::Answer(_) | Part::Other => None,
    };
    blocks.iter().any(|(_, part)| thought(part)).then(|| {
        let blocks: Vec<Value> = blocks.iter().filter_map(|(_, part)| kept(part)).collect();
        json!({ PROTOCOL: blocks })
    })
}
