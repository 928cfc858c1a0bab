//! The shape of a Rivet project, of versions 3 and 4.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::graph::{order, text};
use super::super::point::Point;
use super::super::{check_size, no_graph, wrong_shape};
use plait_core::error::Fault;
use plait_formats::foreign::Format;

pub(super) struct Project<'v> {
    pub(super) title: &'v str,
    pub(super) description: &'v str,
    pub(super) graphs: Vec<RivetGraph<'v>>,
    main: Option<&'v str>,
}

pub(super) struct RivetGraph<'v> {
    pub(super) id: &'v str,
    pub(super) name: &'v str,
    pub(super) nodes: Vec<RivetNode<'v>>,
    pub(super) edges: Vec<RivetEdge>,
    /// The edges into and out of each node, in the order of the file.
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

pub(super) struct RivetNode<'v> {
    /// What names it in the report: graph and node.
    pub(super) key: String,
    id: &'v str,
    pub(super) kind: &'v str,
    pub(super) title: &'v str,
    pub(super) data: &'v Value,
    pub(super) json: &'v Value,
    pub(super) at: Point,
    pub(super) width: Option<f64>,
}

pub(super) struct RivetEdge {
    pub(super) source: usize,
    pub(super) output: String,
    pub(super) target: usize,
    pub(super) input: String,
}

impl<'v> Project<'v> {
    pub(super) fn read(document: &'v Value) -> Result<Self, Fault> {
        let data = document.get("data").unwrap_or(document);
        let graphs = data.get("graphs").and_then(Value::as_object);
        let graphs = graphs.ok_or_else(|| wrong_shape(Format::Rivet, "it has no `graphs`"))?;
        let graphs: Vec<_> = graphs.iter().map(|(id, graph)| RivetGraph::read(id, graph)).collect();
        let (nodes, edges) = graphs
            .iter()
            .fold((0, 0), |(nodes, edges), graph| (nodes + graph.nodes.len(), edges + graph.edges.len()));
        check_size(nodes, edges)?;
        let metadata = data.get("metadata").unwrap_or(&Value::Null);
        let main = Some(text(metadata, "mainGraphId")).filter(|id| !id.is_empty());
        Ok(Self { title: text(metadata, "title"), description: text(metadata, "description"), graphs, main })
    }

    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.graphs.iter().position(|graph| graph.id == id)
    }

    /// The graph of an id or, without it, the first of a name. `import.no_graph` without either.
    pub(super) fn named(&self, graph: &str) -> Result<usize, Fault> {
        let by_name = || self.graphs.iter().position(|one| one.name == graph);
        self.find(graph).or_else(by_name).ok_or_else(|| {
            let names: Vec<String> = self.graphs.iter().map(|one| format!("`{}`", one.name)).collect();
            no_graph(graph, format!("It has {}.", names.join(", ")))
        })
    }

    /// The graph that the project names, else the largest that no other one calls.
    pub(super) fn main(&self) -> Option<usize> {
        if let Some(found) = self.main.and_then(|id| self.find(id)) {
            return Some(found);
        }
        let largest = self.uncalled().max_by_key(|&at| self.graphs[at].nodes.len());
        largest.or((!self.graphs.is_empty()).then_some(0))
    }

    /// Which graphs a run of these reaches, themselves included.
    pub(super) fn called_from(&self, graphs: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut is_called = vec![false; self.graphs.len()];
        let mut open: Vec<usize> = graphs.into_iter().collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_called[at], true) {
                open.extend(self.graphs[at].calls().filter_map(|id| self.find(id)));
            }
        }
        is_called
    }

    /// The graphs to import so that all are, beside those that are known: those that no other one calls and, of graphs that call each
    /// other in a circle, the first.
    pub(super) fn roots_without(&self, known: &[bool]) -> Vec<usize> {
        let mut is_known = known.to_vec();
        let mut roots = Vec::new();
        for at in self.uncalled().chain(0..self.graphs.len()) {
            if !is_known[at] {
                roots.push(at);
                let called = self.called_from([at]);
                is_known.iter_mut().zip(called).for_each(|(known, called)| *known |= called);
            }
        }
        roots
    }

    /// The graphs that no graph calls.
    fn uncalled(&self) -> impl Iterator<Item = usize> {
        let called: HashSet<&str> = self.graphs.iter().flat_map(RivetGraph::calls).collect();
        (0..self.graphs.len()).filter(move |&at| !called.contains(self.graphs[at].id))
    }
}

impl<'v> RivetGraph<'v> {
    fn read(id: &'v str, graph: &'v Value) -> Self {
        let mut nodes = Vec::new();
        match graph.get("nodes") {
            // `[ID]:TYPE "TITLE"`
            Some(Value::Object(entries)) => {
                nodes.extend(entries.iter().map(|(name, node)| {
                    let (own, rest) =
                        name.strip_prefix('[').and_then(|rest| rest.split_once("]:")).unwrap_or((name, ""));
                    let (kind, title) = rest.split_once(" \"").unwrap_or((rest, ""));
                    let mut visual = text(node, "visualData").split('/').map(|part| part.parse::<f64>().ok());
                    let (x, y, width) = (visual.next(), visual.next(), visual.next());
                    let at = Point::new(x.flatten(), y.flatten());
                    RivetNode::new(id, own, kind, title.trim_end_matches('"'), node, at, width.flatten())
                }));
            }
            Some(Value::Array(list)) => nodes.extend(list.iter().map(|node| {
                let coordinate =
                    |key: &str| node.pointer(&format!("/visualData/{key}")).and_then(Value::as_f64);
                let at = Point::new(coordinate("x"), coordinate("y"));
                RivetNode::new(
                    id,
                    text(node, "id"),
                    text(node, "type"),
                    text(node, "title"),
                    node,
                    at,
                    coordinate("width"),
                )
            })),
            _ => {}
        }
        let index: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let mut edges = Vec::new();
        for (source, node) in nodes.iter().enumerate() {
            let connections = node.json.get("outgoingConnections").and_then(Value::as_array);
            for connection in connections.into_iter().flatten().filter_map(Value::as_str) {
                // `OUTPUT->"TITLE" NODE/INPUT`
                let Some((output, rest)) = connection.split_once("->") else { continue };
                let end = rest.rsplit_once('"').map_or(rest, |(_, end)| end).trim();
                let Some((target, input)) = end.split_once('/') else { continue };
                if let Some(&target) = index.get(target) {
                    edges.push(RivetEdge {
                        source,
                        output: output.to_owned(),
                        target,
                        input: input.to_owned(),
                    });
                }
            }
        }
        for connection in graph.get("connections").and_then(Value::as_array).into_iter().flatten() {
            let ends =
                (index.get(text(connection, "outputNodeId")), index.get(text(connection, "inputNodeId")));
            if let (Some(&source), Some(&target)) = ends {
                let (output, input) =
                    (text(connection, "outputId").to_owned(), text(connection, "inputId").to_owned());
                edges.push(RivetEdge { source, output, target, input });
            }
        }
        let name = graph.pointer("/metadata/name").and_then(Value::as_str).unwrap_or(id);
        let mut incoming = vec![Vec::new(); nodes.len()];
        let mut outgoing = vec![Vec::new(); nodes.len()];
        for (at, edge) in edges.iter().enumerate() {
            incoming[edge.target].push(at);
            outgoing[edge.source].push(at);
        }
        Self { id, name, nodes, edges, incoming, outgoing }
    }

    /// The ids of the graphs that its nodes call.
    fn calls(&self) -> impl Iterator<Item = &'v str> {
        self.nodes.iter().filter_map(|node| node.data.get("graphId")?.as_str())
    }

    pub(super) fn incoming(&self, at: usize) -> impl Iterator<Item = &RivetEdge> {
        self.incoming[at].iter().map(|&edge| &self.edges[edge])
    }

    pub(super) fn outgoing(&self, at: usize) -> impl Iterator<Item = &RivetEdge> {
        self.outgoing[at].iter().map(|&edge| &self.edges[edge])
    }

    /// The edges into one input of a node.
    pub(super) fn edges_into(&self, at: usize, input: &str) -> impl Iterator<Item = &RivetEdge> {
        self.incoming(at).filter(move |edge| edge.input == input)
    }

    pub(super) fn key(&self, at: usize) -> String {
        self.nodes[at].key.clone()
    }

    /// The nodes in an order with each behind the nodes that lead to it.
    pub(super) fn order(&self) -> Vec<usize> {
        order(&vec![None; self.nodes.len()], self.edges.iter().map(|edge| (edge.source, edge.target)))
    }
}

impl<'v> RivetNode<'v> {
    fn new(
        graph: &str,
        id: &'v str,
        kind: &'v str,
        title: &'v str,
        json: &'v Value,
        at: Point,
        width: Option<f64>,
    ) -> Self {
        let data = json.get("data").unwrap_or(&Value::Null);
        let title = if title.is_empty() { kind } else { title };
        Self { key: format!("{graph}/{id}"), id, kind, title, data, json, at, width }
    }
}
