//! Flows of other tools, as flows of Plait.
//!
//! One reader per format makes a flow with a [`FlowBuilder`](builder::FlowBuilder) of the nodes that have an equivalent; what has
//! none becomes a placeholder that keeps its original. The report says what became of each node and edge. Refuses to run
//! anything, to read another file, and to take keys out of a file into a flow.

mod arrange;
mod budget;
mod builder;
mod chat_call;
pub mod codes;
mod dify;
mod flowise;
mod gate;
mod graph;
mod http_request;
mod jinja;
mod jq;
mod langflow;
mod loop_bodies;
mod n8n;
mod output;
mod point;
mod ports;
mod program;
mod prompt_flow;
mod report;
mod rivet;
mod secrets;
mod settings;
mod source;
mod template;
pub mod trial;
mod ways;

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use budget::Budget;
use plait_core::error::Fault;
use plait_core::flow::Flow;

pub use report::{ImportOutcome, ImportReport, ImportedEdge, ImportedNode, ImportedOutput, OtherGraph};

/// The largest file that is imported, in bytes. Langflow's files hold the code of each component.
pub const MAX_BYTES: usize = 16 << 20;
/// The maximum number of nodes of a file, its nested flows included.
const MAX_NODES: usize = 5_000;
/// The maximum number of edges of a file.
const MAX_EDGES: usize = 20_000;
/// How deep flows may be nested in each other.
const MAX_NESTING_DEPTH: usize = 10;

/// A tool whose files can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Dify,
    Flowise,
    Langflow,
    N8n,
    PromptFlow,
    Rivet,
}

impl Format {
    pub const ALL: [Self; 6] =
        [Self::Dify, Self::Flowise, Self::Langflow, Self::N8n, Self::PromptFlow, Self::Rivet];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dify => "dify",
            Self::N8n => "n8n",
            Self::PromptFlow => "promptflow",
            Self::Rivet => "rivet",
            Self::Langflow => "langflow",
            Self::Flowise => "flowise",
        }
    }

    /// The name of the tool.
    pub fn title(self) -> &'static str {
        match self {
            Self::Dify => "Dify",
            Self::N8n => "n8n",
            Self::PromptFlow => "Prompt Flow",
            Self::Rivet => "Rivet",
            Self::Langflow => "Langflow",
            Self::Flowise => "Flowise",
        }
    }
}

/// A file of another tool, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct ForeignFile<'f> {
    pub text: &'f str,
    /// The texts of the [files beside it](files_beside), by the same names.
    pub files: &'f BTreeMap<String, String>,
    /// Its tool; recognized by what the file contains without one.
    pub format: Option<Format>,
    /// What the flow is called if the file has no name for it.
    pub name: &'f str,
    /// Which graph of a file with several becomes the flow, by its id or name; without one, the file's main graph.
    pub graph: Option<&'f str>,
}

/// An imported flow.
#[derive(Clone, Debug)]
pub struct Imported {
    pub flow: Flow,
    pub report: ImportReport,
}

/// Imports a file that stands alone. Fault codes are `import.*`.
pub fn import(text: &str, format: Option<Format>, name: &str) -> Result<Imported, Fault> {
    import_file(&ForeignFile { text, files: &BTreeMap::new(), format, name, graph: None })
}

/// The tool that a text is from, by what it contains.
pub fn recognize(text: &str) -> Option<Format> {
    source::recognize(&source::read(text).ok()?)
}

/// The files beside a file of another tool that belong to it, relative to its folder: what the nodes of Prompt Flow are written in.
/// Names that lead out of the folder are not among them.
pub fn files_beside(text: &str) -> Vec<String> {
    let Ok(document) = source::read(text) else { return Vec::new() };
    if source::recognize(&document) != Some(Format::PromptFlow) {
        return Vec::new();
    }
    let is_inside = |file: &String| {
        let path = Path::new(file);
        !file.is_empty()
            && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    prompt_flow::files(&document).into_iter().filter(is_inside).collect()
}

/// What a flow is called whose file has no name for it: like the file or, of a file that is called the same in each folder, the folder.
pub fn name_of_file(path: &Path) -> Option<String> {
    let named = if path.file_name().is_some_and(|name| name == prompt_flow::FILE) {
        path.parent().filter(|folder| folder.file_name().is_some()).and_then(Path::file_name)
    } else {
        path.file_stem()
    };
    named.or(path.file_stem()).map(|name| name.to_string_lossy().into_owned())
}

/// Imports a file of another tool. Fault codes are `import.*`.
pub fn import_file(file: &ForeignFile<'_>) -> Result<Imported, Fault> {
    let &ForeignFile { text, files, format, name, graph } = file;
    let document = source::read(text)?;
    let Some(format) = format.or_else(|| source::recognize(&document)) else {
        return Err(source::unknown_format());
    };
    if let Some(graph) = graph
        && format != Format::Rivet
    {
        return Err(no_graph(graph, format!("A file of {} has one graph.", format.title())));
    }
    let budget = Budget::new();
    let builder = match format {
        Format::Dify => dify::read(&document, name, &budget)?,
        Format::N8n => n8n::read(&document, name, &budget)?,
        Format::PromptFlow => prompt_flow::read(&document, name, files, &budget)?,
        Format::Rivet => rivet::read(&document, name, graph, &budget)?,
        Format::Langflow => langflow::read(&document, name, &budget)?,
        Format::Flowise => flowise::read(&document, name, &budget)?,
    };
    let (flow, report) = builder.finish()?;
    Ok(Imported { flow, report })
}

/// The error for a file that is not what its format says.
fn wrong_shape(format: Format, what: &str) -> Fault {
    Fault::new(codes::IMPORT_WRONG_SHAPE, format!("This is no file of {}: {what}.", format.title()))
        .hint("Export it again from that tool, or name another format.")
}

/// The error for a graph that the file does not have.
fn no_graph(graph: &str, hint: String) -> Fault {
    Fault::new(codes::IMPORT_NO_GRAPH, format!("The file has no graph `{graph}`.")).hint(hint)
}

/// The error for a file that has too many nodes with its nested flows.
fn too_many_nodes() -> Fault {
    let message = format!("With its nested flows, the file has more than {MAX_NODES} nodes.");
    Fault::new(codes::IMPORT_TOO_LARGE, message).hint("Split the flow, and import the parts.")
}

/// Counts what a file has, against the limits.
fn check_size(nodes: usize, edges: usize) -> Result<(), Fault> {
    let too_large = |what: &str, count: usize, limit: usize| {
        let message = format!("The file has {count} {what}; the limit is {limit}.");
        Err(Fault::new(codes::IMPORT_TOO_LARGE, message).hint("Split the flow, and import the parts."))
    };
    if nodes > MAX_NODES {
        return too_large("nodes", nodes, MAX_NODES);
    }
    if edges > MAX_EDGES {
        return too_large("edges", edges, MAX_EDGES);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
