//! The values on a node's inputs.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use smallvec::SmallVec;

use crate::codes;
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::id::{MessageId, PortName};
use plait_core::origin::Origins;
use plait_llm::context::ContextHandle;

/// A value on an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    pub value: Arc<Value>,
    /// The message that this value is: one of a context, or what a node said on an output. Nothing for a value that was given to
    /// the run.
    pub message: Option<MessageId>,
    /// Where it comes from.
    pub origins: Origins,
}

impl From<Value> for Datum {
    fn from(value: Value) -> Self {
        Self { value: Arc::new(value), message: None, origins: Origins::NONE }
    }
}

/// The live values on a node's inputs: one on a `one` port, any number in plan order on a `many` port. Ports that are dead
/// or not connected are absent.
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

    /// Puts a value in place of all that are on a port.
    pub fn replace(&mut self, port: &PortName, datum: Datum) {
        self.0.retain(|(name, _)| name != port);
        self.push(port, datum);
    }

    /// The value on a port, if it is live. The last one if there are several.
    pub fn get(&self, port: &str) -> Option<&Value> {
        self.datum(port).map(|datum| &*datum.value)
    }

    /// Like [`Self::get`], with the value's message.
    pub fn datum(&self, port: &str) -> Option<&Datum> {
        self.all(port).last()
    }

    /// All live values on a port, in plan order.
    pub fn all(&self, port: &str) -> &[Datum] {
        self.0.iter().find(|(name, _)| name.as_str() == port).map_or(&[], |(_, values)| values.as_slice())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&PortName, &[Datum])> {
        self.0.iter().map(|(port, values)| (port, values.as_slice()))
    }

    /// Where the values come from, all of them together.
    pub fn origins(&self) -> Origins {
        Origins::union(self.iter().flat_map(|(_, values)| values).map(|datum| &datum.origins))
    }

    /// The value on a port as text, see [`as_text`].
    pub fn text(&self, port: &str) -> Option<String> {
        self.get(port).map(as_text)
    }

    /// The value on a port as a `T`. The fault `input.type` names the port.
    pub fn read<T: DeserializeOwned>(&self, port: &str) -> Result<Option<T>, Fault> {
        self.get(port)
            .map(|value| {
                T::deserialize(value).map_err(|error| {
                    Fault::new(
                        codes::INPUT_TYPE,
                        format!("The value on input `{port}` has the wrong type: {error}."),
                    )
                    .hint("Check what feeds this input. A `json` node can convert it.")
                })
            })
            .transpose()
    }

    /// The handle on the `context` input, if it is wired and live.
    pub fn context(&self) -> Result<Option<ContextHandle>, Fault> {
        self.read("context")
    }
}
