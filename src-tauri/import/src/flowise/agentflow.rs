//! The nodes of agentflows.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::chat_call::{Author, ChatCall};
use super::super::graph::text as text_of;
use super::super::http_request::{Body, HttpRequest, ONLY_JSON, Pairs};
use super::super::program::{unreachable_reason, with_headline};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::components::schema_of_fields;
use super::markdown::plain_text;
use super::{LOOP, Reader, read_model};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

/// What stands for the reply of a node in the values that it sets the state to.
pub(super) const OUTPUT: &str = "output";
/// What Flowise gives to programs beside their inputs.
const UNREACHABLE: [&str; 2] = ["$flow", "$vars"];

impl Reader<'_> {
    /// Adds a node of an agentflow.
    pub(super) fn step(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let branches = self.branches_before(at);
        let transcript = self.transcript_before(at);
        self.transcripts.insert(at, transcript);
        let id = match node.kind {
            "stickyNoteAgentflow" => {
                self.note(at, settings);
                return;
            }
            "startAgentflow" => self.start(at, settings),
            "llmAgentflow" => self.model_step(at, settings, "llm"),
            "agentAgentflow" => self.model_step(at, settings, "agent"),
            "conditionAgentflow" => self.condition(at, settings),
            "conditionAgentAgentflow" => self.condition_agent(at, settings),
            "humanInputAgentflow" => self.human_input(at, settings),
            "directReplyAgentflow" => self.direct_reply(at, settings),
            "customFunctionAgentflow" => self.function(at, settings),
            "httpAgentflow" => self.http(at, settings),
            "retrieverAgentflow" => self.retriever(at, settings),
            "iterationAgentflow" => self.iteration(at, settings),
            "loopAgentflow" => self.placeholder(
                at,
                "It repeats earlier nodes without a value that comes back. In Plait, put them into a loop.",
            ),
            "executeFlowAgentflow" => self.placeholder(
                at,
                "It runs another flow by its id. Import that flow too, and call it with a sub-flow.",
            ),
            "toolAgentflow" => {
                self.placeholder(at, "A tool of Flowise. An HTTP request or an MCP server can do the same.")
            }
            _ => self.placeholder(at, "Plait has no node for this."),
        };
        self.finish_step(at, settings, &id, &branches);
        self.steps.insert(at, id);
        let own = self.output(at, "").filter(|_| node.kind != "startAgentflow");
        let said = own.map_or_else(|| self.said_before(at), |output| vec![output]);
        self.said.insert(at, said);
    }

    /// The outputs that lead to a node.
    pub(super) fn branches_before(&self, at: usize) -> Vec<Output> {
        let mut branches: Vec<Output> = Vec::new();
        for (edge, source) in self.graph.incoming(at) {
            if let Some(output) = self.output(source, &edge.output)
                && !branches.contains(&output)
            {
                branches.push(output);
            }
        }
        branches
    }

    fn start(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let output = if settings.text("/startInputType") == Some("formInput") {
            let mut properties = Map::new();
            for field in settings.items("/formInputTypes") {
                let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
                let options = field.get("addOptions").and_then(Value::as_array).into_iter().flatten();
                let options: Vec<&Value> = options.filter_map(|option| option.get("option")).collect();
                let mut schema = match text("type") {
                    "number" => json!({ "type": "number" }),
                    "boolean" => json!({ "type": "boolean" }),
                    _ if !options.is_empty() => json!({ "type": "string", "enum": options }),
                    _ => json!({ "type": "string" }),
                };
                schema["title"] = text("label").into();
                properties.insert(text("name").to_owned(), schema);
            }
            let title = settings.text("/formTitle").unwrap_or(node.title);
            let description = settings.text("/formDescription").unwrap_or_default();
            let prompt = TemplateText::constant(format!("{title}\n\n{description}").trim());
            let schema = json!({ "type": "object", "properties": properties });
            let config = json!({ "prompt": prompt.source(), "schema": schema });
            let id = self.builder.add(node.id, node.title, "userInput", config, node.at);
            let form = Output::new(&id, "message");
            self.form = Some(form.clone());
            form
        } else {
            let id = self.builder.add(node.id, node.title, "manualInput", json!({}), node.at);
            let question = Output::new(&id, "value");
            self.question = Some(question.clone());
            question
        };
        settings.ignore_all(&[
            "/formTitle",
            "/formDescription",
            "/formInputTypes",
            "/startPersistState",
            "/startEphemeralMemory",
        ]);
        let written = settings.get("/startState").and_then(Value::as_str);
        let written = written.and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
        let state = written.as_deref().unwrap_or_else(|| settings.items("/startState"));
        for (index, entry) in state.iter().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let rows = f64::from(u32::try_from(index).unwrap_or(0)) + 1.0;
            let config = json!({ "value": plain_text(text("value")) });
            let id = self.builder.add(node.id, text("key"), "value", config, node.at.beside(0.0, rows));
            self.state.insert(text("key").to_owned(), (Output::new(&id, "value"), Vec::new()));
            self.builder.note(
                "A value of the flow's state is read where it was last set before in the order of the file.",
            );
        }
        self.set_output(at, "", output.clone());
        output.node
    }

    fn model_step(&mut self, at: usize, settings: &Settings<'_>, prefix: &str) -> NodeId {
        let node = &self.graph.nodes[at];
        let key = |name: &str| format!("/{prefix}{name}");
        let kind = settings.text(&key("Model")).unwrap_or_default().to_owned();
        let model = read_model(&kind, settings, &key("ModelConfig"));
        let mut call = ChatCall { model, ..ChatCall::default() };
        let mut own = Vec::new();
        for entry in settings.items(&key("Messages")) {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let message = (Author::read(text("role")), self.template(at, text("content")));
            // Instructions stand before all others, the last of them first.
            let place = if message.0 == Author::System { 0 } else { own.len() };
            own.insert(place, message);
        }
        let has_user = own.iter().any(|(author, _)| *author == Author::User);
        // Messages without a text are left out.
        own.retain(|(_, text): &(Author, TemplateText)| !text.is_blank());
        let has_memory = settings.flag(&key("EnableMemory"));
        let added = settings.text(&key("UserMessage")).filter(|_| has_memory).map(str::to_owned);
        let added = added.map(|text| (Author::User, self.template(at, &text)));
        let returned = match settings.text(&key("ReturnResponseAs")) {
            Some("assistantMessage") => Author::Assistant,
            _ => Author::User,
        };
        let window = settings.count(&key("MemoryWindowSize"), 1..=1000);
        let window = window.filter(|_| settings.text(&key("MemoryType")) == Some("windowSize"));
        self.add_messages(at, &mut call, (own, has_user), added, (has_memory, window));
        let fields = settings.items(&key("StructuredOutput"));
        if !fields.is_empty() {
            call.schema = Some(schema_of_fields(fields, "key"));
        }
        let mut names = Vec::new();
        for tool in settings.items(&key("Tools")) {
            match tool.get("agentSelectedTool").and_then(Value::as_str).unwrap_or_default() {
                "calculator" => names.push("calculator"),
                "currentDateTime" => names.push("current_time"),
                other => {
                    self.builder
                        .lose(node.id, format!("Its tool `{other}`: connect an HTTP tool or an MCP server."));
                }
            }
        }
        if !names.is_empty() {
            let title = format!("{}: tools", node.title);
            let id = self.builder.add(
                node.id,
                &title,
                "tools",
                json!({ "tools": names }),
                node.at.beside(0.0, 1.0),
            );
            call.tools.push(Output::new(&id, "tools"));
        }
        if !settings.items(&key("KnowledgeDocumentStores")).is_empty() {
            self.builder.lose(node.id, "Its documents: set `knowledge` of the chat to a knowledge base.");
        }
        settings.ignore_all(&[
            &key("UserMessage"),
            &key("MemoryType"),
            &key("MemoryWindowSize"),
            &key("MemoryMaxTokenLimit"),
        ]);
        let done = call.add_to(&mut self.builder, node.id, node.title, node.at);
        if call.schema.is_some() {
            self.set_output(at, "structured", done.structured());
        }
        self.set_output(at, "", done.response());
        if let Some(Some(transcript)) = self.transcripts.get_mut(&at) {
            transcript.push((returned, TemplateText::of("message", &done.response(), &[])));
        }
        self.update_state(at, settings, &key("UpdateState"));
        done.chat
    }

    /// The values of the state that a node sets.
    fn update_state(&mut self, at: usize, settings: &Settings<'_>, pointer: &str) {
        for entry in settings.items(pointer) {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let value = plain_text(text("value"));
            // A field of the reply is the whole value. The text around it does not count.
            let names = value.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0.trim()));
            let field = names.clone().find(|name| name.starts_with("output."));
            let whole = value.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
            let name = field.or_else(|| whole.filter(|_| names.count() == 1).map(str::trim));
            let found = name.and_then(|name| self.named(at, name));
            let found = found.unwrap_or_else(|| {
                let template = self.template(at, &value);
                (self.text_output(at, text("key"), &template), Vec::new())
            });
            self.state.insert(text("key").to_owned(), found);
        }
    }

    /// What a node gives, as a value with fields.
    pub(super) fn output_as_json(&mut self, at: usize) -> Option<Output> {
        let output = self.output(at, "structured")?;
        if output.port == "structured" {
            return Some(output);
        }
        let node = &self.graph.nodes[at];
        let config = json!({ "query": "if type == \"string\" then (fromjson? // .) else . end" });
        let title = format!("{}: fields", node.title);
        let id = self.builder.add(node.id, &title, "json", config, node.at.beside(0.5, 1.0));
        self.builder.connect(&output, &id, "value");
        Some(Output::new(&id, "result"))
    }

    fn condition_agent(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let kind = settings.text("/conditionAgentModel").unwrap_or_default().to_owned();
        let model = read_model(&kind, settings, "/conditionAgentModelConfig");
        let mut classes = Vec::new();
        for (index, scenario) in settings.items("/conditionAgentScenarios").iter().enumerate() {
            let text = scenario.get("scenario").and_then(Value::as_str).unwrap_or_default();
            classes.push(json!({ "name": format!("case {index}"), "description": plain_text(text) }));
        }
        if classes.is_empty() {
            return self.placeholder(at, "It has no scenarios.");
        }
        let count = classes.len();
        let input = settings.text("/conditionAgentInput").unwrap_or("{{question}}").to_owned();
        let input = self.template(at, &input);
        let message = self.text_output(at, "input", &input);
        let instructions = settings.text("/conditionAgentInstructions").map(plain_text);
        settings.ignore_all(&["/conditionAgentSystemPrompt", "/conditionAgentOverrideSystemPrompt"]);
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.id, node.title, node.at);
        let config = json!({ "classes": classes, "other": false, "instructions": instructions });
        let id = self.builder.add(node.id, node.title, "classify", config, node.at);
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        self.builder.connect(&message, &id, "message");
        for lost in call.model.lost {
            self.builder.lose(node.id, lost);
        }
        for index in 0..count {
            self.set_output(at, &index.to_string(), Output::new(&id, &format!("case {index}")));
        }
        if let (Some(Some(transcript)), Some(question)) = (self.transcripts.get_mut(&at), &self.question)
            && transcript.is_empty()
        {
            transcript.push((Author::User, TemplateText::of("message", question, &[])));
        }
        id
    }

    fn human_input(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let text = settings.text("/humanInputDescription").unwrap_or("Do you want to proceed?").to_owned();
        if settings.text("/humanInputDescriptionType") == Some("dynamic") {
            self.builder.lose(node.id, "That a model writes the question.");
        }
        settings.ignore_all(&[
            "/humanInputModelConfig",
            "/humanInputEnableFeedback",
            "/humanInputModel",
            "/humanInputModelPrompt",
        ]);
        let prompt = self.template(at, &text);
        let id =
            self.builder.add(node.id, node.title, "approval", json!({ "prompt": prompt.source() }), node.at);
        self.builder.feed(&prompt.inputs(), &id);
        if let Some(previous) = self.said_last(at).or_else(|| self.question.clone()) {
            self.builder.connect(&previous, &id, "in");
        }
        if let Some(Some(transcript)) = self.transcripts.get_mut(&at) {
            transcript.push((Author::Assistant, prompt));
        }
        self.set_output(at, "0", Output::new(&id, "approved"));
        self.set_output(at, "1", Output::new(&id, "rejected"));
        id
    }

    fn direct_reply(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let text = settings.text("/directReplyMessage").unwrap_or_default().to_owned();
        let template = self.template(at, &text);
        let title = format!("{}: text", node.title);
        let text = self.builder.add_text(node.id, &title, &template, node.at.beside(-0.5, 1.0));
        let output = Output::new(&text, "text");
        let id = self.builder.add(node.id, node.title, "output", json!({ "format": "markdown" }), node.at);
        self.builder.connect(&output, &id, "value");
        self.set_output(at, "", output);
        text
    }

    fn function(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let code = settings.text("/customFunctionJavascriptFunction").unwrap_or_default();
        if let Some(reason) = unreachable_reason(code, &UNREACHABLE) {
            return self.placeholder(at, &reason);
        }
        let mut names = Vec::new();
        let mut values = Vec::new();
        for variable in settings.items("/customFunctionInputVariables") {
            let text = |key: &str| variable.get(key).and_then(Value::as_str).unwrap_or_default();
            let template = self.template(at, text("variableValue"));
            values.push(self.text_output(at, text("variableName"), &template));
            names.push(text("variableName").to_owned());
        }
        // The text that the flow was asked.
        if code.contains("$input") && !names.iter().any(|name| name == "input") {
            values.push(self.question(at));
            names.push("input".to_owned());
        }
        let mut program = String::new();
        for name in
            names.iter().filter(|name| name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_'))
        {
            let _ = writeln!(program, "const ${name} = input[{}];", json!(name));
        }
        // What it returns becomes a text.
        let _ = write!(
            program,
            "const made = await (async () => {{\n{code}\n}})();\n\
             return typeof made === \"object\" ? JSON.stringify(made, null, 2) : made;"
        );
        let config = json!({ "code": with_headline(code, &program) });
        let id = self.builder.add(node.id, node.title, "code", config, node.at);
        if !names.is_empty() {
            let title = format!("{}: values", node.title);
            let config = json!({ "names": names });
            let join = self.builder.add(node.id, &title, "join", config, node.at.beside(-0.5, 1.0));
            for (name, value) in names.iter().zip(&values) {
                self.builder.connect(value, &join, name);
            }
            self.builder.connect(&Output::new(&join, "object"), &id, "input");
        }
        self.set_output(at, "", Output::new(&id, "result"));
        self.update_state(at, settings, "/customFunctionUpdateState");
        id
    }

    fn http(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let mut request = HttpRequest {
            method: settings.text("/method").unwrap_or("GET").to_owned(),
            url: self.template(at, settings.text("/url").unwrap_or_default()),
            query: self.pairs(at, settings.items("/queryParams")),
            headers: self.pairs(at, settings.items("/headers")),
            body: Body::None,
        };
        // Without a type, no body is sent.
        match (settings.text("/bodyType"), settings.get("/body").filter(|body| **body != json!(""))) {
            (Some("json"), Some(Value::String(body))) if request.sends_body() => {
                request.body = Body::Json(self.template(at, body));
            }
            (Some(_), Some(_)) if request.sends_body() => {
                return self.placeholder(at, ONLY_JSON);
            }
            _ => {}
        }
        if settings.text("/responseType").is_some_and(|kind| matches!(kind, "arraybuffer" | "base64")) {
            return self.placeholder(at, "It gives a file: Plait's requests give values and texts.");
        }
        match request.add_to(&mut self.builder, node.id, node.title, node.at) {
            Ok(id) => {
                self.set_output(at, "", Output::new(&id, "body"));
                for part in ["status", "headers"] {
                    self.set_output(at, part, Output::new(&id, part));
                }
                id
            }
            Err(reason) => self.placeholder(at, &reason),
        }
    }

    fn pairs(&mut self, at: usize, entries: &[Value]) -> Pairs {
        let named = entries.iter().map(|entry| (text_of(entry, "key"), text_of(entry, "value")));
        let named = named.filter(|(name, value)| !name.is_empty() && !value.is_empty());
        named.map(|(name, value)| (name.to_owned(), self.template(at, value))).collect()
    }

    fn retriever(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let query = settings.text("/retrieverQuery").unwrap_or("{{question}}").to_owned();
        let query = self.template(at, &query);
        let query = self.text_output(at, "query", &query);
        settings.ignore_all(&[
            "/retrieverKnowledgeDocumentStores",
            "/outputFormat",
            "/retrieverVectorEmbeddings",
        ]);
        self.builder.lose(node.id, format!("Its documents: add a knowledge base called `{}`.", node.title));
        let id = self.builder.add(node.id, node.title, "retrieve", json!({ "bases": [node.title] }), node.at);
        self.builder.connect(&query, &id, "query");
        self.set_output(at, "", Output::new(&id, "text"));
        self.update_state(at, settings, "/retrieverUpdateState");
        id
    }

    fn iteration(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let text = settings.text("/iterationInput").unwrap_or_default().to_owned();
        let template = self.template(at, &text);
        let value = self.text_output(at, "list", &template);
        let title = format!("{}: items", node.title);
        let query = "if type == \"string\" then fromjson else . end";
        let parse =
            self.builder.add(node.id, &title, "json", json!({ "query": query }), node.at.beside(-0.5, 1.0));
        self.builder.connect(&value, &parse, "value");
        let id = self.builder.add(node.id, node.title, "loop", json!({ "kind": "forEach" }), node.at);
        self.builder.connect(&Output::new(&parse, "result"), &id, "items");
        let results = Output::new(&id, "results");
        self.set_output(at, LOOP, results.clone());
        // Others read the results as one text.
        let title = format!("{}: text", node.title);
        let query = "map(if type == \"string\" then . else tojson end) | join(\"\\n\")";
        let text =
            self.builder.add(node.id, &title, "json", json!({ "query": query }), node.at.beside(0.5, 1.0));
        self.builder.connect(&results, &text, "value");
        self.set_output(at, "", Output::new(&text, "result"));
        id
    }

    /// Connects the last node inside of each iteration to its end.
    pub(super) fn close_iterations(&mut self) {
        let mut last_inside: HashMap<&str, Output> = HashMap::new();
        for at in self.graph.order() {
            if let (Some(parent), Some(output)) = (self.graph.nodes[at].parent, self.output(at, "")) {
                last_inside.insert(parent, output);
            }
        }
        for (at, node) in self.graph.nodes.iter().enumerate() {
            if node.kind != "iterationAgentflow" {
                continue;
            }
            let Some(id) = self.output(at, LOOP).map(|output| output.node) else { continue };
            let last = last_inside.get(node.id);
            if let Some(last) = last.filter(|last| self.builder.parent(&last.node).as_ref() == Some(&id)) {
                self.builder.connect(last, &id, "next");
            }
        }
    }
}
