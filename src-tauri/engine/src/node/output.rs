//! What a node gives back.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Datum;
use crate::context::ContextHandle;
use crate::id::{MessageId, PortName};
use crate::journal::NodeOutputs;
use crate::models::TokenUsage;

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Pause {
    /// The question, in Markdown.
    pub prompt: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// What a node gives back when it did not fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeOutput {
    /// The live outputs; declared ones that are missing are dead.
    pub outputs: NodeOutputs,
    /// Outputs whose value is a message of a context already.
    pub messages: BTreeMap<PortName, MessageId>,
    /// Tokens that its model calls used.
    pub token_usage: Option<TokenUsage>,
    /// More about this execution, by node type.
    pub extra: BTreeMap<String, Value>,
    /// Set when it waits for a person. It is executed again with the answer; the rest of this value is ignored.
    pub pause: Option<Pause>,
}

impl NodeOutput {
    /// No live outputs; the start of a chain of the calls below.
    pub fn new() -> Self {
        Self::default()
    }

    /// One live output.
    pub fn of(port: &str, value: impl Into<Value>) -> Self {
        Self::new().with(port, value)
    }

    /// Adds a live output.
    #[must_use]
    pub fn with(self, port: &str, value: impl Into<Value>) -> Self {
        self.with_shared(port, Arc::new(value.into()))
    }

    /// Adds a live output whose value is shared.
    #[must_use]
    pub fn with_shared(mut self, port: &str, value: Arc<Value>) -> Self {
        self.outputs.insert(port.into(), value);
        self
    }

    /// Adds a live output that is a value as it came, with the message it is.
    #[must_use]
    pub fn with_datum(self, port: &str, datum: &Datum) -> Self {
        let output = self.with_shared(port, Arc::clone(&datum.value));
        match &datum.message {
            Some(id) => output.is_message(port, id.clone()),
            None => output,
        }
    }

    /// Says that the value on `port` is this message.
    #[must_use]
    pub fn is_message(mut self, port: &str, id: MessageId) -> Self {
        self.messages.insert(port.into(), id);
        self
    }

    /// Hands on the context `handle` stands for on the `context` output.
    #[must_use]
    pub fn hand_on(self, handle: &ContextHandle) -> Self {
        self.with("context", handle)
    }

    /// Waits for a person.
    pub fn paused(pause: Pause) -> Self {
        Self { pause: Some(pause), ..Self::default() }
    }
}
