//! Redacts secrets from everything a provider returns: servers may echo them, and replies and faults are journaled,
//! displayed and printed.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{
    Chunk, ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm, StopReason,
};

use crate::redaction::{Preceding, Redaction};

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
        let redact = |text: &mut String| {
            if let Cow::Owned(redacted) = self.redaction.text(text) {
                *text = redacted;
            }
        };
        redact(&mut reply.text);
        reply.reasoning.iter_mut().for_each(redact);
        reply.response_id.iter_mut().for_each(redact);
        for call in &mut reply.tool_calls {
            redact(&mut call.id);
            redact(&mut call.name);
            self.redaction.value(&mut call.arguments);
        }
        if let StopReason::Other(reason) = &mut reply.stop_reason {
            redact(reason);
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
            Ok(reply) => Ok(self.redacted(reply)),
            Err(fault) => Err(self.redaction.fault(fault)),
        }
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.provider.reply_key(request).map_err(|fault| self.redaction.fault(fault))
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.provider.whole_hash(request).map_err(|fault| self.redaction.fault(fault))
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let built = self.provider.http_request(request).map_err(|fault| self.redaction.fault(fault))?;
        Ok(built.map(|mut built| {
            built.url = self.redaction.text(&built.url).into_owned();
            self.redaction.value(&mut built.body);
            built
        }))
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        self.provider.schema_form(request)
    }

    fn returns_reasoning(&self) -> bool {
        self.provider.returns_reasoning()
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        self.provider.takes_attachment(media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let listed = self.provider.models().await.map_err(|fault| self.redaction.fault(fault))?;
        Ok(listed.into_iter().map(|model| self.redaction.text(&model).into_owned()).collect())
    }
}

/// Redacts a reply while it streams. Holds back text that may be the beginning of a secret until more text decides it.
struct StreamRedactor<'a, 'b> {
    redaction: &'a Redaction,
    sink: &'a mut ChunkSink<'b>,
    text: HeldText,
    reasoning: HeldText,
}

/// The end of a stream that is not passed on yet.
#[derive(Default)]
struct HeldText {
    held: String,
    /// The end of the text that was passed on.
    preceding: Preceding,
}

impl HeldText {
    /// Adds text and returns the part that can be passed on, redacted.
    fn push(&mut self, redaction: &Redaction, new: &str) -> String {
        self.held.push_str(new);
        let decided = redaction.decided_len(&self.held, self.preceding);
        self.release(redaction, decided)
    }

    fn finish(&mut self, redaction: &Redaction) -> String {
        self.release(redaction, self.held.len())
    }

    fn release(&mut self, redaction: &Redaction, length: usize) -> String {
        let tail = self.held.split_off(length);
        let decided = std::mem::replace(&mut self.held, tail);
        let redacted = redaction.text_after(&decided, self.preceding).into_owned();
        self.preceding = self.preceding.then(&decided);
        redacted
    }
}

impl<'a, 'b> StreamRedactor<'a, 'b> {
    fn new(redaction: &'a Redaction, sink: &'a mut ChunkSink<'b>) -> Self {
        Self { redaction, sink, text: HeldText::default(), reasoning: HeldText::default() }
    }

    fn push(&mut self, chunk: Chunk) {
        let chunk = match chunk {
            Chunk::Text(new) => Chunk::Text(self.text.push(self.redaction, &new)),
            Chunk::Reasoning(new) => Chunk::Reasoning(self.reasoning.push(self.redaction, &new)),
        };
        self.send(chunk);
    }

    fn finish(mut self) {
        let reasoning = Chunk::Reasoning(self.reasoning.finish(self.redaction));
        let text = Chunk::Text(self.text.finish(self.redaction));
        self.send(reasoning);
        self.send(text);
    }

    fn send(&mut self, chunk: Chunk) {
        if !matches!(&chunk, Chunk::Text(text) | Chunk::Reasoning(text) if text.is_empty()) {
            (self.sink)(chunk);
        }
    }
}

#[cfg(test)]
mod tests;
