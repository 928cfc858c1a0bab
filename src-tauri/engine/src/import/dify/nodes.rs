//! Dify's nodes, by their types.

use serde_json::{Map, Value, json};

use super::super::draft::Output;
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::start::add_start;
use super::{Ends, Reader, Values, apps, jinja};
use crate::id::NodeId;

impl Reader<'_> {
    /// Adds the nodes that a node of the graph becomes. Returns the one that waits for what comes before it.
    pub(super) fn translate(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        match node.kind {
            "start" => self.start(at, settings),
            "end" => self.end(at, settings),
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
            "variable-aggregator" | "variable-assigner" => self.aggregator(at, settings),
            "iteration" => self.iteration(at, settings),
            "loop" => self.repetition(at, settings),
            "iteration-start" | "loop-start" => self.container_start(at),
            "loop-end" => self.loop_end(at),
            "custom-note" => self.note(at, settings),
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
        }
    }

    fn start(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let started = add_start(
            &mut self.draft,
            (node.id, node.title, node.at),
            settings.items("/variables"),
            self.is_chat,
        );
        self.query = started.query;
        self.values.insert(node.id.to_owned(), started.values);
        self.ends.insert(node.id.to_owned(), Ends::one(started.end.clone()));
        Some(started.end.node)
    }

    fn end(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let outputs = self.variables(at, settings.items("/outputs"));
        let mut first = None;
        for (index, (name, output, path)) in outputs.iter().enumerate() {
            let output = self.field(at, output, path);
            let place = node.at.beside(0.0, f64::from(u32::try_from(index).unwrap_or(0)));
            let id = self.draft.add(node.id, name, "output", json!({ "name": name }), place);
            self.draft.connect(&output, &id, "value");
            first.get_or_insert(id);
        }
        if first.is_none() {
            self.draft.lose(node.id, "It has no outputs: the results are those of the last nodes.");
        }
        first
    }

    fn answer(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let answer = settings.text("/answer").unwrap_or_default().to_owned();
        settings.ignore("/variables");
        let template = self.template(at, &answer, None);
        let title = format!("{}: text", node.title);
        // A node of its own, even for a single value: it is what a branch is gated by.
        let config = json!({ "template": template.source() });
        let text = self.draft.add(node.id, &title, "text", config, node.at.beside(-0.5, 1.0));
        self.draft.feed(&template, &text);
        let output = Output::new(&text, "text");
        let id = self.draft.add(node.id, node.title, "output", json!({ "format": "markdown" }), node.at);
        self.draft.connect(&output, &id, "value");
        self.set_values(at, Values::one("answer", output.clone()));
        self.ends.insert(node.id.to_owned(), Ends::one(output));
        Some(text)
    }

    fn code(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
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
            self.draft.connect(&input, &id, "input");
        }
        self.set_values(at, Values::object(result));
        self.retry(settings, &id);
        Some(id)
    }

    fn template_transform(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let variables = self.variables(at, settings.items("/variables"));
        let template = match jinja::translate(settings.text("/template").unwrap_or_default(), &variables) {
            Ok(template) => template,
            Err(reason) => return self.placeholder(at, &reason),
        };
        let (id, output) = self.add(at, "text", json!({ "template": template.source() }), "text");
        self.draft.feed(&template, &id);
        self.set_values(at, Values::one("output", output));
        Some(id)
    }

    fn http_request(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let method = settings.text("/method").unwrap_or("get").to_uppercase();
        let mut all = TemplateText::default();
        let url = self.request_part(at, &mut all, settings.text("/url").unwrap_or_default());
        if !url.starts_with("http") {
            return self.placeholder(at, "Its address is not known before it runs.");
        }
        let query = self.pairs(at, &mut all, settings.text("/params").unwrap_or_default());
        let headers = self.pairs(at, &mut all, settings.text("/headers").unwrap_or_default());
        let mut body = Value::Null;
        let kind = settings.text("/body/type").unwrap_or("none").to_owned();
        if !matches!(kind.as_str(), "none") && !matches!(method.as_str(), "GET" | "HEAD") {
            let data = settings.get("/body/data");
            let text = match data {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(parts)) => {
                    parts.iter().find_map(|part| part.get("value")?.as_str()).unwrap_or_default().to_owned()
                }
                _ => String::new(),
            };
            if kind != "json" && kind != "raw-text" {
                return self.placeholder(at, "Plait sends bodies in JSON.");
            }
            let source = self.request_part(at, &mut all, &text);
            body = serde_json::from_str(&source).unwrap_or_else(|_| source.into());
        }
        if settings.text("/authorization/type").is_some_and(|kind| kind != "no-auth") {
            let lost = "Its key: add a header with a secret of the settings, such as `${NAME}`.";
            self.draft.lose(node.id, lost);
        }
        settings.ignore_all(&["/authorization", "/body", "/timeout", "/variables", "/ssl_verify"]);
        let config =
            json!({ "method": method, "url": url, "query": query, "headers": headers, "body": body });
        let (id, output) = self.add(at, "httpRequest", config, "body");
        self.draft.feed(&all, &id);
        let values = Values::one("body", output).with("status_code", Output::new(&id, "status"));
        self.set_values(at, values.with("headers", Output::new(&id, "headers")));
        if let Some(ends) = self.ends.get_mut(node.id) {
            ends.by_handle.insert("fail-branch".to_owned(), Output::new(&id, "error"));
        }
        self.retry(settings, &id);
        Some(id)
    }

    fn request_part(&mut self, at: usize, all: &mut TemplateText, text: &str) -> String {
        let part = self.template(at, text, None);
        let before = all.source().len();
        all.push(&part);
        // Requests know no escapes, and no braces but those of variables.
        all.source()[before..].trim_start().replace("\\{{", "{ {")
    }

    /// Lines of names and values.
    fn pairs(&mut self, at: usize, all: &mut TemplateText, text: &str) -> Map<String, Value> {
        let mut pairs = Map::new();
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let name = name.trim();
            if name.is_empty()
                || ["content-type", "content-length", "host"].contains(&name.to_lowercase().as_str())
            {
                continue;
            }
            let value = self.request_part(at, all, value.trim());
            pairs.insert(name.to_owned(), value.into());
        }
        pairs
    }

    fn retrieval(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
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
        self.draft.lose(node.id, lost);
        let (id, text) = self.add(at, "retrieve", json!({ "bases": [node.title] }), "text");
        self.draft.connect(&query, &id, "query");
        self.set_values(at, Values::one("result", text).with("chunks", Output::new(&id, "chunks")));
        Some(id)
    }

    fn aggregator(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
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
            let id = self.draft.add(node.id, &title, "join", json!({}), node.at);
            for output in &outputs {
                self.draft.connect(output, &id, "values");
            }
            let output = Output::new(&id, "first");
            let path = (output.clone(), Vec::new());
            values.named.insert(name, path);
            self.ends.entry(node.id.to_owned()).or_insert_with(|| Ends::one(output));
            first.get_or_insert(id);
        }
        if first.is_none() {
            return self.placeholder(at, "It reads no value of the flow.");
        }
        self.set_values(at, values);
        // It waits for its values itself, whichever branch they come from.
        None
    }

    fn iteration(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let Some(items) = self.output_of(at, settings.get("/iterator_selector")) else {
            return self.placeholder(at, "It goes through a value that is not in the flow.");
        };
        let is_parallel = settings.flag("/is_parallel");
        let concurrency = settings.number("/parallel_nums").filter(|_| is_parallel).unwrap_or(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
        let concurrency = concurrency.clamp(1.0, 100.0) as u32;
        let on_error = match settings.text("/error_handle_mode") {
            Some("continue-on-error" | "remove-abnormal-output") => "continue",
            _ => "stop",
        };
        if settings.text("/error_handle_mode") == Some("remove-abnormal-output") {
            self.draft
                .lose(node.id, "That results of iterations that failed are left out: they hold the error.");
        }
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
        self.draft.connect(&items, &id, "items");
        let values = Values::one("output", results).with("item", Output::new(&id, "item"));
        self.set_values(at, values.with("index", Output::new(&id, "index")));
        Some(id)
    }

    fn repetition(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let count = settings.number("/loop_count").unwrap_or(10.0).clamp(1.0, 10_000.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
        let count = count as u32;
        let mut values = Values::default();
        for variable in settings.items("/loop_variables") {
            let name = variable.get("label").and_then(Value::as_str).unwrap_or_default();
            let value = variable.get("value").cloned().unwrap_or_default();
            let output = match variable.get("value_type").and_then(Value::as_str) {
                Some("variable") => self.output_of(at, Some(&value)),
                _ => {
                    let config = json!({ "value": value });
                    let id = self.draft.add(node.id, name, "value", config, node.at.beside(-1.0, 0.0));
                    Some(Output::new(&id, "value"))
                }
            };
            self.draft.lose(node.id, format!("Its variable `{name}` keeps its first value."));
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
        Some(id)
    }

    /// The start of a body: the loop itself.
    fn container_start(&mut self, at: usize) -> Option<NodeId> {
        let node = &self.nodes[at];
        let Some(parent) = node.parent.and_then(|parent| self.container(parent)) else {
            return self.placeholder(at, "It is the start of a loop that is not in the flow.");
        };
        self.draft.attach(node.id, &parent);
        self.ends.insert(node.id.to_owned(), Ends::one(Output::new(&parent, "index")));
        None
    }

    fn loop_end(&mut self, at: usize) -> Option<NodeId> {
        let node = &self.nodes[at];
        let Some(parent) = node.parent.and_then(|parent| self.container(parent)) else {
            return self.placeholder(at, "It ends a loop that is not in the flow.");
        };
        let (id, output) = self.add(at, "text", json!({ "template": "end" }), "text");
        self.draft.connect(&output, &parent, "exit");
        Some(id)
    }

    /// Connects the body of a container to its end.
    pub(super) fn close_container(&mut self, at: usize) {
        let node = &self.nodes[at];
        let Some(id) = self.container(node.id).filter(|_| matches!(node.kind, "iteration" | "loop")) else {
            return;
        };
        self.draft.enter(&id);
        if let Some(selector) = node.data.get("output_selector") {
            let found = self.resolve_value(Some(selector));
            // A value from outside would be the same in every iteration.
            match found.filter(|(output, _)| self.draft.parent(&output.node).as_ref() == Some(&id)) {
                Some((output, path)) => {
                    let output = self.field(at, &output, &path);
                    self.draft.connect(&output, &id, "next");
                }
                None => self.draft.lose(node.id, "Its results: what it collects is not in the flow."),
            }
        } else if let Some(last) = self.last_inside(node.id) {
            self.draft.connect(&last, &id, "next");
        }
        let conditions = node.data.get("break_conditions").and_then(Value::as_array);
        if conditions.is_some_and(|conditions| !conditions.is_empty()) {
            let case = json!({
                "conditions": conditions,
                "logical_operator": node.data.get("logical_operator"),
            });
            self.exit_by(at, &id, &case);
        }
        self.draft.leave();
    }

    /// What the last node inside of a container makes.
    fn last_inside(&self, id: &str) -> Option<Output> {
        let inside = self.nodes.iter().filter(|node| node.parent == Some(id) && node.kind != "loop-end");
        let ends = inside.filter_map(|node| self.ends.get(node.id)?.rest.clone());
        let ends: Vec<Output> = ends.filter(|end| self.draft.parent(&end.node).is_some()).collect();
        ends.into_iter().rev().find(|end| self.draft.used_outputs(&end.node).is_empty())
    }

    /// Ends a loop by conditions.
    fn exit_by(&mut self, at: usize, id: &NodeId, case: &Value) {
        let node = &self.nodes[at];
        let read = self.conditions(&[("end".to_owned(), case)]);
        let subject = match &read {
            Ok(read) => self.subject(at, &read.values),
            Err(_) => None,
        };
        let (Ok(read), Some((subject, single))) = (read, subject) else {
            self.draft.lose(node.id, "Its conditions to end: they read values that are not in the flow.");
            return;
        };
        let inside = self.draft.parent(&subject.node).as_ref() == Some(id) || subject.node == *id;
        let cel = read.cases.first().map(|(_, cel)| cel.clone()).unwrap_or_default();
        let cel = if single { cel.replace("value.v0", "value") } else { cel };
        if !inside {
            self.draft.lose(node.id, "Its conditions to end: they read nothing that changes.");
            return;
        }
        let title = format!("{}: end?", node.title);
        let cases = json!({ "cases": [{ "name": "end", "when": cel }] });
        let switch = self.draft.add(node.id, &title, "switch", cases, node.at.beside(1.0, 1.0));
        self.draft.connect(&subject, &switch, "value");
        let mut template = TemplateText::constant("end");
        template.require("branch", &Output::new(&switch, "end"));
        let end = self.draft.add(
            node.id,
            &format!("{}: ended", node.title),
            "text",
            json!({ "template": template.source() }),
            node.at.beside(2.0, 1.0),
        );
        self.draft.feed(&template, &end);
        self.draft.connect(&Output::new(&end, "text"), id, "exit");
    }

    fn note(&mut self, at: usize, settings: &Settings<'_>) -> Option<NodeId> {
        let node = &self.nodes[at];
        let text = settings.text("/text").map(apps::note_text).unwrap_or_default();
        let id = self.draft.add(node.id, "", "note", json!({ "text": text }), node.at);
        self.draft.resize(
            &id,
            settings.number("/width").unwrap_or(240.0),
            settings.number("/height").unwrap_or(120.0),
        );
        settings.ignore_all(&["/author", "/showAuthor", "/theme"]);
        None
    }
}
