//! Graphs as the editors of several tools save them: nodes with settings, and edges between fields.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::draft::Point;

/// A node of a file.
pub(super) struct GraphNode<'v> {
    pub(super) id: &'v str,
    /// Its type.
    pub(super) kind: &'v str,
    /// Its name for people.
    pub(super) title: &'v str,
    pub(super) parent: Option<&'v str>,
    pub(super) json: &'v Value,
    pub(super) at: Point,
}

/// An edge of a file.
pub(super) struct GraphEdge<'v> {
    pub(super) source: &'v str,
    pub(super) target: &'v str,
    /// The output that it starts from.
    pub(super) output: String,
    /// The field that it leads to.
    pub(super) field: String,
}

/// The nodes and edges of a file.
pub(super) struct Graph<'v> {
    pub(super) nodes: Vec<GraphNode<'v>>,
    pub(super) edges: Vec<GraphEdge<'v>>,
    by_id: HashMap<&'v str, usize>,
}

impl<'v> Graph<'v> {
    pub(super) fn new(nodes: Vec<GraphNode<'v>>, edges: Vec<GraphEdge<'v>>) -> Self {
        let by_id = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        Self { nodes, edges, by_id }
    }

    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The edges into a node whose source the file has.
    pub(super) fn incoming(&self, at: usize) -> impl Iterator<Item = (&GraphEdge<'v>, usize)> {
        let id = self.nodes[at].id;
        let edges = self.edges.iter().filter(move |edge| edge.target == id);
        edges.filter_map(|edge| Some((edge, self.find(edge.source)?)))
    }

    /// The nodes that are connected to a field.
    pub(super) fn sources(&self, at: usize, field: &str) -> Vec<usize> {
        self.incoming(at).filter(|(edge, _)| edge.field == field).map(|(_, source)| source).collect()
    }

    /// Whether an edge leads away from a node.
    pub(super) fn is_used(&self, at: usize) -> bool {
        self.edges.iter().any(|edge| edge.source == self.nodes[at].id)
    }

    /// The nodes in an order in which each stands after its container and after those that lead to it, also through the
    /// container they are in. Nodes of a cycle stand in the order of the file.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut missing = vec![0usize; self.nodes.len()];
        let mut add = |from: usize, to: usize| {
            if from != to {
                after[from].push(to);
                missing[to] += 1;
            }
        };
        let mut inside: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                inside.entry(parent).or_default().push(at);
                if let Some(parent) = self.find(parent) {
                    add(parent, at);
                }
            }
        }
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (self.find(edge.source), self.find(edge.target)) {
                add(from, to);
                for &inner in inside.get(edge.source).into_iter().flatten() {
                    add(inner, to);
                }
            }
        }
        let mut ready: BTreeSet<usize> = (0..self.nodes.len()).filter(|&at| missing[at] == 0).collect();
        let mut done = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        while let Some(at) = ready.pop_first().or_else(|| done.iter().position(|done| !done)) {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            order.push(at);
            for &next in &after[at] {
                missing[next] = missing[next].saturating_sub(1);
                if missing[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        order
    }
}

/// The text of a key; empty without one.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A place from an object with `x` and `y`.
pub(super) fn point(value: Option<&Value>) -> Point {
    let coordinate = |key: &str| value.and_then(|value| value.get(key)).and_then(Value::as_f64);
    Point::new(coordinate("x"), coordinate("y"))
}
