//! Putting a reply together from the events of a stream. Owns when a reply is whole. No I/O.
//!
//! A reply is whole when it has been told why it finished, or why it was never begun. Whatever ends before that was cut
//! short. The stream has no other end than its own.

use plait_engine::context::ToolCall;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use super::wire::{Event, FunctionCall, Part};
use crate::providers::http::{self, Framing, Place};
use crate::providers::tool_calls::whole_call;

/// Reasons for which a reply is withheld, whole or from some point on.
const WITHHELD: [&str; 10] = [
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

/// A reply coming together.
pub(super) struct Assembly<'a> {
    place: &'a Place,
    id: Option<String>,
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    /// Text and calls in their order, with what came along: see [`Kept`].
    kept: Vec<Kept>,
    usage: Option<TokenUsage>,
    finish_reason: Option<String>,
    blocked: bool,
}

/// What has to go back of one part. Texts without a signature are joined; one with a signature stands for itself.
enum Kept {
    Text { bytes: usize, signature: Option<String> },
    Call { id: Option<String>, signature: Option<String> },
}

impl<'a> Assembly<'a> {
    pub(super) fn new(place: &'a Place) -> Self {
        Self {
            place,
            id: None,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            kept: Vec::new(),
            usage: None,
            finish_reason: None,
            blocked: false,
        }
    }

    fn add(&mut self, part: Part, sink: &mut ChunkSink<'_>) {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            return self.add_call(call, signature);
        }
        let Some(text) = part.text else { return };
        if part.thought {
            self.reasoning.push_str(&text);
        } else {
            self.text.push_str(&text);
            match self.kept.last_mut() {
                Some(Kept::Text { bytes, signature: None }) if signature.is_none() => *bytes += text.len(),
                _ => self.kept.push(Kept::Text { bytes: text.len(), signature }),
            }
        }
        if !text.is_empty() {
            sink(if part.thought { Chunk::Reasoning(text) } else { Chunk::Text(text) });
        }
    }

    fn add_call(&mut self, call: FunctionCall, signature: Option<String>) {
        let id = call.id.filter(|id| !id.is_empty());
        let arguments = call.args.filter(|args| !args.is_null()).unwrap_or_else(|| Value::Object(Map::new()));
        let given = id.clone().unwrap_or_default();
        self.calls.push(whole_call(self.calls.len(), given, call.name, arguments));
        self.kept.push(Kept::Call { id, signature });
    }
}

impl http::Assembly for Assembly<'_> {
    const FRAMING: Framing = Framing::Events;

    fn place(&self) -> &Place {
        self.place
    }

    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
        let event: Event = http::parse(self.place, data)?;
        if let Some(error) = event.error.filter(|error| !error.is_null()) {
            return Err(self.place.told(&error));
        }
        self.id = event.response_id.or(self.id.take());
        self.usage = event.usage_metadata.and_then(|usage| usage.read()).or(self.usage);
        self.blocked |= event.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some());
        // Only one was asked for.
        for candidate in event.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            candidate.content.parts.into_iter().for_each(|part| self.add(part, sink));
            let reason = candidate.finish_reason.filter(|reason| reason != "FINISH_REASON_UNSPECIFIED");
            self.finish_reason = reason.or(self.finish_reason.take());
        }
        Ok(false)
    }

    fn is_whole(&self) -> bool {
        self.finish_reason.is_some() || self.blocked
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn finish(self) -> Result<ModelReply, Fault> {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        let withheld = self.blocked || WITHHELD.contains(&reason);
        let calls = if withheld { Vec::new() } else { self.calls };
        let stop_reason = match reason {
            _ if withheld => StopReason::ContentFilter,
            "MAX_TOKENS" => StopReason::MaxTokens,
            "STOP" if !calls.is_empty() => StopReason::ToolCalls,
            "STOP" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        Ok(ModelReply {
            text: self.text,
            reasoning: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            provider_state: if calls.is_empty() { None } else { state(&self.kept) },
            tool_calls: calls,
            stop_reason,
            usage: self.usage,
            response_id: self.id,
        })
    }
}

/// What has to go back with the results of the calls: signatures and ids, and where text and calls stood. Nothing where
/// there were none of either.
fn state(kept: &[Kept]) -> Option<Value> {
    let is_plain = |kept: &Kept| match kept {
        Kept::Text { signature, .. } => signature.is_none(),
        Kept::Call { id, signature } => id.is_none() && signature.is_none(),
    };
    let written = |kept: &Kept| {
        let (mut part, signature) = match kept {
            Kept::Text { bytes, signature } => (json!({ "text": bytes }), signature),
            Kept::Call { id, signature } => (json!({ "call": id }), signature),
        };
        if let Some(signature) = signature {
            part["thoughtSignature"] = json!(signature);
        }
        part
    };
    if kept.iter().all(is_plain) {
        return None;
    }
    Some(json!({ PROTOCOL: kept.iter().map(written).collect::<Vec<_>>() }))
}
