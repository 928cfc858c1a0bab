//! Graphs as the editors of several tools save them: nodes with settings, and edges between fields.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::point::Point;

/// A node of a file.
pub(super) struct GraphNode<'v> {
    pub(super) id: &'v str,
    /// Its type.
    pub(super) kind: &'v str,
    /// Its name for people.
    pub(super) title: &'v str,
    pub(super) parent: Option<&'v str>,
    pub(super) json: &'v Value,
    /// What the tool itself stores about it; null without it.
    pub(super) data: &'v Value,
    pub(super) at: Point,
}

impl<'v> GraphNode<'v> {
    /// Reads what editors save for each node, without its type and name. None if it has no id.
    pub(super) fn read(json: &'v Value) -> Option<Self> {
        Some(Self {
            id: json.get("id")?.as_str()?,
            kind: "",
            title: "",
            parent: None,
            json,
            data: json.get("data").unwrap_or(&Value::Null),
            at: Point::read(json.get("positionAbsolute").or_else(|| json.get("position"))),
        })
    }

    /// Its type, if it has no name.
    pub(super) fn or_kind(kind: &'v str, title: &'v str) -> &'v str {
        if title.is_empty() { kind } else { title }
    }
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
    /// The edges into and out of each node, if the file has the other end.
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

impl<'v> Graph<'v> {
    pub(super) fn new(nodes: Vec<GraphNode<'v>>, edges: Vec<GraphEdge<'v>>) -> Self {
        let by_id: HashMap<_, _> = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let mut incoming = vec![Vec::new(); nodes.len()];
        let mut outgoing = vec![Vec::new(); nodes.len()];
        for (index, edge) in edges.iter().enumerate() {
            if let (Some(&from), Some(&to)) = (by_id.get(edge.source), by_id.get(edge.target)) {
                incoming[to].push(index);
                outgoing[from].push(index);
            }
        }
        Self { nodes, edges, by_id, incoming, outgoing }
    }

    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The edges into a node, if the file has the source.
    pub(super) fn incoming(&self, at: usize) -> impl Iterator<Item = (&GraphEdge<'v>, usize)> {
        let edges = self.incoming[at].iter().map(|&index| &self.edges[index]);
        edges.filter_map(|edge| Some((edge, self.find(edge.source)?)))
    }

    /// The edges out of a node, if the file has the target.
    pub(super) fn outgoing(&self, at: usize) -> impl Iterator<Item = (&GraphEdge<'v>, usize)> {
        let edges = self.outgoing[at].iter().map(|&index| &self.edges[index]);
        edges.filter_map(|edge| Some((edge, self.find(edge.target)?)))
    }

    /// The nodes that are connected to a field.
    pub(super) fn sources(&self, at: usize, field: &str) -> Vec<usize> {
        self.incoming(at).filter(|(edge, _)| edge.field == field).map(|(_, source)| source).collect()
    }

    /// Whether an edge leads away from a node.
    pub(super) fn is_used(&self, at: usize) -> bool {
        !self.outgoing[at].is_empty()
    }

    /// The nodes that a run does not reach which begins at one of the nodes that are starts. None without a start: the file is a part
    /// of a flow. A container that is reached reaches its body.
    pub(super) fn unreached(&self, is_start: impl Fn(&GraphNode<'v>) -> bool) -> Vec<usize> {
        let mut bodies = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent.and_then(|parent| self.find(parent)) {
                bodies[parent].push(at);
            }
        }
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&at| is_start(&self.nodes[at])).collect();
        if open.is_empty() {
            return Vec::new();
        }
        let mut is_reached = vec![false; self.nodes.len()];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_reached[at], true) {
                open.extend(self.outgoing(at).map(|(_, target)| target));
                open.extend(&bodies[at]);
            }
        }
        (0..self.nodes.len()).filter(|&at| !is_reached[at]).collect()
    }

    /// The nodes in an order with each behind its container and behind the nodes that lead to it, also through the
    /// container they are in. Nodes of a cycle stand in the order of the file.
    pub(super) fn order(&self) -> Vec<usize> {
        let edges =
            self.edges.iter().filter_map(|edge| Some((self.find(edge.source)?, self.find(edge.target)?)));
        let parents = self.nodes.iter().map(|node| node.parent.and_then(|parent| self.find(parent)));
        order(&parents.collect::<Vec<_>>(), edges)
    }
}

/// Nodes by their numbers, in an order with each behind the nodes that lead to it and behind its container. Nodes
/// behind a container are behind its body. Nodes of a cycle stand in the order of their numbers.
pub(super) fn order(
    parents: &[Option<usize>],
    edges: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<usize> {
    let count = parents.len();
    // Beside the vertex of each node there is one for the end of its body. Ends come first, so that they delay nothing.
    let (start_of, end_of) = (|at: usize| count + at, |at: usize| at);
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); 2 * count];
    let mut missing = vec![0usize; 2 * count];
    let mut add = |from: usize, to: usize| {
        after[from].push(to);
        missing[to] += 1;
    };
    for (at, parent) in parents.iter().enumerate() {
        add(start_of(at), end_of(at));
        if let Some(parent) = parent.filter(|&parent| parent != at) {
            add(start_of(parent), start_of(at));
            add(end_of(at), end_of(parent));
        }
    }
    for (from, to) in edges {
        // An edge between a container and its body puts nothing after the whole body.
        if from != to && parents[to] != Some(from) && parents[from] != Some(to) {
            add(end_of(from), start_of(to));
        }
    }
    let mut ready: BTreeSet<usize> = (0..2 * count).filter(|&at| missing[at] == 0).collect();
    let mut done = vec![false; 2 * count];
    let mut order = Vec::new();
    let mut first_left = count;
    loop {
        let next = ready.pop_first().or_else(|| {
            first_left += done[first_left..].iter().position(|done| !done)?;
            Some(first_left)
        });
        let Some(at) = next else { break };
        if std::mem::replace(&mut done[at], true) {
            continue;
        }
        order.extend(at.checked_sub(count));
        for &next in &after[at] {
            missing[next] = missing[next].saturating_sub(1);
            if missing[next] == 0 {
                ready.insert(next);
            }
        }
    }
    order
}

/// The text of a key; empty without one.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
