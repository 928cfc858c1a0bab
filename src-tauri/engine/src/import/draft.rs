//! A flow that is being made from the nodes of another tool, together with the report about it.
//!
//! Every node and edge of the file is registered first, so that one which nothing is made of shows in the report as lost.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::Format;
use super::arrange;
pub(super) use super::output::Output;
use super::report::{ImportOutcome, ImportReport, ImportedEdge, ImportedNode};
use super::secrets::without_secrets;
use super::template::TemplateText;
use crate::flow::{Edge, Flow, Node, Position};
use crate::id::{EdgeId, NodeId, PortName};
use crate::port::PortKind;

/// The type of nodes that stand for what has no equivalent.
pub(super) const PLACEHOLDER: &str = "placeholder";
/// The longest id of a node, in characters.
const MAX_ID_CHARS: usize = 40;

/// A place on the canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    /// Reads a place. What is no place on a canvas is its origin.
    pub(super) fn new(x: Option<f64>, y: Option<f64>) -> Self {
        const MAX_COORDINATE: f64 = 1_000_000.0;
        let read = |value: Option<f64>| match value {
            Some(value) if value.is_finite() => value.clamp(-MAX_COORDINATE, MAX_COORDINATE),
            _ => 0.0,
        };
        Self { x: read(x), y: read(y) }
    }

    /// A place beside another, in cards.
    pub(super) fn beside(self, columns: f64, rows: f64) -> Self {
        Self {
            x: columns.mul_add(arrange::CARD_WIDTH + arrange::GAP, self.x),
            y: rows.mul_add(arrange::CARD_HEIGHT + arrange::GAP, self.y),
        }
    }
}

/// A flow in the making.
pub(super) struct Draft {
    flow: Flow,
    report: ImportReport,
    /// Where each node of the file stands in the report.
    sources: HashMap<String, usize>,
    ids: HashSet<String>,
    /// The loop that nodes are added to.
    parents: Vec<NodeId>,
}

impl Draft {
    pub(super) fn new(format: Format, name: &str) -> Self {
        let report = ImportReport {
            format,
            name: name.to_owned(),
            nodes: Vec::new(),
            edges: Vec::new(),
            notes: Vec::new(),
        };
        let flow = Flow { name: name.to_owned(), ..Flow::default() };
        Self { flow, report, sources: HashMap::new(), ids: HashSet::new(), parents: Vec::new() }
    }

    /// The name of the flow.
    pub(super) fn name(&self) -> &str {
        &self.flow.name
    }

    pub(super) fn set_description(&mut self, description: &str) {
        description.trim().clone_into(&mut self.flow.description);
    }

    /// Registers a node of the file. False if another node has its id.
    pub(super) fn register(&mut self, id: &str, name: &str, kind: &str) -> bool {
        let is_new = self.sources.insert(id.to_owned(), self.report.nodes.len()).is_none();
        self.report.nodes.push(ImportedNode {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: kind.to_owned(),
            outcome: ImportOutcome::Lost,
            nodes: Vec::new(),
            lost: Vec::new(),
        });
        is_new
    }

    /// Adds a node for a node of the file.
    pub(super) fn add(
        &mut self,
        source: &str,
        title: &str,
        node_type: &str,
        config: Value,
        at: Point,
    ) -> NodeId {
        let id = self.unique_id(title, node_type);
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
        let parents = std::mem::take(&mut self.parents);
        let id = self.add(source, title, node_type, config, at);
        self.parents = parents;
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
        let (original, removed) = without_secrets(original);
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
            self.lose(source, "Its keys and passwords were left out of the flow.");
        }
        id
    }

    /// Says that a node of the file is a part of a node of the flow.
    pub(super) fn attach(&mut self, source: &str, id: &NodeId) {
        if let Some(node) = self.source(source) {
            if !node.nodes.contains(id) {
                node.nodes.push(id.clone());
            }
            if node.outcome == ImportOutcome::Lost {
                node.outcome = ImportOutcome::Translated;
            }
        }
    }

    /// Takes over the report about nodes that are in a flow inside of a node.
    pub(super) fn adopt(&mut self, inner: ImportReport, id: &NodeId, is_new: impl Fn(&ImportedEdge) -> bool) {
        for node in inner.nodes {
            if node.outcome != ImportOutcome::Lost {
                self.attach(&node.id, id);
            }
            if let Some(own) = self.source(&node.id)
                && node.outcome == ImportOutcome::Placeholder
            {
                own.outcome = ImportOutcome::Placeholder;
            }
            for lost in node.lost {
                self.lose(&node.id, lost);
            }
        }
        self.report.edges.extend(inner.edges.into_iter().filter(is_new));
    }

    /// Says what of a node of the file is lost.
    pub(super) fn lose(&mut self, source: &str, what: impl Into<String>) {
        let what = what.into();
        if let Some(node) = self.source(source)
            && !node.lost.contains(&what)
        {
            node.lost.push(what);
        }
    }

    /// Says something about the file as a whole.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.report.notes.contains(&note) {
            self.report.notes.push(note);
        }
    }

    /// Whether it is known what became of a node of the file.
    pub(super) fn has_outcome(&self, source: &str) -> bool {
        let node = self.sources.get(source).and_then(|&at| self.report.nodes.get(at));
        node.is_some_and(|node| node.outcome != ImportOutcome::Lost || !node.lost.is_empty())
    }

    /// Reports an edge of the file that the flow has, as an edge or as what a node reads.
    pub(super) fn keep_edge(&mut self, source: &str, target: &str, label: &str) {
        self.report_edge(source, target, label, ImportOutcome::Translated, None);
    }

    /// Reports an edge of the file that the flow has not.
    pub(super) fn lose_edge(&mut self, source: &str, target: &str, label: &str, reason: &str) {
        self.report_edge(source, target, label, ImportOutcome::Lost, Some(reason.to_owned()));
    }

    fn report_edge(
        &mut self,
        source: &str,
        target: &str,
        label: &str,
        outcome: ImportOutcome,
        reason: Option<String>,
    ) {
        self.report.edges.push(ImportedEdge {
            source: source.to_owned(),
            target: target.to_owned(),
            label: label.to_owned(),
            outcome,
            reason,
        });
    }

    fn source(&mut self, id: &str) -> Option<&mut ImportedNode> {
        self.sources.get(id).and_then(|&at| self.report.nodes.get_mut(at))
    }

    /// Connects an output to an input. An input that is connected already stays as it is; false then.
    pub(super) fn connect(&mut self, from: &Output, to: &NodeId, input: &str) -> bool {
        self.connect_as(from, to, input, PortKind::Data)
    }

    /// Connects an output to an input of this kind.
    pub(super) fn connect_as(&mut self, from: &Output, to: &NodeId, input: &str, kind: PortKind) -> bool {
        let takes_many = match self.node_type(to) {
            "join" => matches!(input, "values" | "after"),
            "chat" => matches!(input, "tools" | "attach"),
            "callTool" => input == "tools",
            PLACEHOLDER => true,
            _ => false,
        };
        if !takes_many && self.is_fed(to, input) {
            return false;
        }
        self.open_port(&from.node, "outputs", &from.port, kind);
        self.open_port(to, "inputs", input, kind);
        let id: EdgeId = format!("{}.{}-{to}.{input}", from.node, from.port).into();
        let edge = Edge {
            source: from.node.clone(),
            source_output: from.port.as_str().into(),
            target: to.clone(),
            target_input: input.into(),
            metadata: Map::new(),
            extra: Map::new(),
        };
        self.flow.edges.insert(id, edge);
        true
    }

    /// Connects the variables of a template to the inputs of the same names.
    pub(super) fn feed(&mut self, template: &TemplateText, to: &NodeId) {
        for (name, output) in template.variables() {
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

    /// Whether nodes of the file became the same node, or nodes with a path of edges that leads through nothing but nodes
    /// made for either of them.
    pub(super) fn are_connected(&self, source: &str, target: &str) -> bool {
        let nodes = |id: &str| self.sources.get(id).and_then(|&at| self.report.nodes.get(at));
        let (Some(source), Some(target)) = (nodes(source), nodes(target)) else { return false };
        if source.nodes.iter().any(|id| target.nodes.contains(id)) {
            return true;
        }
        let edges = self.flow.edges.values();
        edges
            .into_iter()
            .any(|edge| source.nodes.contains(&edge.source) && target.nodes.contains(&edge.target))
    }

    /// Whether edges lead from one node to another. A loop leads to the nodes inside, and these to their loop.
    pub(super) fn leads_to(&self, from: &NodeId, to: &NodeId) -> bool {
        let mut stack = vec![from];
        let mut seen: HashSet<&NodeId> = HashSet::new();
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                stack.extend(
                    self.flow.edges.values().filter(|edge| edge.source == *at).map(|edge| &edge.target),
                );
            }
        }
        false
    }

    /// Whether a node of the file has a node in the flow that leads to one of another node of the file.
    pub(super) fn is_followed_by(&self, source: &str, target: &str) -> bool {
        let nodes = |id: &str| self.sources.get(id).and_then(|&at| self.report.nodes.get(at));
        let (Some(source), Some(target)) = (nodes(source), nodes(target)) else { return false };
        source.nodes.iter().any(|from| target.nodes.iter().any(|to| self.leads_to(from, to)))
    }

    /// Sets the size of a note.
    pub(super) fn resize(&mut self, id: &NodeId, width: f64, height: f64) {
        const MAX_SIZE: f64 = 10_000.0;
        if let Some(position) = self.flow.layout.get_mut(id) {
            position.width = Some(width.clamp(80.0, MAX_SIZE));
            position.height = Some(height.clamp(60.0, MAX_SIZE));
        }
    }

    /// Whether an edge leads to an input.
    pub(super) fn is_fed(&self, id: &NodeId, input: &str) -> bool {
        self.flow.edges.values().any(|edge| edge.target == *id && edge.target_input.as_str() == input)
    }

    /// What feeds a node's data inputs.
    pub(super) fn feeds(&self, id: &NodeId) -> Vec<Output> {
        let edges = self.flow.edges.values().filter(|edge| edge.target == *id);
        edges.map(|edge| Output::new(&edge.source, edge.source_output.as_str())).collect()
    }

    /// Removes the first edge into a node that carries a value. Returns its ends.
    pub(super) fn take_data_feed(&mut self, id: &NodeId) -> Option<(Output, String)> {
        let is_data = |edge: &Edge| {
            edge.target == *id && !matches!(edge.target_input.as_str(), "context" | "tools" | "attach")
        };
        let found = self.flow.edges.iter().find(|(_, edge)| is_data(edge)).map(|(id, _)| id.clone())?;
        let edge = self.flow.edges.remove(&found)?;
        let from = Output::new(&edge.source, edge.source_output.as_str());
        Some((from, edge.target_input.as_str().to_owned()))
    }

    pub(super) fn node_type(&self, id: &NodeId) -> &str {
        self.flow.nodes.get(id).map_or("", |node| node.node_type.as_str())
    }

    /// The config of a node, to change it.
    pub(super) fn config(&mut self, id: &NodeId) -> Option<&mut Map<String, Value>> {
        self.flow.nodes.get_mut(id.as_str()).map(|node| &mut node.config)
    }

    pub(super) fn position(&self, id: &NodeId) -> Point {
        self.flow.layout.get(id).map_or_else(Point::default, |at| Point { x: at.x, y: at.y })
    }

    /// Adds the following nodes to a loop, until [`Self::leave`].
    pub(super) fn enter(&mut self, id: &NodeId) {
        self.parents.push(id.clone());
    }

    pub(super) fn leave(&mut self) {
        self.parents.pop();
    }

    /// The loop that nodes are added to.
    pub(super) fn current_loop(&self) -> Option<&NodeId> {
        self.parents.last()
    }

    pub(super) fn parent(&self, id: &NodeId) -> Option<NodeId> {
        self.flow.nodes.get(id)?.parent.clone()
    }

    /// Whether a node makes the context that recalls earlier runs.
    pub(super) fn has_main_context(&self) -> bool {
        self.flow.nodes.values().any(|node| node.config.get("contextId").is_some_and(|id| id == "main"))
    }

    /// How many nodes the flow has so far.
    pub(super) fn len(&self) -> usize {
        self.flow.nodes.len()
    }

    /// Retries a node after failures.
    pub(super) fn set_retry(&mut self, id: &NodeId, attempts: u32) {
        if let Some(node) = self.flow.nodes.get_mut(id.as_str()) {
            let attempts = attempts.clamp(1, 100);
            node.retry = Some(crate::flow::RetryPolicy { attempts, ..crate::flow::RetryPolicy::default() });
        }
    }

    fn unique_id(&mut self, title: &str, node_type: &str) -> NodeId {
        let base = slug(title).unwrap_or_else(|| slug(node_type).unwrap_or_else(|| "node".to_owned()));
        let mut id = base.clone();
        let mut count = 1;
        while !self.ids.insert(id.clone()) {
            count += 1;
            id = format!("{base}-{count}");
        }
        id.into()
    }

    /// The flow with its nodes arranged, and the report.
    pub(super) fn finish(mut self) -> (Flow, ImportReport) {
        for node in &mut self.report.nodes {
            if node.outcome == ImportOutcome::Lost && node.lost.is_empty() {
                node.lost.push("Nothing in the file uses it in a way that Plait has.".to_owned());
            }
        }
        arrange::arrange(&mut self.flow);
        (self.flow, self.report)
    }

    /// The ports of the edges that lead away from a node.
    pub(super) fn used_outputs(&self, id: &NodeId) -> BTreeMap<PortName, usize> {
        let mut used = BTreeMap::new();
        for edge in self.flow.edges.values().filter(|edge| edge.source == *id) {
            *used.entry(edge.source_output.clone()).or_default() += 1;
        }
        used
    }
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
