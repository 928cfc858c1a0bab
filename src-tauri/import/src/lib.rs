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
mod jq;
mod langflow;
mod loop_bodies;
mod n8n;
mod output;
mod point;
mod program;
mod report;
mod rivet;
mod secrets;
mod settings;
mod source;
mod template;
mod ways;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use budget::Budget;
use plait_core::error::Fault;
use plait_core::flow::Flow;

pub use report::{ImportOutcome, ImportReport, ImportedEdge, ImportedNode};

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
    Rivet,
}

impl Format {
    pub const ALL: [Self; 5] = [Self::Dify, Self::Flowise, Self::Langflow, Self::N8n, Self::Rivet];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dify => "dify",
            Self::N8n => "n8n",
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
            Self::Rivet => "Rivet",
            Self::Langflow => "Langflow",
            Self::Flowise => "Flowise",
        }
    }
}

/// An imported flow.
#[derive(Clone, Debug)]
pub struct Imported {
    pub flow: Flow,
    pub report: ImportReport,
}

/// Imports a file of another tool. Without a format, it is recognized by what the file contains. `name` is what the flow is called
/// if the file has no name for it. Fault codes are `import.*`.
pub fn import(text: &str, format: Option<Format>, name: &str) -> Result<Imported, Fault> {
    let document = source::read(text)?;
    let Some(format) = format.or_else(|| source::recognize(&document)) else {
        return Err(source::unknown_format());
    };
    let budget = Budget::new();
    let builder = match format {
        Format::Dify => dify::read(&document, name, &budget)?,
        Format::N8n => n8n::read(&document, name, &budget)?,
        Format::Rivet => rivet::read(&document, name, &budget)?,
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
