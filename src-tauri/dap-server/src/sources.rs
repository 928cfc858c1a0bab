//! Lines of flow files and the nodes that are written there.
//!
//! A breakpoint at a line of a file that several nodes run is one in each of these sub-flows.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use plait_api::flow_files;
use plait_api::flows::{PlacedFlow, placed_flows};
use plait_core::diagnostic::escape;
use plait_core::flow::{self, Flow};
use plait_core::id::NodeId;
use plait_formats::pipeline;
use plait_formats::positions::Positions;
use plait_run::node::Registry;

use crate::protocol::requests::Source;

/// The flows of a run tree with their lines.
#[derive(Default)]
pub(crate) struct Sources {
    documents: Vec<Document>,
    flows: Vec<FlowLines>,
    /// The paths as the editor writes them, by the files that they lead to.
    shown: HashMap<PathBuf, String>,
}

/// A text that nodes are written in.
struct Document {
    name: String,
    file: Option<PathBuf>,
    text: String,
}

/// Where the nodes of one flow are written.
struct FlowLines {
    path: Vec<NodeId>,
    document: usize,
    /// First and last line, from 1.
    nodes: BTreeMap<NodeId, (i64, i64)>,
}

/// The nodes at a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NodesAtLine {
    pub(crate) node: NodeId,
    /// The ways to the flows that have it.
    pub(crate) paths: Vec<Vec<NodeId>>,
    pub(crate) first_line: i64,
    pub(crate) last_line: i64,
}

impl Sources {
    /// The lines of a flow and of the flows below it. A file that says something else than the flow, since it has changed, is not shown;
    /// the flow's text is in its place.
    pub(crate) fn of(flow: &Flow, file: Option<&str>, registry: &Registry) -> Self {
        let mut sources = Self::default();
        for placed in placed_flows(flow, file, registry) {
            sources.add(placed);
        }
        sources
    }

    fn add(&mut self, placed: PlacedFlow) {
        let PlacedFlow { path, flow, file, mut pointer } = placed;
        let known = self.document_with(file.as_deref(), &pointer, &flow);
        let document = known.or_else(|| {
            // The flow as it was recorded, or one that no file has.
            pointer.clear();
            self.documents.push(Document {
                name: document_name(&flow),
                file: None,
                text: flow::write(&flow).ok()?,
            });
            Some(self.documents.len() - 1)
        });
        let Some(document) = document else { return };
        let nodes = self.documents[document].lines(&pointer, &flow);
        self.flows.push(FlowLines { path, document, nodes });
    }

    /// The document of a file that has this flow at the pointer.
    fn document_with(&mut self, file: Option<&str>, pointer: &str, flow: &Flow) -> Option<usize> {
        let path = Path::new(file?);
        let known =
            |file: &Path| self.documents.iter().position(|document| document.file.as_deref() == Some(file));
        if !pointer.is_empty() {
            // The flow around it came before, and is written there.
            return known(&path.canonicalize().ok()?);
        }
        let read = flow_files::read(path).ok()?;
        if pipeline::read_file(&read.path, &read.text).ok()?.nodes != flow.nodes {
            return None;
        }
        if let Some(at) = known(&read.path) {
            return Some(at);
        }
        let name = read.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.documents.push(Document { name, file: Some(read.path), text: read.text });
        Some(self.documents.len() - 1)
    }

    /// Notes how the editor writes the path of a file, which is how it wants to read it.
    pub(crate) fn note_path(&mut self, path: &str) {
        if let Ok(file) = Path::new(path).canonicalize() {
            self.shown.insert(file, path.to_owned());
        }
    }

    /// Where a node of the flow at the end of this way is written.
    pub(crate) fn line_of(&self, path: &[NodeId], node: &NodeId) -> Option<(Source, i64)> {
        let flow = self.flows.iter().find(|flow| flow.path == path)?;
        let (first, _) = flow.nodes.get(node)?;
        Some((self.source(flow.document), *first))
    }

    /// The node that is written at a line: the innermost one, where a loop is written around its body.
    pub(crate) fn nodes_at(&self, source: &Source, line: i64) -> Option<NodesAtLine> {
        let document = self.find(source)?;
        let mut found: Option<NodesAtLine> = None;
        for flow in self.flows.iter().filter(|flow| flow.document == document) {
            let at_line = flow.nodes.iter().filter(|(_, (first, last))| (*first..=*last).contains(&line));
            // A step of a pipeline is several nodes; the one with its name is the shortest.
            let innermost = at_line
                .min_by_key(|(node, (first, last))| (last - first, node.as_str().len(), (*node).clone()));
            let Some((node, (first_line, last_line))) = innermost else { continue };
            match &mut found {
                Some(found) if found.node == *node && found.first_line == *first_line => {
                    found.paths.push(flow.path.clone());
                }
                Some(found) if found.last_line - found.first_line <= last_line - first_line => {}
                found => {
                    *found = Some(NodesAtLine {
                        node: node.clone(),
                        paths: vec![flow.path.clone()],
                        first_line: *first_line,
                        last_line: *last_line,
                    });
                }
            }
        }
        found
    }

    /// Whether a flow of the run tree is written in this source.
    pub(crate) fn has(&self, source: &Source) -> bool {
        self.find(source).is_some()
    }

    /// The text of a source that is no file.
    pub(crate) fn text(&self, reference: i64) -> Option<&str> {
        let at = usize::try_from(reference).ok()?.checked_sub(1)?;
        self.documents.get(at).map(|document| document.text.as_str())
    }

    fn find(&self, source: &Source) -> Option<usize> {
        if let Some(reference) = source.reference.filter(|reference| *reference > 0) {
            let at = usize::try_from(reference).ok()? - 1;
            return (at < self.documents.len()).then_some(at);
        }
        let file = Path::new(source.path.as_ref()?).canonicalize().ok()?;
        self.documents.iter().position(|document| document.file.as_ref() == Some(&file))
    }

    fn source(&self, document: usize) -> Source {
        let Document { name, file, .. } = &self.documents[document];
        let name = Some(name.clone());
        match file {
            Some(file) => {
                let path = self.shown.get(file).cloned().unwrap_or_else(|| file.display().to_string());
                Source { name, path: Some(path), reference: None }
            }
            None => Source { name, path: None, reference: i64::try_from(document + 1).ok() },
        }
    }
}

impl Document {
    fn lines(&self, pointer: &str, flow: &Flow) -> BTreeMap<NodeId, (i64, i64)> {
        let is_pipeline = self.file.as_deref().is_some_and(pipeline::is_pipeline);
        let positions =
            if is_pipeline { Positions::of_pipeline(&self.text) } else { Positions::of_flow(&self.text) };
        let starts: Vec<usize> = std::iter::once(0)
            .chain(self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
            .collect();
        let line = |offset: usize| {
            i64::try_from(starts.partition_point(|start| *start <= offset)).unwrap_or(i64::MAX)
        };
        let lines = flow.nodes.keys().filter_map(|node| {
            let extent = positions.extent(&format!("{pointer}/nodes/{}", escape(node.as_str())))?;
            let last = extent.end.saturating_sub(1).max(extent.start);
            Some((node.clone(), (line(extent.start), line(last))))
        });
        lines.collect()
    }
}

fn document_name(flow: &Flow) -> String {
    let name = if flow.name.is_empty() { "flow" } else { &flow.name };
    format!("{name}.flow.json")
}

#[cfg(test)]
mod tests;
