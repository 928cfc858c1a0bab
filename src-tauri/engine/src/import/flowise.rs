//! Reads chatflows and agentflows of Flowise. Chatflows are components that are plugged into each other; the nodes of an agentflow
//! follow each other, and read values by their names.

mod agentflow;
mod components;
mod text;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::draft::{Draft, Output, PLACEHOLDER};
use super::gate::run_after;
use super::graph::{Graph, GraphEdge, GraphNode, point, text as text_of};
use super::model_call::{Model, provider_name};
use super::settings::Settings;
use super::template::TemplateText;
use super::{Format, check_size, wrong_shape};
use crate::error::Fault;
use crate::id::NodeId;
use crate::port::PortKind;

/// Reads a flow.
pub(super) fn read(document: &Value, name: &str) -> Result<Draft, Fault> {
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
    let mut draft = Draft::new(Format::Flowise, own.unwrap_or(name));
    draft.set_description(text_of(flow, "description"));
    for node in &graph.nodes {
        draft.register(node.id, node.title, node.kind);
    }
    let mut reader = Reader {
        draft,
        graph: &graph,
        outputs: HashMap::new(),
        question: None,
        form: None,
        state: HashMap::new(),
        last: None,
    };
    reader.run();
    Ok(reader.draft)
}

fn read_node(json: &Value) -> Option<GraphNode<'_>> {
    let data = json.get("data").unwrap_or(&Value::Null);
    let title = text_of(data, "label");
    Some(GraphNode {
        id: json.get("id")?.as_str()?,
        kind: text_of(data, "name"),
        title: if title.is_empty() { text_of(data, "name") } else { title },
        parent: Some(text_of(json, "parentNode")).filter(|parent| !parent.is_empty()),
        json,
        at: point(json.get("positionAbsolute").or_else(|| json.get("position"))),
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

struct Reader<'v> {
    draft: Draft,
    graph: &'v Graph<'v>,
    /// What each node makes, by the name or the number of its output; empty for all others.
    outputs: HashMap<(usize, String), Output>,
    question: Option<Output>,
    form: Option<Output>,
    /// The values of an agentflow's state, as they were set last.
    state: HashMap<String, (Output, Vec<String>)>,
    /// The last node of an agentflow.
    last: Option<Output>,
}

impl Reader<'_> {
    fn run(&mut self) {
        for at in self.graph.order() {
            let node = &self.graph.nodes[at];
            let parent = node.parent.and_then(|parent| self.graph.find(parent));
            let parent = parent.and_then(|parent| self.output(parent, "")).map(|output| output.node);
            let parent = parent.filter(|id| self.draft.node_type(id) == "loop");
            if let Some(parent) = &parent {
                self.draft.enter(parent);
            }
            let settings = Settings::new(node.json.pointer("/data/inputs").unwrap_or(&Value::Null));
            if node.kind.ends_with("Agentflow") {
                self.step(at, &settings);
            } else {
                self.component(at, &settings);
            }
            if parent.is_some() {
                self.draft.leave();
            }
        }
        self.close_iterations();
        for at in 0..self.graph.nodes.len() {
            if !self.draft.has_outcome(self.graph.nodes[at].id) {
                self.placeholder(at, "Nothing in the flow uses it.");
            }
        }
        for edge in &self.graph.edges {
            let label = if edge.field.is_empty() { &edge.output } else { &edge.field };
            let label = if label.contains("Agentflow") { "" } else { label };
            if self.graph.find(edge.source).is_none() || self.graph.find(edge.target).is_none() {
                self.draft.lose_edge(
                    edge.source,
                    edge.target,
                    label,
                    "The file has no node of one of these ids.",
                );
            } else if self.draft.are_connected(edge.source, edge.target)
                || self.draft.is_followed_by(edge.source, edge.target)
            {
                self.draft.keep_edge(edge.source, edge.target, label);
            } else {
                let reason = "No value passes along it that Plait's nodes read.";
                self.draft.lose_edge(edge.source, edge.target, label, reason);
            }
        }
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
        let id =
            self.draft.add_outside(node.id, "Question", "manualInput", json!({}), node.at.beside(-2.0, 0.0));
        let output = Output::new(&id, "value");
        self.question = Some(output.clone());
        output
    }

    /// A placeholder for a node, with all that is connected to it.
    fn placeholder(&mut self, at: usize, reason: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let id = self.draft.add_placeholder(node.id, node.title, reason, node.json, node.at);
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
                self.draft.connect_as(&output, &id, &field, kind);
            }
        }
        id
    }

    /// Reads the settings of a model by the name of its node.
    fn read_model(&mut self, kind: &str, settings: &Settings<'_>, at: &str) -> Model {
        let vendor = kind.trim_start_matches("chat").trim_end_matches("Chat");
        let mut model = Model { provider: Some(provider_name(vendor)), ..Model::default() };
        let text = |key: &str| settings.text(&format!("{at}/{key}"));
        let number = |key: &str| settings.number(&format!("{at}/{key}"));
        model.name = text("customModelName")
            .or_else(|| text("modelName"))
            .or_else(|| text("model"))
            .map(str::to_owned);
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

    /// A template as an output: the one it consists of, or that of a `text` node.
    fn text_output(&mut self, at: usize, what: &str, template: &TemplateText) -> Output {
        if let Some(output) = template.single_output() {
            return output.clone();
        }
        let node = &self.graph.nodes[at];
        let title = format!("{}: {what}", node.title);
        let config = json!({ "template": template.source() });
        let id = self.draft.add(node.id, &title, "text", config, node.at.beside(-0.5, 1.0));
        self.draft.feed(template, &id);
        Output::new(&id, "text")
    }

    /// Makes a node wait for those before it, and says what of its settings was not read.
    fn finish_step(&mut self, at: usize, settings: &Settings<'_>, id: &NodeId, branches: &[Output]) {
        let node = &self.graph.nodes[at];
        if self.draft.node_type(id) == PLACEHOLDER {
            return;
        }
        run_after(&mut self.draft, node.id, id, branches);
        if let Some(unread) = settings.unread() {
            self.draft.lose(node.id, unread);
        }
    }
}
