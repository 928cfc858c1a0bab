//! Finds the flow that a sub-flow node runs: a file relative to its own, another example flow, or the flow in its config.
//! Ensures that no flow runs inside itself.
use std::io;
use std::path::Path;

use plait_adapters::{AccessError, FileAccess};
use plait_core::flow::Flow;
use plait_core::id::Activation;
use plait_formats::pipeline;
use plait_journal::FlowRef;
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_store::flow_files;
use plait_store::flow_files::{FLOW_ENDING, FLOW_ENDINGS, FlowFile};

use crate::ErrorReply;
use crate::codes;
use crate::flows::examples;

/// A flow that another flow runs.
pub(crate) struct Subflow {
    pub(crate) flow: Flow,
    /// Its file or, for a flow in a node's config, the file of the enclosing flow.
    pub(crate) path: Option<String>,
    /// Its name in messages.
    pub(crate) name: String,
}

/// The flow that a node of the flow `lineage[0]` runs. `lineage` continues with the flows that run it, the root's last.
/// Errors as [`read`], and `subflow.recursion`.
pub(crate) fn resolve(
    child: &ChildFlow,
    lineage: &[FlowRef],
    activation: &Activation,
    access: &FileAccess,
) -> Result<Subflow, ErrorReply> {
    let parent = lineage.first();
    let parent_path = parent.and_then(|parent| parent.path.clone());
    let file = match child {
        ChildFlow::Inner(flow) => {
            let mut flow = Flow::clone(flow);
            if flow.name.is_empty() {
                let enclosing = parent.map(|parent| parent.name.as_str()).unwrap_or_default();
                flow.name = format!("{enclosing} › {}", activation.node);
            }
            let name = flow.name.clone();
            return Ok(Subflow { flow, path: parent_path, name });
        }
        ChildFlow::File(file) => file,
    };
    let subflow = read(file, parent_path.as_deref(), access)?;
    if let Some(path) = &subflow.path
        && lineage.iter().any(|ancestor| ancestor.path.as_ref() == Some(path))
    {
        let mut chain: Vec<String> = lineage.iter().rev().map(name_of).collect();
        chain.push(subflow.name);
        return Err(recursion(&chain));
    }
    Ok(subflow)
}

/// Reads the flow that a flow in the file `parent` runs as `file`. `subflow.not_found`, `subflow.unreadable`, and what
/// [`FileAccess`] refuses.
pub(crate) fn read(file: &str, parent: Option<&str>, access: &FileAccess) -> Result<Subflow, ErrorReply> {
    let Some(folder) = parent.and_then(|path| Path::new(path).parent()) else {
        return example(file);
    };
    let text = open(file, folder, access)?;
    let flow = parse(&text.text, file)?;
    Ok(Subflow { flow, path: Some(text.path.display().to_string()), name: file.to_owned() })
}

/// Reads a file of the project of the flows in `folder`.
fn open(file: &str, folder: &Path, access: &FileAccess) -> Result<FlowFile, ErrorReply> {
    let opened = access.open_project(folder).and_then(|(project, place)| project.open(&place.join(file)));
    let (opened, path) = opened.map_err(|error| access_error(file, folder, &error))?;
    let name = file.to_lowercase();
    if !FLOW_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        // Tools write no files of these names. Any other may hold what a web page wanted to have executed.
        let [_, yaml, _] = FLOW_ENDINGS;
        let message =
            format!("`{file}` is not read: the name of a flow's file ends in `{FLOW_ENDING}` or `{yaml}`.");
        return Err(ErrorReply::new(codes::SUBFLOW_UNREADABLE, message).hint("Rename the file."));
    }
    flow_files::read_opened(&opened, path)
        .map_err(|fault| ErrorReply { code: codes::SUBFLOW_UNREADABLE, ..ErrorReply::from(fault) })
}

fn access_error(file: &str, folder: &Path, error: &AccessError) -> ErrorReply {
    let place = format!("`file` is relative to the folder of the flow, {}.", folder.display());
    match error {
        AccessError::UnsafeFolder { .. } => {
            ErrorReply::new(codes::SUBFLOW_UNSAFE_FOLDER, format!("`{file}` is not read: {error}."))
                .hint("Move the flow and its sub-flows into a folder of their own.")
        }
        AccessError::Outside => ErrorReply::new(
            codes::SUBFLOW_OUTSIDE_PROJECT,
            format!("`{file}` is not read: it is outside of the project."),
        )
        .hint(
            "The project is the nearest folder around the flow with `.git`, or else the folder of the flow. Move the file \
             there.",
        ),
        AccessError::SecretFile => ErrorReply::new(
            codes::SUBFLOW_SECRET_FILE,
            format!("`{file}` is not read: files of this name hold secrets."),
        )
        .hint("Give the flow another name."),
        AccessError::HardLink => ErrorReply::new(
            codes::SUBFLOW_HARD_LINK,
            format!("`{file}` is not read: it is a hard link to a file that may be outside of the project."),
        )
        .hint("Replace the link by a copy of the file."),
        AccessError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            ErrorReply::new(codes::SUBFLOW_NOT_FOUND, format!("There is no file `{file}`.")).hint(place)
        }
        error => ErrorReply::new(codes::SUBFLOW_UNREADABLE, format!("`{file}` can't be read: {error}."))
            .hint(place),
    }
}

/// Example flows refer to each other as if they were files in one folder.
fn example(file: &str) -> Result<Subflow, ErrorReply> {
    let id = file.strip_suffix(FLOW_ENDING).unwrap_or(file);
    let text = examples::text(id).ok_or_else(|| {
        ErrorReply::new(
            codes::SUBFLOW_NOT_FOUND,
            format!("`{file}` cannot be found: the flow that runs it was not saved, so it has no folder."),
        )
        .hint("Save the flow first; `file` is relative to its folder.")
    })?;
    Ok(Subflow { flow: parse(text, file)?, path: None, name: file.to_owned() })
}

fn parse(text: &str, file: &str) -> Result<Flow, ErrorReply> {
    pipeline::read_file(Path::new(file), text).map_err(|errors| {
        let Some(error) = errors.first() else {
            return ErrorReply::new(codes::SUBFLOW_UNREADABLE, format!("`{file}` is not a flow."));
        };
        let position =
            if error.line > 0 { format!(":{}:{}", error.line, error.column) } else { String::new() };
        let diagnostic = &*error.diagnostic;
        let reply =
            ErrorReply::new(codes::SUBFLOW_UNREADABLE, format!("`{file}{position}`: {}", diagnostic.message))
                .diagnostics(std::slice::from_ref(diagnostic));
        match &diagnostic.hint {
            Some(hint) => reply.hint(hint.clone()),
            None => reply,
        }
    })
}

/// Turns the error of an invalid flow into that of a sub-flow with this name.
pub(crate) fn invalid(error: ErrorReply, name: &str) -> ErrorReply {
    if error.code != codes::FLOW_INVALID {
        return error;
    }
    let message = error.message.replacen("This flow", &format!("The sub-flow `{name}`"), 1);
    ErrorReply { code: codes::SUBFLOW_INVALID, message, ..error }
}

/// The error for a flow that would run inside itself, through this chain of files.
pub(crate) fn recursion(chain: &[String]) -> ErrorReply {
    ErrorReply::new(
        codes::SUBFLOW_RECURSION,
        format!("A flow would run inside itself: {}.", chain.join(" › ")),
    )
    .hint("Use a cycle to repeat steps, or remove one of these sub-flows.")
}

/// The error for flows that are nested too deeply, through this chain of flows, the root first.
pub(crate) fn too_deep<'a>(chain: impl Iterator<Item = &'a str>) -> ErrorReply {
    let chain: Vec<&str> = chain.collect();
    ErrorReply::new(
        codes::SUBFLOW_TOO_DEEP,
        format!(
            "Flows can be nested {} levels deep at most. This would be deeper: {}.",
            MAX_DEPTH - 1,
            chain.join(" › ")
        ),
    )
    .hint("Merge some of these flows into one.")
}

fn name_of(flow: &FlowRef) -> String {
    flow.path.as_deref().map_or_else(|| flow.name.clone(), file_name)
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}
