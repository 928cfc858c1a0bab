//! Rivet's nodes, by their types.

use serde_json::{Map, Value, json};

use super::super::draft::Output;
use super::super::model_call::{Author, Model, ModelCall};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::Reader;

impl Reader<'_> {
    pub(super) fn node(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        match node.kind {
            "text" => {
                let text = settings.get("/text").and_then(Value::as_str).unwrap_or_default();
                let template = self.template(at, text);
                let id = self.add(at, "text", json!({ "template": template.source() }), "text");
                self.draft.feed(&template, &id);
                settings.ignore("/normalizeLineEndings");
            }
            "prompt" => {
                let text = settings.get("/promptText").and_then(Value::as_str).unwrap_or_default();
                let template = self.template(at, text);
                let author = Author::read(settings.text("/type").unwrap_or("user"));
                self.messages.insert(at, vec![(author, template)]);
                settings.ignore_all(&["/useTypeInput", "/enableFunctionCall", "/computeTokenCount"]);
            }
            "assemblePrompt" | "assembleMessage" => self.assemble(at),
            "chat" | "chatAnthropic" | "chatGoogle" | "chatHuggingFace" | "replicateLlama" => {
                self.chat(at, settings);
            }
            "graphInput" => self.graph_input(at, settings),
            "graphOutput" => self.graph_output(at, settings),
            "subGraph" => self.sub_graph(at, settings),
            "userInput" => self.user_input(at, settings),
            "if" => self.condition(at, settings),
            "ifElse" => {
                drop(
                    self.query(at, "if .if and .if != \"\" and .if != \"false\" then .true else .false end"),
                );
            }
            "match" => self.match_node(at, settings),
            "coalesce" | "raceInputs" => self.join(at, json!({}), "first"),
            "array" => self.join(at, json!({}), "list"),
            "join" => {
                let separator = settings.get("/joinString").and_then(Value::as_str).unwrap_or("\n");
                settings.ignore_all(&["/useJoinStringInput", "/flatten"]);
                self.join(at, json!({ "separator": separator }), "text");
            }
            "passthrough" => self.passthrough(at),
            "object" => {
                let text = settings.text("/jsonTemplate").unwrap_or("{}");
                // Values are written as JSON, wherever the template has them.
                let mut template = self.template(at, text);
                template.write_values_as_json();
                let title = format!("{}: text", node.title);
                let config = json!({ "template": template.source() });
                let written = self.draft.add(&node.key, &title, "text", config, node.at.beside(-0.5, 1.0));
                self.draft.feed(&template, &written);
                let id = self.add(at, "json", json!({ "query": "fromjson" }), "result");
                self.draft.connect(&Output::new(&written, "text"), &id, "value");
            }
            "extractJson" => {
                self.query(at, "(.input // .) | if type == \"string\" then (try fromjson catch (match(\"[\\\\[{].*[\\\\]}]\"; \"s\").string | fromjson)) else . end");
            }
            "extractObjectPath" => match json_path(settings.text("/path").unwrap_or_default()) {
                Some(path) if !settings.flag("/usePathInput") => {
                    self.query(at, &format!(".object | {path}"));
                }
                _ => drop(self.placeholder(
                    at,
                    "Its path is more than names and numbers. A query (`json`) can do the same.",
                )),
            },
            "extractRegex" if !settings.flag("/useRegexInput") => {
                let regex = json!(settings.text("/regex").unwrap_or_default()).to_string();
                settings.ignore_all(&["/errorOnFailed", "/multilineMode"]);
                let id = self.query(at, &format!("[.input | match({regex}) | .captures[].string]"));
                for index in 0..10 {
                    let name = format!("output{}", index + 1);
                    if self.graph.edges.iter().any(|edge| edge.source == at && edge.output == name) {
                        let query = format!(".[{index}]");
                        let one = self.draft.add(
                            &node.key,
                            &name,
                            "json",
                            json!({ "query": query }),
                            node.at.beside(0.0, 1.0),
                        );
                        self.draft.connect(&Output::new(&id, "result"), &one, "value");
                        self.set(at, &name, Output::new(&one, "result"));
                    }
                }
            }
            "split" => {
                let delimiter = json!(settings.text("/delimiter").unwrap_or(",")).to_string();
                settings.ignore_all(&["/useDelimiterInput", "/regex"]);
                self.query(at, &format!(".string | split({delimiter})"));
            }
            "slice" => {
                let start = settings.number("/start").unwrap_or(0.0).max(0.0);
                let end = settings
                    .number("/count")
                    .map_or_else(String::new, |count| (start + count.max(0.0)).to_string());
                settings.ignore_all(&["/useStartInput", "/useCountInput"]);
                self.query(at, &format!(".input | .[{start}:{end}]"));
            }
            "pop" => drop(self.query(at, ".array | last")),
            "toJson" => drop(self.query(at, ".data | tojson")),
            "evaluate" => {
                let operation = settings.text("/operation").unwrap_or("+");
                if ["+", "-", "*", "/", "%"].contains(&operation) {
                    self.query(at, &format!("(.a | tonumber) {operation} (.b | tonumber)"));
                } else {
                    self.placeholder(at, "A query (`json`) or a program (`code`) can do the same.");
                }
            }
            "compare" => {
                let operation = settings.text("/comparisonFunction").unwrap_or("==");
                if ["==", "!=", "<", ">", "<=", ">="].contains(&operation) {
                    self.query(at, &format!(".a {operation} .b"));
                } else {
                    self.placeholder(at, "A query (`json`) can do the same.");
                }
            }
            "boolean" | "number" => {
                let value = settings.get("/value").cloned().unwrap_or_default();
                settings.ignore("/useValueInput");
                self.add(at, "value", json!({ "value": value }), "value");
            }
            "code" => self.code(at, settings),
            "httpCall" => self.http_call(at, settings),
            "delay" => match self.fed_output(at, "input1") {
                Some(input) => {
                    let ms = settings.number("/delay").unwrap_or(0.0).clamp(0.0, 86_400_000.0);
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "it is clamped"
                    )]
                    let id = self.add(at, "delay", json!({ "ms": ms as u64 }), "out");
                    self.draft.connect(&input, &id, "in");
                }
                None => drop(self.placeholder(at, "Nothing feeds it.")),
            },
            "readFile" if !settings.flag("/usePathInput") => {
                let path = settings.text("/path").unwrap_or_default();
                settings.ignore_all(&["/errorOnMissingFile", "/asBinary"]);
                self.add(at, "readFile", json!({ "path": path }), "text");
                self.draft.lose(&node.key, "Its place: flows read files relative to their own folder.");
            }
            "comment" => {
                let text = settings.text("/text").unwrap_or_default();
                let id = self.draft.add(&node.key, "", "note", json!({ "text": text }), node.at);
                let height = settings.number("/height").unwrap_or(200.0);
                self.draft.resize(&id, node.width.unwrap_or(300.0), height);
                settings.ignore_all(&["/color", "/backgroundColor"]);
            }
            "loopController" | "loopUntil" => {
                drop(self.placeholder(at, "In Plait, put the nodes to repeat into a loop."));
            }
            "gptFunction" => {
                drop(self.placeholder(
                    at,
                    "A tool whose calls the graph answers. An HTTP tool or an MCP server can do the same.",
                ));
            }
            _ => drop(self.placeholder(at, "Plait has no node for this.")),
        }
        let is_placeholder = self.values.get(&(at, String::new())).is_some_and(|(output, _)| {
            self.draft.node_type(&output.node) == super::super::draft::PLACEHOLDER
        });
        if !is_placeholder && let Some(unread) = settings.unread() {
            self.draft.lose(&node.key, unread);
        }
    }

    fn join(&mut self, at: usize, config: Value, output: &str) {
        let values = self.fed_inputs(at);
        if values.is_empty() {
            self.placeholder(at, "Nothing feeds it.");
            return;
        }
        let id = self.add(at, "join", config, output);
        for (_, value) in values {
            self.draft.connect(&value, &id, "values");
        }
    }

    fn passthrough(&mut self, at: usize) {
        let graph = self.graph;
        for edge in graph.edges.iter().filter(|edge| edge.target == at) {
            if let Some(place) = self.value(edge.source, &edge.output) {
                self.draft.attach(&graph.nodes[at].key, &place.0.node);
                self.values.insert((at, edge.input.replace("input", "output")), place);
            }
        }
        if !self.draft.has_outcome(&graph.nodes[at].key) {
            self.placeholder(at, "Nothing feeds it.");
        }
    }

    /// Several messages, in the order of their inputs.
    fn assemble(&mut self, at: usize) {
        let graph = self.graph;
        let mut edges: Vec<_> = graph.edges.iter().filter(|edge| edge.target == at).collect();
        edges.sort_by_key(|edge| (edge.input.len(), edge.input.clone()));
        let mut messages = Vec::new();
        for edge in edges {
            messages.extend(self.messages_from(edge.source, &edge.output));
        }
        self.messages.insert(at, messages);
    }

    /// The messages that an output stands for.
    fn messages_from(&mut self, source: usize, output: &str) -> Vec<(Author, TemplateText)> {
        if let Some(messages) =
            self.messages.get(&source).filter(|_| !self.values.contains_key(&(source, String::new())))
        {
            return messages.clone();
        }
        let author =
            if self.graph.nodes[source].kind.starts_with("chat") { Author::Assistant } else { Author::User };
        self.value(source, output)
            .map(|(output, path)| (author, TemplateText::of("message", &output, &path)))
            .into_iter()
            .collect()
    }

    fn chat(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let graph = self.graph;
        let provider = match node.kind {
            "chatAnthropic" => "anthropic",
            "chatGoogle" => "gemini",
            "chatHuggingFace" => "huggingface",
            "replicateLlama" => "replicate",
            _ => "openai",
        };
        let mut model = Model { provider: Some(provider.to_owned()), ..Model::default() };
        let name = settings.text("/overrideModel").or_else(|| settings.text("/model"));
        model.name = name.map(str::to_owned);
        settings.ignore("/model");
        if settings.text("/endpoint").is_some() {
            model.lost.push("The model's address: set up a provider with it.".to_owned());
        }
        model.set_temperature(settings.number("/temperature").filter(|_| !settings.flag("/useTopP")));
        model.max_tokens = settings.number("/maxTokens").filter(|&count| count > 0.0);
        if settings.flag("/useTopP") {
            model.set_option("top_p", settings.get("/top_p").cloned());
        }
        for (pointer, option) in
            [("/frequencyPenalty", "frequency_penalty"), ("/presencePenalty", "presence_penalty")]
        {
            model.set_option(
                option,
                settings.get(pointer).filter(|value| value.as_f64() != Some(0.0)).cloned(),
            );
        }
        settings.ignore_all(&[
            "/cache",
            "/useAsGraphPartialOutput",
            "/top_p",
            "/enableFunctionUse",
            "/parallelFunctionCalling",
            "/overrideMaxTokens",
            "/useServerTokenCalculation",
            "/outputUsage",
            "/usePredictedOutput",
            "/useStop",
            "/tools",
        ]);
        let mut call = ModelCall { model, ..ModelCall::default() };
        let mut messages = Vec::new();
        for input in ["systemPrompt", "system", "prompt"] {
            for edge in graph.edges.iter().filter(|edge| edge.target == at && edge.input == input) {
                for (author, text) in self.messages_from(edge.source, &edge.output) {
                    messages.push((if input == "prompt" { author } else { Author::System }, text));
                }
            }
        }
        call.set_messages(messages);
        if call.prompt.is_none() && call.history.is_empty() {
            match call.system.take() {
                Some(system) => call.prompt = Some(system),
                None => {
                    self.placeholder(at, "It has no message for the model.");
                    return;
                }
            }
        }
        for edge in graph.edges.iter().filter(|edge| edge.target == at && edge.input == "functions") {
            match self.value(edge.source, &edge.output) {
                Some((output, _)) if output.port == "tools" => call.tools.push(output),
                _ => self.draft.lose(&node.key, "Its functions: connect `tools` or an MCP server."),
            }
        }
        let done = call.add_to(&mut self.draft, &node.key, node.title, node.at);
        for edge in graph.edges.iter().filter(|edge| edge.target == at) {
            if self.messages.contains_key(&edge.source)
                && !self.values.contains_key(&(edge.source, String::new()))
            {
                self.attach_messages(edge.source, &done.chat);
            }
        }
        self.set(at, "", done.response());
    }

    /// Says that prompts are a part of a call.
    fn attach_messages(&mut self, source: usize, id: &crate::id::NodeId) {
        let graph = self.graph;
        self.draft.attach(&graph.nodes[source].key, id);
        if matches!(graph.nodes[source].kind, "assemblePrompt" | "assembleMessage") {
            let inner: Vec<usize> = graph
                .edges
                .iter()
                .filter(|edge| edge.target == source && edge.source != source)
                .map(|edge| edge.source)
                .collect();
            for inner in inner {
                let is_part =
                    self.messages.contains_key(&inner) && !self.values.contains_key(&(inner, String::new()));
                if is_part && !self.draft.has_outcome(&graph.nodes[inner].key) {
                    self.attach_messages(inner, id);
                }
            }
        }
    }

    fn graph_input(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let name = settings.text("/id").unwrap_or("input").to_owned();
        let kind = settings.text("/dataType").unwrap_or("string");
        settings.ignore_all(&["/useDefaultValueInput", "/editor"]);
        let default = settings.get("/defaultValue").cloned();
        if self.callers.len() > 1 {
            // Whoever calls the graph gives the value.
            let id = self.draft.add(&node.key, &name, "json", json!({ "query": "." }), node.at);
            self.inputs.insert(name, id.clone());
            self.set(at, "", Output::new(&id, "result"));
            return;
        }
        if kind == "string" && !self.has_text_input {
            self.has_text_input = true;
            let text = default.as_ref().and_then(Value::as_str).unwrap_or_default();
            let id = self.draft.add(&node.key, &name, "manualInput", json!({ "text": text }), node.at);
            self.set(at, "", Output::new(&id, "value"));
            return;
        }
        let schema = match kind {
            "string" => json!({ "type": "string" }),
            "number" => json!({ "type": "number" }),
            "boolean" => json!({ "type": "boolean" }),
            "object" => json!({ "type": "object" }),
            kind if kind.ends_with("[]") => json!({ "type": "array" }),
            _ => json!({}),
        };
        let prompt = TemplateText::constant(&format!("The value of `{name}`."));
        let config = json!({ "prompt": prompt.source(), "schema": schema });
        let id = self.draft.add(&node.key, &name, "userInput", config, node.at);
        if default.is_some() {
            self.draft.lose(&node.key, "Its default value: a person is asked for it.");
        }
        self.set(at, "", Output::new(&id, "message"));
    }

    fn graph_output(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let name = settings.text("/id").unwrap_or("output").to_owned();
        settings.ignore("/dataType");
        let Some(value) = self.fed_output(at, "value") else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let id = self.draft.add(&node.key, &name, "output", json!({ "name": name }), node.at);
        self.draft.connect(&value, &id, "value");
        self.outputs.insert(name, id);
        self.set(at, "", value);
    }

    fn user_input(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let question = self.fed(at, "questions");
        let mut prompt = TemplateText::default();
        match question.filter(|_| settings.flag("/useInput")) {
            Some((output, path)) => prompt.push_value("question", &output, &path),
            None => prompt.push_text(settings.text("/prompt").unwrap_or("Your answer?")),
        }
        settings.ignore_all(&["/prompt", "/renderingFormat"]);
        let id =
            self.draft.add(&node.key, node.title, "userInput", json!({ "prompt": prompt.source() }), node.at);
        self.draft.feed(&prompt, &id);
        self.set(at, "", Output::new(&id, "message"));
    }

    /// `if`: passes its value on to one of two outputs.
    fn condition(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        settings.ignore("/unconnectedControlFlowExcluded");
        let Some(object) = self.object(at) else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let query = ". + {yes: ((.if // false) as $x | ($x != false and $x != \"\" and $x != \"false\" and $x != [] and $x != 0))}";
        let title = format!("{}: test", node.title);
        let test =
            self.draft.add(&node.key, &title, "json", json!({ "query": query }), node.at.beside(-0.5, 1.0));
        self.draft.connect(&object, &test, "value");
        let cases = json!({ "cases": [{ "name": "true", "when": "value.yes" }] });
        let id = self.draft.add(&node.key, node.title, "switch", cases, node.at);
        self.draft.connect(&Output::new(&test, "result"), &id, "value");
        let value = vec!["value".to_owned()];
        self.values.insert((at, "output".to_owned()), (Output::new(&id, "true"), value.clone()));
        self.values.insert((at, "falseOutput".to_owned()), (Output::new(&id, "default"), value));
    }

    fn match_node(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let Some(object) = self.object(at) else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let has_value = self.graph.edges.iter().any(|edge| edge.target == at && edge.input == "value");
        settings.ignore_all(&["/caseNames", "/exclusive"]);
        let cases: Vec<Value> = settings
            .items("/cases")
            .iter()
            .enumerate()
            .map(|(index, case)| {
                let pattern = json!(case.as_str().unwrap_or_default());
                json!({ "name": format!("case{}", index + 1), "when": format!("value.input.matches({pattern})") })
            })
            .collect();
        if cases.is_empty() {
            self.placeholder(at, "It has no cases.");
            return;
        }
        let path = vec![if has_value { "value" } else { "input" }.to_owned()];
        let count = cases.len();
        let id = self.draft.add(&node.key, node.title, "switch", json!({ "cases": cases }), node.at);
        self.draft.connect(&object, &id, "value");
        for index in 1..=count {
            let name = format!("case{index}");
            self.values.insert((at, name.clone()), (Output::new(&id, &name), path.clone()));
        }
        self.values.insert((at, "unmatched".to_owned()), (Output::new(&id, "default"), path));
    }

    fn code(&mut self, at: usize, settings: &Settings<'_>) {
        let code = settings.text("/code").unwrap_or_default();
        settings.ignore_all(&["/inputNames", "/outputNames"]);
        let unreachable = ["require(", "import(", "await ", "fetch(", "process.", "Rivet."];
        if let Some(word) = unreachable.iter().find(|word| code.contains(**word)) {
            let reason = format!(
                "Its program uses `{}`, which programs in Plait can't reach.",
                word.trim().trim_end_matches(['(', '.'])
            );
            self.placeholder(at, &reason);
            return;
        }
        let object = self.object(at);
        let code = format!(
            "const entries = Object.entries(input ?? {{}}).map(([name, value]) => [name, {{ type: \"any\", value }}]);\n\
             const inputs = Object.fromEntries(entries);\n\
             const outputs = (() => {{\n{code}\n}})();\n\
             return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output?.value]));"
        );
        let id = self.add(at, "code", json!({ "code": code }), "result");
        if let Some(object) = object {
            self.draft.connect(&object, &id, "input");
        }
        for edge in self.graph.edges.iter().filter(|edge| edge.source == at) {
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
        let parse = |text: Option<&str>| text.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let headers: Map<String, Value> = parse(settings.text("/headers"))
            .and_then(|headers| headers.as_object().cloned())
            .unwrap_or_default()
            .into_iter()
            .filter(|(name, value)| value.is_string() && !name.eq_ignore_ascii_case("content-type"))
            .collect();
        let method = settings.text("/method").unwrap_or("GET");
        let body = parse(settings.text("/body")).filter(|_| !matches!(method, "GET" | "HEAD"));
        settings.ignore_all(&["/errorOnNon200", "/isBinaryOutput", "/body"]);
        let config = json!({ "method": method, "url": url, "headers": headers, "body": body });
        let id = self.add(at, "httpRequest", config, "body");
        self.set(at, "statusCode", Output::new(&id, "status"));
        self.set(at, "res_headers", Output::new(&id, "headers"));
    }
}

/// A simple path, such as `$.a[0].b`, in the language of queries.
fn json_path(path: &str) -> Option<String> {
    let path = path.trim().strip_prefix('$')?;
    let is_simple =
        path.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '[' | ']' | '_'));
    if !is_simple || path.contains("..") {
        return None;
    }
    Some(format!(".{}", path.trim_start_matches('.')))
}
