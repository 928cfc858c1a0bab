//! Flows of other tools: their files, what an import says of them, and what an importer offers.
//!
//! The importers themselves are a crate of their own, which no command has to know. Refuses to translate anything.

mod comparison;
mod format;
mod report;
pub mod source;

use std::collections::BTreeMap;
use std::path::Path;

use plait_core::error::Fault;
use plait_core::flow::Flow;

pub use comparison::{Compared, ComparedNode, Made};
pub use format::Format;
pub use report::{ImportOutcome, ImportReport, ImportedEdge, ImportedNode, ImportedOutput, OtherGraph};
pub use source::recognize;

/// The largest file that is imported, in bytes. Files of some tools hold the code of each component.
pub const MAX_BYTES: usize = 16 << 20;
/// What the file of a Prompt Flow is called, in each folder of one.
pub const PROMPT_FLOW_FILE: &str = "flow.dag.yaml";

/// Makes flows of the files of other tools.
pub trait Importer: Send + Sync {
    /// Imports a file. Fault codes are `import.*`.
    fn import(&self, file: &ForeignFile<'_>) -> Result<Imported, Fault>;

    /// The files beside one with this text that belong to it, relative to its folder. Names that lead out of the folder are not
    /// among them.
    fn files_beside(&self, text: &str) -> Vec<String>;

    /// Prepares to run an imported flow with what the other tool recorded in one execution, of which `execution` is the file's text.
    /// `import.no_record` if it is none.
    fn prepare_trial(
        &self,
        flow: &Flow,
        report: &ImportReport,
        execution: &str,
    ) -> Result<Box<dyn Trial>, Fault>;
}

/// A run of an imported flow with recorded values.
pub trait Trial: Send + Sync {
    /// The flow as it runs: with the recorded values as pins, from the recorded trigger. It calls no model and no server.
    fn flow(&self) -> &Flow;

    /// Compares each node of the file that ran. `made` is in the order of epochs.
    fn compare(&self, made: &[Made]) -> Vec<ComparedNode>;
}

/// A file of another tool, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct ForeignFile<'f> {
    pub text: &'f str,
    /// The texts of the [files beside it](Importer::files_beside), by the same names.
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

/// What a flow is called whose file has no name for it: like the file or, of a file that is called the same in each folder, the folder.
pub fn name_of_file(path: &Path) -> Option<String> {
    let named = if path.file_name().is_some_and(|name| name == PROMPT_FLOW_FILE) {
        path.parent().filter(|folder| folder.file_name().is_some()).and_then(Path::file_name)
    } else {
        path.file_stem()
    };
    named.or(path.file_stem()).map(|name| name.to_string_lossy().into_owned())
}
