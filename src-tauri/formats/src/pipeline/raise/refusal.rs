//! Why a flow is no pipeline.

use crate::codes;
use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;

/// The hint of all refusals.
pub(in crate::pipeline) const SAVE_AS_FLOW: &str =
    "Save it as a flow, in a file whose name ends in `.flow.json`, or undo the change and save again.";

/// A refusal, about a place of the flow or all of it.
pub(in crate::pipeline) fn refuse(pointer: &str, message: &str) -> Diagnostic {
    Diagnostic::error(
        codes::PIPELINE_NOT_EXPRESSIBLE,
        pointer,
        format!("A pipeline cannot express this flow. {message}"),
    )
    .hint(SAVE_AS_FLOW)
}

/// The same, about a node.
pub(in crate::pipeline) fn on_node(id: &NodeId, message: &str) -> Box<Diagnostic> {
    let message = format!("A pipeline cannot express the node `{id}`. {message}");
    Box::new(Diagnostic::on_node(codes::PIPELINE_NOT_EXPRESSIBLE, id, message).hint(SAVE_AS_FLOW))
}
