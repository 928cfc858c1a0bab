//! Which flow a node means that runs another: the file beside its own, an example beside an example, or the one inside of
//! it. Owns that no flow comes to be inside of itself.

use std::path::Path;

use plait_adapters::files;
use plait_adapters::store::record::RunRecord;
use plait_engine::flow::{self, Flow};
use plait_engine::id::Activation;
use plait_engine::subflow::{ChildFlow, MAX_DEPTH};

use crate::ErrorReply;
use crate::flows::examples;

/// A flow that is called.
pub(crate) struct Called {
    pub(crate) flow: Flow,
    /// The file whose folder it lives in: its own, or that of the flow it stands in.
    pub(crate) path: Option<String>,
    /// What to call it to people.
    pub(crate) name: String,
}

/// The flow that a node of the run `parents[0]` means; `parents` are the runs above, the root last.
/// Faults: `subflow.not_found`, `subflow.unreadable`, `subflow.recursion`.
pub(crate) fn resolve(
    child: &ChildFlow,
    parents: &[RunRecord],
    activation: &Activation,
) -> Result<Called, ErrorReply> {
    let parent = parents.first();
    let parent_path = parent.and_then(|parent| parent.flow.path.clone());
    let file = match child {
        ChildFlow::Inner(flow) => {
            let mut flow = Flow::clone(flow);
            if flow.name.is_empty() {
                let around = parent.map(|parent| parent.flow.name.as_str()).unwrap_or_default();
                flow.name = format!("{around} › {}", activation.node);
            }
            let name = flow.name.clone();
            return Ok(Called { flow, path: parent_path, name });
        }
        ChildFlow::File(file) => file,
    };
    let called = read(file, parent_path.as_deref())?;
    if let Some(path) = &called.path
        && parents.iter().any(|above| above.flow.path.as_ref() == Some(path))
    {
        let mut chain: Vec<String> = parents.iter().rev().map(name).collect();
        chain.push(called.name);
        return Err(recursion(&chain));
    }
    Ok(called)
}

/// Reads the flow file that a flow in `parent` calls by `file`.
pub(crate) fn read(file: &str, parent: Option<&str>) -> Result<Called, ErrorReply> {
    let Some(folder) = parent.and_then(|path| Path::new(path).parent()) else {
        return example(file);
    };
    let text = files::read(&folder.join(file)).map_err(|fault| {
        let code = if fault.code == "flow.not_found" { "subflow.not_found" } else { "subflow.unreadable" };
        ErrorReply { code: code.to_owned(), ..ErrorReply::from(fault) }
            .hint(format!("`file` is relative to the flow's own folder, {}.", folder.display()))
    })?;
    let flow = parse(&text.text, file)?;
    Ok(Called { flow, path: Some(text.path.display().to_string()), name: file.to_owned() })
}

/// Examples call one another as files in one folder would.
fn example(file: &str) -> Result<Called, ErrorReply> {
    let id = file.strip_suffix(".flow.json").unwrap_or(file);
    let text = examples::text(id).ok_or_else(|| {
        ErrorReply::new(
            "subflow.not_found",
            format!("`{file}` can't be found: the flow that calls it has no file, so it has no folder."),
        )
        .hint("Save the flow first; `file` is relative to its folder.")
    })?;
    Ok(Called { flow: parse(text, file)?, path: None, name: file.to_owned() })
}

fn parse(text: &str, file: &str) -> Result<Flow, ErrorReply> {
    flow::read(text).map_err(|error| {
        let place = if error.line > 0 { format!(":{}:{}", error.line, error.column) } else { String::new() };
        let one = &*error.diagnostic;
        let reply = ErrorReply::new("subflow.unreadable", format!("`{file}{place}`: {}", one.message))
            .diagnostics(std::slice::from_ref(one));
        match &one.hint {
            Some(hint) => reply.hint(hint.clone()),
            None => reply,
        }
    })
}

/// What is wrong with a called flow, told by whom it was called.
pub(crate) fn wrong(error: ErrorReply, name: &str) -> ErrorReply {
    if error.code != "flow.invalid" {
        return error;
    }
    let message = error.message.replacen("This flow", &format!("The sub-flow `{name}`"), 1);
    ErrorReply { code: "subflow.invalid".to_owned(), message, ..error }
}

/// A flow that comes to be inside of itself, through this chain of files.
pub(crate) fn recursion(chain: &[String]) -> ErrorReply {
    ErrorReply::new("subflow.recursion", format!("A flow would run inside of itself: {}.", chain.join(" › ")))
        .hint("Use a cycle to repeat steps, or break the chain of calls.")
}

/// Flows inside of flows inside of flows, root first, and no end of it.
pub(crate) fn too_deep<'a>(chain: impl Iterator<Item = &'a str>) -> ErrorReply {
    let chain: Vec<&str> = chain.collect();
    ErrorReply::new(
        "subflow.too_deep",
        format!(
            "Flows may be inside of flows {} deep at most, and this would be deeper: {}.",
            MAX_DEPTH - 1,
            chain.join(" › ")
        ),
    )
    .hint("Let one flow do what several of these do.")
}

fn name(record: &RunRecord) -> String {
    record.flow.path.as_deref().map_or_else(|| record.flow.name.clone(), file_name)
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
