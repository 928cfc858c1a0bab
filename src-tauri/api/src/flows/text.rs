//! Flows to and from the text of their files.

use std::path::Path;

use plait_core::flow;
use plait_core::flow::{Flow, LazyFlow, ReadError};
use plait_formats::pipeline::Pipeline;
use plait_formats::{foreign, pipeline};
use plait_store::{Store, flow_files};

use crate::ErrorReply;
use crate::codes;

/// The text of a flow's file.
pub(crate) fn write_flow(flow: &Flow) -> Result<String, ErrorReply> {
    flow::write(flow).map_err(|error| {
        ErrorReply::new(codes::FLOW_UNWRITABLE, format!("The flow could not be serialized: {error}."))
    })
}

/// Reads a flow or a pipeline. The error for a file of another tool names the tool.
pub(crate) fn read_file(path: &Path, text: &str) -> Result<Flow, Vec<ReadError>> {
    pipeline::read_file(path, text).map_err(|errors| name_tool(text, errors))
}

/// The errors of a text that could not be read as a flow. If it is a file of another tool, the only one says so.
pub fn name_tool(text: &str, mut errors: Vec<ReadError>) -> Vec<ReadError> {
    if let Some(format) = foreign::recognize(text) {
        errors.truncate(1);
        for error in &mut errors {
            error.diagnostic.message = format!("This is not a flow: it is a file of {}.", format.title());
            error.diagnostic.hint = Some("Import it: that makes a flow of it.".to_owned());
        }
    }
    errors
}

/// Whether `plait run` takes a text as a flow. The name of its file does not matter.
pub(crate) fn is_flow(text: &str) -> bool {
    flow::read(text).is_ok() || Pipeline::read(text).is_ok()
}

/// The text of a flow's file with this name: as a pipeline, if it is that of one. See [`write_pipeline`].
pub(crate) fn write_file(path: &Path, source: &Path, flow: &Flow, force: bool) -> Result<String, ErrorReply> {
    if pipeline::is_pipeline(path) { write_pipeline(source, flow, force) } else { write_flow(flow) }
}

/// The text of a flow's file as a pipeline, based on the text of the file that it came from. With `force`, a file that is no
/// pipeline any more is replaced.
fn write_pipeline(source: &Path, flow: &Flow, force: bool) -> Result<String, ErrorReply> {
    let base = match flow_files::read(source) {
        Ok(file) => pipeline::is_pipeline(source).then_some(file.text),
        Err(fault) if fault.code == codes::FLOW_NOT_FOUND => None,
        Err(fault) => return Err(fault.into()),
    };
    let saved = match pipeline::save(base.as_deref(), flow) {
        Err(problem) if force && problem.code != codes::PIPELINE_NOT_EXPRESSIBLE => {
            pipeline::save(None, flow)
        }
        saved => saved,
    };
    saved.map_err(|problem| {
        let reply = ErrorReply::new(problem.code.clone(), problem.message.clone());
        match &problem.hint {
            Some(hint) => reply.hint(hint.clone()),
            None => reply,
        }
        .diagnostics(std::slice::from_ref(&*problem))
    })
}

/// The flow that a run ran, by its hash.
pub(crate) fn recorded_flow(store: &Store, hash: &str) -> Result<Flow, ErrorReply> {
    read_recorded(&store.flow(hash)?)
}

/// The same of the text that the store has of it.
pub(crate) fn read_recorded(text: &str) -> Result<Flow, ErrorReply> {
    flow::read_written(text).map_err(|error| unreadable(&error))
}

/// The same for readers that want few of its nodes.
pub(crate) fn lazy_recorded_flow(store: &Store, hash: &str) -> Result<LazyFlow, ErrorReply> {
    LazyFlow::read_written(store.flow(hash)?).map_err(|error| unreadable(&error))
}

fn unreadable(error: &ReadError) -> ErrorReply {
    let message = format!("The recorded flow could not be read: {}", error.diagnostic.message);
    ErrorReply::new(error.diagnostic.code.clone(), message)
}
