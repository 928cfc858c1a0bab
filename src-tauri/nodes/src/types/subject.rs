//! What nodes beside a conversation work on: the value of a data input or, without one, the last output on the context edge. The
//! context goes on unchanged.

use serde_json::Value;

use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::ContextHandle;
use plait_run::node::{Inputs, NodeOutput};

/// What such a node works on.
pub(super) struct Subject<'a> {
    /// The context on the edge, if there is one.
    pub(super) handle: Option<ContextHandle>,
    direct: Option<&'a Value>,
}

impl<'a> Subject<'a> {
    /// The ports: the data input `name` and the context edge that stands in for it. `role` says what the value is, for example
    /// "the query".
    pub(super) fn ports(name: &str, role: &str, description: &str) -> Ports {
        let of_context = format!("The conversation whose last output is {role}");
        Ports::new()
            .when_fed("context", PortKind::Context, PortType::Any, &of_context)
            .when_fed(name, PortKind::Data, PortType::Any, description)
            .output("context", PortKind::Context, PortType::Any, "The conversation, unchanged")
    }

    /// Reads these ports. The fault is `input.type` for a context edge that carries something else.
    pub(super) fn read(inputs: &'a Inputs, name: &str) -> Result<Self, Fault> {
        Ok(Self { handle: inputs.context()?, direct: inputs.get(name) })
    }

    pub(super) fn value(&self) -> Option<&Value> {
        self.direct.or_else(|| self.handle.as_ref()?.current_output.as_ref())
    }

    /// The value as text, empty without one.
    pub(super) fn text(&self) -> String {
        self.value().map(as_text).unwrap_or_default()
    }

    /// The outputs, with the context as it came.
    pub(super) fn pass_context(&self, output: NodeOutput) -> NodeOutput {
        match &self.handle {
            Some(handle) => output.with_context(handle),
            None => output,
        }
    }
}
