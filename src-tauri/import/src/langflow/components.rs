//! Langflow's components, by their types.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::http_request::HttpRequest;
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::super::ways::{ProgramInputs, add_ways};
use super::models::is_model;
use super::{ITEM, LOOP, Reader};

/// The conditions of Langflow, which a program applies.
const CONDITIONS: &str = include_str!("runtime/conditions.js");
/// The operators that it knows.
const OPERATORS: [&str; 10] = [
    "equals",
    "not equals",
    "contains",
    "starts with",
    "ends with",
    "regex",
    "less than",
    "less than or equal",
    "greater than",
    "greater than or equal",
];
/// Fields that say how a component looks or logs, and nothing about what it does.
const IGNORED_FIELDS: [&str; 23] = [
    "/should_store_message",
    "/store_message",
    "/sender",
    "/sender_name",
    "/session_id",
    "/files",
    "/stream",
    "/background_color",
    "/chat_icon",
    "/text_color",
    "/data_template",
    "/tool_placeholder",
    "/clean_data",
    "/verbose",
    "/handle_parsing_errors",
    "/agent_description",
    "/tools_metadata",
    "/is_refresh",
    "/timeout",
    "/max_retries",
    "/context_id",
    "/number_of_results",
    "/format_instructions",
];

impl Reader<'_> {
    /// Adds a component.
    pub(super) fn component(&mut self, at: usize) {
        let node = &self.graph.nodes[at];
        let settings = self.settings(at);
        settings.ignore_all(&IGNORED_FIELDS);
        match node.kind {
            "note" => {
                let text =
                    node.json.pointer("/data/node/description").and_then(Value::as_str).unwrap_or_default();
                let id = self.builder.add(node.id, "", "note", json!({ "text": text }), node.at);
                let size = |key: &str| node.json.get(key).and_then(Value::as_f64);
                self.builder.resize(&id, size("width").unwrap_or(300.0), size("height").unwrap_or(200.0));
            }
            "ChatInput" | "TextInput" | "TextInputComponent" => self.input(at, &settings),
            "ChatOutput" | "TextOutput" | "TextOutputComponent" => self.result(at, &settings),
            "Prompt" | "PromptTemplate" | "Prompt Template" | "PromptComponent" => self.prompt(at, &settings),
            "CombineText" => self.combine(at, &settings),
            "ConditionalRouter" | "ConditionalRouterComponent" => self.router(at, &settings),
            "Pass" | "PassMessage" | "Passthrough" => {
                match self.fed(at, "input_message").or_else(|| self.fed(at, "input_value")) {
                    Some(input) => {
                        let id = self.builder.add(node.id, node.title, "join", json!({}), node.at);
                        self.builder.connect(&input, &id, "values");
                        self.set_output(at, "", Output::new(&id, "first"));
                    }
                    None => drop(self.placeholder(at, "Nothing leads to it.")),
                }
            }
            "CalculatorComponent" | "CalculatorTool" | "CalculatorToolComponent" => {
                self.tool(at, &["calculator"]);
            }
            "CurrentDate" | "CurrentDateComponent" => self.tool(at, &["current_time"]),
            "URLComponent" | "URL" if self.offers_tools(at) => self.tool(at, &["fetch_url"]),
            "MCPTools" | "MCPToolsComponent" | "MCPStdio" | "MCPSse" if self.offers_tools(at) => {
                let server = node.title.to_lowercase().replace(|one: char| !one.is_ascii_alphanumeric(), "-");
                let id =
                    self.builder.add(node.id, node.title, "mcpServer", json!({ "server": server }), node.at);
                self.builder.lose(
                    node.id,
                    format!("Its command or address: add an MCP server `{server}` in the settings."),
                );
                self.set_output(at, "", Output::new(&id, "tools"));
            }
            "APIRequest" => self.request(at, &settings),
            "Memory" | "MemoryComponent" if self.is_memory(at) => {
                // Readers of its messages get the conversation instead.
            }
            "StructuredOutput" | "StructuredOutputComponent" => self.structured(at, &settings),
            "Agent" | "ToolCallingAgent" | "OpenAIToolsAgent" => self.agent(at, &settings),
            kind if is_model(kind) => self.model_component(at, &settings),
            "CustomComponent" | "PythonFunction" | "PythonREPLComponent" | "PythonCodeStructuredTool" => {
                self.placeholder(at, "It runs Python; Plait runs JavaScript (`code`).");
            }
            LOOP => self.repeat(at, &settings),
            "RunFlow" | "SubFlow" | "FlowTool" => {
                self.placeholder(
                    at,
                    "It runs another flow by its name. Import that flow too, and call it with a sub-flow.",
                );
            }
            _ => {
                self.placeholder(at, "Plait has no node for this component.");
            }
        }
    }

    /// A loop over a list. What it repeats is inside of it.
    fn repeat(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let leads_back = self
            .graph
            .incoming(at)
            .any(|(edge, source)| edge.field == ITEM && self.graph.nodes[source].parent == Some(node.id));
        let Some(items) = self.fed(at, "data").filter(|_| leads_back) else {
            self.placeholder(at, "It needs a list to go through, and nodes that lead back to it.");
            return;
        };
        let title = format!("{}: items", node.title);
        let query = json!({ "query": "if type == \"array\" then . else [.] end" });
        let list = self.builder.add(node.id, &title, "json", query, node.at.beside(-0.5, 1.0));
        self.builder.connect(&items, &list, "value");
        let id = self.builder.add(node.id, node.title, "loop", json!({ "kind": "forEach" }), node.at);
        self.builder.connect(&Output::new(&list, "result"), &id, "items");
        self.finish(at, settings);
        self.set_output(at, ITEM, Output::new(&id, "item"));
        self.set_output(at, "", Output::new(&id, "results"));
    }

    /// Whether a component is plugged in as a tool.
    pub(super) fn offers_tools(&self, at: usize) -> bool {
        self.graph.outgoing(at).any(|(edge, _)| edge.field == "tools")
    }

    fn tool(&mut self, at: usize, names: &[&str]) {
        let node = &self.graph.nodes[at];
        if !self.offers_tools(at) {
            self.placeholder(at, "Plait has it as a tool for models, and as `callTool`.");
            return;
        }
        let id = self.builder.add(node.id, node.title, "tools", json!({ "tools": names }), node.at);
        self.set_output(at, "", Output::new(&id, "tools"));
    }

    fn input(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        if let Some(value) = self.fed(at, "input_value") {
            let id = self.builder.add(node.id, node.title, "join", json!({}), node.at);
            self.builder.connect(&value, &id, "values");
            self.set_output(at, "", Output::new(&id, "text"));
            return;
        }
        let text = settings.text("/input_value").unwrap_or_default();
        // A text input is a constant beside the question of the run.
        let is_question = node.kind == "ChatInput";
        let (node_type, config, port) = if is_question {
            ("manualInput", json!({ "text": text }), "value")
        } else {
            ("value", json!({ "value": text }), "value")
        };
        let id = self.builder.add(node.id, node.title, node_type, config, node.at);
        self.finish(at, settings);
        self.set_output(at, "", Output::new(&id, port));
    }

    fn result(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let Some(value) = self.fed(at, "input_value") else {
            self.placeholder(at, "Nothing leads to it.");
            return;
        };
        let id = self.builder.add(node.id, node.title, "output", json!({ "format": "markdown" }), node.at);
        self.builder.connect(&value, &id, "value");
        settings.ignore("/input_value");
        self.finish(at, settings);
        // What follows an output reads what it shows.
        self.set_output(at, "", value);
    }

    /// Says what of a component's settings was not read.
    pub(super) fn finish(&mut self, at: usize, settings: &Settings<'_>) {
        if let Some(unread) = settings.unread() {
            self.builder.lose(self.graph.nodes[at].id, unread);
        }
    }

    fn prompt(&mut self, at: usize, settings: &Settings<'_>) {
        let text = settings.text("/template").unwrap_or_default();
        // Variables have double braces where the prompt says so, else single ones, and double ones stand for single ones.
        let is_double = settings.flag("/use_double_brackets");
        let (open, close) = if is_double { ("{{", "}}") } else { ("{", "}") };
        let mut template = TemplateText::default();
        let mut rest = text;
        while let Some(start) = rest.find(['{', '}']) {
            template.push_text(&rest[..start]);
            let tail = &rest[start..];
            if !is_double && (tail.starts_with("{{") || tail.starts_with("}}")) {
                template.push_text(&tail[..1]);
                rest = &tail[2..];
                continue;
            }
            let name =
                tail.strip_prefix(open).and_then(|inner| inner.split_once(close)).map(|(name, _)| name);
            let Some(name) = name.filter(|name| !name.contains(['{', '}', '\n']) && !name.is_empty()) else {
                template.push_text(&tail[..1]);
                rest = &tail[1..];
                continue;
            };
            rest = &tail[name.len() + 2 * open.len()..];
            let name = if is_double { name.trim() } else { name };
            if self.reads_memory(at, name) {
                let lost = format!(
                    "`{{{name}}}`: the model gets earlier messages as messages, and not in the prompt."
                );
                self.builder.lose(self.graph.nodes[at].id, lost);
                settings.ignore(&format!("/{name}"));
                continue;
            }
            match self.field(at, settings, name) {
                Some(value) => template.push(&value),
                // It is set to an empty text.
                None if settings.get(&format!("/{name}")) == Some(&json!("")) => {}
                None => {
                    self.builder
                        .lose(self.graph.nodes[at].id, format!("Nothing is set for its variable `{name}`."));
                }
            }
        }
        template.push_text(rest);
        self.finish(at, settings);
        self.templates.insert(at, template);
    }

    /// Whether a field is fed by the messages of a conversation.
    pub(super) fn reads_memory(&self, at: usize, field: &str) -> bool {
        let mut sources = self.sources(at, field).into_iter();
        sources.any(|(source, _)| matches!(self.graph.nodes[source].kind, "Memory" | "MemoryComponent"))
    }

    /// Whether the messages of a conversation are read by prompts and models alone.
    fn is_memory(&self, at: usize) -> bool {
        let mut targets = self.graph.outgoing(at).map(|(_, target)| target).peekable();
        targets.peek().is_some()
            && targets.all(|target| {
                let kind = self.graph.nodes[target].kind;
                kind.starts_with("Prompt") || kind == "Agent" || is_model(kind)
            })
    }

    fn combine(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let separator = settings.get("/delimiter").and_then(Value::as_str).unwrap_or(" ");
        let config = json!({ "names": ["first", "second"], "separator": separator });
        let parts = ["text1", "text2"].map(|field| self.field(at, settings, field));
        if parts.iter().all(Option::is_none) {
            self.placeholder(at, "Nothing leads to it.");
            return;
        }
        // One that is not set is an empty text.
        let parts = parts.map(Option::unwrap_or_default);
        let id = self.builder.add(node.id, node.title, "join", config, node.at);
        for (part, name) in parts.iter().zip(["first", "second"]) {
            let output = self.text_output(at, name, part);
            self.builder.connect(&output, &id, name);
        }
        for field in ["text1", "text2"] {
            self.attach_prompts(at, field, &id);
        }
        self.finish(at, settings);
        self.set_output(at, "", Output::new(&id, "text"));
    }

    fn router(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let Some(input) = self.field(at, settings, "input_text") else {
            self.placeholder(at, "Nothing leads to it.");
            return;
        };
        let right = settings.get("/match_text").and_then(Value::as_str).unwrap_or_default();
        if !self.sources(at, "match_text").is_empty() {
            self.placeholder(at, "It compares two values of the flow.");
            return;
        }
        let operator = match settings.text("/operator").unwrap_or("equals") {
            "matches regex" => "regex",
            known if OPERATORS.contains(&known) => known,
            other => {
                self.placeholder(at, &format!("Plait has no condition `{other}`."));
                return;
            }
        };
        if operator == "regex" && is_of_python(right) {
            self.placeholder(at, "Its pattern has parts that only Python knows.");
            return;
        }
        // In the versions with one message for both ways, case did not count without a setting.
        let has_message = settings.get("/message").is_some() || !self.sources(at, "message").is_empty();
        let is_case_sensitive =
            settings.get("/case_sensitive").map_or(!has_message, |setting| *setting != json!(false));
        settings.ignore_all(&["/max_iterations", "/default_route"]);
        let value = self.text_output(at, "text", &input);
        let mut inputs = ProgramInputs::default();
        let input = inputs.read(&value, &[]);
        let code = format!(
            "{CONDITIONS}return holds({}, {input}, {}, {is_case_sensitive}) ? \"true\" : \"false\";",
            json!(operator),
            json!(right)
        );
        let names = ["true", "false"].map(str::to_owned);
        let id = add_ways(&mut self.builder, (node.id, node.title, node.at), &code, &inputs, &names);
        for field in ["input_text", "message", "true_case_message", "false_case_message"] {
            self.attach_prompts(at, field, &id);
        }
        for (name, output) in [("true", "true_result"), ("false", "")] {
            // A message that is set takes the place of what is tested.
            let field = format!("{name}_case_message");
            let mut passed = match self.field(at, settings, if has_message { "message" } else { &field }) {
                Some(message) => message,
                None if has_message => TemplateText::default(),
                None => TemplateText::of("text", &value, &[]),
            };
            passed.require("way", &Output::new(&id, name));
            let place = node.at.beside(0.5, if name == "true" { 0.0 } else { 1.0 });
            let text = self.builder.add_text(node.id, &format!("{}: {name}", node.title), &passed, place);
            self.set_output(at, output, Output::new(&text, "text"));
        }
        self.finish(at, settings);
    }

    fn request(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let url = match settings.get("/urls").or_else(|| settings.get("/url_input")) {
            Some(Value::Array(urls)) => urls.first().and_then(Value::as_str).unwrap_or_default(),
            Some(Value::String(url)) => url,
            _ => "",
        };
        let is_fed = self.graph.incoming(at).next().is_some();
        if is_fed || !url.starts_with("http") || self.offers_tools(at) {
            self.placeholder(at, "Its request is not known before it runs.");
            return;
        }
        let request = HttpRequest {
            method: settings.text("/method").unwrap_or("GET").to_owned(),
            url: TemplateText::constant(url),
            ..HttpRequest::default()
        };
        settings.ignore_all(&[
            "/headers",
            "/body",
            "/query_params",
            "/mode",
            "/curl",
            "/use_curl",
            "/include_httpx_metadata",
            "/follow_redirects",
            "/save_to_file",
        ]);
        let id = match request.add_to(&mut self.builder, node.id, node.title, node.at) {
            Ok(id) => id,
            Err(reason) => {
                self.placeholder(at, &reason);
                return;
            }
        };
        if settings.items("/headers").iter().chain(settings.items("/body")).next().is_some() {
            self.builder.lose(node.id, "Its headers and its body.");
        }
        self.finish(at, settings);
        self.set_output(at, "", Output::new(&id, "body"));
    }
}

/// Whether a pattern is one of Python alone. Flags at its beginning and names of groups have the same meaning in other words.
fn is_of_python(pattern: &str) -> bool {
    let parts = ["(?P=", "(?P>", "(?#", "(?(", "\\A", "\\Z", "++", "*+", "?+"];
    parts.iter().any(|part| pattern.contains(part))
}
