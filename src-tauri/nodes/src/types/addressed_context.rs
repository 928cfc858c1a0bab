//! The conversation that a node writes to: the one that its config names; without a name, the one on the input `contextId`;
//! without that, the one on the context edge.

use plait_core::error::Fault;
use plait_core::id::ContextId;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::ContextHandle;
use plait_run::node::{Behavior, Inputs, NodeOutput};

use crate::codes;

const ID_INPUT: &str = "contextId";

/// The inputs that can bring the conversation.
pub(super) fn inputs() -> Ports {
    Ports::new().when_fed("context", PortKind::Context, PortType::Any, "The conversation").when_fed(
        ID_INPUT,
        PortKind::Data,
        PortType::Any,
        "The conversation's id or handle",
    )
}

/// The behavior of a node whose config names this conversation.
pub(super) fn behavior(configured: Option<&str>) -> Behavior {
    Behavior {
        uses_context: configured.is_none(),
        uses_context_id: configured.map(str::to_owned),
        uses_context_from: configured.is_none().then_some(ID_INPUT),
        ..Behavior::default()
    }
}

/// The conversation as the node hands it on: with what waits in it, if it came on the context edge.
pub(super) fn handle(incoming: Option<ContextHandle>, id: &ContextId) -> ContextHandle {
    incoming.filter(|incoming| incoming.context_id == *id).unwrap_or_else(|| ContextHandle::new(id.clone()))
}

/// The outputs of the node.
pub(super) fn output(handle: &ContextHandle) -> NodeOutput {
    NodeOutput::new().with_context(handle).with(ID_INPUT, handle.context_id.as_str())
}

/// The id of the conversation. Faults: `context.none` if there is none, `input.type` if the value on `contextId` names none.
pub(super) fn id(
    configured: Option<&str>,
    inputs: &Inputs,
    incoming: Option<&ContextHandle>,
) -> Result<ContextId, Fault> {
    if let Some(id) = configured {
        return Ok(id.into());
    }
    if let Some(id) = inputs.get(ID_INPUT).and_then(ContextHandle::id_in_value) {
        return Ok(id);
    }
    // The value names no context. Reading it as a handle reports why.
    inputs.read::<ContextHandle>(ID_INPUT)?;
    incoming.map(|handle| handle.context_id.clone()).ok_or_else(|| {
        Fault::new(codes::CONTEXT_NONE, "There is no context to write to.")
            .hint("Connect a context edge or `contextId`, or set the context in the settings.")
    })
}
