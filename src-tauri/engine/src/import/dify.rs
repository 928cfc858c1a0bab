//! Reads apps of Dify: graphs of chatflows and workflows, and the settings of simple apps.
//!
//! Dify's edges mean order; values are read by selectors, wherever they were made. So edges of Plait follow from what a node reads,
//! and an edge of the file becomes one only where a branch may be skipped or nothing else orders its ends.

mod apps;
mod branches;
mod jinja;
mod models;
mod nodes;
mod selectors;
mod start;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::draft::{Draft, Output, PLACEHOLDER, Point};
use super::gate::run_after;
use super::settings::Settings;
use super::{Format, check_size, wrong_shape};
use crate::error::Fault;
use crate::id::NodeId;

/// Reads an app.
pub(super) fn read(document: &Value, name: &str) -> Result<Draft, Fault> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let own = text("/app/name").trim();
    let mut draft = Draft::new(Format::Dify, if own.is_empty() { name } else { own });
    draft.set_description(text("/app/description"));
    let Some(graph) = document.pointer("/workflow/graph") else {
        let Some(config) = document.get("model_config").filter(|config| config.is_object()) else {
            return Err(wrong_shape(Format::Dify, "it has neither `workflow` nor `model_config`"));
        };
        apps::read_simple(&mut draft, text("/app/mode"), config);
        return Ok(draft);
    };
    let list = |key: &str| graph.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (nodes, edges) = (list("nodes"), list("edges"));
    check_size(nodes.len(), edges.len())?;
    let nodes: Vec<GraphNode<'_>> = nodes.iter().filter_map(GraphNode::read).collect();
    if nodes.is_empty() {
        return Err(wrong_shape(Format::Dify, "its graph has no nodes"));
    }
    for node in &nodes {
        draft.register(node.id, node.title, node.kind);
    }
    apps::note_features(&mut draft, document);
    let edges: Vec<GraphEdge<'_>> = edges.iter().map(GraphEdge::read).collect();
    let mut reader = Reader {
        draft,
        document,
        is_chat: text("/app/mode").contains("chat"),
        by_id: nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect(),
        nodes: &nodes,
        values: HashMap::new(),
        ends: HashMap::new(),
        query: None,
        constants: HashMap::new(),
        is_conditional: HashSet::new(),
    };
    reader.run(&edges);
    Ok(reader.draft)
}

/// A node of a graph.
struct GraphNode<'v> {
    id: &'v str,
    title: &'v str,
    kind: &'v str,
    /// The container that it is inside of.
    parent: Option<&'v str>,
    data: &'v Value,
    json: &'v Value,
    at: Point,
}

impl<'v> GraphNode<'v> {
    fn read(json: &'v Value) -> Option<Self> {
        let data = json.get("data").unwrap_or(&Value::Null);
        let text = |value: &'v Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_note = text(json, "type") == "custom-note";
        let position = json.get("positionAbsolute").or_else(|| json.get("position"));
        let coordinate = |key: &str| position.and_then(|at| at.get(key)).and_then(Value::as_f64);
        let parent = [text(json, "parentId"), text(data, "iteration_id"), text(data, "loop_id")];
        Some(Self {
            id: json.get("id")?.as_str()?,
            title: text(data, "title"),
            kind: if is_note { "custom-note" } else { text(data, "type") },
            parent: parent.into_iter().find(|parent| !parent.is_empty()),
            data,
            json,
            at: Point::new(coordinate("x"), coordinate("y")),
        })
    }
}

struct GraphEdge<'v> {
    source: &'v str,
    target: &'v str,
    handle: &'v str,
}

impl<'v> GraphEdge<'v> {
    fn read(json: &'v Value) -> Self {
        let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
        Self { source: text("source"), target: text("target"), handle: text("sourceHandle") }
    }
}

/// The values that a node makes.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Those with a name of their own.
    named: BTreeMap<String, (Output, Vec<String>)>,
    /// An object of which any other name is a field.
    object: Option<Output>,
}

impl Values {
    fn one(name: &str, output: Output) -> Self {
        Self { named: BTreeMap::from([(name.to_owned(), (output, Vec::new()))]), object: None }
    }

    fn with(mut self, name: &str, output: Output) -> Self {
        self.named.insert(name.to_owned(), (output, Vec::new()));
        self
    }

    fn object(output: Output) -> Self {
        Self { named: BTreeMap::new(), object: Some(output) }
    }
}

/// Where a node ends: the outputs that are live when it has run, by the handle of edges.
#[derive(Clone, Debug, Default)]
struct Ends {
    by_handle: BTreeMap<String, Output>,
    /// For all other handles.
    rest: Option<Output>,
}

impl Ends {
    fn one(output: Output) -> Self {
        Self { by_handle: BTreeMap::new(), rest: Some(output) }
    }

    fn of(&self, handle: &str) -> Option<&Output> {
        self.by_handle.get(handle).or(self.rest.as_ref())
    }
}

struct Reader<'v> {
    draft: Draft,
    document: &'v Value,
    is_chat: bool,
    nodes: &'v [GraphNode<'v>],
    by_id: HashMap<&'v str, usize>,
    values: HashMap<String, Values>,
    ends: HashMap<String, Ends>,
    /// What the person said.
    query: Option<Output>,
    /// The nodes of variables that are set in the app.
    constants: HashMap<String, Output>,
    is_conditional: HashSet<usize>,
}

impl<'v> Reader<'v> {
    fn run(&mut self, edges: &[GraphEdge<'v>]) {
        let incoming = self.incoming(edges);
        for at in self.order(edges) {
            self.node(at, &incoming[at], edges);
        }
        for at in 0..self.nodes.len() {
            self.close_container(at);
        }
        for edge in edges {
            self.report_edge(edge);
        }
    }

    fn incoming(&self, edges: &[GraphEdge<'v>]) -> Vec<Vec<usize>> {
        let mut incoming = vec![Vec::new(); self.nodes.len()];
        for (index, edge) in edges.iter().enumerate() {
            if let (Some(&target), true) = (self.by_id.get(edge.target), self.by_id.contains_key(edge.source))
            {
                incoming[target].push(index);
            }
        }
        incoming
    }

    /// The nodes in an order in which each stands after those that lead to it and after its container. Nodes of a cycle, which
    /// Dify does not make, stand in the order of the file.
    fn order(&self, edges: &[GraphEdge<'v>]) -> Vec<usize> {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut missing = vec![0usize; self.nodes.len()];
        let mut add = |from: usize, to: usize| {
            if from != to {
                after[from].push(to);
                missing[to] += 1;
            }
        };
        for edge in edges {
            if let (Some(&from), Some(&to)) = (self.by_id.get(edge.source), self.by_id.get(edge.target)) {
                add(from, to);
                // What follows a container follows its body.
                for inner in self.nodes.iter().filter(|node| node.parent == Some(edge.source)) {
                    if let Some(&inner) = self.by_id.get(inner.id) {
                        add(inner, to);
                    }
                }
            }
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(&parent) = node.parent.and_then(|parent| self.by_id.get(parent)) {
                add(parent, at);
            }
        }
        let mut ready: std::collections::BTreeSet<usize> =
            (0..self.nodes.len()).filter(|&at| missing[at] == 0).collect();
        let mut order = Vec::new();
        let mut done = vec![false; self.nodes.len()];
        while order.len() < self.nodes.len() {
            let at = ready.pop_first().or_else(|| done.iter().position(|done| !done));
            let Some(at) = at.filter(|&at| !done[at]) else { continue };
            done[at] = true;
            order.push(at);
            for &next in &after[at] {
                missing[next] = missing[next].saturating_sub(1);
                if missing[next] == 0 && !done[next] {
                    ready.insert(next);
                }
            }
        }
        order
    }

    fn node(&mut self, at: usize, incoming: &[usize], edges: &[GraphEdge<'v>]) {
        let node = &self.nodes[at];
        let parent = node.parent.and_then(|parent| self.container(parent));
        if let Some(parent) = &parent {
            self.draft.enter(parent);
        }
        let mut branches: Vec<Output> = Vec::new();
        let mut is_conditional = false;
        for edge in incoming.iter().map(|&index| &edges[index]) {
            let source = self.by_id.get(edge.source).copied().unwrap_or(at);
            is_conditional |= self.is_conditional.contains(&source) || self.branches(source);
            if let Some(end) = self.ends.get(edge.source).and_then(|ends| ends.of(edge.handle)).cloned()
                && !branches.contains(&end)
            {
                branches.push(end);
            }
        }
        if is_conditional {
            self.is_conditional.insert(at);
        }
        let settings = Settings::new(node.data);
        settings.ignore_all(&[
            "/title",
            "/type",
            "/desc",
            "/selected",
            "/isInIteration",
            "/iteration_id",
            "/isInLoop",
            "/loop_id",
            "/isIterationStart",
            "/height",
            "/width",
            "/_targetBranches",
            "/is_start",
            "/version",
            "/zIndex",
        ]);
        let before = self.draft.len();
        let made = self.translate(at, &settings);
        if self.draft.len() > before
            && let Some(id) = made
        {
            let is_placeholder = self.draft.node_type(&id) == PLACEHOLDER;
            let is_ordered =
                !branches.is_empty() && branches.iter().all(|branch| self.draft.leads_to(&branch.node, &id));
            if is_placeholder {
                for branch in &branches {
                    self.draft.connect(branch, &id, "in");
                }
            } else if is_conditional || !is_ordered {
                run_after(&mut self.draft, node.id, &id, &branches);
            }
            if !is_placeholder && let Some(unread) = settings.unread() {
                self.draft.lose(node.id, unread);
            }
        }
        if parent.is_some() {
            self.draft.leave();
        }
    }

    /// The loop that a container became.
    fn container(&self, id: &str) -> Option<NodeId> {
        let end = self.ends.get(id)?.rest.as_ref()?;
        (self.draft.node_type(&end.node) == "loop").then(|| end.node.clone())
    }

    fn branches(&self, at: usize) -> bool {
        matches!(self.nodes[at].kind, "if-else" | "question-classifier")
    }

    fn report_edge(&mut self, edge: &GraphEdge<'_>) {
        let label = if matches!(edge.handle, "source" | "") { "" } else { edge.handle };
        if !self.by_id.contains_key(edge.source) || !self.by_id.contains_key(edge.target) {
            self.draft.lose_edge(
                edge.source,
                edge.target,
                label,
                "The file has no node of one of these ids.",
            );
        } else if self.draft.is_followed_by(edge.source, edge.target) {
            self.draft.keep_edge(edge.source, edge.target, label);
        } else {
            let reason = "Nothing of what it orders is in the flow, or the order follows from nothing else.";
            self.draft.lose_edge(edge.source, edge.target, label, reason);
        }
    }

    /// A placeholder for a node, with the values that its settings name.
    fn placeholder(&mut self, at: usize, reason: &str) -> Option<NodeId> {
        let node = &self.nodes[at];
        let id = self.draft.add_placeholder(node.id, node.title, reason, node.json, node.at);
        for (output, name) in self.values_in(node.data) {
            self.draft.connect(&output, &id, &name);
        }
        let out = Output::new(&id, "out");
        self.values.insert(node.id.to_owned(), Values::object(out.clone()));
        self.ends.insert(node.id.to_owned(), Ends::one(out));
        Some(id)
    }

    /// Adds a node whose first output ends it.
    fn add(&mut self, at: usize, node_type: &str, config: Value, output: &str) -> (NodeId, Output) {
        let node = &self.nodes[at];
        let id = self.draft.add(node.id, node.title, node_type, config, node.at);
        let output = Output::new(&id, output);
        self.ends.insert(node.id.to_owned(), Ends::one(output.clone()));
        (id, output)
    }

    fn set_values(&mut self, at: usize, values: Values) {
        self.values.insert(self.nodes[at].id.to_owned(), values);
    }

    /// A value of several by their names, as one object.
    fn join(&mut self, at: usize, values: &[(String, Output, Vec<String>)]) -> Output {
        let node = &self.nodes[at];
        let names: Vec<&str> = values.iter().map(|(name, ..)| name.as_str()).collect();
        let title = format!("{}: values", node.title);
        let id =
            self.draft.add(node.id, &title, "join", json!({ "names": names }), node.at.beside(-0.5, 1.0));
        for (name, output, path) in values {
            let output = self.field(at, output, path);
            self.draft.connect(&output, &id, name);
        }
        Output::new(&id, "object")
    }

    /// A field of a value, as an output.
    fn field(&mut self, at: usize, output: &Output, path: &[String]) -> Output {
        if path.is_empty() {
            return output.clone();
        }
        let node = &self.nodes[at];
        let query: String = path.iter().map(|step| format!("[{}]", json!(step))).collect();
        let title = path.join(" ");
        let id = self.draft.add(
            node.id,
            &title,
            "json",
            json!({ "query": format!(".{query}") }),
            node.at.beside(-0.5, 1.0),
        );
        self.draft.connect(output, &id, "value");
        Output::new(&id, "result")
    }
}
