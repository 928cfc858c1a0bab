//! Redacts API keys from everything a provider returns: servers may echo them, and replies and faults are journaled,
//! displayed and printed.

use std::sync::Arc;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::id::ReplyKey;
use plait_engine::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, StopReason};

use crate::keys::Redaction;

/// Wraps a provider and redacts its replies and faults.
pub(super) struct RedactingProvider {
    provider: Arc<dyn Provider>,
    redaction: Arc<Redaction>,
}

impl RedactingProvider {
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
        if let StopReason::Other(reason) = &mut reply.stop_reason {
            *reason = self.redaction.text(reason);
        }
        if let Some(state) = &mut reply.provider_state {
            self.redaction.value(state);
        }
        reply
    }
}

#[async_trait]
impl Provider for RedactingProvider {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let mut redactor = StreamRedactor::new(&self.redaction, sink);
        let result = self.provider.call(request, &mut |chunk| redactor.push(chunk)).await;
        redactor.finish();
        match result {
            Ok(reply) if self.redaction.is_idle() => Ok(reply),
            Ok(reply) => Ok(self.redacted(reply)),
            Err(fault) => Err(self.redaction.fault(fault)),
        }
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.provider.reply_key(request).map_err(|fault| self.redaction.fault(fault))
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let listed = self.provider.models().await.map_err(|fault| self.redaction.fault(fault))?;
        Ok(listed.into_iter().map(|model| self.redaction.text(&model)).collect())
    }
}

/// Redacts a reply while it streams. Holds back text that may be the beginning of a key until more text decides it.
struct StreamRedactor<'a, 'b> {
    redaction: &'a Redaction,
    sink: &'a mut ChunkSink<'b>,
    text: String,
    reasoning: String,
}

impl<'a, 'b> StreamRedactor<'a, 'b> {
    fn new(redaction: &'a Redaction, sink: &'a mut ChunkSink<'b>) -> Self {
        Self { redaction, sink, text: String::new(), reasoning: String::new() }
    }

    fn push(&mut self, chunk: Chunk) {
        if self.redaction.is_idle() {
            return (self.sink)(chunk);
        }
        let (held, new, kind): (_, _, fn(String) -> Chunk) = match chunk {
            Chunk::Text(new) => (&mut self.text, new, Chunk::Text),
            Chunk::Reasoning(new) => (&mut self.reasoning, new, Chunk::Reasoning),
        };
        held.push_str(&new);
        let tail = held.split_off(held.len() - self.redaction.partial_key_len(held));
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
