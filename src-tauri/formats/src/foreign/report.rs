//! What became of a file from another tool: one entry for each of its nodes and edges, so that nothing is lost silently.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Format;
use plait_core::id::NodeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    pub format: Format,
    /// The name in the file.
    pub name: String,
    /// The nodes of the file, in its order.
    pub nodes: Vec<ImportedNode>,
    /// The edges of the file, in its order.
    pub edges: Vec<ImportedEdge>,
    /// What concerns the file as a whole.
    pub notes: Vec<String>,
    /// Graphs of the file that are not in the flow, since it does not call them. Each can be imported as a flow of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<OtherGraph>>")]
    pub other_graphs: Vec<OtherGraph>,
}

/// A graph of the file that is not in the flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OtherGraph {
    /// Its id in the file.
    pub id: String,
    /// Its name in the file.
    pub name: String,
    /// How many nodes it has, without those of the graphs that it calls.
    pub nodes: usize,
}

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ImportOutcome {
    /// Nodes of Plait do the same.
    Same,
    /// Nodes of Plait do something else, as the report says.
    Differs,
    /// A placeholder keeps its original. It can't run.
    Placeholder,
    /// Nothing of it is in the flow.
    Lost,
}

/// A node of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportedNode {
    /// Its id in the file.
    pub id: String,
    /// Its name in the file.
    pub name: String,
    /// Its type in the file.
    pub kind: String,
    pub outcome: ImportOutcome,
    /// The nodes of the flow that it became, or is a part of.
    pub nodes: Vec<NodeId>,
    /// Where its outputs are in the flow, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ImportedOutput>>")]
    pub outputs: Vec<ImportedOutput>,
    /// How it differs, each a sentence: what of it was not translated, or why nothing was.
    pub lost: Vec<String>,
}

/// Where an output of a node of the file is in the flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportedOutput {
    /// Its name or number in the file; without one, an object of all outputs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub name: String,
    /// The `subflow` nodes that the node is inside of, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub subflows: Vec<NodeId>,
    pub node: NodeId,
    pub port: String,
    /// Where in the value of the port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub path: Vec<String>,
    /// The field of the file's value that stands there; all of it without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub field: Vec<String>,
}

impl ImportedNode {
    /// Its name for people.
    pub fn title(&self) -> &str {
        if self.name.trim().is_empty() { &self.id } else { &self.name }
    }
}

/// An edge of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportedEdge {
    /// The id of the node it starts from, in the file.
    pub source: String,
    /// The id of the node it leads to, in the file.
    pub target: String,
    /// What it carries or which branch it is, if the file says so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub label: String,
    /// Why it is lost. Without a reason, the flow has it, as an edge or as what a node reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lost: Option<String>,
}

impl ImportReport {
    /// How many nodes have each outcome.
    pub fn node_counts(&self) -> BTreeMap<ImportOutcome, usize> {
        let mut counts = BTreeMap::new();
        for node in &self.nodes {
            *counts.entry(node.outcome).or_default() += 1;
        }
        counts
    }

    /// The report for people: what became of each node, and the lost edges with their reasons.
    pub fn to_text(&self) -> String {
        let counts = self.node_counts();
        let count = |outcome| counts.get(&outcome).copied().unwrap_or(0);
        let mut text = format!(
            "{} of {} nodes of this {} file do the same here, {} differ, {} are placeholders, {} lost. {} of {} edges lost.\n",
            count(ImportOutcome::Same),
            self.nodes.len(),
            self.format.title(),
            count(ImportOutcome::Differs),
            count(ImportOutcome::Placeholder),
            count(ImportOutcome::Lost),
            self.lost_edges().count(),
            self.edges.len(),
        );
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        if !self.other_graphs.is_empty() {
            text.push_str("\nOther graphs of the file. Import each with `--graph`:\n");
        }
        for OtherGraph { name, nodes, .. } in &self.other_graphs {
            let unit = if *nodes == 1 { "node" } else { "nodes" };
            let _ = writeln!(text, "- {name} ({nodes} {unit})");
        }
        for (outcome, title) in [
            (
                ImportOutcome::Placeholder,
                "Placeholders. Replace them with nodes that do the same, or delete them:",
            ),
            (ImportOutcome::Differs, "What differs. Change these nodes if it matters:"),
            (ImportOutcome::Lost, "Lost. Add them by hand if the flow needs them:"),
        ] {
            let mut nodes = self.of(outcome).peekable();
            if nodes.peek().is_some() {
                let _ = writeln!(text, "\n{title}");
            }
            for node in nodes {
                let _ = writeln!(text, "- {} ({}): {}", node.title(), node.kind, node.lost.join(" "));
            }
        }
        if self.lost_edges().next().is_some() {
            text.push_str("\nLost edges:\n");
            let names: HashMap<&str, &str> =
                self.nodes.iter().rev().map(|node| (node.id.as_str(), node.title())).collect();
            for (edge, reason) in self.lost_edges() {
                let label = if edge.label.is_empty() { String::new() } else { format!(" [{}]", edge.label) };
                let name = |id: &str| names.get(id).map_or_else(|| id.to_owned(), |name| (*name).to_owned());
                let _ = writeln!(text, "- {} → {}{label}: {reason}", name(&edge.source), name(&edge.target));
            }
        }
        let same: Vec<&str> = self.of(ImportOutcome::Same).map(ImportedNode::title).collect();
        if !same.is_empty() {
            let _ = writeln!(text, "\nThe same: {}.", same.join(", "));
        }
        text
    }

    fn of(&self, outcome: ImportOutcome) -> impl Iterator<Item = &ImportedNode> {
        self.nodes.iter().filter(move |node| node.outcome == outcome)
    }

    /// The edges that are lost, with the reasons.
    pub fn lost_edges(&self) -> impl Iterator<Item = (&ImportedEdge, &str)> {
        self.edges.iter().filter_map(|edge| Some((edge, edge.lost.as_deref()?)))
    }
}
