//! The values on a node's inputs.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use smallvec::SmallVec;

use crate::context::ContextHandle;
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::id::{MessageId, PortName};

/// A value on its way, with the message it is already, where it is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// The value.
    pub value: Arc<Value>,
    /// The message of a context that says the same.
    pub message: Option<MessageId>,
}

impl From<Value> for Datum {
    fn from(value: Value) -> Self {
        Self { value: Arc::new(value), message: None }
    }
}

/// The live values on a node's inputs: one for a `one` port, in plan order for a `many` port. Ports that are dead or
/// unfed are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs(SmallVec<[(PortName, SmallVec<[Datum; 1]>); 2]>);

impl Inputs {
    /// Adds a value to a port, after those already there.
    pub fn push(&mut self, port: &PortName, datum: Datum) {
        match self.0.iter_mut().find(|(name, _)| name == port) {
            Some((_, values)) => values.push(datum),
            None => self.0.push((port.clone(), SmallVec::from_iter([datum]))),
        }
    }

    /// The value on a port, if it is live. The last one of several.
    pub fn get(&self, port: &str) -> Option<&Value> {
        self.datum(port).map(|datum| &*datum.value)
    }

    /// The same with the message it is.
    pub fn datum(&self, port: &str) -> Option<&Datum> {
        self.all(port).last()
    }

    /// All live values on a port, in plan order.
    pub fn all(&self, port: &str) -> &[Datum] {
        self.0.iter().find(|(name, _)| name.as_str() == port).map_or(&[], |(_, values)| values.as_slice())
    }

    /// The live ports and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&PortName, &[Datum])> {
        self.0.iter().map(|(port, values)| (port, values.as_slice()))
    }

    /// The value on a port written out as text: a string as it is, anything else as JSON.
    pub fn text(&self, port: &str) -> Option<String> {
        self.get(port).map(as_text)
    }

    /// The value on a port read as `T`; a fault `input.type` that names the port.
    pub fn read<T: DeserializeOwned>(&self, port: &str) -> Result<Option<T>, Fault> {
        self.get(port)
            .map(|value| {
                T::deserialize(value).map_err(|error| {
                    Fault::new(
                        ErrorCode::InputType,
                        format!("The value on input `{port}` is not of the right shape: {error}."),
                    )
                    .hint("Look at what feeds this input; a `json` node can reshape it.")
                })
            })
            .transpose()
    }

    /// The handle on the `context` input, if it is wired and live.
    pub fn context(&self) -> Result<Option<ContextHandle>, Fault> {
        self.read("context")
    }
}
