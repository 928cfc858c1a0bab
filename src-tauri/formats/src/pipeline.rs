//! Pipelines: a second form of flows, in YAML, for people who write flows by hand. A pipeline is a list of steps; it is
//! read, checked and lowered to a flow, so both run on one engine and look the same in the editor.
//!
//! A flow that came from a pipeline is saved as one: [`save`] changes only what was edited, so comments stay. Changes
//! that a pipeline cannot express are refused.

mod document;
mod emit;
mod keys;
mod layout;
mod lower;
mod order;
mod patch;
mod problem;
mod raise;
mod read;
mod references;
mod save;
mod scaffold;
mod source_map;
mod steps;
mod tree;
mod unused;
mod yaml;

use std::ops::Range;
use std::path::Path;

use plait_core::diagnostic::Diagnostic;
use plait_core::flow;
use plait_core::flow::{Flow, ReadError};

pub use document::{VERSION as PIPELINE_VERSION, schema};
pub use save::save;
pub use scaffold::scaffold;

/// How the names of pipelines end.
pub const PIPELINE_EXTENSIONS: [&str; 2] = ["yaml", "yml"];

/// Whether a file is a pipeline, by its name.
pub fn is_pipeline(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        PIPELINE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Reads the text of a file: a pipeline if its name says so, else a flow. There is at least one error.
pub fn read_file(path: &Path, text: &str) -> Result<Flow, Vec<ReadError>> {
    if is_pipeline(path) {
        return Ok(Pipeline::read(text)?.flow);
    }
    flow::read(text).map_err(|error| vec![error])
}

/// Whether a text without a file name is meant to be a pipeline: it is no JSON and has `steps`.
pub fn looks_like_pipeline(text: &str) -> bool {
    !text.trim_start().starts_with(['{', '[']) && text.lines().any(|line| line.starts_with("steps:"))
}

/// Reads a YAML document that is no pipeline, with the same guards: no anchors, aliases, tags or keys used twice, a bounded number
/// of values, and a bounded depth.
pub fn read_yaml(text: &str) -> Result<serde_json::Value, ReadError> {
    YamlDocument::read(text).map(|document| document.to_json())
}

/// A YAML document that is no pipeline, with the places of its values.
#[derive(Debug)]
pub struct YamlDocument(yaml::Yaml);

impl YamlDocument {
    /// The guards are those of [`read_yaml`].
    pub fn read(text: &str) -> Result<Self, ReadError> {
        yaml::parse_document(text).map(Self).map_err(|problem| problem.locate(text))
    }

    pub fn to_json(&self) -> serde_json::Value {
        self.0.to_json()
    }

    /// The bytes of a value, by its JSON pointer. Of a pointer to something missing, those of the nearest parent.
    pub fn span(&self, pointer: &str) -> Range<usize> {
        self.0.place(pointer)
    }

    /// Where the items of a list begin and where the last one ends, in bytes; and whether it is written as `[a, b]`. Nothing for a value
    /// that is no list.
    pub fn list(&self, key: &str) -> Option<(Vec<usize>, usize, bool)> {
        let yaml::Kind::Sequence { items, inline } = &self.0.get(key)?.kind else { return None };
        let end = items.last().map_or(self.0.get(key)?.range.end, |item| item.range.end);
        Some((items.iter().map(|item| item.range.start).collect(), end, *inline))
    }
}

/// A value as YAML: mappings and lists on lines of their own, each line indented this far.
pub fn yaml_lines(value: &serde_json::Value, indent: usize) -> String {
    emit::value(value, indent)
}

/// A pipeline that was read, as a flow.
#[derive(Debug)]
pub struct Pipeline {
    pub flow: Flow,
    /// Where the parts of the flow are in the text.
    pub places: Places,
    /// Warnings of what the flow does not show, with pointers into the document.
    pub warnings: Vec<Diagnostic>,
}

/// Where the parts of a flow are in the text of its pipeline.
#[derive(Debug)]
pub struct Places {
    source_map: source_map::SourceMap,
    root: yaml::Yaml,
}

impl Pipeline {
    /// Reads and lowers a pipeline. Executes nothing. The problems are in the order of the text, at least one.
    pub fn read(text: &str) -> Result<Self, Vec<ReadError>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let locate = |problems: Vec<problem::Problem>| -> Vec<ReadError> {
            problems.into_iter().map(|problem| problem.locate(text)).collect()
        };
        let root = yaml::parse(text).map_err(|problem| vec![problem.locate(text)])?;
        let read = read::read(&root).map_err(locate)?;
        let lower::Lowered { flow, source_map, arranged: _ } = lower::lower(&read, &root).map_err(locate)?;
        let warnings = unused::find(&read, &flow);
        Ok(Self { flow, places: Places { source_map, root }, warnings })
    }
}

impl Places {
    /// The bytes of the text that a part of the flow comes from. `pointer` is that of a diagnostic.
    pub fn span(&self, pointer: &str) -> Range<usize> {
        self.root.place(&self.source_map.of(pointer))
    }

    /// The bytes of all that a part of the flow comes from, with its key. None for a part without a place of its own.
    pub fn extent(&self, pointer: &str) -> Option<Range<usize>> {
        self.root.extent(self.source_map.own(pointer)?)
    }

    /// The line and the column of a part of the flow, both from 1.
    pub fn line_and_column(&self, text: &str, pointer: &str) -> (usize, usize) {
        problem::line_and_column(text, self.span(pointer).start)
    }
}

#[cfg(test)]
mod tests;
