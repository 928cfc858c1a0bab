//! A provider that answers from a script and keeps exactly what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::context::{Role, ToolCall};
use crate::error::{ErrorCode, Fault};
use crate::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, Providers, StopReason};

/// One scripted answer.
#[derive(Clone, Debug)]
pub enum Scripted {
    /// A reply, streamed word by word.
    Reply(ModelReply),
    /// A failure, after some text was streamed.
    Fails {
        /// What is streamed first.
        after: String,
        /// The failure.
        fault: Fault,
    },
}

impl Scripted {
    /// A reply that is only text.
    pub fn text(text: &str) -> Self {
        Self::Reply(ModelReply { text: text.to_owned(), ..ModelReply::default() })
    }

    /// A reply that calls tools: pairs of name and arguments, with the ids `1`, `2` and so on.
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

/// Answers from its script; when that is used up, from the call's own (`options.replies[0].text`); without one it says
/// back the last user message. There is only this one, whatever provider is asked for, except `nobody`.
#[derive(Default)]
pub struct FakeProvider {
    script: Mutex<VecDeque<Scripted>>,
    requests: Mutex<Vec<ModelRequest>>,
}

impl FakeProvider {
    /// Adds answers to the end of the script.
    pub fn script(&self, answers: impl IntoIterator<Item = Scripted>) {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).extend(answers);
    }

    /// All it was sent, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&self, request: &ModelRequest) -> Scripted {
        let scripted = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let own = request.options.pointer("/replies/0/text").and_then(Value::as_str);
        let last = request.messages.iter().rev().find(|message| message.role == Role::User);
        let echo = || {
            own.map_or_else(|| last.map(|message| message.content.text()).unwrap_or_default(), str::to_owned)
        };
        scripted.unwrap_or_else(|| Scripted::text(&echo()))
    }
}

#[async_trait]
impl Provider for FakeProvider {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let next = self.next(&request);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        match next {
            Scripted::Reply(reply) => {
                for word in reply.text.split_inclusive(' ') {
                    sink(Chunk::Text(word.to_owned()));
                }
                Ok(reply)
            }
            Scripted::Fails { after, fault } => {
                sink(Chunk::Text(after));
                Err(fault)
            }
        }
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }
}

/// Hands out the one fake provider.
pub(super) struct OnlyFake(pub(super) Arc<FakeProvider>);

impl Providers for OnlyFake {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        if name == "nobody" {
            return Err(Fault::new(ErrorCode::ProviderUnknown, "There is no provider `nobody`."));
        }
        Ok(self.0.clone())
    }

    fn names(&self) -> Vec<String> {
        vec!["offline".to_owned()]
    }
}
