//! Reads flows of Prompt Flow: a `flow.dag.yaml` with templates and programs in files beside it. Nodes have no edges there: they read
//! inputs of the flow and outputs of other nodes.

mod graph;
mod inputs;
mod messages;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::budget::Budget;
use super::builder::{FileEdge, FlowBuilder, Output};
use super::chat_call::{Author, ChatCall, Memory, Model, provider_name};
use super::gate::run_after;
use super::graph::text as text_of;
use super::jinja;
use super::point::Point;
use super::settings::Settings;
use super::template::TemplateText;
use super::ways::{ProgramInputs, add_ways};
use super::{check_size, too_many_nodes, wrong_shape};
use graph::{DagNode, Reference};
use inputs::input_id;
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_formats::foreign::Format;

/// The files that its nodes are written in, relative to its folder.
pub(super) fn files(document: &Value) -> Vec<String> {
    let mut files: Vec<String> =
        read_nodes(document).iter().filter_map(DagNode::file).map(|file| file.replace('\\', "/")).collect();
    files.sort();
    files.dedup();
    files
}

fn read_nodes(document: &Value) -> Vec<DagNode<'_>> {
    let variants = document.get("node_variants").unwrap_or(&Value::Null);
    let nodes = document.get("nodes").and_then(Value::as_array).into_iter().flatten();
    nodes.filter_map(|node| DagNode::read(node, variants)).collect()
}

/// Reads a flow. `files` has the texts of the files beside it.
pub(super) fn read(
    document: &Value,
    name: &str,
    files: &BTreeMap<String, String>,
    budget: &Budget,
) -> Result<FlowBuilder, Fault> {
    let nodes = read_nodes(document);
    if nodes.is_empty() {
        return Err(wrong_shape(Format::PromptFlow, "it has no nodes"));
    }
    let edges = nodes.iter().map(|node| node.references().count()).sum();
    check_size(nodes.len(), edges)?;
    if !budget.take_nodes(nodes.len()) {
        return Err(too_many_nodes());
    }
    let mut builder = FlowBuilder::new(Format::PromptFlow, name, budget);
    for (name, _) in fields(document, "inputs") {
        builder.register(&input_id(name), name, "input");
    }
    for node in &nodes {
        if !builder.register(node.name, node.name, node.kind) {
            builder.note(format!("Two nodes are called `{}`; others read the last one.", node.name));
        }
    }
    for (name, _) in fields(document, "outputs") {
        builder.register(&output_id(name), name, "output");
    }
    for (key, lost) in [
        ("environment", "Its Python packages were left out."),
        ("environment_variables", "Its environment variables were left out."),
    ] {
        if document.get(key).is_some_and(|value| !value.is_null()) {
            builder.note(lost);
        }
    }
    let mut reader = Reader {
        builder,
        document,
        nodes: &nodes,
        files,
        inputs: HashMap::new(),
        histories: Vec::new(),
        outputs: HashMap::new(),
        conditional: HashSet::new(),
    };
    reader.run();
    Ok(reader.builder)
}

fn fields<'v>(document: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    document.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn output_id(name: &str) -> String {
    format!("outputs.{name}")
}

struct Reader<'v> {
    builder: FlowBuilder,
    document: &'v Value,
    nodes: &'v [DagNode<'v>],
    files: &'v BTreeMap<String, String>,
    /// What gives each input of the flow.
    inputs: HashMap<&'v str, Output>,
    /// The inputs with the earlier turns of a chat.
    histories: Vec<&'v str>,
    /// What each node gives.
    outputs: HashMap<&'v str, Output>,
    /// The nodes that may not run.
    conditional: HashSet<&'v str>,
}

impl<'v> Reader<'v> {
    fn declared_inputs(&self) -> Vec<(&'v String, &'v Value)> {
        fields(self.document, "inputs").collect()
    }

    fn run(&mut self) {
        self.inputs();
        let mut rows: HashMap<usize, u32> = HashMap::new();
        for (at, depth) in graph::ordered(self.nodes) {
            if self.builder.budget().is_exceeded() {
                return;
            }
            let row = rows.entry(depth).or_default();
            let place = Point::default()
                .beside(f64::from(u32::try_from(depth).unwrap_or(u32::MAX)) * 2.0, f64::from(*row) * 3.0);
            *row += 1;
            self.node(at, place);
        }
        for (row, (name, output)) in (0_u32..).zip(fields(self.document, "outputs")) {
            self.output(name, output, Point::default().beside(20.0, f64::from(row)));
        }
        self.report_edges();
    }

    fn node(&mut self, at: usize, place: Point) {
        let node = &self.nodes[at];
        let settings = Settings::new(node.json);
        settings.ignore_all(&[
            "/name",
            "/type",
            "/source",
            "/use_variants",
            "/activate",
            "/module",
            "/connection",
        ]);
        let made = match node.kind {
            _ if node.json.get("aggregation") == Some(&Value::Bool(true)) => self.placeholder(
                at,
                place,
                "It works on the results of all lines of a batch; a run of Plait is one.",
            ),
            "llm" => self.llm(at, &settings, place),
            "prompt" => {
                settings.ignore("/inputs");
                self.prompt(at, place)
            }
            "python" => self.placeholder(at, place, "It runs Python; Plait runs JavaScript (`code`)."),
            _ => self.placeholder(at, place, "Plait has no node for this tool."),
        };
        if !self.builder.is_placeholder(&made)
            && let Some(unread) = settings.unread()
        {
            self.builder.lose(node.name, unread);
        }
        if !node.other_variants.is_empty() {
            let names: Vec<String> = node.other_variants.iter().map(|name| format!("`{name}`")).collect();
            self.builder.lose(node.name, format!("Its other variants: {}.", names.join(", ")));
        }
        self.activate(at, &made, place);
    }

    /// Lets a node run only if its condition holds, and remembers whether it may be passed over.
    fn activate(&mut self, at: usize, made: &NodeId, place: Point) {
        let node = &self.nodes[at];
        let reads: Vec<&str> = node
            .references()
            .filter_map(|(name, reference)| match reference {
                Reference::Node(source, _) if !name.is_empty() => Some(source),
                _ => None,
            })
            .collect();
        let depends = !reads.is_empty() && reads.iter().all(|source| self.conditional.contains(source));
        if node.activate.is_some() || depends {
            self.conditional.insert(node.name);
        }
        let Some((when, is)) = node.activate else { return };
        let value = self.value(at, when, place);
        let mut inputs = ProgramInputs::default();
        let read = inputs.read(&value, &[]);
        // In Python, the truth values are numbers.
        let code = format!(
            "const plain = (value) => (typeof value === \"boolean\" ? Number(value) : value ?? null);\n\
             return plain({read}) === plain({is}) ? \"run\" : null;"
        );
        let title = format!("{}: activate", node.name);
        let names = ["run".to_owned()];
        let ways =
            add_ways(&mut self.builder, (node.name, &title, place.beside(-0.5, 2.0)), &code, &inputs, &names);
        run_after(&mut self.builder, made, &[Output::new(&ways, "run")]);
    }

    /// A value of an input: what a reference leads to, or a constant.
    fn value(&mut self, at: usize, value: &'v Value, place: Point) -> Output {
        let node = &self.nodes[at];
        let constant = match graph::reference(value) {
            None => value.clone(),
            Some(Reference::Input(name)) if self.histories.contains(&name) => {
                self.builder.lose(node.name, format!("The earlier turns in `{name}`: it gets none."));
                json!([])
            }
            Some(found) => {
                return self.reference(node.name, &found, place).unwrap_or_else(|| {
                    let name = value.as_str().unwrap_or_default();
                    self.builder.add_missing_value(node.name, node.name, name, place)
                });
            }
        };
        let (title, config) = (format!("{}: value", node.name), json!({ "value": constant }));
        let id = self.builder.add(node.name, &title, "value", config, place.beside(-0.5, 1.0));
        Output::new(&id, "value")
    }

    fn reference(&mut self, source: &str, found: &Reference<'v>, place: Point) -> Option<Output> {
        match found {
            Reference::Input(name) => self.inputs.get(name).cloned(),
            Reference::Node(name, path) => {
                let output = self.outputs.get(name)?.clone();
                Some(self.builder.field_output(source, (&output, path), place))
            }
        }
    }

    /// The values of a node's inputs by name. One of several nodes that may not run is null then, as in Prompt Flow.
    fn variables(&mut self, at: usize, names: &[String], place: Point) -> Vec<(String, Output)> {
        let node = &self.nodes[at];
        let mut values = Vec::new();
        let mut of_nodes = Vec::new();
        let mut may_miss = false;
        for (name, value) in node.inputs().filter(|(name, _)| names.contains(name)) {
            let output = self.value(at, value, place);
            if let Some(Reference::Node(source, _)) = graph::reference(value) {
                may_miss |= self.conditional.contains(source);
                of_nodes.push(name.clone());
            }
            values.push((name.clone(), output));
        }
        if !may_miss || of_nodes.len() < 2 {
            return values;
        }
        let title = format!("{}: values", node.name);
        let place = place.beside(-0.5, 1.0);
        let join = self.builder.add(node.name, &title, "join", json!({ "names": &of_nodes }), place);
        for (name, output) in values.iter_mut().filter(|(name, _)| of_nodes.contains(name)) {
            self.builder.connect(output, &join, name);
            let config = json!({ "query": format!(".[{}]", json!(name)) });
            let field = self.builder.add(node.name, name, "json", config, place);
            self.builder.connect(&Output::new(&join, "object"), &field, "value");
            *output = Output::new(&field, "result");
        }
        values
    }

    /// The text of the file that a node is written in.
    fn source(&self, at: usize) -> Result<&'v str, String> {
        let Some(file) = self.nodes[at].file() else { return Err("It names no file.".to_owned()) };
        let text = self.files.get(&file.replace('\\', "/"));
        text.map(String::as_str).ok_or_else(|| format!("Its file `{file}` is not in the folder of the flow."))
    }

    fn prompt(&mut self, at: usize, place: Point) -> NodeId {
        let node = &self.nodes[at];
        let made = self.source(at).and_then(|text| {
            // Prompt Flow keeps the line end at the end of a template, which Jinja drops: it drops a second one here.
            let mut text = messages::trimmed_blocks(text);
            if text.ends_with('\n') {
                text.push('\n');
            }
            let values = self.variables(at, &jinja::variables(&text)?, place);
            self.jinja(at, node.name, &text, &values, place)
        });
        match made {
            Ok(output) => {
                self.outputs.insert(node.name, output.clone());
                output.node
            }
            Err(reason) => self.placeholder(at, place, &reason),
        }
    }

    fn jinja(
        &mut self,
        at: usize,
        title: &str,
        text: &str,
        values: &[(String, Output)],
        place: Point,
    ) -> Result<Output, String> {
        let of =
            |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, output)| output.clone());
        jinja::add_jinja(&mut self.builder, (self.nodes[at].name, title, place), text, of)
    }

    fn llm(&mut self, at: usize, settings: &Settings<'v>, place: Point) -> NodeId {
        match self.call(at, settings, place) {
            Ok(call) => {
                let node = &self.nodes[at];
                let done = call.add_to(&mut self.builder, node.name, node.name, place);
                if call.memory.is_some() {
                    for name in self.history_inputs(at) {
                        self.builder.attach(&input_id(name), &done.chat);
                    }
                }
                self.outputs.insert(node.name, done.response());
                done.chat
            }
            Err(reason) => self.placeholder(at, place, &reason),
        }
    }

    fn call(&mut self, at: usize, settings: &Settings<'v>, place: Point) -> Result<ChatCall, String> {
        let node = &self.nodes[at];
        let text = self.source(at)?;
        let is_history = |value: &Value| matches!(graph::reference(value), Some(Reference::Input(name)) if self.histories.contains(&name));
        let histories: Vec<&str> =
            node.inputs().filter(|(_, value)| is_history(value)).map(|(name, _)| name.as_str()).collect();
        let is_chat = settings.text("/api").unwrap_or("chat") == "chat";
        let found = if is_chat {
            messages::split(text, &histories)?
        } else {
            self.builder.lose(node.name, "It completes a text. Here the text is the message of a chat.");
            let messages = vec![(Author::User, messages::trimmed_blocks(text))];
            messages::Messages { messages, has_history: false }
        };
        let mut names = Vec::new();
        for (_, text) in &found.messages {
            names.extend(jinja::variables(text)?);
        }
        for (name, _) in node.inputs() {
            if names.contains(name) || histories.contains(&name.as_str()) {
                settings.ignore(&format!("/inputs/{}", plait_core::diagnostic::escape(name)));
            }
        }
        let values = self.variables(at, &names, place);
        let mut call = ChatCall { model: read_model(settings), ..ChatCall::default() };
        let mut messages = Vec::new();
        for (index, (author, text)) in found.messages.iter().enumerate() {
            let is_template = ["{{", "{%", "{#"].iter().any(|tag| text.contains(tag));
            let template = if is_template {
                let title = format!("{}: message {}", node.name, index + 1);
                let row = f64::from(u32::try_from(index).unwrap_or(0));
                // A message has no blanks at its ends, also where a value brings them.
                let text = format!("{{% filter trim %}}{text}{{% endfilter %}}");
                let output = self.jinja(at, &title, &text, &values, place.beside(-1.0, row))?;
                TemplateText::of("text", &output, &[])
            } else {
                TemplateText::constant(text)
            };
            messages.push((*author, template));
        }
        if found.has_history {
            call.memory = Some(Memory::default());
        }
        call.set_all_messages(messages);
        if call.prompt.is_none() {
            return Err("Its last message is one of the assistant.".to_owned());
        }
        Ok(call)
    }

    /// The inputs with earlier turns that a node reads.
    fn history_inputs(&self, at: usize) -> Vec<&'v str> {
        let read = self.nodes[at].references().filter_map(|(_, reference)| match reference {
            Reference::Input(name) if self.histories.contains(&name) => Some(name),
            _ => None,
        });
        read.collect()
    }

    fn placeholder(&mut self, at: usize, place: Point, reason: &str) -> NodeId {
        let node = &self.nodes[at];
        let mut original = node.json.clone();
        if let (Ok(source), Some(original)) = (self.source(at), original.as_object_mut()) {
            original.insert("code".to_owned(), source.into());
        }
        let id = self.builder.add_placeholder(node.name, node.name, reason, &original, place);
        let references: Vec<_> = node.references().filter(|(name, _)| !name.is_empty()).collect();
        for (name, found) in references {
            if let Some(output) = self.reference(node.name, &found, place) {
                self.builder.connect(&output, &id, name);
            }
        }
        self.outputs.insert(node.name, Output::new(&id, "out"));
        id
    }

    fn output(&mut self, name: &str, output: &'v Value, place: Point) {
        let id = output_id(name);
        let read = output.get("reference").unwrap_or(&Value::Null);
        let value = graph::reference(read).and_then(|found| self.reference(&id, &found, place));
        let value = value.unwrap_or_else(|| {
            let read = read.as_str().unwrap_or(name).to_owned();
            self.builder.add_missing_value(&id, name, &read, place)
        });
        let made = self.builder.add(&id, name, "output", json!({ "name": name }), place);
        self.builder.connect(&value, &made, "value");
    }

    fn report_edges(&mut self) {
        let mut ends: Vec<(String, String, String)> = Vec::new();
        let source = |reference: &Reference<'_>| match reference {
            Reference::Input(name) => input_id(name),
            Reference::Node(name, _) => (*name).to_owned(),
        };
        for node in self.nodes {
            for (name, reference) in node.references() {
                ends.push((source(&reference), node.name.to_owned(), name.to_owned()));
            }
        }
        for (name, output) in fields(self.document, "outputs") {
            if let Some(reference) = output.get("reference").and_then(graph::reference) {
                ends.push((source(&reference), output_id(name), String::new()));
            }
        }
        let edges: Vec<FileEdge<'_>> = ends
            .iter()
            .map(|(source, target, label)| FileEdge {
                source,
                target,
                label,
                lost: "No node of the flow reads this value.",
            })
            .collect();
        self.builder.report_edges(&edges);
    }
}

fn read_model(settings: &Settings<'_>) -> Model {
    let provider = settings.text("/provider").unwrap_or("OpenAI");
    let mut model = Model {
        provider: Some(provider_name(provider)),
        name: settings.text("/inputs/deployment_name").or(settings.text("/inputs/model")).map(str::to_owned),
        max_tokens: settings.number("/inputs/max_tokens"),
        ..Model::default()
    };
    model.set_temperature(settings.number("/inputs/temperature").or(Some(1.0)));
    for name in ["top_p", "presence_penalty", "frequency_penalty", "seed"] {
        if let Some(value) = settings.number(&format!("/inputs/{name}")) {
            model.set_option(name, Some(json!(value)));
        }
    }
    // Without more than one reply, these are what they are here.
    if settings.number("/inputs/n").unwrap_or(1.0) > 1.0 {
        model.lost.push("That it asks for several replies.".to_owned());
    }
    if settings.get("/inputs/response_format").is_some_and(|format| text_of(format, "type") != "text") {
        model.lost.push("The format of its reply.".to_owned());
    }
    settings.ignore_all(&["/inputs/stream", "/inputs/user", "/inputs/deployment_name", "/inputs/model"]);
    model
}
