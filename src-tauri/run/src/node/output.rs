//! The result of a node's execution.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{Datum, Inputs};
use crate::codes;
use plait_core::error::Fault;
use plait_core::id::{MessageId, PortName};
use plait_journal::NodeOutputs;
use plait_llm::context::ContextHandle;
use plait_llm::models::TokenUsage;
use plait_llm::tool::ToolPause;

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Pause {
    /// The question, in Markdown.
    pub prompt: String,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// The tool call it is about, if it is about one.
    pub tool: Option<ToolPause>,
}

impl Pause {
    /// A question of the node itself.
    pub fn new(prompt: impl Into<String>, schema: Value) -> Self {
        Self { prompt: prompt.into(), schema, tool: None }
    }
}

/// The result of an execution that did not fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeOutput {
    /// The live outputs. Declared outputs that are missing are dead.
    pub outputs: NodeOutputs,
    /// For outputs with a message as the value: its id, whether or not a context has it.
    pub messages: BTreeMap<PortName, MessageId>,
    /// Tokens used by its model calls.
    pub token_usage: Option<TokenUsage>,
    /// Whether every model call of this execution took the reply of an earlier run.
    pub cached: bool,
    /// Whether the outputs are pinned: the node was not executed.
    pub pinned: bool,
    /// Whether the end of its reply is missing.
    pub truncated: bool,
    /// More about this execution, depending on the node type.
    pub extra: BTreeMap<String, Value>,
    /// Set if the node asks a person. It is executed again with the answer, and the rest of this value is ignored.
    pub pause: Option<Box<Pause>>,
}

impl NodeOutput {
    /// No live outputs.
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

    /// Adds a live output with a shared value.
    #[must_use]
    pub fn with_shared(mut self, port: &str, value: Arc<Value>) -> Self {
        self.outputs.insert(port.into(), value);
        self
    }

    /// Adds an input's value as a live output, with the id of its message if it has one.
    #[must_use]
    pub fn with_datum(self, port: &str, datum: &Datum) -> Self {
        let output = self.with_shared(port, Arc::clone(&datum.value));
        match &datum.message {
            Some(id) => output.is_message(port, id.clone()),
            None => output,
        }
    }

    /// Passes the value of an input, if it is live, to an output, with the id of its message if it has one.
    #[must_use]
    pub fn pass_through(self, inputs: &Inputs, input: &str, output: &str) -> Self {
        match inputs.datum(input) {
            Some(datum) => self.with_datum(output, datum),
            None => self,
        }
    }

    /// Declares that the value on `port` is this message.
    #[must_use]
    pub fn is_message(mut self, port: &str, id: MessageId) -> Self {
        self.messages.insert(port.into(), id);
        self
    }

    /// Adds a list as a live output.
    pub fn with_list(self, port: &str, items: &[impl Serialize]) -> Result<Self, Fault> {
        Ok(self.with(port, to_json(port, items)?))
    }

    /// Adds `handle` as the `context` output.
    #[must_use]
    pub fn with_context(self, handle: &ContextHandle) -> Self {
        self.with("context", handle)
    }

    /// Asks a person and waits.
    pub fn paused(pause: Pause) -> Self {
        Self { pause: Some(Box::new(pause)), ..Self::default() }
    }
}

fn to_json(name: &str, items: &[impl Serialize]) -> Result<Value, Fault> {
    serde_json::to_value(items).map_err(|error| {
        let message = format!("The list `{name}` of the output cannot be written as JSON: {error}.");
        Fault::new(codes::JOURNAL_UNWRITABLE, message)
    })
}
