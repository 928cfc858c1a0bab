//! Dify's nodes, by their types.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::http_request::{Body, CREDENTIALS_LOST, HttpRequest, ONLY_JSON, Pairs};
use super::super::jinja;
use super::super::settings::Settings;
use super::super::ways::add_ways;
use super::selectors::read_selector;
use super::start::add_start;
use super::{Ends, Reader, Values, apps};
use plait_core::id::NodeId;

impl Reader<'_> {
    /// Adds the nodes that a node of the graph becomes. Returns the one that waits for what comes before it.
    pub(super) fn translate(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.graph.nodes[at];
        Some(match node.kind {
            "end" => return self.end(at, settings),
            "variable-aggregator" | "variable-assigner" => return self.aggregator(at, settings),
            "iteration-start" | "loop-start" => return self.container_start(at),
            "custom-note" => {
                self.note(at, settings);
                return None;
            }
            "start" => self.start(at, settings),
            "answer" => self.answer(at, settings),
            "llm" => self.llm(at, settings),
            "agent" => self.agent(at, settings),
            "parameter-extractor" => self.extractor(at, settings),
            "question-classifier" => self.classifier(at, settings),
            "if-else" => self.if_else(at, settings),
            "code" => self.code(at, settings),
            "template-transform" => self.template_transform(at, settings),
            "http-request" => self.http_request(at, settings),
            "knowledge-retrieval" => self.retrieval(at, settings),
            "iteration" => self.iteration(at, settings),
            "loop" => self.repetition(at, settings),
            "loop-end" => self.loop_end(at),
            "assigner" => self.placeholder(at, "Plait's flows have no variables that change."),
            "tool" => {
                self.placeholder(at, "A tool of Dify. An HTTP request or an MCP server can do the same.")
            }
            "list-operator" => self.placeholder(at, "A query on the list (`json`) can do the same."),
            "document-extractor" => self.placeholder(
                at,
                "Plait reads documents that are attached to a message, or in a knowledge base.",
            ),
            _ => self.placeholder(at, "Plait has no node for this."),
        })
    }

    fn start(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let started = add_start(
            &mut self.builder,
            (node.id, node.title, node.at),
            settings.items("/variables"),
            self.is_chat,
        );
        self.query = started.query;
        self.values.insert(node.id.to_owned(), started.values);
        self.ends.insert(node.id.to_owned(), Ends::one(started.end.clone()));
        started.end.node
    }

    fn end(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.graph.nodes[at];
        let outputs = self.variables(at, settings.items("/outputs"));
        let mut first = None;
        for (index, (name, output, path)) in outputs.iter().enumerate() {
            let output = self.field(at, output, path);
            let place = node.at.beside(0.0, f64::from(u32::try_from(index).unwrap_or(0)));
            let id = self.builder.add(node.id, name, "output", json!({ "name": name }), place);
            self.builder.connect(&output, &id, "value");
            first.get_or_insert(id);
        }
        if first.is_none() {
            self.builder.lose(node.id, "It has no outputs: the results are those of the last nodes.");
        }
        first
    }

    fn answer(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let answer = settings.text("/answer").unwrap_or_default().to_owned();
        settings.ignore("/variables");
        let template = self.template(at, &answer, None);
        let title = format!("{}: text", node.title);
        // A node of its own, even for a single value: it is what a branch is gated by.
        let text = self.builder.add_text(node.id, &title, &template, node.at.beside(-0.5, 1.0));
        let output = Output::new(&text, "text");
        let id = self.builder.add(node.id, node.title, "output", json!({ "format": "markdown" }), node.at);
        self.builder.connect(&output, &id, "value");
        self.set_values(at, Values::one("answer", output.clone()));
        self.ends.insert(node.id.to_owned(), Ends::one(output));
        text
    }

    fn code(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        if settings.text("/code_language") != Some("javascript") {
            return self.placeholder(at, "It runs Python; Plait runs JavaScript.");
        }
        let code = settings.text("/code").unwrap_or_default();
        let variables = self.variables(at, settings.items("/variables"));
        settings.ignore_all(&["/outputs", "/dependencies"]);
        let input = (!variables.is_empty()).then(|| self.join(at, &variables));
        let config = json!({ "code": format!("{code}\n\nreturn main(input);") });
        let (id, result) = self.add(at, "code", config, "result");
        if let Some(input) = input {
            self.builder.connect(&input, &id, "input");
        }
        self.set_values(at, Values::object(result));
        self.retry(settings, &id);
        id
    }

    fn template_transform(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let variables = self.variables(at, settings.items("/variables"));
        let text = settings.get("/template").and_then(Value::as_str).unwrap_or_default();
        let node = &self.graph.nodes[at];
        let selectors = settings.items("/variables").iter().filter_map(|entry| entry.get("value_selector"));
        if selectors.map(read_selector).any(|selector| self.may_be_object(&selector)) {
            self.builder.lose_order_of_fields(node.id);
        }
        let output = match self.jinja(at, node.title, text, &variables) {
            Ok(output) => output,
            Err(reason) => return self.placeholder(at, &reason),
        };
        self.ends.insert(node.id.to_owned(), Ends::one(output.clone()));
        self.set_values(at, Values::one("output", output.clone()));
        output.node
    }

    /// Adds a text in Jinja, with these values as its variables. A variable that is none of them is empty, as in Dify.
    pub(super) fn jinja(
        &mut self,
        at: usize,
        title: &str,
        text: &str,
        variables: &[(String, Output, Vec<String>)],
    ) -> Result<Output, String> {
        let node = &self.graph.nodes[at];
        // A field of a value is a query beside the template.
        let mut values = HashMap::new();
        for name in jinja::variables(text)? {
            if let Some((_, output, path)) = variables.iter().find(|(known, ..)| *known == name) {
                values.insert(name, self.field(at, output, path));
            }
        }
        let value = |name: &str| values.get(name).cloned();
        if text.contains("tojson") {
            self.builder
                .lose(node.id, "`tojson` writes letters beyond ASCII as they are, and not as numbers.");
        }
        jinja::add_jinja(&mut self.builder, (node.id, title, node.at), text, value)
    }

    fn http_request(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let mut request = HttpRequest {
            method: settings.text("/method").unwrap_or("get").to_owned(),
            url: self.template(at, settings.text("/url").unwrap_or_default(), None),
            query: self.pairs(at, settings.text("/params").unwrap_or_default()),
            headers: self.pairs(at, settings.text("/headers").unwrap_or_default()),
            body: Body::None,
        };
        let text = match settings.get("/body/data") {
            Some(Value::String(text)) => text.as_str(),
            Some(Value::Array(parts)) => {
                parts.iter().find_map(|part| part.get("value")?.as_str()).unwrap_or_default()
            }
            _ => "",
        };
        match settings.text("/body/type").unwrap_or("none") {
            "none" => {}
            "json" => request.body = Body::Json(self.template(at, text, None)),
            "raw-text" => request.body = Body::Text(self.template(at, text, None)),
            _ if request.sends_body() => return self.placeholder(at, ONLY_JSON),
            _ => {}
        }
        if settings.text("/authorization/type").is_some_and(|kind| kind != "no-auth") {
            self.builder.lose(node.id, CREDENTIALS_LOST);
        }
        settings.ignore_all(&["/authorization", "/body", "/timeout", "/variables", "/ssl_verify"]);
        let id = match request.add_to(&mut self.builder, node.id, node.title, node.at) {
            Ok(id) => id,
            Err(reason) => return self.placeholder(at, &reason),
        };
        let output = Output::new(&id, "body");
        let values = Values::one("body", output.clone()).with("status_code", Output::new(&id, "status"));
        self.set_values(at, values.with("headers", Output::new(&id, "headers")));
        self.ends.insert(node.id.to_owned(), Ends::one(output));
        self.retry(settings, &id);
        id
    }

    /// Lines of names and values.
    fn pairs(&mut self, at: usize, text: &str) -> Pairs {
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        let named =
            lines.map(|(name, value)| (name.trim(), value.trim())).filter(|(name, _)| !name.is_empty());
        named.map(|(name, value)| (name.to_owned(), self.template(at, value, None))).collect()
    }

    fn retrieval(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let Some(query) = self.output_of(at, settings.get("/query_variable_selector")) else {
            return self.placeholder(at, "It searches for a value that is not in the flow.");
        };
        settings.ignore_all(&[
            "/dataset_ids",
            "/retrieval_mode",
            "/single_retrieval_config",
            "/multiple_retrieval_config",
            "/query_attachment_selector",
        ]);
        let lost =
            format!("Its documents and how they are ranked: add a knowledge base called `{}`.", node.title);
        self.builder.lose(node.id, lost);
        let (id, text) = self.add(at, "retrieve", json!({ "bases": [node.title] }), "text");
        self.builder.connect(&query, &id, "query");
        self.set_values(at, Values::one("result", text).with("chunks", Output::new(&id, "chunks")));
        id
    }

    fn aggregator(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.graph.nodes[at];
        let grouped = settings.flag("/advanced_settings/group_enabled");
        let mut groups: Vec<(String, &[Value])> = Vec::new();
        if grouped {
            for group in settings.items("/advanced_settings/groups") {
                let name = group.get("group_name").and_then(Value::as_str).unwrap_or("Group");
                let list = group.get("variables").and_then(Value::as_array);
                groups.push((name.to_owned(), list.map_or(&[], Vec::as_slice)));
            }
        } else {
            groups.push(("output".to_owned(), settings.items("/variables")));
        }
        settings.ignore_all(&["/variables", "/advanced_settings", "/output_type"]);
        let mut values = Values::default();
        let mut first = None;
        for (name, list) in groups {
            let outputs: Vec<Output> =
                list.iter().filter_map(|selector| self.output_of(at, Some(selector))).collect();
            if outputs.is_empty() {
                continue;
            }
            let title = if grouped { format!("{}: {name}", node.title) } else { node.title.to_owned() };
            let id = self.builder.add(node.id, &title, "join", json!({}), node.at);
            // The first one that has a value counts.
            self.builder.connect_in_order(&outputs, &id, "values");
            let output = Output::new(&id, "first");
            let path = (output.clone(), Vec::new());
            values.named.insert(name, path);
            self.ends.entry(node.id.to_owned()).or_insert_with(|| Ends::one(output));
            first.get_or_insert(id);
        }
        if first.is_none() {
            return Some(self.placeholder(at, "It reads no value of the flow."));
        }
        self.set_values(at, values);
        // It waits for its values itself, from any branch.
        None
    }

    fn iteration(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let Some(items) = self.output_of(at, settings.get("/iterator_selector")) else {
            return self.placeholder(at, "It goes through a value that is not in the flow.");
        };
        let is_parallel = settings.flag("/is_parallel");
        let concurrency = settings.count("/parallel_nums", 1..=100).filter(|_| is_parallel).unwrap_or(1);
        let on_error = match settings.text("/error_handle_mode") {
            Some("continue-on-error" | "remove-abnormal-output") => "continue",
            _ => "stop",
        };
        let collected = self.collected(settings);
        settings.ignore_all(&[
            "/output_selector",
            "/output_type",
            "/start_node_id",
            "/startNodeType",
            "/iterator_input_type",
            "/flatten_output",
            "/_children",
        ]);
        let config = json!({ "kind": "forEach", "concurrency": concurrency, "on_error": on_error });
        let (id, results) = self.add(at, "loop", config, "results");
        self.builder.connect(&items, &id, "items");
        let results = match collected {
            Some(query) => {
                let (title, place) = (format!("{}: results", node.title), node.at.beside(0.5, 1.0));
                let list = self.builder.add(node.id, &title, "json", json!({ "query": query }), place);
                self.builder.connect(&results, &list, "value");
                Output::new(&list, "result")
            }
            None => results,
        };
        let values = Values::one("output", results).with("item", Output::new(&id, "item"));
        self.set_values(at, values.with("index", Output::new(&id, "index")));
        id
    }

    /// What Dify makes of the results of an iteration, as a query: those of failures are null or left out, and lists become one list.
    fn collected(&self, settings: &Settings<'_>) -> Option<String> {
        const IS_ERROR: &str =
            "type == \"object\" and keys == [\"error\"] and (.error | type == \"object\" and has(\"code\"))";
        let failed = match settings.text("/error_handle_mode") {
            Some("continue-on-error") => Some(format!("map(if {IS_ERROR} then null else . end)")),
            Some("remove-abnormal-output") => Some(format!("map(select(({IS_ERROR}) | not))")),
            _ => None,
        };
        let source = settings.items("/output_selector").first().and_then(Value::as_str);
        let source = source.and_then(|id| self.graph.find(id)).map(|at| self.graph.nodes[at].kind);
        let is_text = matches!(source, Some("template-transform" | "llm" | "answer" | "http-request"));
        let is_flat = settings.get("/flatten_output") != Some(&Value::Bool(false)) && !is_text;
        let flat = is_flat.then(|| {
            "(map(select(. != null)) as $made | if ($made | length) > 0 and ($made | all(type == \"array\")) then [$made[][]] else . end)".to_owned()
        });
        let steps: Vec<String> = failed.into_iter().chain(flat).collect();
        (!steps.is_empty()).then(|| steps.join(" | "))
    }

    fn repetition(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let count = settings.count("/loop_count", 1..=10_000).unwrap_or(10);
        let mut values = Values::default();
        for variable in settings.items("/loop_variables") {
            let name = variable.get("label").and_then(Value::as_str).unwrap_or_default();
            let value = variable.get("value").cloned().unwrap_or_default();
            let output = if variable.get("value_type").is_some_and(|kind| kind == "variable") {
                self.output_of(at, Some(&value))
            } else {
                let config = json!({ "value": value });
                let id = self.builder.add(node.id, name, "value", config, node.at.beside(-1.0, 0.0));
                Some(Output::new(&id, "value"))
            };
            self.builder.lose(node.id, format!("Its variable `{name}` keeps its first value."));
            if let Some(output) = output {
                values = values.with(name, output);
            }
        }
        settings.ignore_all(&[
            "/break_conditions",
            "/logical_operator",
            "/start_node_id",
            "/loop_variables",
            "/error_handle_mode",
            "/_children",
            "/outputs",
        ]);
        let config = json!({ "kind": "times", "times": count, "max_iterations": count });
        let (id, result) = self.add(at, "loop", config, "result");
        values = values.with("output", result).with("index", Output::new(&id, "index"));
        self.set_values(at, values);
        id
    }

    /// The start of a body: the loop itself.
    fn container_start(&mut self, at: usize) -> Option<NodeId> {
        let node = &self.graph.nodes[at];
        let Some(parent) = node.parent.and_then(|parent| self.container(parent)) else {
            return Some(self.placeholder(at, "It is the start of a loop that is not in the flow."));
        };
        self.builder.attach(node.id, &parent);
        self.ends.insert(node.id.to_owned(), Ends::one(Output::new(&parent, "index")));
        None
    }

    fn loop_end(&mut self, at: usize) -> NodeId {
        let node = &self.graph.nodes[at];
        let Some(parent) = node.parent.and_then(|parent| self.container(parent)) else {
            return self.placeholder(at, "It ends a loop that is not in the flow.");
        };
        let (id, output) = self.add(at, "text", json!({ "template": "end" }), "text");
        self.builder.connect(&output, &parent, "exit");
        id
    }

    /// Connects the body of a container to its end.
    pub(super) fn close_container(&mut self, at: usize) {
        let node = &self.graph.nodes[at];
        let Some(id) = self.container(node.id).filter(|_| matches!(node.kind, "iteration" | "loop")) else {
            return;
        };
        self.builder.enter(&id);
        if let Some(selector) = node.data.get("output_selector") {
            let found = self.resolve_value(Some(selector));
            // A value from outside would be the same in every iteration.
            match found.filter(|(output, _)| self.builder.parent(&output.node).as_ref() == Some(&id)) {
                Some((output, path)) => {
                    let output = self.field(at, &output, &path);
                    self.builder.connect(&output, &id, "next");
                }
                None => self.builder.lose(node.id, "Its results: what it collects is not in the flow."),
            }
        } else if let Some(last) = self.last_inside(node.id) {
            self.builder.connect(&last, &id, "next");
        }
        let conditions = node.data.get("break_conditions").and_then(Value::as_array);
        if conditions.is_some_and(|conditions| !conditions.is_empty()) {
            let case = json!({
                "conditions": conditions,
                "logical_operator": node.data.get("logical_operator"),
            });
            self.exit_by(at, &id, &case);
        }
        self.builder.leave();
    }

    /// What the last node inside of a container makes.
    fn last_inside(&self, id: &str) -> Option<Output> {
        let inside =
            self.graph.nodes.iter().filter(|node| node.parent == Some(id) && node.kind != "loop-end");
        let ends = inside.filter_map(|node| self.ends.get(node.id)?.rest.clone());
        let ends: Vec<Output> = ends.filter(|end| self.builder.parent(&end.node).is_some()).collect();
        ends.into_iter().rev().find(|end| !self.builder.is_read(&end.node))
    }

    /// Ends a loop by conditions.
    fn exit_by(&mut self, at: usize, id: &NodeId, case: &Value) {
        let node = &self.graph.nodes[at];
        let Ok(conditions) = self.conditions(&[("end", case)]) else {
            self.builder.lose(node.id, "Its conditions to end: they read values that are not in the flow.");
            return;
        };
        let changes =
            |output: &Output| self.builder.parent(&output.node).as_ref() == Some(id) || output.node == *id;
        if !conditions.inputs.outputs().iter().any(changes) {
            self.builder.lose(node.id, "Its conditions to end: they read nothing that changes.");
            return;
        }
        let title = format!("{}: end?", node.title);
        let place = (node.id, title.as_str(), node.at.beside(1.0, 1.0));
        let names = ["end".to_owned()];
        let switch = add_ways(&mut self.builder, place, &conditions.code, &conditions.inputs, &names);
        self.builder.connect(&Output::new(&switch, "end"), id, "exit");
    }

    fn note(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let text = settings.text("/text").map(apps::note_text).unwrap_or_default();
        let id = self.builder.add(node.id, "", "note", json!({ "text": text }), node.at);
        self.builder.resize(
            &id,
            settings.number("/width").unwrap_or(240.0),
            settings.number("/height").unwrap_or(120.0),
        );
        settings.ignore_all(&["/author", "/showAuthor", "/theme"]);
    }
}
