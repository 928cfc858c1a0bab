//! Ports: the inputs and outputs of nodes, and which output may feed which input.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::id::PortName;

/// The strand a port belongs to. An edge takes its kind from its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PortKind {
    /// Carries a context handle.
    Context,
    /// Carries a value.
    Data,
    /// Carries specifications of tools that a model may call.
    Tools,
}

/// The type of the values on a data port. Context and tools ports are [`PortType::Any`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PortType {
    Any,
    /// Text. Numbers and booleans are converted to text.
    Text,
    Number,
    Boolean,
    List,
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

    /// Whether a value is of this type.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Text => value.is_string() || value.is_number() || value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
        }
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

/// An input of a node.
#[expect(clippy::struct_excessive_bools, reason = "independent properties of an input")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InputPort {
    pub name: PortName,
    pub kind: PortKind,
    #[serde(rename = "type")]
    pub value_type: PortType,
    /// Whether the node runs only if this input has a live value.
    pub required: bool,
    /// Whether it may stay unconnected, but is required once an edge feeds it: a node that is only ordered after a branch
    /// must not run if that branch is not taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub required_when_fed: bool,
    /// Whether it collects the values of all its edges into a list, in plan order, instead of taking one.
    pub many: bool,
    /// Whether it takes no value: the node only waits until each of its edges has delivered or is dead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub order_only: bool,
    /// A description in one line, without a period.
    pub description: String,
}

/// An output of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OutputPort {
    pub name: PortName,
    pub kind: PortKind,
    #[serde(rename = "type")]
    pub value_type: PortType,
    /// A description in one line, without a period.
    pub description: String,
}

/// The ports of a node. They may depend on its config.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ports {
    /// In the order in which they are drawn.
    pub inputs: Vec<InputPort>,
    /// In the order in which they are drawn.
    pub outputs: Vec<OutputPort>,
    /// Of a container: what the nodes inside feed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<InputPort>>")]
    pub inner_inputs: Vec<InputPort>,
    /// Of a container: what feeds the nodes inside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<OutputPort>>")]
    pub inner_outputs: Vec<OutputPort>,
}

/// The output that carries `{code, message, node, details}` when a node fails. Node types with failures that a flow may
/// handle have it.
pub const ERROR_PORT: &str = "error";

/// The input of every node that runs, which orders it after other nodes without taking a value. A node whose config names an
/// input so, for example a variable of a template, has only that one.
pub const AFTER_PORT: &str = "after";

/// The input of a node for images and files.
pub const ATTACH_PORT: &str = "attach";

impl Ports {
    /// No ports, to be extended by the methods below.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a required input.
    #[must_use]
    pub fn input(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.required = true)
    }

    /// Adds an optional input: it may be unconnected or dead.
    #[must_use]
    pub fn optional(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |_| ())
    }

    /// Adds an input that may be unconnected, but must be live if an edge feeds it.
    #[must_use]
    pub fn when_fed(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.required_when_fed = true)
    }

    /// Adds an optional input that collects the live values of all its edges.
    #[must_use]
    pub fn many(self, name: &str, kind: PortKind, value_type: PortType, description: &str) -> Self {
        self.push(name, kind, value_type, description, |port| port.many = true)
    }

    /// Adds an input that collects the live values of all its edges, and requires at least one.
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

    /// Makes it a container. The nodes inside feed the inputs of `border`, and its outputs feed them.
    #[must_use]
    pub fn container(mut self, border: Self) -> Self {
        self.inner_inputs = border.inputs;
        self.inner_outputs = border.outputs;
        self
    }

    /// Adds the [`ERROR_PORT`] output.
    #[must_use]
    pub fn error(self) -> Self {
        self.output(ERROR_PORT, PortKind::Data, PortType::Object, "What went wrong, when this node failed")
    }

    /// Adds the [`AFTER_PORT`] input, unless an input has its name.
    #[must_use]
    pub fn after(self) -> Self {
        if self.find_input(AFTER_PORT).is_some() {
            return self;
        }
        let description =
            "What must be done first: the node waits for all of it, and is skipped if none of it ran";
        self.push(AFTER_PORT, PortKind::Data, PortType::Any, description, |port| {
            (port.required_when_fed, port.many, port.order_only) = (true, true, true);
        })
    }

    pub fn find_input(&self, name: &str) -> Option<&InputPort> {
        self.inputs.iter().find(|port| port.name.as_str() == name)
    }

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
            order_only: false,
            description: description.to_owned(),
        };
        set(&mut port);
        self.inputs.push(port);
        self
    }
}
