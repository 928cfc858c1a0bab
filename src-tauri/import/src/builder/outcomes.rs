//! What became of the nodes and edges of the file.

use std::collections::BTreeMap;

use super::FlowBuilder;
use crate::output::Output;
use plait_core::id::NodeId;
use plait_formats::foreign::{
    ImportOutcome, ImportReport, ImportedEdge, ImportedNode, ImportedOutput, OtherGraph,
};

/// More is not said about one node of a file.
const MAX_LOST_PER_NODE: usize = 100;

impl FlowBuilder {
    /// Registers a node of the file. False if another node has its id.
    pub(crate) fn register(&mut self, id: &str, name: &str, kind: &str) -> bool {
        let is_new = self.sources.insert(id.to_owned(), self.report.nodes.len()).is_none();
        self.report.nodes.push(ImportedNode {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            outcome: ImportOutcome::Lost,
            nodes: Vec::new(),
            outputs: Vec::new(),
            lost: Vec::new(),
        });
        is_new
    }

    /// Says that a node of the file is a part of a node of the flow.
    pub(crate) fn attach(&mut self, source: &str, id: &NodeId) {
        if let Some(node) = self.source(source) {
            if !node.nodes.contains(id) {
                node.nodes.push(id.clone());
            }
            if node.outcome == ImportOutcome::Lost {
                node.outcome = ImportOutcome::Same;
            }
        }
    }

    /// Takes over the report about nodes that are in a flow inside of a node.
    pub(crate) fn adopt(&mut self, inner: ImportReport, id: &NodeId, is_new: impl Fn(&ImportedEdge) -> bool) {
        for node in inner.nodes {
            if node.outcome != ImportOutcome::Lost {
                self.attach(&node.id, id);
            }
            if let Some(own) = self.source(&node.id)
                && node.outcome == ImportOutcome::Placeholder
            {
                own.outcome = ImportOutcome::Placeholder;
            }
            for mut place in node.outputs {
                place.subflows.insert(0, id.clone());
                self.place(&node.id, place);
            }
            for lost in node.lost {
                self.lose(&node.id, lost);
            }
        }
        self.report.edges.extend(inner.edges.into_iter().filter(is_new));
    }

    /// Says where an output of a node of the file is in the flow.
    pub(crate) fn place_output(&mut self, source: &str, name: &str, (output, path): (&Output, &[String])) {
        let Output { node, port } = output.clone();
        let place = ImportedOutput {
            name: name.to_owned(),
            subflows: Vec::new(),
            node,
            port,
            path: path.to_vec(),
            field: Vec::new(),
        };
        self.place(source, place);
    }

    fn place(&mut self, source: &str, place: ImportedOutput) {
        if let Some(source) = self.source(source) {
            source.outputs.push(place);
        }
    }

    /// Says what of a node of the file is lost.
    pub(crate) fn lose(&mut self, source: &str, what: impl Into<String>) {
        let what = what.into();
        if let Some(node) = self.source(source)
            && node.lost.len() < MAX_LOST_PER_NODE
            && !node.lost.contains(&what)
        {
            node.lost.push(what);
            if node.lost.len() == MAX_LOST_PER_NODE {
                node.lost.push("And more.".to_owned());
            }
        }
    }

    /// Says something about the file as a whole.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.report.notes.contains(&note) {
            self.report.notes.push(note);
        }
    }

    /// Says which graphs of the file are not in the flow.
    pub(crate) fn set_other_graphs(&mut self, graphs: Vec<OtherGraph>) {
        self.report.other_graphs = graphs;
    }

    /// Says that a node of the file writes objects in another order than in the original, if it writes any.
    pub(crate) fn lose_order_of_fields(&mut self, source: &str) {
        self.lose(
            source,
            "Where it writes an object as text, the fields are sorted by name here. In the original they keep their order.",
        );
    }

    /// Whether it is known what became of a node of the file.
    pub(crate) fn has_outcome(&self, source: &str) -> bool {
        self.reported(source).is_some_and(|node| node.outcome != ImportOutcome::Lost || !node.lost.is_empty())
    }

    /// Reports an edge of the file that the flow has, as an edge or as what a node reads.
    pub(crate) fn keep_edge(&mut self, source: &str, target: &str, label: &str) {
        self.report_edge(source, target, label, None);
    }

    /// Reports an edge of the file that the flow has not.
    pub(crate) fn lose_edge(&mut self, source: &str, target: &str, label: &str, reason: &str) {
        self.report_edge(source, target, label, Some(reason.to_owned()));
    }

    fn report_edge(&mut self, source: &str, target: &str, label: &str, lost: Option<String>) {
        let (source, target, label) = (source.to_owned(), target.to_owned(), label.to_owned());
        self.report.edges.push(ImportedEdge { source, target, label, lost });
    }

    /// Says that nothing reads an input of a node of the file in the original, so that no edge to it is missed.
    pub(crate) fn set_unread(&mut self, source: &str, input: &'static str) {
        self.unread.insert((source.to_owned(), input));
    }

    /// A node that misses what an edge of the file gives it does not do the same.
    pub(super) fn mark_lost_inputs(&mut self) {
        let is_missed = |edge: &&ImportedEdge| {
            edge.lost.is_some()
                && !self.unread.iter().any(|(node, input)| *node == edge.target && *input == edge.label)
        };
        let mut missed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for edge in self.report.edges.iter().filter(is_missed) {
            let giver = self.reported(&edge.source).map_or(edge.source.as_str(), ImportedNode::title);
            missed.entry(edge.target.clone()).or_default().push(giver.to_owned());
        }
        for (target, givers) in missed {
            let is_same = |node: &ImportedNode| node.outcome == ImportOutcome::Same && node.lost.is_empty();
            if self.reported(&target).is_some_and(is_same) {
                for giver in givers {
                    self.lose(&target, format!("What it gets from `{giver}` is left out."));
                }
            }
        }
    }

    pub(crate) fn source(&mut self, id: &str) -> Option<&mut ImportedNode> {
        self.sources.get(id).and_then(|&at| self.report.nodes.get_mut(at))
    }

    pub(super) fn reported(&self, id: &str) -> Option<&ImportedNode> {
        self.sources.get(id).and_then(|&at| self.report.nodes.get(at))
    }
}
