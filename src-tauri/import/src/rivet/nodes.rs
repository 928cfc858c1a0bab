//! Rivet's nodes, by their types.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::chat_call::Author;
use super::super::http_request::{Body, HttpRequest};
use super::super::program::{unreachable_reason, with_headline};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::Reader;

impl Reader<'_> {
    pub(super) fn node(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        if node.json.get("isSplitRun").and_then(Value::as_bool) == Some(true) {
            self.placeholder(at, "It runs once for each item of a list: put it into a loop.");
            return;
        }
        match node.kind {
            "text" => self.text(at, settings),
            "prompt" => self.prompt(at, settings),
            "assemblePrompt" | "assembleMessage" => self.assemble(at),
            "chat" | "chatAnthropic" | "chatGoogle" | "chatHuggingFace" | "replicateLlama" => {
                self.chat(at, settings);
            }
            "graphInput" => self.graph_input(at, settings),
            "graphOutput" => self.graph_output(at, settings),
            "subGraph" => self.sub_graph(at, settings),
            "userInput" => self.user_input(at, settings),
            "raceInputs" => self.first(at),
            "passthrough" => self.passthrough(at),
            "if" | "ifElse" | "match" | "array" | "join" | "object" | "extractJson" | "extractObjectPath"
            | "extractRegex" | "split" | "slice" | "pop" | "toJson" | "evaluate" | "compare" | "coalesce"
            | "filter" => {
                if node.kind == "toJson" {
                    self.builder.lose_order_of_fields(&node.key);
                }
                self.compute(at, settings);
            }
            "boolean" | "number" if settings.flag("/useValueInput") || settings.flag("/round") => {
                settings.ignore("/value");
                self.compute(at, settings);
            }
            "boolean" | "number" => {
                let value = settings.get("/value").cloned().unwrap_or_default();
                // Numbers of JavaScript have no decimal point without a reason.
                let number = value.as_f64().filter(|_| value.is_f64());
                let whole = number.and_then(|number| number.to_string().parse::<i64>().ok());
                let value = whole.map_or(value, Value::from);
                settings.ignore("/roundTo");
                self.add(at, "value", json!({ "value": value }), "value");
            }
            "code" => self.code(at, settings),
            "httpCall" => self.http_call(at, settings),
            "delay" => self.delay(at, settings),
            "readFile" if !settings.flag("/usePathInput") => {
                let path = settings.text("/path").unwrap_or_default();
                settings.ignore_all(&["/errorOnMissingFile", "/asBinary"]);
                self.add(at, "readFile", json!({ "path": path }), "text");
                self.builder.lose(&node.key, "Its place: flows read files relative to their own folder.");
            }
            "comment" => self.comment(at, settings),
            "loopController" | "loopUntil" => {
                drop(self.placeholder(at, "Its values come back one by one. In Plait, put the nodes to repeat into a loop: it has one value that comes back, and `exit` ends it."));
            }
            "gptFunction" => {
                drop(self.placeholder(
                    at,
                    "A tool whose calls the graph answers. An HTTP tool or an MCP server can do the same.",
                ));
            }
            _ => drop(self.placeholder(at, "Plait has no node for this.")),
        }
        let is_placeholder = self
            .values
            .get(&(at, String::new()))
            .is_some_and(|(output, _)| self.builder.is_placeholder(&output.node));
        if !is_placeholder && let Some(unread) = settings.unread() {
            self.builder.lose(&node.key, unread);
        }
    }

    fn text(&mut self, at: usize, settings: &Settings<'_>) {
        let text = settings.get("/text").and_then(Value::as_str).unwrap_or_default();
        settings.ignore("/normalizeLineEndings");
        let template = self.template(at, text);
        let id = self.add(at, "text", json!({ "template": template.source() }), "text");
        self.builder.feed(&template.inputs(), &id);
    }

    fn prompt(&mut self, at: usize, settings: &Settings<'_>) {
        let text = settings.get("/promptText").and_then(Value::as_str).unwrap_or_default();
        let template = self.template(at, text);
        let author = Author::read(settings.text("/type").unwrap_or("user"));
        self.messages.insert(at, vec![(author, template)]);
        if settings.flag("/useTypeInput") {
            let node = &self.graph.nodes[at];
            self.builder.lose(&node.key, "Another node says who its author is: here it is always the same.");
        }
        settings.ignore_all(&["/useTypeInput", "/enableFunctionCall", "/computeTokenCount"]);
    }

    fn delay(&mut self, at: usize, settings: &Settings<'_>) {
        let Some(input) = self.fed_output(at, "input1") else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let ms = settings.count("/delay", 0..=86_400_000).unwrap_or(0);
        let id = self.add(at, "delay", json!({ "ms": ms }), "out");
        self.builder.connect(&input, &id, "in");
    }

    fn comment(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let text = settings.text("/text").unwrap_or_default();
        let id = self.builder.add(&node.key, "", "note", json!({ "text": text }), node.at);
        let height = settings.number("/height").unwrap_or(200.0);
        self.builder.resize(&id, node.width.unwrap_or(300.0), height);
        settings.ignore_all(&["/color", "/backgroundColor"]);
    }

    /// The first of the inputs that have a value, in the order of their numbers.
    fn first(&mut self, at: usize) {
        let values = self.fed_inputs(at);
        if values.is_empty() {
            self.placeholder(at, "Nothing feeds it.");
            return;
        }
        let names: Vec<&String> = values.iter().map(|(name, _)| name).collect();
        let id = self.add(at, "join", json!({ "names": names }), "first");
        for (name, value) in &values {
            self.builder.connect(value, &id, name);
        }
    }

    fn passthrough(&mut self, at: usize) {
        let graph = self.graph;
        for edge in graph.incoming(at) {
            if let Some(place) = self.value(edge.source, &edge.output) {
                self.builder.attach(&graph.nodes[at].key, &place.0.node);
                self.values.insert((at, edge.input.replace("input", "output")), place);
            }
        }
        if !self.builder.has_outcome(&graph.nodes[at].key) {
            self.placeholder(at, "Nothing feeds it.");
        }
    }

    fn code(&mut self, at: usize, settings: &Settings<'_>) {
        let code = settings.text("/code").unwrap_or_default();
        settings.ignore_all(&["/inputNames", "/outputNames"]);
        if let Some(reason) = unreachable_reason(code, &["Rivet."]) {
            self.placeholder(at, &reason);
            return;
        }
        let object = self.object(at);
        let program = format!(
            "const entries = Object.entries(input ?? {{}}).map(([name, value]) => [name, {{ type: \"any\", value }}]);\n\
             const inputs = Object.fromEntries(entries);\n\
             const outputs = (() => {{\n{code}\n}})();\n\
             return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output?.value]));"
        );
        let id = self.add(at, "code", json!({ "code": with_headline(code, &program) }), "result");
        if let Some(object) = object {
            self.builder.connect(&object, &id, "input");
        }
        for edge in self.graph.outgoing(at) {
            self.values
                .insert((at, edge.output.clone()), (Output::new(&id, "result"), vec![edge.output.clone()]));
        }
    }

    fn http_call(&mut self, at: usize, settings: &Settings<'_>) {
        let url = settings.text("/url").unwrap_or_default().to_owned();
        let dynamic = ["/useUrlInput", "/useHeadersInput", "/useBodyInput", "/useMethodInput"];
        if dynamic.iter().any(|pointer| settings.flag(pointer))
            || !url.starts_with("http")
            || url.contains("{{")
        {
            self.placeholder(
                at,
                "Parts of its request are made by other nodes: use an `httpRequest` with variables.",
            );
            return;
        }
        let headers = settings.text("/headers").and_then(|text| serde_json::from_str::<Value>(text).ok());
        let headers = headers.iter().filter_map(Value::as_object).flatten();
        let headers = headers.filter_map(|(name, value)| Some((name, value.as_str()?)));
        let body = settings.get("/body").and_then(Value::as_str).unwrap_or_default();
        let request = HttpRequest {
            method: settings.text("/method").unwrap_or("GET").to_owned(),
            url: TemplateText::constant(&url),
            headers: headers.map(|(name, value)| (name.clone(), TemplateText::constant(value))).collect(),
            body: Body::Text(TemplateText::constant(body)),
            ..HttpRequest::default()
        };
        settings.ignore_all(&["/errorOnNon200", "/isBinaryOutput"]);
        let node = &self.graph.nodes[at];
        let id = match request.add_to(&mut self.builder, &node.key, node.title, node.at) {
            Ok(id) => id,
            Err(reason) => {
                self.placeholder(at, &reason);
                return;
            }
        };
        self.set(at, "", Output::new(&id, "body"));
        self.set(at, "statusCode", Output::new(&id, "status"));
        self.set(at, "res_headers", Output::new(&id, "headers"));
    }
}
