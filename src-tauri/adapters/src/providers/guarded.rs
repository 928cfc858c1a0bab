//! A provider whose words are freed of keys, whatever protocol it speaks: servers echo what they were sent, and what
//! they say is journaled, shown and printed.

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, StopReason};

use crate::keys::Redaction;

/// A provider, and what to take out of all it says.
pub(super) struct Guarded {
    provider: Arc<dyn Provider>,
    redaction: Arc<Redaction>,
}

impl Guarded {
    pub(super) fn new(provider: Arc<dyn Provider>, redaction: &Arc<Redaction>) -> Self {
        Self { provider, redaction: Arc::clone(redaction) }
    }

    fn redacted(&self, mut reply: ModelReply) -> ModelReply {
        reply.text = self.redaction.text(&reply.text);
        reply.reasoning = reply.reasoning.map(|text| self.redaction.text(&text));
        reply.response_id = reply.response_id.map(|id| self.redaction.text(&id));
        for call in &mut reply.tool_calls {
            call.id = self.redaction.text(&call.id);
            call.name = self.redaction.text(&call.name);
            self.redaction.value(&mut call.arguments);
        }
        if let StopReason::Other(words) = &mut reply.stop_reason {
            *words = self.redaction.text(words);
        }
        if let Some(state) = &mut reply.provider_state {
            self.redaction.value(state);
        }
        reply
    }
}

#[async_trait]
impl Provider for Guarded {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let mut speech = Speech::new(&self.redaction, sink);
        let replied = self.provider.call(request, &mut |chunk| speech.take(chunk)).await;
        speech.finish();
        match replied {
            Ok(reply) if self.redaction.is_idle() => Ok(reply),
            Ok(reply) => Ok(self.redacted(reply)),
            Err(fault) => Err(self.redaction.fault(fault)),
        }
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let listed = self.provider.models().await.map_err(|fault| self.redaction.fault(fault))?;
        Ok(listed.into_iter().map(|model| self.redaction.text(&model)).collect())
    }
}

/// A reply as it streams. What may be the beginning of a key is held back until it is known not to be.
struct Speech<'a, 'b> {
    redaction: &'a Redaction,
    sink: &'a mut ChunkSink<'b>,
    text: String,
    reasoning: String,
}

impl<'a, 'b> Speech<'a, 'b> {
    fn new(redaction: &'a Redaction, sink: &'a mut ChunkSink<'b>) -> Self {
        Self { redaction, sink, text: String::new(), reasoning: String::new() }
    }

    fn take(&mut self, chunk: Chunk) {
        if self.redaction.is_idle() {
            return (self.sink)(chunk);
        }
        let (held, said, kind): (_, _, fn(String) -> Chunk) = match chunk {
            Chunk::Text(said) => (&mut self.text, said, Chunk::Text),
            Chunk::Reasoning(said) => (&mut self.reasoning, said, Chunk::Reasoning),
        };
        held.push_str(&said);
        let tail = held.split_off(held.len() - self.redaction.unfinished(held));
        let out = std::mem::replace(held, tail);
        if !out.is_empty() {
            (self.sink)(kind(self.redaction.text(&out)));
        }
    }

    fn finish(self) {
        let rest = [
            Chunk::Reasoning(self.redaction.text(&self.reasoning)),
            Chunk::Text(self.redaction.text(&self.text)),
        ];
        for chunk in rest {
            if !matches!(&chunk, Chunk::Text(text) | Chunk::Reasoning(text) if text.is_empty()) {
                (self.sink)(chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests;
