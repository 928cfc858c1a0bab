//! Flows of other tools, as flows of Plait.
//!
//! One reader per format makes a flow with a [`FlowBuilder`](builder::FlowBuilder) of the nodes that have an equivalent; what has
//! none becomes a placeholder that keeps its original. The report says what became of each node and edge. Refuses to run
//! anything, to read another file, and to take keys out of a file into a flow.

mod arrange;
mod budget;
mod builder;
mod chat_call;
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
mod rivet;
mod secrets;
mod settings;
mod template;
mod trial;
mod ways;

use std::collections::BTreeMap;
use std::path::{Component, Path};

use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_formats::codes;
use plait_formats::foreign::{ForeignFile, Format, ImportReport, Imported, Importer, Trial, source};

use budget::Budget;

/// The maximum number of nodes of a file, its nested flows included.
const MAX_NODES: usize = 5_000;
/// The maximum number of edges of a file.
const MAX_EDGES: usize = 20_000;
/// How deep flows may be nested in each other.
const MAX_NESTING_DEPTH: usize = 10;

/// The importers of all tools.
pub struct Importers;

impl Importer for Importers {
    fn import(&self, file: &ForeignFile<'_>) -> Result<Imported, Fault> {
        let &ForeignFile { text, files, format, name, graph } = file;
        let document = source::read(text)?;
        let Some(format) = format.or_else(|| source::format_of(&document)) else {
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

    fn files_beside(&self, text: &str) -> Vec<String> {
        // What the nodes of Prompt Flow are written in.
        let Ok(document) = source::read(text) else { return Vec::new() };
        if source::format_of(&document) != Some(Format::PromptFlow) {
            return Vec::new();
        }
        let is_inside = |file: &String| {
            let path = Path::new(file);
            !file.is_empty()
                && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        prompt_flow::files(&document).into_iter().filter(is_inside).collect()
    }

    fn prepare_trial(
        &self,
        flow: &Flow,
        report: &ImportReport,
        execution: &str,
    ) -> Result<Box<dyn Trial>, Fault> {
        Ok(Box::new(trial::RecordedTrial::new(flow, report.clone(), execution)?))
    }
}

/// Imports a file that stands alone. Fault codes are `import.*`.
pub fn import(text: &str, format: Option<Format>, name: &str) -> Result<Imported, Fault> {
    Importers.import(&ForeignFile { text, files: &BTreeMap::new(), format, name, graph: None })
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
