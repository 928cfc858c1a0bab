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
}

/// What became of a node or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ImportOutcome {
    /// It is nodes or edges of Plait.
    Translated,
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
    /// What of it was not translated, each a sentence.
    pub lost: Vec<String>,
}

impl ImportedNode {
    /// Whether its nodes do something else than the original, as `lost` says.
    fn differs(&self) -> bool {
        self.outcome == ImportOutcome::Translated && !self.lost.is_empty()
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
    pub outcome: ImportOutcome,
    /// Why it is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
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

    /// The report for people: what was translated in one line, and everything that was not.
    pub fn to_text(&self) -> String {
        let counts = self.node_counts();
        let count = |outcome| counts.get(&outcome).copied().unwrap_or(0);
        let differing = self.nodes.iter().filter(|node| node.differs()).count();
        let mut text = format!(
            "{} of {} nodes of this {} file do the same here, {differing} differ, {} are placeholders, {} lost. {} of {} edges lost.\n",
            count(ImportOutcome::Translated) - differing,
            self.nodes.len(),
            self.format.title(),
            count(ImportOutcome::Placeholder),
            count(ImportOutcome::Lost),
            self.lost_edges(),
            self.edges.len(),
        );
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        for (outcome, title) in [
            (ImportOutcome::Placeholder, "Placeholders, which you have to replace"),
            (ImportOutcome::Lost, "Lost"),
            (ImportOutcome::Translated, "What differs"),
        ] {
            let nodes: Vec<_> =
                self.nodes.iter().filter(|node| node.outcome == outcome && !node.lost.is_empty()).collect();
            if nodes.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n{title}:");
            for node in nodes {
                let name = if node.name.trim().is_empty() { &node.id } else { &node.name };
                let _ = writeln!(text, "- {name} ({}): {}", node.kind, node.lost.join(" "));
            }
        }
        if self.lost_edges() > 0 {
            text.push_str("\nLost edges:\n");
            let names: HashMap<&str, &str> =
                self.nodes.iter().rev().map(|node| (node.id.as_str(), node.name.trim())).collect();
            for edge in self.edges.iter().filter(|edge| edge.outcome == ImportOutcome::Lost) {
                let label = if edge.label.is_empty() { String::new() } else { format!(" [{}]", edge.label) };
                let reason = edge.reason.as_deref().unwrap_or_default();
                let name = |id: &'_ str| match names.get(id) {
                    Some(name) if !name.is_empty() => (*name).to_owned(),
                    _ => id.to_owned(),
                };
                let _ = writeln!(text, "- {} → {}{label}: {reason}", name(&edge.source), name(&edge.target));
            }
        }
        text
    }

    /// How many edges are lost.
    pub fn lost_edges(&self) -> usize {
        self.edges.iter().filter(|edge| edge.outcome == ImportOutcome::Lost).count()
    }
}
