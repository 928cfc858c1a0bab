//! Which nodes only got another id.

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use plait_core::id::NodeId;
use serde_json::{Value, json};

/// Nodes of the first flow, with their ids in the second one where these are others.
#[derive(Debug, Default)]
pub(super) struct Renames(BTreeMap<NodeId, NodeId>);

impl Renames {
    /// Finds nodes that are the same in all but their ids: type, config and what they are connected to. A node whose neighbor was renamed as
    /// well is found after the neighbor.
    pub(super) fn find(before: &Flow, after: &Flow) -> Self {
        let mut renames = Self::default();
        loop {
            let gone = before
                .nodes
                .keys()
                .filter(|id| !after.nodes.contains_key(*id) && !renames.0.contains_key(*id));
            let come =
                after.nodes.keys().filter(|id| !before.nodes.contains_key(*id) && !renames.is_new_id(id));
            let mut by_meaning: BTreeMap<String, Vec<&NodeId>> = BTreeMap::new();
            for id in come {
                by_meaning
                    .entry(meaning(after, id, |id| known_after(before, &renames, id)))
                    .or_default()
                    .push(id);
            }
            let mut found = Vec::new();
            for id in gone {
                let of_gone = meaning(before, id, |id| known_before(after, &renames, id));
                // Of several that are alike, any is right.
                if let Some(new) = by_meaning.get_mut(&of_gone).and_then(Vec::pop) {
                    found.push((id.clone(), new.clone()));
                }
            }
            if found.is_empty() {
                return renames;
            }
            renames.0.extend(found);
        }
    }

    /// The id that a node of the first flow has in the second one.
    pub(super) fn new_id<'a>(&'a self, id: &'a NodeId) -> &'a NodeId {
        self.0.get(id).unwrap_or(id)
    }

    /// A text of the first flow, as it would read with the ids of the second one.
    pub(super) fn in_text(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, (from, to)| replace_word(&text, from.as_str(), to.as_str()))
    }

    fn is_new_id(&self, id: &NodeId) -> bool {
        self.0.values().any(|new| new == id)
    }
}

/// The name under which both flows know a node of the first one: its id in the second one.
fn known_before<'a>(after: &Flow, renames: &'a Renames, id: &'a NodeId) -> Option<&'a NodeId> {
    let new = renames.new_id(id);
    after.nodes.contains_key(new).then_some(new)
}

/// The same for a node of the second flow.
fn known_after<'a>(before: &Flow, renames: &Renames, id: &'a NodeId) -> Option<&'a NodeId> {
    (before.nodes.contains_key(id) || renames.is_new_id(id)).then_some(id)
}

/// All that a node is, but its id: with its edges, whose other ends are named as both flows know them, or by their types.
fn meaning<'a>(flow: &'a Flow, id: &NodeId, known: impl Fn(&'a NodeId) -> Option<&'a NodeId>) -> String {
    let name = |other: &'a NodeId| match known(other) {
        Some(id) => json!(id),
        None => json!({ "type": flow.nodes.get(other).map(|node| &node.node_type) }),
    };
    let Some(node) = flow.nodes.get(id) else { return String::new() };
    let mut edges: Vec<String> = flow
        .edges
        .values()
        .filter_map(|edge| {
            let (out, into) = (&edge.source_output, &edge.target_input);
            if edge.source == *id {
                Some(json!(["out", out, name(&edge.target), into]).to_string())
            } else if edge.target == *id {
                Some(json!(["in", into, name(&edge.source), out]).to_string())
            } else {
                None
            }
        })
        .collect();
    edges.sort();
    let mut json = super::object(node);
    if let Some(parent) = &node.parent {
        json.insert("parent".to_owned(), name(parent));
    }
    json!([Value::Object(json), edges]).to_string()
}

/// Replaces a word: an occurrence that is no part of a longer name.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let last = before.chars().next_back().or_else(|| replaced.chars().next_back());
        let is_whole = !last.is_some_and(is_name) && !after.chars().next().is_some_and(is_name);
        replaced.push_str(before);
        replaced.push_str(if is_whole { with } else { word });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}
