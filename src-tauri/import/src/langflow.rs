//! Reads flows of Langflow: components with fields that are set, or fed by edges.

mod components;
mod models;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::budget::Budget;
use super::builder::{FileEdge, FlowBuilder, Output};
use super::graph::{Graph, GraphEdge, GraphNode, text as text_of};
use super::loop_bodies::{LoopBody, innermost};
use super::settings::Settings;
use super::template::TemplateText;
use super::{check_size, wrong_shape};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_core::port::PortKind;
use plait_formats::foreign::Format;

/// Reads a flow, or the first one of an export.
pub(super) fn read(document: &Value, name: &str, budget: &Budget) -> Result<FlowBuilder, Fault> {
    let list = document.get("flows").and_then(Value::as_array).or_else(|| document.as_array());
    let more = list.map_or(0, |list| list.len().saturating_sub(1));
    let flow = list.and_then(|list| list.first()).unwrap_or(document);
    let data = flow.get("data").filter(|data| data.is_object()).unwrap_or(flow);
    let items = |key: &str| data.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (nodes, edges) = (items("nodes"), items("edges"));
    if nodes.is_empty() {
        return Err(wrong_shape(Format::Langflow, "it has no nodes"));
    }
    check_size(nodes.len(), edges.len())?;
    let fields: Vec<Value> = nodes.iter().map(fields_of).collect();
    let mut graph =
        Graph::new(nodes.iter().filter_map(read_node).collect(), edges.iter().map(read_edge).collect());
    enter_loops(&mut graph);
    let own = text_of(flow, "name").trim();
    let mut builder = FlowBuilder::new(Format::Langflow, if own.is_empty() { name } else { own }, budget);
    builder.set_description(text_of(flow, "description"));
    for node in &graph.nodes {
        builder.register(node.id, node.title, node.kind);
    }
    if more > 0 {
        builder.note(format!("The file has {more} more flows, which were not imported."));
    }
    let by_id =
        nodes.iter().zip(&fields).filter_map(|(node, fields)| Some((node.get("id")?.as_str()?, fields)));
    let mut reader = Reader {
        builder,
        graph: &graph,
        fields: by_id.collect(),
        outputs: HashMap::new(),
        templates: HashMap::new(),
    };
    reader.run();
    Ok(reader.builder)
}

fn read_node(json: &Value) -> Option<GraphNode<'_>> {
    let node = GraphNode::read(json)?;
    let kind = if text_of(json, "type") == "noteNode" { "note" } else { text_of(node.data, "type") };
    let component = node.data.get("node").unwrap_or(&Value::Null);
    Some(GraphNode { kind, title: GraphNode::or_kind(kind, text_of(component, "display_name")), ..node })
}

/// Handles are objects, also as text with `œ` for quotes. Old ones are texts: `TYPE|NODE|…`, and `TYPE|FIELD|NODE`.
fn read_edge(json: &Value) -> GraphEdge<'_> {
    let handle = |key: &str| -> Value {
        let inner = json.pointer(&format!("/data/{key}")).filter(|handle| handle.is_object()).cloned();
        inner.unwrap_or_else(|| {
            let text = text_of(json, key);
            let fields: Vec<&str> = text.split('|').collect();
            serde_json::from_str(&text.replace('œ', "\""))
                .unwrap_or_else(|_| json!({ "fieldName": fields.get(1).copied().unwrap_or_default() }))
        })
    };
    // An edge that leads back into a loop ends at one of its outputs, which has a name only.
    let target = handle("targetHandle");
    GraphEdge {
        source: text_of(json, "source"),
        target: text_of(json, "target"),
        output: text_of(&handle("sourceHandle"), "name").to_owned(),
        field: text_of(&target, if target.get("fieldName").is_some() { "fieldName" } else { "name" })
            .to_owned(),
    }
}

/// Puts nodes into the loops that repeat them: those on the way from the output `item` of a loop back to it.
fn enter_loops(graph: &mut Graph<'_>) {
    let count = graph.nodes.len();
    let targets = |start: usize, is_item: bool| {
        let edges = graph.outgoing(start).filter(|(edge, _)| (edge.output == ITEM) == is_item);
        edges.map(|(_, target)| target).collect()
    };
    let starts = (0..count).filter(|&at| graph.nodes[at].kind == LOOP);
    let bodies = starts.map(|start| {
        let next = |at| graph.outgoing(at).map(|(_, target)| target);
        LoopBody::find(start, count, (targets(start, true), targets(start, false)), next)
    });
    let loop_of = innermost(count, bodies.collect());
    for (at, start) in loop_of.into_iter().enumerate() {
        graph.nodes[at].parent = start.map(|start| graph.nodes[start].id);
    }
}

/// The component that repeats others for each item of a list, and its output for them, which is also the input of their results.
const LOOP: &str = "LoopComponent";
const ITEM: &str = "item";

/// The values of a component's fields, without code and secrets.
fn fields_of(node: &Value) -> Value {
    let template = node.pointer("/data/node/template").and_then(Value::as_object);
    let mut values = Map::new();
    for (name, field) in template.into_iter().flatten() {
        let is_secret = field.get("password").and_then(Value::as_bool) == Some(true);
        if name == "_type" || name == "code" || is_secret {
            continue;
        }
        if let Some(value) = field.get("value") {
            values.insert(name.clone(), value.clone());
        }
    }
    values.into()
}

struct Reader<'v> {
    builder: FlowBuilder,
    graph: &'v Graph<'v>,
    fields: HashMap<&'v str, &'v Value>,
    /// What each component makes, by the name of its output; empty for all others.
    outputs: HashMap<(usize, String), Output>,
    /// The texts of prompts, which become a part of their readers.
    templates: HashMap<usize, TemplateText>,
}

impl<'v> Reader<'v> {
    fn run(&mut self) {
        for at in self.graph.order() {
            if self.builder.budget().is_exceeded() {
                return;
            }
            let parent = self.graph.nodes[at].parent.and_then(|parent| self.graph.find(parent));
            let parent = parent.and_then(|parent| self.loop_node(parent));
            if let Some(parent) = &parent {
                self.builder.enter(parent);
            }
            self.component(at);
            if parent.is_some() {
                self.builder.leave();
            }
        }
        self.close_loops();
        for at in 0..self.graph.nodes.len() {
            if self.builder.has_outcome(self.graph.nodes[at].id) {
                continue;
            }
            // A prompt that nothing took as a part of itself.
            if self.templates.contains_key(&at) {
                self.output(at, "");
            } else {
                self.placeholder(at, "Nothing in the flow uses it.");
            }
        }
        let edge = |edge: &'v GraphEdge<'v>| FileEdge {
            source: edge.source,
            target: edge.target,
            label: &edge.field,
            lost: "No value passes along it that Plait's nodes read.",
        };
        self.builder.report_edges(&self.graph.edges.iter().map(edge).collect::<Vec<_>>());
    }

    /// The loop that a component became.
    fn loop_node(&self, at: usize) -> Option<NodeId> {
        let output = self.outputs.get(&(at, ITEM.to_owned()))?;
        (self.builder.node_type(&output.node) == "loop").then(|| output.node.clone())
    }

    /// Connects the ends of bodies to their loops.
    fn close_loops(&mut self) {
        let graph = self.graph;
        for (at, node) in graph.nodes.iter().enumerate() {
            let Some(id) = self.loop_node(at) else { continue };
            for (edge, source) in graph.incoming(at).filter(|(edge, _)| edge.field == ITEM) {
                if graph.nodes[source].parent == Some(node.id) {
                    self.builder.enter(&id);
                    let result = self.output(source, &edge.output);
                    self.builder.leave();
                    if let Some(result) = result {
                        self.builder.connect(&result, &id, "next");
                    }
                }
            }
        }
    }

    fn settings(&self, at: usize) -> Settings<'v> {
        Settings::new(self.fields.get(self.graph.nodes[at].id).copied().unwrap_or(&Value::Null))
    }

    /// What a component makes on one of its outputs. A prompt becomes a node of its own then.
    fn output(&mut self, at: usize, name: &str) -> Option<Output> {
        let known =
            self.outputs.get(&(at, name.to_owned())).or_else(|| self.outputs.get(&(at, String::new())));
        if let Some(output) = known {
            return Some(output.clone());
        }
        let template = self.builder.copy_template(self.templates.get(&at)?);
        let node = &self.graph.nodes[at];
        let id = self.builder.add_text(node.id, node.title, &template, node.at);
        let output = Output::new(&id, "text");
        self.set_output(at, "", output.clone());
        Some(output)
    }

    fn set_output(&mut self, at: usize, name: &str, output: Output) {
        self.outputs.insert((at, name.to_owned()), output);
    }

    /// The components that feed a field, with the names of their outputs.
    fn sources(&self, at: usize, field: &str) -> Vec<(usize, String)> {
        let graph = self.graph;
        let edges = graph.incoming(at).filter(|(edge, _)| edge.field == field);
        edges.map(|(edge, source)| (source, edge.output.clone())).collect()
    }

    /// What feeds a field.
    fn fed(&mut self, at: usize, field: &str) -> Option<Output> {
        let sources = self.sources(at, field);
        sources.into_iter().find_map(|(source, output)| self.output(source, &output))
    }

    /// A field as a template: that of the prompt which feeds it, the value that does, or the text that is set.
    fn field(&mut self, at: usize, settings: &Settings<'_>, field: &str) -> Option<TemplateText> {
        for (source, output) in self.sources(at, field) {
            let is_own_node = self.outputs.contains_key(&(source, String::new()));
            if let Some(template) = self.templates.get(&source).filter(|_| !is_own_node) {
                return Some(self.builder.copy_template(template));
            }
            if let Some(output) = self.output(source, &output) {
                return Some(TemplateText::of(field, &output, &[]));
            }
        }
        settings.text(&format!("/{field}")).map(TemplateText::constant)
    }

    /// Says that the prompts which feed a field are a part of a node.
    fn attach_prompts(&mut self, at: usize, field: &str, id: &NodeId) {
        for (source, _) in self.sources(at, field) {
            if self.templates.contains_key(&source) && !self.outputs.contains_key(&(source, String::new())) {
                self.builder.attach(self.graph.nodes[source].id, id);
            }
        }
    }

    /// A placeholder for a component, with all that is connected to it.
    fn placeholder(&mut self, at: usize, reason: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        // The code of a component is the same in each file, and can be many kilobytes.
        let mut original = node.json.clone();
        if let Some(template) = original.pointer_mut("/data/node/template").and_then(Value::as_object_mut)
            && !matches!(node.kind, "CustomComponent" | "PythonFunction" | "PythonREPLComponent")
        {
            template.remove("code");
        }
        let id = self.builder.add_placeholder(node.id, node.title, reason, &original, node.at);
        let port = if self.offers_tools(at) { "tools" } else { "out" };
        self.set_output(at, "", Output::new(&id, port));
        let edges: Vec<(usize, String, String)> = self
            .graph
            .incoming(at)
            .map(|(edge, source)| (source, edge.output.clone(), edge.field.clone()))
            .collect();
        for (source, output, field) in edges {
            let field = if field.is_empty() { "in".to_owned() } else { field };
            if let Some(output) = self.output(source, &output) {
                let kind = if output.port == "tools" { PortKind::Tools } else { PortKind::Data };
                self.builder.connect_as(&output, &id, &field, kind);
            }
        }
        id
    }

    /// A template as an output: the one it consists of, or that of a `text` node.
    fn text_output(&mut self, at: usize, what: &str, template: &TemplateText) -> Output {
        let node = &self.graph.nodes[at];
        self.builder.text_output(node.id, &format!("{}: {what}", node.title), template, node.at)
    }
}
