//! Which nodes only got another id.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use plait_core::flow::{Edge, Flow};
use plait_core::id::NodeId;
use serde_json::{Value, json};

/// Nodes of the first flow, with their ids in the second one where these are others.
#[derive(Debug, Default)]
pub(super) struct Renames {
    new_ids: HashMap<NodeId, NodeId>,
    /// The ids in the second flow.
    known_after: HashSet<NodeId>,
    /// The old ids that are no words: a text is searched for each of them.
    unusual: Vec<NodeId>,
}

impl Renames {
    /// Finds nodes that are the same in all but their ids: type, config and what they are connected to. A node whose neighbor was renamed as
    /// well is found after the neighbor.
    pub(super) fn find(before: &Flow, after: &Flow) -> Self {
        let mut renames = Self::default();
        let only_in = |flow: &'_ Flow, other: &'_ Flow| -> Vec<NodeId> {
            flow.nodes.keys().filter(|id| !other.nodes.contains_key(*id)).cloned().collect()
        };
        let (gone, come) = (only_in(before, after), only_in(after, before));
        if gone.is_empty() || come.is_empty() {
            return renames;
        }
        let (mut gone, mut come) = (OpenNodes::new(before, gone), OpenNodes::new(after, come));
        loop {
            let mut touched = BTreeSet::new();
            gone.describe(&mut touched, |id| {
                let new = renames.new_id(id);
                after.nodes.contains_key(new).then_some(new)
            });
            come.describe(&mut touched, |id| {
                (before.nodes.contains_key(id) || renames.known_after.contains(id)).then_some(id)
            });
            let mut found = Vec::new();
            for meaning in touched {
                // Of several that are alike, any is right.
                while come.has(&meaning)
                    && let Some(old) = gone.take(&meaning, BTreeSet::pop_first)
                    && let Some(new) = come.take(&meaning, BTreeSet::pop_last)
                {
                    found.push((old, new));
                }
            }
            if found.is_empty() {
                return renames;
            }
            for (old, new) in found {
                gone.mark_neighbors(&old);
                come.mark_neighbors(&new);
                renames.add(old, new);
            }
        }
    }

    fn add(&mut self, old: NodeId, new: NodeId) {
        if !old.as_str().chars().all(is_name) {
            self.unusual.push(old.clone());
        }
        self.known_after.insert(new.clone());
        self.new_ids.insert(old, new);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.new_ids.is_empty()
    }

    /// The id that a node of the first flow has in the second one.
    pub(super) fn new_id<'a>(&'a self, id: &'a NodeId) -> &'a NodeId {
        self.new_ids.get(id).unwrap_or(id)
    }

    /// A text of the first flow, as it would read with the ids of the second one.
    pub(super) fn in_text(&self, text: &str) -> String {
        let mut words = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            words.push_str(self.new_ids.get(word).map_or(word, NodeId::as_str));
            let end = after.find(is_name).unwrap_or(after.len());
            let (between, after) = after.split_at(end);
            words.push_str(between);
            rest = after;
        }
        self.unusual
            .iter()
            .fold(words, |text, from| replace_word(&text, from.as_str(), self.new_id(from).as_str()))
    }
}

/// The nodes of one flow that the other one does not have under this id, by what they are.
struct OpenNodes<'f> {
    flow: &'f Flow,
    /// The edges at each node.
    edges: HashMap<&'f NodeId, Vec<&'f Edge>>,
    /// The nodes inside of each loop.
    inside: HashMap<&'f NodeId, Vec<&'f NodeId>>,
    meanings: HashMap<NodeId, String>,
    by_meaning: BTreeMap<String, BTreeSet<NodeId>>,
    /// The nodes whose meaning is not known as it is now.
    changed: BTreeSet<NodeId>,
}

impl<'f> OpenNodes<'f> {
    fn new(flow: &'f Flow, open: Vec<NodeId>) -> Self {
        let mut edges: HashMap<_, Vec<_>> = HashMap::new();
        for edge in flow.edges.values() {
            edges.entry(&edge.source).or_default().push(edge);
            if edge.target != edge.source {
                edges.entry(&edge.target).or_default().push(edge);
            }
        }
        let mut inside: HashMap<_, Vec<_>> = HashMap::new();
        for (id, node) in &flow.nodes {
            if let Some(parent) = &node.parent {
                inside.entry(parent).or_default().push(id);
            }
        }
        let meanings = open.iter().map(|id| (id.clone(), String::new())).collect();
        Self {
            flow,
            edges,
            inside,
            meanings,
            by_meaning: BTreeMap::new(),
            changed: open.into_iter().collect(),
        }
    }

    /// Works out what the nodes that changed are, and notes these meanings.
    fn describe<'a>(
        &mut self,
        touched: &mut BTreeSet<String>,
        known: impl Fn(&'a NodeId) -> Option<&'a NodeId>,
    ) where
        'f: 'a,
    {
        for id in std::mem::take(&mut self.changed) {
            let new = self.meaning(&id, &known);
            let Some(meaning) = self.meanings.get_mut(&id) else { continue };
            if let Some(alike) = self.by_meaning.get_mut(meaning.as_str()) {
                alike.remove(&id);
            }
            self.by_meaning.entry(new.clone()).or_default().insert(id);
            touched.insert(new.clone());
            *meaning = new;
        }
    }

    /// All that a node is, but its id: with its edges, whose other ends are named as both flows know them, or by their types.
    fn meaning<'a>(&self, id: &NodeId, known: &impl Fn(&'a NodeId) -> Option<&'a NodeId>) -> String
    where
        'f: 'a,
    {
        let name = |other: &'f NodeId| match known(other) {
            Some(id) => json!(id),
            None => json!({ "type": self.flow.nodes.get(other).map(|node| &node.node_type) }),
        };
        let Some(node) = self.flow.nodes.get(id) else { return String::new() };
        let of_node = self.edges.get(id).into_iter().flatten();
        let edges = of_node.map(|edge| {
            let (out, into) = (&edge.source_output, &edge.target_input);
            if edge.source == *id {
                json!(["out", out, name(&edge.target), into]).to_string()
            } else {
                json!(["in", into, name(&edge.source), out]).to_string()
            }
        });
        let mut edges: Vec<String> = edges.collect();
        edges.sort();
        let mut json = super::object(node);
        if let Some(parent) = &node.parent {
            json.insert("parent".to_owned(), name(parent));
        }
        json!([Value::Object(json), edges]).to_string()
    }

    fn has(&self, meaning: &str) -> bool {
        self.by_meaning.get(meaning).is_some_and(|alike| !alike.is_empty())
    }

    /// Takes out a node that is this.
    fn take(&mut self, meaning: &str, choose: fn(&mut BTreeSet<NodeId>) -> Option<NodeId>) -> Option<NodeId> {
        let id = choose(self.by_meaning.get_mut(meaning)?)?;
        self.meanings.remove(&id);
        Some(id)
    }

    /// What is connected to a node, or inside of it, is something else once the node is known.
    fn mark_neighbors(&mut self, id: &NodeId) {
        let edges = self.edges.get(id).into_iter().flatten();
        let neighbors = edges.map(|edge| if edge.source == *id { &edge.target } else { &edge.source });
        let inside = self.inside.get(id).into_iter().flatten().copied();
        let open = neighbors.chain(inside).filter(|id| self.meanings.contains_key(*id));
        self.changed.extend(open.cloned());
    }
}

/// Whether a character can be part of a word.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Replaces a word: an occurrence that is no part of a longer name.
fn replace_word(text: &str, word: &str, with: &str) -> String {
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
