//! Flows of other tools, as flows of Plait.
//!
//! One reader per format makes a [`Draft`](draft::Draft) of the nodes that have an equivalent; what has none becomes a
//! placeholder that keeps its original. The report says what became of each node and edge. Refuses to run anything, to read
//! another file, and to take keys out of a file into a flow.

mod arrange;
#[expect(
    clippy::unnecessary_wraps,
    clippy::single_match_else,
    clippy::format_collect,
    reason = "readers of node types share a signature; both arms weigh the same; the texts are short"
)]
mod dify;
mod draft;
#[expect(
    clippy::unnecessary_wraps,
    clippy::single_match_else,
    clippy::format_collect,
    clippy::unused_self,
    reason = "readers of node types share a signature; both arms weigh the same; the texts are short"
)]
mod flowise;
#[expect(clippy::single_match_else, reason = "both arms weigh the same")]
mod gate;
mod graph;
#[expect(clippy::unused_self, reason = "readers of parts share a signature")]
mod langflow;
mod model_call;
#[expect(
    clippy::unused_self,
    clippy::single_match_else,
    reason = "readers of parts share a signature; both arms weigh the same"
)]
mod n8n;
mod output;
mod report;
#[expect(
    clippy::single_match_else,
    clippy::too_many_lines,
    clippy::format_push_string,
    reason = "both arms weigh the same; the node types are one table; the texts are short"
)]
mod rivet;
mod secrets;
mod settings;
mod source;
#[expect(clippy::format_push_string, reason = "the texts are short")]
mod template;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::{ErrorCode, Fault};
use crate::flow::Flow;

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
    /// All formats.
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
    let draft = match format {
        Format::Dify => dify::read(&document, name)?,
        Format::N8n => n8n::read(&document, name)?,
        Format::Rivet => rivet::read(&document, name)?,
        Format::Langflow => langflow::read(&document, name)?,
        Format::Flowise => flowise::read(&document, name)?,
    };
    let (flow, report) = draft.finish();
    Ok(Imported { flow, report })
}

/// The error for a file that is not what its format says.
fn wrong_shape(format: Format, what: &str) -> Fault {
    Fault::new(ErrorCode::ImportWrongShape, format!("This is no file of {}: {what}.", format.title()))
        .hint("Export it again from that tool, or name another format.")
}

/// Counts what a file has, against the limits.
fn check_size(nodes: usize, edges: usize) -> Result<(), Fault> {
    let too_large = |what: &str, count: usize, limit: usize| {
        let message = format!("The file has {count} {what}; the limit is {limit}.");
        Err(Fault::new(ErrorCode::ImportTooLarge, message).hint("Split the flow, and import the parts."))
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
