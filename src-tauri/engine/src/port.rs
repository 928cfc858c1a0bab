//! Ports: what a node takes and gives, and which output may feed which input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::id::PortName;

/// Which of the three strands a port belongs to. An edge takes its kind from its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PortKind {
    /// Who remembers what: carries a context handle.
    Context,
    /// Values.
    Data,
    /// What a model may call: carries tool specifications.
    Tools,
}

/// The type of the values on a data port. Context and tools ports are [`PortType::Any`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PortType {
    /// Anything.
    Any,
    /// Text. A number or a boolean may feed it and is written out.
    Text,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List,
    /// A JSON object.
    Object,
}

impl PortType {
    /// Whether a value of type `self` may feed an input of type `input`.
    pub fn feeds(self, input: Self) -> bool {
        self == input
            || self == Self::Any
            || input == Self::Any
            || (input == Self::Text && matches!(self, Self::Number | Self::Boolean))
    }
}

impl std::fmt::Display for PortType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Any => "any value",
            Self::Text => "text",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

/// One input of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InputPort {
    /// Its name.
    pub name: PortName,
    /// The strand.
    pub kind: PortKind,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: PortType,
    /// Whether the node can only run when it is fed.
    pub required: bool,
    /// Whether it may stay unfed but, once an edge feeds it, is as good as required: a node that is only ordered behind a
    /// branch must not run when that branch was not taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub required_when_fed: bool,
    /// Whether it collects all of its edges' values into a list, in plan order, rather than taking one.
    pub many: bool,
    /// One line for people.
    pub description: String,
}

/// One output of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OutputPort {
    /// Its name.
    pub name: PortName,
    /// The strand.
    pub kind: PortKind,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: PortType,
    /// One line for people.
    pub description: String,
}

/// All ports of one node, given its config.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Ports {
    /// In the order they are drawn.
    pub inputs: Vec<InputPort>,
    /// In the order they are drawn.
    pub outputs: Vec<OutputPort>,
}

/// The output that carries `{code, message, node, details}` when a node fails. Node types have it whose failing a flow may
/// want to handle.
pub const ERROR_PORT: &str = "error";

impl Ports {
    /// No ports; the start of a chain of the calls below.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input that must be fed.
    #[must_use]
    pub fn input(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.required = true)
    }

    /// Adds an input that may stay unfed, and may be dead when it is fed.
    #[must_use]
    pub fn optional(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |_| ())
    }

    /// Adds an input that may stay unfed, but must be live when an edge feeds it.
    #[must_use]
    pub fn when_fed(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.required_when_fed = true)
    }

    /// Adds an input that collects all of its edges' live values, if there are any.
    #[must_use]
    pub fn many(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.many = true)
    }

    /// Adds an input that collects all of its edges' live values, of which there must be one at least.
    #[must_use]
    pub fn at_least_one(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| (port.required, port.many) = (true, true))
    }

    /// Adds an output.
    #[must_use]
    pub fn output(mut self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.outputs.push(OutputPort {
            name: name.into(),
            kind,
            value_type,
            description: description.to_owned(),
        });
        self
    }

    /// Adds the error output.
    #[must_use]
    pub fn error(self) -> Self {
        self.output(ERROR_PORT, PortKind::Data, PortType::Object, "What went wrong, when this node failed")
    }

    /// The input of that name.
    pub fn find_input(&self, name: &str) -> Option<&InputPort> {
        self.inputs.iter().find(|port| port.name.as_str() == name)
    }

    /// The output of that name.
    pub fn find_output(&self, name: &str) -> Option<&OutputPort> {
        self.outputs.iter().find(|port| port.name.as_str() == name)
    }

    fn push(
        mut self,
        name: &str,
        kind: PortKind,
        value_type: PortType,
        description: &str,
        set: impl FnOnce(&mut InputPort),
    ) -> Self {
        let mut port = InputPort {
            name: name.into(),
            kind,
            value_type,
            required: false,
            required_when_fed: false,
            many: false,
            description: description.to_owned(),
        };
        set(&mut port);
        self.inputs.push(port);
        self
    }
}
