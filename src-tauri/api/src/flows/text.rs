//! Flows to and from the text of their files.

use plait_adapters::Store;
use plait_engine::error::ErrorCode;
use plait_engine::flow::{self, Flow};

use crate::ErrorReply;

/// The text of a flow's file.
pub(crate) fn write_flow(flow: &Flow) -> Result<String, ErrorReply> {
    flow::write(flow).map_err(|error| {
        ErrorReply::new(ErrorCode::FlowUnwritable, format!("The flow could not be serialized: {error}."))
    })
}

/// The flow that a run recorded, by its hash.
pub(crate) fn recorded_flow(store: &Store, hash: &str) -> Result<Flow, ErrorReply> {
    let text = store.flow(hash)?;
    flow::read(&text).map_err(|error| {
        ErrorReply::new(
            error.diagnostic.code.clone(),
            format!("The recorded flow could not be read: {}", error.diagnostic.message),
        )
    })
}
