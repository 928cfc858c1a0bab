//! A provider that replies from a script and records the requests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;

use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};
use plait_run::codes;

#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// A reply, streamed word by word.
    Reply(ModelReply),
    /// A failure after some text was streamed.
    Failure { partial: String, fault: Fault },
}

impl ScriptedReply {
    pub fn text(text: &str) -> Self {
        Self::Reply(ModelReply { text: text.to_owned(), ..ModelReply::default() })
    }

    /// A reply that calls tools: pairs of name and arguments. The ids are `1`, `2` and so on.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        let numbered = (1..).zip(calls).map(|(id, (name, arguments))| ToolCall {
            id: id.to_string(),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        });
        let tool_calls = numbered.collect();
        Self::Reply(ModelReply { tool_calls, stop_reason: StopReason::ToolCalls, ..ModelReply::default() })
    }
}

/// Replies from its script; then from the request's own (`options.replies[0].text`); otherwise it repeats the last user
/// message. It serves every provider name except `nobody`, which is unknown.
#[derive(Default)]
pub struct FakeProvider {
    script: Mutex<VecDeque<ScriptedReply>>,
    requests: Mutex<Vec<ModelRequest>>,
    /// Whether no request can be sent to it.
    refuses_all: AtomicBool,
    returns_reasoning: AtomicBool,
    /// The media types of attachments that it can't send.
    refused_types: Mutex<Vec<String>>,
}

impl FakeProvider {
    pub fn push_replies(&self, answers: impl IntoIterator<Item = ScriptedReply>) {
        self.script.lock().extend(answers);
    }

    /// From now on the reasoning of tool rounds goes back to it.
    pub fn return_reasoning(&self) {
        self.returns_reasoning.store(true, Ordering::Relaxed);
    }

    /// From now on its protocol has no form for attachments of this media type.
    pub fn refuse_attachments(&self, media_type: &str) {
        self.refused_types.lock().push(media_type.to_owned());
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().clone()
    }

    /// From now on no request can be sent to it, since its options are none that it knows.
    pub fn refuse_all(&self) {
        self.refuses_all.store(true, Ordering::Relaxed);
    }

    fn check(&self) -> Result<(), Fault> {
        if self.refuses_all.load(Ordering::Relaxed) {
            return Err(Fault::new(codes::PROVIDER_BAD_OPTIONS, "There is no such option."));
        }
        Ok(())
    }

    fn next(&self, request: &ModelRequest) -> ScriptedReply {
        let scripted = self.script.lock().pop_front();
        let own = request.options.pointer("/replies/0/text").and_then(Value::as_str);
        let last = request.messages.iter().rev().find(|message| message.role == Role::User);
        let echo = || {
            own.map_or_else(|| last.map(|message| message.content.text()).unwrap_or_default(), str::to_owned)
        };
        scripted.unwrap_or_else(|| ScriptedReply::text(&echo()))
    }
}

#[async_trait]
impl Provider for FakeProvider {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        self.check()?;
        let next = self.next(&request);
        self.requests.lock().push(request);
        match next {
            ScriptedReply::Reply(reply) => {
                for word in reply.text.split_inclusive(' ') {
                    sink(Chunk::Text(word.to_owned()));
                }
                Ok(reply)
            }
            ScriptedReply::Failure { partial, fault } => {
                sink(Chunk::Text(partial));
                Err(fault)
            }
        }
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.check()?;
        request.key()
    }

    fn returns_reasoning(&self) -> bool {
        self.returns_reasoning.load(Ordering::Relaxed)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        !self.refused_types.lock().iter().any(|refused| refused == media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

pub struct FakeProviders(pub Arc<FakeProvider>);

impl Providers for FakeProviders {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        if name == "nobody" {
            return Err(Fault::new(codes::PROVIDER_UNKNOWN, "There is no provider `nobody`."));
        }
        Ok(self.0.clone())
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
