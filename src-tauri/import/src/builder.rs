//! A flow that is being made from the nodes of another tool, together with the report about it.
//!
//! Every node and edge of the file is registered first, so that one which nothing is made of shows in the report as lost.

mod adjacency;
mod cycles;
mod frames;
mod outcomes;
mod paths;
mod turns;
mod unconfirmed;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::arrange;
use super::budget::{Budget, size};
use super::jq;
pub(super) use super::output::Output;
pub(super) use super::point::Point;
use super::ports::{inputs_of, outputs_of};
use super::secrets::{remove_keys, without_secrets};
use super::template::TemplateText;
use adjacency::Adjacency;
pub(super) use cycles::MAX_ITERATIONS;
pub(super) use paths::FileEdge;
use plait_core::error::Fault;
use plait_core::flow::{Flow, Node, Position, RetryPolicy};
use plait_core::id::{EdgeId, NodeId, PortName};
use plait_core::port::{ERROR_PORT, InputPort, PortKind, PortType};
use plait_formats::foreign::{Format, ImportOutcome, ImportReport};

/// The type of nodes that stand for what has no equivalent.
pub(super) const PLACEHOLDER: &str = "placeholder";
/// The longest id of a node, in characters.
const MAX_ID_CHARS: usize = 40;
const KEYS_LOST: &str = "Its keys and passwords were left out of the flow.";

pub(super) struct FlowBuilder {
    flow: Flow,
    report: ImportReport,
    /// Where each node of the file stands in the report.
    sources: HashMap<String, usize>,
    /// The node of the file that each node was made for.
    owners: HashMap<NodeId, String>,
    ids: HashSet<String>,
    /// How often each id was wanted.
    id_counts: HashMap<String, usize>,
    adjacency: Adjacency,
    /// The loop that nodes are added to.
    parents: Vec<NodeId>,
    has_main_context: bool,
    /// Inputs of nodes of the file that nothing reads in the original.
    unread: HashSet<(String, &'static str)>,
    /// How many cycles were closed, or tried to be.
    cycles: usize,
    budget: Budget,
}

impl FlowBuilder {
    pub(super) fn new(format: Format, name: &str, budget: &Budget) -> Self {
        let report = ImportReport {
            format,
            name: name.to_owned(),
            nodes: Vec::new(),
            edges: Vec::new(),
            notes: Vec::new(),
            other_graphs: Vec::new(),
        };
        Self {
            flow: Flow { name: name.to_owned(), ..Flow::default() },
            report,
            sources: HashMap::new(),
            owners: HashMap::new(),
            ids: HashSet::new(),
            id_counts: HashMap::new(),
            adjacency: Adjacency::default(),
            parents: Vec::new(),
            has_main_context: false,
            unread: HashSet::new(),
            cycles: 0,
            budget: budget.clone(),
        }
    }

    /// The limits that this flow shares with the flows around and inside of it.
    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(super) fn name(&self) -> &str {
        &self.flow.name
    }

    pub(super) fn set_description(&mut self, description: &str) {
        description.trim().clone_into(&mut self.flow.description);
    }

    /// Adds a node for a node of the file.
    pub(super) fn add(
        &mut self,
        source: &str,
        title: &str,
        node_type: &str,
        mut config: Value,
        at: Point,
    ) -> NodeId {
        let id = self.unique_id(title, node_type);
        // An import that exceeds its limits fails in the end; what it would hold is not kept until then.
        if !self.budget.take_made_node() || !self.budget.take_bytes(size(&config)) {
            return id;
        }
        if remove_keys(&mut config) > 0 {
            self.lose(source, KEYS_LOST);
        }
        let config = match config {
            Value::Object(config) => config.into_iter().filter(|(_, value)| !value.is_null()).collect(),
            _ => Map::new(),
        };
        let title = title.trim();
        let node = Node {
            node_type: node_type.to_owned(),
            title: (!title.is_empty()).then(|| title.to_owned()),
            parent: self.parents.last().cloned(),
            config,
            ..Node::default()
        };
        self.flow.nodes.insert(id.clone(), node);
        self.flow.layout.insert(id.clone(), Position { x: at.x, y: at.y, ..Position::default() });
        self.adjacency.add_node(&id);
        self.owners.insert(id.clone(), source.to_owned());
        self.attach(source, &id);
        id
    }

    /// Adds a node outside of all loops.
    pub(super) fn add_outside(
        &mut self,
        source: &str,
        title: &str,
        node_type: &str,
        config: Value,
        at: Point,
    ) -> NodeId {
        let around = self.replace_loops(Vec::new());
        let id = self.add(source, title, node_type, config, at);
        self.replace_loops(around);
        id
    }

    /// Adds a placeholder for a node of the file. Its ports follow from the edges that are connected to it.
    pub(super) fn add_placeholder(
        &mut self,
        source: &str,
        title: &str,
        reason: &str,
        original: &Value,
        at: Point,
    ) -> NodeId {
        let kind = self.source(source).map_or_else(String::new, |node| node.kind.clone());
        let (original, removed) =
            if self.budget.is_exceeded() { (Value::Null, 0) } else { without_secrets(original) };
        let config = json!({
            "format": self.report.format.title(),
            "kind": kind,
            "reason": reason,
            "original": original,
        });
        let id = self.add(source, title, PLACEHOLDER, config, at);
        if let Some(node) = self.source(source) {
            node.outcome = ImportOutcome::Placeholder;
        }
        self.lose(source, reason);
        if removed > 0 {
            self.lose(source, KEYS_LOST);
        }
        id
    }

    /// A placeholder for a value that a text of a node reads and the flow has not, so that no model gets its name in place of it.
    pub(super) fn add_missing_value(&mut self, source: &str, title: &str, name: &str, at: Point) -> Output {
        let short: String = name.chars().take(100).collect();
        let reason = format!("It reads the value `{short}`, which is not in the flow.");
        let title = format!("{title}: {short}");
        let id = self.add_placeholder(source, &title, &reason, &Value::from(name), at.beside(-0.5, 1.0));
        Output::new(&id, "out")
    }

    /// A template as an output: the one it consists of, or that of a `text` node beside a place.
    pub(super) fn text_output(
        &mut self,
        source: &str,
        title: &str,
        template: &TemplateText,
        at: Point,
    ) -> Output {
        if let Some(output) = template.single_output() {
            return output.clone();
        }
        let id = self.add_text(source, title, template, at.beside(-0.5, 1.0));
        Output::new(&id, "text")
    }

    /// Whether an output is always a list, which no input for a text takes.
    pub(super) fn gives_list(&self, output: &Output) -> bool {
        let Some(node) = self.flow.nodes.get(&output.node) else { return false };
        match node.node_type.as_str() {
            "loop" => output.port == "results",
            "value" => node.config.get("value").is_some_and(Value::is_array),
            _ => false,
        }
    }

    /// Adds a `text` node with a template.
    pub(super) fn add_text(
        &mut self,
        source: &str,
        title: &str,
        template: &TemplateText,
        at: Point,
    ) -> NodeId {
        let id = self.add(source, title, "text", json!({ "template": template.source() }), at);
        self.feed(&template.inputs(), &id);
        id
    }

    /// A field of a value as an output: the value itself, or that of a query beside a place.
    pub(super) fn field_output(
        &mut self,
        source: &str,
        (output, path): (&Output, &[String]),
        at: Point,
    ) -> Output {
        let Some(title) = path.last() else { return output.clone() };
        let config = json!({ "query": jq::path(path) });
        let id = self.add(source, title, "json", config, at.beside(-0.5, 1.0));
        self.connect(output, &id, "value");
        Output::new(&id, "result")
    }

    /// A copy of a template that several nodes read; an empty one if the import would hold too much.
    pub(super) fn copy_template(&self, template: &TemplateText) -> TemplateText {
        if self.budget.take_bytes(template.size()) { template.clone() } else { TemplateText::default() }
    }

    /// Connects an output to an input. One that takes a single value and has it stays as it is; the report says so.
    pub(super) fn connect(&mut self, from: &Output, to: &NodeId, input: &str) {
        self.connect_as(from, to, input, PortKind::Data);
    }

    pub(super) fn connect_as(&mut self, from: &Output, to: &NodeId, input: &str, kind: PortKind) {
        if !self.try_connect(from, to, input, kind)
            && let Some(source) = self.owners.get(to).cloned()
        {
            self.lose(&source, format!("Several values lead to its `{input}`; it gets the first one."));
        }
    }

    /// Connects an output to an input, unless it takes a single value and has it. Whether they are connected.
    #[must_use]
    pub(super) fn try_connect(&mut self, from: &Output, to: &NodeId, input: &str, kind: PortKind) -> bool {
        /// What an edge holds.
        const EDGE_BYTES: usize = 300;
        if self.flow.edges.contains_key(&edge_id(from, to, input)) {
            return true;
        }
        let node_type = self.node_type(to);
        let takes_many =
            node_type == PLACEHOLDER || input_port(node_type, input).is_some_and(|port| port.many);
        if !takes_many && self.is_fed(to, input) {
            return false;
        }
        // An import that exceeds its limits fails in the end.
        if !self.budget.take_bytes(EDGE_BYTES) {
            return true;
        }
        self.open_port(&from.node, "outputs", &from.port, kind);
        self.open_port(to, "inputs", input, kind);
        self.add_edge(from, to, input);
        true
    }

    /// Connects outputs to an input that takes many, which gets them in this order.
    pub(super) fn connect_in_order(&mut self, outputs: &[Output], to: &NodeId, input: &str) {
        for (order, from) in (0..).zip(outputs) {
            self.connect(from, to, input);
            if outputs.len() > 1
                && let Some(edge) = self.flow.edges.get_mut(&edge_id(from, to, input))
            {
                edge.order.get_or_insert(order);
            }
        }
    }

    /// Connects what feeds the variables of templates to the inputs of the same names.
    pub(super) fn feed(&mut self, inputs: &[(String, Output)], to: &NodeId) {
        for (name, output) in inputs {
            self.connect(output, to, name);
        }
    }

    /// Gives a placeholder a port.
    fn open_port(&mut self, id: &NodeId, side: &str, name: &str, kind: PortKind) {
        let Some(node) = self.flow.nodes.get_mut(id.as_str()).filter(|node| node.node_type == PLACEHOLDER)
        else {
            return;
        };
        let ports = node.config.entry(side).or_insert_with(|| json!([]));
        let Some(ports) = ports.as_array_mut() else { return };
        if !ports.iter().any(|port| port["name"] == name) {
            ports.push(json!({ "name": name, "kind": kind }));
        }
    }

    /// Sets the size of a note.
    pub(super) fn resize(&mut self, id: &NodeId, width: f64, height: f64) {
        const MAX_SIZE: f64 = 10_000.0;
        if let Some(position) = self.flow.layout.get_mut(id) {
            position.width = Some(width.clamp(80.0, MAX_SIZE));
            position.height = Some(height.clamp(60.0, MAX_SIZE));
        }
    }

    pub(super) fn node_type(&self, id: &NodeId) -> &str {
        self.flow.nodes.get(id).map_or("", |node| node.node_type.as_str())
    }

    /// Whether a node can lead its error on.
    pub(super) fn has_error_output(&self, id: &NodeId) -> bool {
        has_error_output(self.node_type(id))
    }

    pub(super) fn is_placeholder(&self, id: &NodeId) -> bool {
        self.node_type(id) == PLACEHOLDER
    }

    /// The config of a node, to change it.
    pub(super) fn config(&mut self, id: &NodeId) -> Option<&mut Map<String, Value>> {
        self.flow.nodes.get_mut(id.as_str()).map(|node| &mut node.config)
    }

    /// Adds the following nodes to a loop, until [`Self::leave`].
    pub(super) fn enter(&mut self, id: &NodeId) {
        self.parents.push(id.clone());
    }

    pub(super) fn leave(&mut self) {
        self.parents.pop();
    }

    /// Adds the following nodes to the last of these loops. Returns those that they were added to, which are to be put back.
    pub(super) fn replace_loops(&mut self, loops: Vec<NodeId>) -> Vec<NodeId> {
        std::mem::replace(&mut self.parents, loops)
    }

    pub(super) fn current_loop(&self) -> Option<&NodeId> {
        self.parents.last()
    }

    pub(super) fn parent(&self, id: &NodeId) -> Option<NodeId> {
        self.flow.nodes.get(id)?.parent.clone()
    }

    /// Takes the context that recalls earlier runs. A flow has one. False if another node has it, or inside a loop.
    pub(super) fn take_main_context(&mut self) -> bool {
        self.current_loop().is_none() && !std::mem::replace(&mut self.has_main_context, true)
    }

    /// Lets another node take the context that recalls earlier runs: no run has both.
    pub(super) fn free_main_context(&mut self) {
        self.has_main_context = false;
    }

    /// How many nodes the flow has so far.
    pub(super) fn len(&self) -> usize {
        self.flow.nodes.len()
    }

    /// Retries a node after failures.
    pub(super) fn set_retry(&mut self, id: &NodeId, attempts: u32) {
        if let Some(node) = self.flow.nodes.get_mut(id.as_str()) {
            let attempts = attempts.clamp(1, 100);
            node.retry = Some(RetryPolicy { attempts, ..RetryPolicy::default() });
        }
    }

    /// Disables the nodes that were made for a node of the file.
    pub(super) fn disable_made(&mut self, source: &str) {
        let Some(made) = self.reported(source).map(|node| node.nodes.clone()) else { return };
        for id in made.iter().filter(|id| self.owners.get(*id).is_some_and(|owner| owner == source)) {
            if let Some(node) = self.flow.nodes.get_mut(id.as_str()) {
                node.disabled = true;
            }
        }
    }

    fn unique_id(&mut self, title: &str, node_type: &str) -> NodeId {
        let base = slug(title).or_else(|| slug(node_type)).unwrap_or_else(|| "node".to_owned());
        let count = self.id_counts.entry(base.clone()).or_insert(0);
        loop {
            *count += 1;
            let id = if *count == 1 { base.clone() } else { format!("{base}-{count}") };
            if self.ids.insert(id.clone()) {
                return id.into();
            }
        }
    }

    /// The flow with its nodes arranged, and the report. An error if it would hold too much.
    pub(super) fn finish(mut self) -> Result<(Flow, ImportReport), Fault> {
        self.budget.check()?;
        self.hold_lost_order();
        self.mark_names();
        self.mark_own_wording();
        self.mark_lost_inputs();
        for node in &mut self.report.nodes {
            if node.outcome == ImportOutcome::Lost && node.lost.is_empty() {
                node.lost.push("Nothing in the file uses it in a way that Plait has.".to_owned());
            }
            if node.outcome == ImportOutcome::Same && !node.lost.is_empty() {
                node.outcome = ImportOutcome::Differs;
            }
        }
        self.fold_parts();
        arrange::arrange(&mut self.flow);
        Ok((self.flow, self.report))
    }
}

/// The id of an edge.
fn edge_id(from: &Output, to: &NodeId, input: &str) -> EdgeId {
    format!("{}.{}-{to}.{input}", from.node, from.port).into()
}

/// An input that all nodes of a type have.
fn input_port(node_type: &str, input: &str) -> Option<&'static InputPort> {
    inputs_of(node_type).iter().find(|port| port.name.as_str() == input)
}

/// Whether all nodes of a type have an input of this name.
pub(super) fn has_input(node_type: &str, input: &str) -> bool {
    input_port(node_type, input).is_some()
}

/// The kind of an input; data for inputs that follow from a node's settings.
fn input_kind(node_type: &str, input: &str) -> PortKind {
    input_port(node_type, input).map_or(PortKind::Data, |port| port.kind)
}

/// A text as a part of an id: lower-case letters, digits and dashes.
fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for character in text.chars() {
        if slug.chars().count() >= MAX_ID_CHARS {
            break;
        }
        if character.is_alphanumeric() {
            slug.extend(character.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// Whether nodes of a type can lead their errors on.
pub(super) fn has_error_output(node_type: &str) -> bool {
    outputs_of(node_type).iter().any(|port| port.name.as_str() == ERROR_PORT)
}

/// Whether an output of all nodes of a type gives texts only.
pub(super) fn gives_text(node_type: &str, output: &PortName) -> bool {
    outputs_of(node_type).iter().any(|port| port.name == *output && port.value_type == PortType::Text)
}
