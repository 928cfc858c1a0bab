//! Reads projects of Rivet. The main graph becomes the flow; graphs that it calls become flows inside of `subflow` nodes.

mod chat;
mod graph_ports;
mod nodes;
mod project;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::budget::Budget;
use super::builder::{FileEdge, FlowBuilder, Output, has_input};
use super::chat_call::Author;
use super::program::with_headline;
use super::settings::Settings;
use super::template::TemplateText;
use super::{MAX_NESTING_DEPTH, wrong_shape};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_core::port::PortKind;
use plait_formats::foreign::{Format, OtherGraph};
use project::{Project, RivetEdge, RivetGraph};

/// Reads a project. The flow is the graph of this id or name; without one, the main graph.
pub(super) fn read(
    document: &Value,
    name: &str,
    graph: Option<&str>,
    budget: &Budget,
) -> Result<FlowBuilder, Fault> {
    let project = Project::read(document)?;
    let main = match graph {
        Some(graph) => project.named(graph)?,
        None => project.main().ok_or_else(|| wrong_shape(Format::Rivet, "it has no graphs"))?,
    };
    let name = match graph {
        Some(_) => project.graphs[main].name,
        None if project.title.trim().is_empty() => name,
        None => project.title,
    };
    let mut builder = FlowBuilder::new(Format::Rivet, name, budget);
    builder.set_description(project.description);
    let called = project.called_from([main]);
    for graph in project.graphs.iter().enumerate().filter_map(|(at, graph)| called[at].then_some(graph)) {
        for node in &graph.nodes {
            builder.register(&node.key, node.title, node.kind);
        }
    }
    let mut reader = Reader::new(builder, &project, main, &[], Vec::new());
    reader.run();
    let Reader { mut builder, nested, .. } = reader;
    for (at, graph) in project.graphs.iter().enumerate() {
        // One that could not be read inside of its caller.
        if called[at] && at != main && !nested.contains(&at) {
            let reason = format!("What calls the graph `{}` is a placeholder.", graph.name);
            for node in &graph.nodes {
                builder.lose(&node.key, reason.clone());
            }
            for edge in &graph.edges {
                builder.lose_edge(&graph.key(edge.source), &graph.key(edge.target), &edge.input, &reason);
            }
        }
    }
    let others = project.roots_without(&called).into_iter().map(|at| {
        let graph = &project.graphs[at];
        OtherGraph { id: graph.id.to_owned(), name: graph.name.to_owned(), nodes: graph.nodes.len() }
    });
    builder.set_other_graphs(others.collect());
    Ok(builder)
}

/// Nodes with outputs that may be excluded.
const BRANCHES: [&str; 6] = ["if", "ifElse", "match", "extractJson", "extractRegex", "extractObjectPath"];

/// A value: an output, and where in it.
type Place = (Output, Vec<String>);

struct Reader<'v> {
    builder: FlowBuilder,
    project: &'v Project<'v>,
    graph: &'v RivetGraph<'v>,
    /// The graphs that lead to this one, and itself.
    callers: Vec<usize>,
    /// The inputs that the node which calls this graph feeds.
    given: Vec<String>,
    /// What each node makes, by the name of its output; empty for all others.
    values: HashMap<(usize, String), Place>,
    /// Values that may be lists, as texts.
    texts: HashMap<Place, Place>,
    /// What prompts say.
    messages: HashMap<usize, Vec<(Author, TemplateText)>>,
    /// The inputs of the graph, by their ids.
    inputs: BTreeMap<String, Output>,
    /// The nodes that show its outputs.
    outputs: BTreeMap<String, NodeId>,
    /// The graphs that were read inside of this one.
    nested: Vec<usize>,
    has_text_input: bool,
}

impl<'v> Reader<'v> {
    fn new(
        builder: FlowBuilder,
        project: &'v Project<'v>,
        graph: usize,
        callers: &[usize],
        given: Vec<String>,
    ) -> Self {
        Self {
            builder,
            project,
            graph: &project.graphs[graph],
            callers: callers.iter().copied().chain([graph]).collect(),
            given,
            values: HashMap::new(),
            texts: HashMap::new(),
            messages: HashMap::new(),
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            nested: Vec::new(),
            has_text_input: false,
        }
    }

    fn run(&mut self) {
        for at in self.graph.order() {
            if self.builder.budget().is_exceeded() {
                return;
            }
            let node = &self.graph.nodes[at];
            let settings = Settings::new(node.data);
            self.node(at, &settings);
        }
        // What assembles messages stands before the prompts that it takes in.
        for at in self.graph.order().into_iter().rev() {
            let key = &self.graph.nodes[at].key;
            if !self.builder.has_outcome(key) && self.messages.contains_key(&at) {
                self.value(at, "output");
            }
        }
        let graph = self.graph;
        let edge = |edge: &'v RivetEdge| FileEdge {
            source: &graph.nodes[edge.source].key,
            target: &graph.nodes[edge.target].key,
            label: &edge.input,
            lost: "No value passes along it that Plait's nodes read, or it closes a cycle.",
        };
        self.builder.report_edges(&graph.edges.iter().map(edge).collect::<Vec<_>>());
        for (at, node) in graph.nodes.iter().enumerate() {
            let mut names: Vec<&str> = graph.outgoing(at).map(|edge| edge.output.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let place = self.values.get(&(at, name.to_owned()));
                if let Some((output, path)) = place.or_else(|| self.values.get(&(at, String::new()))) {
                    self.builder.place_output(&node.key, name, (output, path));
                }
            }
        }
    }

    /// What a node makes on one of its outputs. A prompt becomes a node of its own then.
    fn value(&mut self, at: usize, output: &str) -> Option<Place> {
        let known =
            self.values.get(&(at, output.to_owned())).or_else(|| self.values.get(&(at, String::new())));
        if let Some(place) = known {
            return Some(place.clone());
        }
        let messages = self.messages_of(at)?;
        let mut template = TemplateText::default();
        for (index, (_, text)) in messages.iter().enumerate() {
            if index > 0 {
                template.push_text("\n\n");
            }
            template.push(text);
        }
        let node = &self.graph.nodes[at];
        let id = self.builder.add_text(&node.key, node.title, &template, node.at);
        if messages.len() > 1 {
            self.builder.lose(
                &node.key,
                "Its messages, as a value, are one text: who says each of them is left out.",
            );
        }
        self.attach_parts(at, &id);
        let place = (Output::new(&id, "text"), Vec::new());
        self.values.insert((at, String::new()), place.clone());
        Some(place)
    }

    /// A copy of what a prompt says.
    fn messages_of(&self, at: usize) -> Option<Vec<(Author, TemplateText)>> {
        let copy = |(author, text): &(Author, TemplateText)| (*author, self.builder.copy_template(text));
        Some(self.messages.get(&at)?.iter().map(copy).collect())
    }

    fn set(&mut self, at: usize, output: &str, value: Output) {
        self.values.insert((at, output.to_owned()), (value, Vec::new()));
    }

    /// What feeds an input of a node.
    fn fed(&mut self, at: usize, input: &str) -> Option<Place> {
        let graph = self.graph;
        let edge = graph.edges_into(at, input).next()?;
        self.value(edge.source, &edge.output)
    }

    /// The same as an output of its own.
    fn fed_output(&mut self, at: usize, input: &str) -> Option<Output> {
        let place = self.fed(at, input)?;
        Some(self.field(at, &place))
    }

    /// The inputs of a node that are fed, by name.
    fn fed_inputs(&mut self, at: usize) -> Vec<(String, Output)> {
        let graph = self.graph;
        let mut names: Vec<&str> = graph.incoming(at).map(|edge| edge.input.as_str()).collect();
        names
            .sort_by_key(|name| (name.trim_end_matches(|one: char| one.is_ascii_digit()), name.len(), *name));
        names.dedup();
        names.into_iter().filter_map(|name| Some((name.to_owned(), self.fed_output(at, name)?))).collect()
    }

    fn field(&mut self, at: usize, (output, path): &Place) -> Output {
        let node = &self.graph.nodes[at];
        self.builder.field_output(&node.key, (output, path), node.at)
    }

    /// A text with `{{name}}`, each an input of the node.
    fn template(&mut self, at: usize, text: &str) -> TemplateText {
        let mut template = TemplateText::default();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else { break };
            template.push_text(&rest[..start]);
            let whole = rest[start + 2..start + length].trim();
            let (name, chain) = whole.split_once('|').unwrap_or((whole, ""));
            let name = name.trim();
            let graph_input = name.strip_prefix("@graphInputs.").and_then(|id| self.inputs.get(id));
            let place = graph_input.map(|output| (output.clone(), Vec::new()));
            if let Some(place) = place.or_else(|| self.fed(at, name)) {
                let (output, path) = if chain.is_empty() {
                    self.as_text(at, name, place)
                } else {
                    self.processed(at, (name, chain), &place)
                };
                template.push_value(name.trim_start_matches("@graphInputs."), &output, &path);
            } else {
                // A variable that nothing feeds is empty in Rivet.
                let short: String = name.chars().take(100).collect();
                let lost = format!("Nothing feeds `{{{{{short}}}}}`; it is empty.");
                self.builder.lose(&self.graph.nodes[at].key, lost);
            }
            rest = &rest[start + length + 2..];
        }
        template.push_text(rest);
        template
    }

    /// A value as Rivet writes it into a text: of a list, each item is a line.
    fn as_text(&mut self, at: usize, name: &str, place: Place) -> Place {
        if !self.may_be_list(at, name) {
            return place;
        }
        let objects = ["object", "extractJson", "extractObjectPath", "code", "subGraph"];
        if self.graph.edges_into(at, name).any(|edge| objects.contains(&self.graph.nodes[edge.source].kind)) {
            self.builder.lose_order_of_fields(&self.graph.nodes[at].key);
        }
        if let Some(text) = self.texts.get(&place) {
            return text.clone();
        }
        let value = self.field(at, &place);
        let node = &self.graph.nodes[at];
        let title = format!("{}: {name} as text", node.title);
        let config = json!({ "code": with_headline("text(input)", &format!("{}return text(input);", values::RUNTIME)) });
        let id = self.builder.add(&node.key, &title, "code", config, node.at.beside(-0.5, 1.0));
        self.builder.connect(&value, &id, "input");
        let text = (Output::new(&id, "result"), Vec::new());
        self.texts.insert(place, text.clone());
        text
    }

    /// A value as a text that functions change, such as `trim | indent 2`.
    fn processed(&mut self, at: usize, (name, chain): (&str, &str), place: &Place) -> Place {
        let value = self.field(at, place);
        let node = &self.graph.nodes[at];
        let code = format!(
            "{}{}return processed(text(input), {});",
            values::RUNTIME,
            values::INTERPOLATION,
            json!(chain)
        );
        let title = format!("{}: {name}", node.title);
        let place = node.at.beside(-0.5, 1.0);
        let id = self.builder.add(
            &node.key,
            &title,
            "code",
            json!({ "code": with_headline(chain, &code) }),
            place,
        );
        self.builder.connect(&value, &id, "input");
        (Output::new(&id, "result"), Vec::new())
    }

    /// Whether what feeds an input may be a list.
    fn may_be_list(&self, at: usize, input: &str) -> bool {
        let mut open: Vec<&RivetEdge> = self.graph.edges_into(at, input).collect();
        let mut seen = HashSet::new();
        while let Some(edge) = open.pop() {
            let node = &self.graph.nodes[edge.source];
            match node.kind {
                "text" | "prompt" | "chat" | "join" | "toJson" | "number" | "boolean" | "userInput"
                | "evaluate" | "compare" | "httpCall" | "readFile" => {}
                "if" | "ifElse" | "match" | "coalesce" | "raceInputs" | "passthrough" | "delay" => {
                    if seen.insert(edge.source) {
                        open.extend(self.graph.incoming(edge.source));
                    }
                }
                "extractRegex" if edge.output != "matches" => {}
                "graphInput" => {
                    let kind = node.data.get("dataType").and_then(Value::as_str).unwrap_or("string");
                    if kind == "any" || kind.ends_with("[]") {
                        return true;
                    }
                }
                _ => return true,
            }
        }
        false
    }

    /// Adds a node that makes one value.
    fn add(&mut self, at: usize, node_type: &str, config: Value, output: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let id = self.builder.add(&node.key, node.title, node_type, config, node.at);
        self.set(at, "", Output::new(&id, output));
        id
    }

    /// All fed inputs of a node as one object.
    fn object(&mut self, at: usize) -> Option<Output> {
        let values = self.fed_inputs(at);
        if values.is_empty() {
            return None;
        }
        let node = &self.graph.nodes[at];
        let names: Vec<&String> = values.iter().map(|(name, _)| name).collect();
        let title = format!("{}: values", node.title);
        let config = json!({ "names": names });
        let id = self.builder.add(&node.key, &title, "join", config, node.at.beside(-0.5, 1.0));
        for (name, output) in &values {
            self.builder.connect(output, &id, name);
        }
        let object = Output::new(&id, "object");
        let branches = |node: &project::RivetNode<'_>| BRANCHES.contains(&node.kind);
        // These go on with an input that is excluded.
        let is_complete = matches!(node.kind, "if" | "ifElse" | "coalesce");
        if is_complete || names.len() < 2 || !self.graph.nodes.iter().any(branches) {
            return Some(object);
        }
        // In Rivet, a node with an excluded input is excluded.
        let tests: Vec<String> = names.iter().map(|name| format!("has({})", json!(name))).collect();
        let config = json!({ "query": format!("select({})", tests.join(" and ")) });
        let title = format!("{}: complete", node.title);
        let complete = self.builder.add(&node.key, &title, "json", config, node.at.beside(-0.5, 2.0));
        self.builder.connect(&object, &complete, "value");
        Some(Output::new(&complete, "result"))
    }

    fn placeholder(&mut self, at: usize, reason: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let id = self.builder.add_placeholder(&node.key, node.title, reason, node.json, node.at);
        for (name, output) in self.fed_inputs(at) {
            let kind = if output.port == "tools" { PortKind::Tools } else { PortKind::Data };
            self.builder.connect_as(&output, &id, &name, kind);
        }
        let graph = self.graph;
        let is_tool = graph.outgoing(at).any(|edge| edge.input == "functions");
        if is_tool {
            self.set(at, "", Output::new(&id, "tools"));
            return id;
        }
        self.set(at, "", Output::new(&id, "out"));
        for edge in graph.outgoing(at) {
            self.set(at, &edge.output, Output::new(&id, &edge.output));
        }
        id
    }

    /// Another graph of the project, as a flow inside of a node.
    fn sub_graph(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let found = settings.text("/graphId").and_then(|id| self.project.find(id));
        let Some(graph) = found.filter(|graph| !self.callers.contains(graph)) else {
            self.placeholder(at, "The graph that it calls is not in the project, or calls itself.");
            return;
        };
        // Graphs that call others several times would multiply.
        let count = self.project.graphs[graph].nodes.len();
        if self.callers.len() > MAX_NESTING_DEPTH || !self.builder.budget().take_nodes(count) {
            self.placeholder(
                at,
                "The graphs that are nested in it have too many nodes, or are nested too deeply.",
            );
            return;
        }
        settings.ignore_all(&["/useAsGraphPartialOutput", "/useErrorOutput", "/inputData"]);
        let inner = &self.project.graphs[graph];
        let mut builder = FlowBuilder::new(Format::Rivet, inner.name, self.builder.budget());
        for node in &inner.nodes {
            builder.register(&node.key, node.title, node.kind);
        }
        let values = self.fed_inputs(at);
        let given = values.iter().map(|(name, _)| name.clone()).collect();
        let mut reader = Reader::new(builder, self.project, graph, &self.callers, given);
        reader.run();
        let Reader { builder, inputs, outputs, nested, .. } = reader;
        let Ok((flow, report)) = builder.finish() else { return };
        let mapping: Vec<Value> = values
            .iter()
            .filter_map(|(name, _)| {
                Some(json!({ "from": call_port(name), "to": format!("{}.value", inputs.get(name)?.node) }))
            })
            .collect();
        let flow = serde_json::to_value(flow).unwrap_or_default();
        let config = json!({ "flow": flow, "inputSource": "mapping", "mapping": mapping });
        let id = self.builder.add(&node.key, node.title, "subflow", config, node.at);
        for (name, output) in values.iter().filter(|(name, _)| inputs.contains_key(name)) {
            self.builder.connect(output, &id, &call_port(name));
        }
        let result = Output::new(&id, "result");
        for (name, output) in outputs {
            let path = vec![output.to_string(), "value".to_owned()];
            self.values.insert((at, name), (result.clone(), path));
        }
        self.set(at, "", result);
        // A graph that is called several times has its edges in the report once.
        let known: Vec<String> =
            self.nested.iter().map(|&graph| format!("{}/", self.project.graphs[graph].id)).collect();
        self.builder.adopt(report, &id, |edge| !known.iter().any(|graph| edge.source.starts_with(graph)));
        self.nested.push(graph);
        self.nested.extend(nested);
    }
}

/// The input of a `subflow` node that feeds the input of a graph. Some names are those of its other inputs.
fn call_port(input: &str) -> Cow<'_, str> {
    if has_input("subflow", input) { Cow::Owned(format!("{input}-value")) } else { Cow::Borrowed(input) }
}
