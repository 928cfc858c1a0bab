//! Reads chatflows and agentflows of Flowise. Chatflows are components that are plugged into each other; the nodes of an agentflow
//! follow each other, and read values by their names.

mod agentflow;
mod components;
mod conditions;
mod markdown;
mod messages;
mod text;
mod turns;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::budget::Budget;
use super::builder::{FileEdge, FlowBuilder, Output};
use super::chat_call::{Author, Model, named_provider};
use super::gate::run_after;
use super::graph::{Graph, GraphEdge, GraphNode, text as text_of};
use super::settings::Settings;
use super::template::TemplateText;
use super::{check_size, wrong_shape};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_core::port::PortKind;
use plait_formats::foreign::Format;

pub(super) fn read(document: &Value, name: &str, budget: &Budget) -> Result<FlowBuilder, Fault> {
    // Some exports hold the flow as text.
    let inner =
        document.get("flowData").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    let inner: Option<Value> = inner;
    let flow = inner.as_ref().unwrap_or(document);
    let list = |key: &str| flow.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (nodes, edges) = (list("nodes"), list("edges"));
    if nodes.is_empty() {
        return Err(wrong_shape(Format::Flowise, "it has no nodes"));
    }
    check_size(nodes.len(), edges.len())?;
    let graph =
        Graph::new(nodes.iter().filter_map(read_node).collect(), edges.iter().map(read_edge).collect());
    let own =
        ["name", "chatflowName"].into_iter().map(|key| text_of(document, key)).find(|name| !name.is_empty());
    let mut builder = FlowBuilder::new(Format::Flowise, own.unwrap_or(name), budget);
    builder.set_description(text_of(flow, "description"));
    for node in &graph.nodes {
        builder.register(node.id, node.title, node.kind);
    }
    let mut reader = Reader {
        builder,
        graph: &graph,
        outputs: HashMap::new(),
        question: None,
        form: None,
        state: HashMap::new(),
        said: HashMap::new(),
        steps: HashMap::new(),
        transcripts: HashMap::new(),
    };
    reader.run();
    Ok(reader.builder)
}

fn read_node(json: &Value) -> Option<GraphNode<'_>> {
    let node = GraphNode::read(json)?;
    let kind = text_of(node.data, "name");
    Some(GraphNode {
        kind,
        title: GraphNode::or_kind(kind, text_of(node.data, "label")),
        parent: Some(text_of(json, "parentNode")).filter(|parent| !parent.is_empty()),
        ..node
    })
}

/// Handles are `NODE-output-NAME-TYPES` and `NODE-input-NAME-TYPES`.
fn read_edge(json: &Value) -> GraphEdge<'_> {
    let (source, target) = (text_of(json, "source"), text_of(json, "target"));
    let part = |key: &str, node: &str, word: &str| {
        let handle = text_of(json, key);
        let rest = handle.strip_prefix(node).and_then(|rest| rest.strip_prefix(word)).unwrap_or_default();
        rest.split('-').next().unwrap_or_default().to_owned()
    };
    GraphEdge {
        source,
        target,
        output: part("sourceHandle", source, "-output-"),
        field: part("targetHandle", target, "-input-"),
    }
}

/// The settings of a node.
fn inputs_of<'v>(node: &GraphNode<'v>) -> &'v Value {
    node.data.get("inputs").unwrap_or(&Value::Null)
}

struct Reader<'v> {
    builder: FlowBuilder,
    graph: &'v Graph<'v>,
    /// What each node makes, by the name or the number of its output; empty for all others.
    outputs: HashMap<(usize, String), Output>,
    question: Option<Output>,
    form: Option<Output>,
    /// The values of an agentflow's state, as they were set last.
    state: HashMap<String, (Output, Vec<String>)>,
    /// What was said last up to each node of an agentflow: on each way that leads to it, one.
    said: HashMap<usize, Vec<Output>>,
    /// What the nodes of an agentflow became.
    steps: HashMap<usize, NodeId>,
    /// The messages of an agentflow after each node; none where it depends on the way that was taken.
    transcripts: HashMap<usize, Option<Transcript>>,
}

/// The output of an iteration that is its loop.
const LOOP: &str = "loop";

type Message = (Author, TemplateText);
/// Messages, in their order.
type Transcript = Vec<Message>;

impl<'v> Reader<'v> {
    fn run(&mut self) {
        for at in self.graph.order() {
            if self.builder.budget().is_exceeded() {
                return;
            }
            let node = &self.graph.nodes[at];
            let parent = node.parent.and_then(|parent| self.graph.find(parent));
            let parent = parent.and_then(|parent| self.output(parent, LOOP)).map(|output| output.node);
            let parent = parent.filter(|id| self.builder.node_type(id) == "loop");
            if let Some(parent) = &parent {
                self.builder.enter(parent);
            }
            let settings = Settings::new(inputs_of(node));
            if node.kind.ends_with("Agentflow") {
                self.step(at, &settings);
            } else {
                self.component(at, &settings);
            }
            if parent.is_some() {
                self.builder.leave();
            }
        }
        self.close_iterations();
        self.take_turns();
        for at in 0..self.graph.nodes.len() {
            if !self.builder.has_outcome(self.graph.nodes[at].id) {
                self.placeholder(at, "Nothing in the flow uses it.");
            }
        }
        // A chatflow has no start: its edges bring parts together.
        for at in self.graph.unreached(|node| node.kind == "startAgentflow") {
            self.builder.never_started(self.graph.nodes[at].id);
        }
        let edge = |edge: &'v GraphEdge<'v>| {
            let label = if edge.field.is_empty() { &edge.output } else { &edge.field };
            FileEdge {
                source: edge.source,
                target: edge.target,
                label: if label.contains("Agentflow") { "" } else { label },
                lost: "No value passes along it that Plait's nodes read.",
            }
        };
        self.builder.report_edges(&self.graph.edges.iter().map(edge).collect::<Vec<_>>());
    }

    /// What a node makes on one of its outputs.
    fn output(&self, at: usize, name: &str) -> Option<Output> {
        let of = |name: &str| self.outputs.get(&(at, name.to_owned())).cloned();
        of(name).or_else(|| of(""))
    }

    fn set_output(&mut self, at: usize, name: &str, output: Output) {
        self.outputs.insert((at, name.to_owned()), output);
    }

    /// What the person says.
    fn question(&mut self, at: usize) -> Output {
        if let Some(question) = &self.question {
            return question.clone();
        }
        let node = &self.graph.nodes[at];
        let id = self.builder.add_outside(
            node.id,
            "Question",
            "manualInput",
            json!({}),
            node.at.beside(-2.0, 0.0),
        );
        let output = Output::new(&id, "value");
        self.question = Some(output.clone());
        output
    }

    /// A placeholder for a node, with all that is connected to it.
    fn placeholder(&mut self, at: usize, reason: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let id = self.builder.add_placeholder(node.id, node.title, reason, node.json, node.at);
        self.set_output(at, "", Output::new(&id, "out"));
        let sources: Vec<(usize, String, String)> = self
            .graph
            .incoming(at)
            .map(|(edge, source)| (source, edge.output.clone(), edge.field.clone()))
            .collect();
        for (source, output, field) in sources {
            let field = if field.is_empty() { "in".to_owned() } else { field };
            if let Some(output) = self.output(source, &output) {
                let is_tool = output.port == "tools";
                let kind = if is_tool { PortKind::Tools } else { PortKind::Data };
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

    fn note(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let text = settings.text("/note").unwrap_or_default();
        let id = self.builder.add(node.id, "", "note", json!({ "text": text }), node.at);
        let size = |key: &str| node.json.get(key).and_then(Value::as_f64);
        self.builder.resize(&id, size("width").unwrap_or(240.0), size("height").unwrap_or(160.0));
    }

    /// Makes a node wait for those before it, and says what of its settings was not read.
    fn finish_step(&mut self, at: usize, settings: &Settings<'_>, id: &NodeId, branches: &[Output]) {
        let node = &self.graph.nodes[at];
        if self.builder.is_placeholder(id) {
            return;
        }
        run_after(&mut self.builder, id, branches);
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.id, unread);
        }
    }
}

/// Reads the settings of a model by the name of its node.
fn read_model(kind: &str, settings: &Settings<'_>, at: &str) -> Model {
    let vendor = kind.trim_start_matches("chat").trim_end_matches("Chat");
    let mut model = Model { provider: named_provider(vendor), ..Model::default() };
    let text = |key: &str| settings.text(&format!("{at}/{key}"));
    let number = |key: &str| settings.number(&format!("{at}/{key}"));
    model.name =
        text("customModelName").or_else(|| text("modelName")).or_else(|| text("model")).map(str::to_owned);
    settings.ignore(&format!("{at}/modelName"));
    model.set_temperature(number("temperature"));
    model.max_tokens = ["maxTokens", "maxTokensToSample", "maxOutputTokens"]
        .iter()
        .find_map(|key| number(key))
        .filter(|&count| count > 0.0);
    for (key, name) in [
        ("topP", "top_p"),
        ("topK", "top_k"),
        ("frequencyPenalty", "frequency_penalty"),
        ("presencePenalty", "presence_penalty"),
        ("reasoningEffort", "reasoning_effort"),
    ] {
        let value = number(key).map(Value::from).or_else(|| text(key).map(Value::from));
        model.set_option(name, value);
    }
    for key in [
        "cache",
        "streaming",
        "imageResolution",
        "allowImageUploads",
        "timeout",
        "credential",
        "FLOWISE_CREDENTIAL_ID",
        "keepAlive",
        "budgetTokens",
        "basepath",
        "baseUrl",
        "llmModel",
        "agentModel",
        "conditionAgentModel",
    ] {
        if matches!(key, "basepath" | "baseUrl") && text(key).is_some() {
            model.lost.push("The model's address: set up a provider with it.".to_owned());
        }
        settings.ignore(&format!("{at}/{key}"));
    }
    model
}
