//! The choice of one of several ways into a flow.

use plait_core::flow::Flow;
use plait_core::id::NodeId;

use crate::ErrorReply;
use crate::codes;

/// Makes a trigger the one that a run of the flow takes. `run.unknown_trigger`.
pub fn choose_trigger(flow: &mut Flow, trigger: &NodeId) -> Result<(), ErrorReply> {
    if flow.choose_trigger(trigger) {
        return Ok(());
    }
    let names: Vec<String> = flow.triggers().map(|id| format!("`{id}`")).collect();
    let hint = if names.is_empty() {
        "The flow has one way in. Run it without a trigger.".to_owned()
    } else {
        format!("The flow's triggers are {}.", names.join(", "))
    };
    Err(ErrorReply::new(codes::RUN_UNKNOWN_TRIGGER, format!("There is no trigger `{trigger}` to begin at."))
        .hint(hint))
}
