//! What a child run is called, and how its end is handed to the node that runs it.

use plait_core::error::Fault;
use plait_core::id::{Activation, RunId};
use plait_journal::RunEnd;
use plait_journal::view::{RunOutline, RunStatus};
use plait_run::host::subflow::ChildEnd;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::ErrorReply;
use crate::codes;

/// The id of a child: the same whenever its parent is resumed, and a different one for each activation and attempt. It is a
/// version 8 UUID that begins with the timestamp of its parent, so that runs sort by the start of their root.
pub(super) fn child_id(parent: &RunId, activation: &Activation, attempt: u32) -> Result<RunId, Fault> {
    let root = Uuid::try_parse(parent.as_str())
        .map_err(|_| Fault::new(codes::RUN_BAD_ID, format!("`{parent}` is not a run ID.")))?;
    // As JSON, so that different parts never produce the same text.
    let parts = json!([parent, activation.node, activation.epoch, attempt]).to_string();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(parts.as_bytes())[..16]);
    bytes[..6].copy_from_slice(&root.as_bytes()[..6]);
    Ok(Builder::from_custom_bytes(bytes).into_uuid().to_string().into())
}

/// How a child run ended. `subflow.lost` if it has not.
pub(super) fn child_end(run: RunId, outline: RunOutline) -> Result<ChildEnd, Fault> {
    let end = match outline.status {
        RunStatus::Finished => RunEnd::Finished,
        RunStatus::Failed => RunEnd::Failed,
        RunStatus::Cancelled => RunEnd::Canceled,
        _ => {
            return Err(Fault::new(
                codes::SUBFLOW_LOST,
                format!("The child run {run} was continued by another process."),
            )
            .hint("Resume this run when the child has ended."));
        }
    };
    Ok(ChildEnd { run, end, outputs: outline.outputs, origins: outline.origins, error: outline.error })
}

/// The same error, for a node.
pub(super) fn fault(error: ErrorReply) -> Fault {
    let ErrorReply { code, message, hint, details, cause } = error;
    Fault { hint, details, cause, ..Fault::new(code, message) }
}
