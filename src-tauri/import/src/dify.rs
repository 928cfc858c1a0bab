//! Reads apps of Dify: graphs of chatflows and workflows, and the settings of simple apps.
//!
//! Dify's edges mean order; values are read by selectors, wherever they were made. So edges of Plait follow from what a node reads,
//! and an edge of the file becomes one only where a branch may be skipped or nothing else orders its ends.

mod apps;
mod branches;
mod models;
mod nodes;
mod selectors;
mod start;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::budget::Budget;
use super::builder::{FileEdge, FlowBuilder, Output};
use super::gate::run_after;
use super::graph::{Graph, GraphEdge, GraphNode, text as text_of};
use super::settings::Settings;
use super::{check_size, wrong_shape};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_core::port::ERROR_PORT;
use plait_formats::foreign::Format;

/// Reads an app.
pub(super) fn read(document: &Value, name: &str, budget: &Budget) -> Result<FlowBuilder, Fault> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let own = text("/app/name").trim();
    let mut builder = FlowBuilder::new(Format::Dify, if own.is_empty() { name } else { own }, budget);
    builder.set_description(text("/app/description"));
    let Some(graph) = document.pointer("/workflow/graph") else {
        let Some(config) = document.get("model_config").filter(|config| config.is_object()) else {
            return Err(wrong_shape(Format::Dify, "it has neither `workflow` nor `model_config`"));
        };
        apps::read_simple(&mut builder, text("/app/mode"), config);
        return Ok(builder);
    };
    let list = |key: &str| graph.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (nodes, edges) = (list("nodes"), list("edges"));
    check_size(nodes.len(), edges.len())?;
    let nodes: Vec<GraphNode<'_>> = nodes.iter().filter_map(read_node).collect();
    if nodes.is_empty() {
        return Err(wrong_shape(Format::Dify, "its graph has no nodes"));
    }
    for node in &nodes {
        builder.register(node.id, node.title, node.kind);
    }
    apps::note_features(&mut builder, document);
    let graph = Graph::new(nodes, edges.iter().map(read_edge).collect());
    let mut reader = Reader {
        builder,
        document,
        is_chat: text("/app/mode").contains("chat"),
        graph: &graph,
        values: HashMap::new(),
        ends: HashMap::new(),
        query: None,
        texts: HashMap::new(),
        constants: HashMap::new(),
        is_conditional: HashSet::new(),
    };
    reader.run();
    Ok(reader.builder)
}

fn read_node(json: &Value) -> Option<GraphNode<'_>> {
    let node = GraphNode::read(json)?;
    let is_note = text_of(json, "type") == "custom-note";
    let parents =
        [text_of(json, "parentId"), text_of(node.data, "iteration_id"), text_of(node.data, "loop_id")];
    Some(GraphNode {
        kind: if is_note { "custom-note" } else { text_of(node.data, "type") },
        title: text_of(node.data, "title"),
        // The container that it is inside of.
        parent: parents.into_iter().find(|parent| !parent.is_empty()),
        ..node
    })
}

fn read_edge(json: &Value) -> GraphEdge<'_> {
    GraphEdge {
        source: text_of(json, "source"),
        target: text_of(json, "target"),
        output: text_of(json, "sourceHandle").to_owned(),
        field: String::new(),
    }
}

/// The values that a node makes.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Those with a name of their own.
    named: BTreeMap<String, (Output, Vec<String>)>,
    /// An object with any other name as a field.
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
    builder: FlowBuilder,
    document: &'v Value,
    is_chat: bool,
    graph: &'v Graph<'v>,
    values: HashMap<String, Values>,
    ends: HashMap<String, Ends>,
    /// What the person said.
    query: Option<Output>,
    /// Values as texts, by the loop that they are read in.
    texts: HashMap<(Option<NodeId>, Output, Vec<String>), Output>,
    /// The nodes of variables that are set in the app.
    constants: HashMap<String, Output>,
    is_conditional: HashSet<usize>,
}

impl<'v> Reader<'v> {
    fn run(&mut self) {
        let graph = self.graph;
        for at in graph.order() {
            if self.builder.budget().is_exceeded() {
                return;
            }
            self.node(at);
        }
        for at in 0..graph.nodes.len() {
            self.close_container(at);
        }
        let is_start = |node: &GraphNode<'_>| node.kind == "start" || node.kind.starts_with("trigger-");
        for at in graph.unreached(is_start) {
            self.builder.never_started(graph.nodes[at].id);
        }
        let edge = |edge: &'v GraphEdge<'v>| FileEdge {
            source: edge.source,
            target: edge.target,
            label: if edge.output == "source" { "" } else { &edge.output },
            lost: "Nothing of what it orders is in the flow, or the order follows from nothing else.",
        };
        self.builder.report_edges(&graph.edges.iter().map(edge).collect::<Vec<_>>());
        self.place_outputs();
    }

    fn node(&mut self, at: usize) {
        let node = &self.graph.nodes[at];
        let parent = node.parent.and_then(|parent| self.container(parent));
        if let Some(parent) = &parent {
            self.builder.enter(parent);
        }
        let mut branches: Vec<Output> = Vec::new();
        let mut is_conditional = false;
        for (edge, source) in self.graph.incoming(at) {
            is_conditional |= self.is_conditional.contains(&source) || self.branches(source);
            if let Some(end) = self.ends.get(edge.source).and_then(|ends| ends.of(&edge.output)).cloned()
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
        let before = self.builder.len();
        let made = self.translate(at, &settings);
        self.continue_after_errors(at, &settings, made.as_ref());
        if self.builder.len() > before
            && let Some(id) = made
        {
            let is_placeholder = self.builder.is_placeholder(&id);
            let is_ordered = !branches.is_empty() && self.builder.all_lead_to(&branches, &id);
            if is_placeholder {
                for branch in &branches {
                    self.builder.connect(branch, &id, "in");
                }
            } else if is_conditional || !is_ordered {
                run_after(&mut self.builder, &id, &branches);
            }
            if !is_placeholder && let Some(unread) = settings.unread() {
                self.builder.lose(node.id, unread);
            }
        }
        if parent.is_some() {
            self.builder.leave();
        }
    }

    /// Leads the error of a node on where the original has a branch for it.
    fn continue_after_errors(&mut self, at: usize, settings: &Settings<'_>, made: Option<&NodeId>) {
        let Some(id) = made.filter(|id| !self.builder.is_placeholder(id)) else { return };
        let node = &self.graph.nodes[at];
        match settings.text("/error_strategy") {
            Some("fail-branch") if self.builder.has_error_output(id) => {
                let error = Output::new(id, ERROR_PORT);
                let ends = self.ends.entry(node.id.to_owned()).or_default();
                ends.by_handle.entry("fail-branch".to_owned()).or_insert_with(|| error.clone());
                let values = self.values.entry(node.id.to_owned()).or_default();
                values.named.insert("error_message".to_owned(), (error, vec!["message".to_owned()]));
            }
            None | Some("none") => {}
            Some(_) => {
                settings.ignore("/default_value");
                self.builder.lose(node.id, "When it fails, the original goes on. Here the flow stops.");
            }
        }
    }

    /// The loop that a container became.
    fn container(&self, id: &str) -> Option<NodeId> {
        let end = self.ends.get(id)?.rest.as_ref()?;
        (self.builder.node_type(&end.node) == "loop").then(|| end.node.clone())
    }

    fn branches(&self, at: usize) -> bool {
        matches!(self.graph.nodes[at].kind, "if-else" | "question-classifier")
    }

    /// A placeholder for a node, with the values that its settings name.
    fn placeholder(&mut self, at: usize, reason: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let id = self.builder.add_placeholder(node.id, node.title, reason, node.json, node.at);
        for (output, name) in self.values_in(node.data) {
            self.builder.connect(&output, &id, &name);
        }
        let out = Output::new(&id, "out");
        self.values.insert(node.id.to_owned(), Values::object(out.clone()));
        self.ends.insert(node.id.to_owned(), Ends::one(out));
        id
    }

    /// Adds a node with a first output that ends it.
    fn add(&mut self, at: usize, node_type: &str, config: Value, output: &str) -> (NodeId, Output) {
        let node = &self.graph.nodes[at];
        let id = self.builder.add(node.id, node.title, node_type, config, node.at);
        let output = Output::new(&id, output);
        self.ends.insert(node.id.to_owned(), Ends::one(output.clone()));
        (id, output)
    }

    /// Says where the values of each node are.
    fn place_outputs(&mut self) {
        for node in &self.graph.nodes {
            if node.kind == "start"
                && let Some(query) = &self.query
            {
                self.builder.place_output(node.id, "sys.query", (query, &[]));
            }
            let Some(values) = self.values.get(node.id) else { continue };
            for (name, (output, path)) in &values.named {
                self.builder.place_output(node.id, name, (output, path));
            }
            if let Some(object) = &values.object {
                self.builder.place_output(node.id, "", (object, &[]));
            }
        }
    }

    fn set_values(&mut self, at: usize, values: Values) {
        self.values.insert(self.graph.nodes[at].id.to_owned(), values);
    }

    /// A value of several by their names, as one object.
    fn join(&mut self, at: usize, values: &[(String, Output, Vec<String>)]) -> Output {
        let node = &self.graph.nodes[at];
        let names: Vec<&str> = values.iter().map(|(name, ..)| name.as_str()).collect();
        let title = format!("{}: values", node.title);
        let id =
            self.builder.add(node.id, &title, "join", json!({ "names": names }), node.at.beside(-0.5, 1.0));
        for (name, output, path) in values {
            let output = self.field(at, output, path);
            self.builder.connect(&output, &id, name);
        }
        Output::new(&id, "object")
    }

    /// A field of a value, as an output.
    fn field(&mut self, at: usize, output: &Output, path: &[String]) -> Output {
        let node = &self.graph.nodes[at];
        self.builder.field_output(node.id, (output, path), node.at)
    }
}
