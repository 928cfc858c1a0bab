//! n8n's nodes, by their types: triggers, values, branches and nested workflows.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::http_request::FROM_JSON;
use super::super::settings::{Settings, whole_number};
use super::super::template::TemplateText;
use super::loops::{self, batch_size, loop_outputs};
use super::{MAX_NESTING_DEPTH, Reader, Shape, Shapes};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

impl Reader<'_> {
    /// Adds the nodes that a node of the workflow becomes. Returns the shapes of its outputs.
    pub(super) fn translate(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let is_langchain = node.full_kind.contains("langchain");
        match node.kind {
            "manualTrigger" | "start" => self.start(at, &[""]),
            "chatTrigger" | "manualChatTrigger" => {
                settings.ignore_all(&["/options", "/public", "/mode", "/authentication"]);
                self.start(at, &["chatInput"])
            }
            "scheduleTrigger" | "cron" | "interval" => {
                settings.ignore("");
                self.builder.lose(node.name, "Its schedule: Plait starts a flow when you run it.");
                self.start(at, &[""])
            }
            "executeWorkflowTrigger" => {
                settings.ignore("");
                self.called(at)
            }
            "webhook" | "formTrigger" | "form" => self.form(at, settings, input),
            "stickyNote" => self.sticky_note(at, settings),
            "noOp" => self.pass(at, input),
            "if" | "filter" => self.branch(at, settings, input),
            "switch" => self.switch(at, settings, input),
            "set" => self.set(at, settings, input),
            "code" | "function" | "functionItem" => self.code(at, settings, input),
            "merge" => self.merge(at, settings),
            "wait" => self.wait(at, settings, input),
            "httpRequest" => self.http_request(at, settings, input),
            "splitOut" | "itemLists" | "aggregate" | "limit" => self.list_operation(at, settings, input),
            "splitInBatches" => self.split_in_batches(at, settings, input),
            "respondToWebhook" => self.respond(at, settings, input),
            "stopAndError" => self.stop(at, settings, input),
            "executeWorkflow" => self.execute_workflow(at, settings, input),
            _ if is_langchain || node.kind == "openAi" => self.model_node(at, settings, input),
            kind if kind.ends_with("Trigger") => {
                self.placeholder(at, "Plait has no trigger for this service: a flow starts when you run it.")
            }
            _ => self.placeholder(at, "Plait has no node for this service."),
        }
    }

    /// A start of the workflow, which the input text of a run replaces.
    fn start(&mut self, at: usize, fields: &[&str]) -> Shapes {
        let node = &self.workflow.nodes[at];
        let id = self.builder.add(node.name, node.name, "manualInput", json!({}), node.at);
        let output = Output::new(&id, "value");
        let shape = if fields == [""] { Shape::object(output) } else { Shape::field(output, fields) };
        vec![Some(shape)]
    }

    /// The start of a workflow that others call, with a text that may be JSON.
    fn called(&mut self, at: usize) -> Shapes {
        let node = &self.workflow.nodes[at];
        let start = self.builder.add(node.name, node.name, "manualInput", json!({}), node.at);
        let config = json!({ "query": "(fromjson? // {\"query\": ., \"chatInput\": .})" });
        let title = format!("{}: fields", node.name);
        let query = self.builder.add(node.name, &title, "json", config, node.at.beside(0.0, 1.0));
        self.builder.connect(&Output::new(&start, "value"), &query, "value");
        vec![Some(Shape::object(Output::new(&query, "result")))]
    }

    /// A form that a person fills in. A webhook becomes one for the request that it would receive.
    fn form(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        if node.kind == "form"
            && settings.text("/operation").is_some_and(|operation| operation == "completion")
        {
            let text = settings.text("/completionMessage").or_else(|| settings.text("/completionTitle"));
            let template = self.template(at, text.unwrap_or_default(), input);
            settings.ignore("/completionTitle");
            return self.output(at, &template);
        }
        let is_webhook = node.kind == "webhook";
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in settings.items("/formFields/values") {
            let Some(label) = field.get("fieldLabel").and_then(Value::as_str) else { continue };
            let options: Vec<&Value> = field
                .pointer("/fieldOptions/values")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|value| value.get("option"))
                .collect();
            let schema = match field.get("fieldType").and_then(Value::as_str) {
                Some("number") => json!({ "type": "number" }),
                Some("dropdown") if !options.is_empty() => json!({ "type": "string", "enum": options }),
                _ => json!({ "type": "string" }),
            };
            if field.get("requiredField").and_then(Value::as_bool) == Some(true) {
                required.push(label);
            }
            properties.insert(label.to_owned(), schema);
        }
        let mut schema = json!({ "type": "object" });
        if !properties.is_empty() {
            schema["properties"] = properties.into();
            schema["required"] = required.into();
        }
        let title = settings.text("/formTitle").unwrap_or(node.name);
        let text = settings.text("/formDescription").map(|text| format!("\n\n{text}")).unwrap_or_default();
        let prompt = if is_webhook {
            "The request that the webhook would receive, as JSON with `body`, `query` and `headers`."
                .to_owned()
        } else {
            format!("{title}{text}")
        };
        let prompt = TemplateText::constant(&prompt);
        let config = json!({ "prompt": prompt.source(), "schema": schema });
        let id = self.builder.add(node.name, node.name, "userInput", config, node.at);
        if let Some(input) = input {
            self.builder.connect(&input.output, &id, "in");
        }
        if is_webhook {
            settings.ignore("");
            self.builder.lose(node.name, "Its address: Plait answers no requests, it asks a person instead.");
        } else {
            settings.ignore_all(&["/options", "/path", "/responseMode", "/authentication"]);
        }
        vec![Some(Shape::object(Output::new(&id, "message")))]
    }

    fn sticky_note(&mut self, at: usize, settings: &Settings<'_>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let text = settings.text("/content").unwrap_or_default();
        let id = self.builder.add(node.name, "", "note", json!({ "text": text }), node.at);
        let (width, height) = (settings.number("/width"), settings.number("/height"));
        self.builder.resize(&id, width.unwrap_or(240.0), height.unwrap_or(160.0));
        settings.ignore("/color");
        Vec::new()
    }

    /// Passes what the node works on, for nodes that do nothing.
    fn pass(&mut self, at: usize, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let Some(input) = input else { return self.start(at, &[""]) };
        let id = self.builder.add(node.name, node.name, "join", json!({}), node.at);
        self.builder.connect(&input.output, &id, "values");
        vec![Some(input.with_output(Output::new(&id, "first")))]
    }

    fn wait(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        const MAX_DELAY_MS: u32 = 86_400_000;
        let node = &self.workflow.nodes[at];
        let (Some("timeInterval"), Some(input)) =
            (Some(settings.text("/resume").unwrap_or("timeInterval")), input)
        else {
            return self.placeholder(at, "Plait waits for a time, or for a person.");
        };
        // The defaults of the first version were one hour.
        let is_first = node.version <= 1.0;
        let amount = match settings.get("/amount") {
            None => Some(if is_first { 1.0 } else { 5.0 }),
            Some(_) => settings.number("/amount"),
        };
        let Some(amount) = amount else {
            return self.placeholder(at, "An expression computes how long it waits.");
        };
        let unit = match settings.text("/unit").unwrap_or(if is_first { "hours" } else { "seconds" }) {
            "minutes" => 60_000.0,
            "hours" => 3_600_000.0,
            "days" => 86_400_000.0,
            _ => 1_000.0,
        };
        let ms = amount * unit;
        if ms > f64::from(MAX_DELAY_MS) {
            self.builder.lose(node.name, "It waited longer than a day, which is the longest delay.");
        }
        let ms = whole_number(ms, 0..=MAX_DELAY_MS);
        settings.ignore("/options");
        let id = self.builder.add(node.name, node.name, "delay", json!({ "ms": ms }), node.at);
        self.builder.connect(&input.output, &id, "in");
        vec![Some(input.with_output(Output::new(&id, "out")))]
    }

    fn respond(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        settings.ignore_all(&["/responseBody", "/options"]);
        let query = match settings.text("/respondWith").unwrap_or("firstIncomingItem") {
            kind @ ("text" | "json") => {
                let body = settings.get("/responseBody").and_then(Value::as_str).unwrap_or_default();
                let mut template = self.template(at, body, input);
                if kind == "json" {
                    let text = self.text_output(at, &format!("{}: JSON", node.name), &template);
                    let value = self.query(at, "response", FROM_JSON, &Shape::object(text));
                    template = TemplateText::of("response", &value, &[]);
                }
                return self.output(at, &template);
            }
            "noData" => return self.pass(at, input),
            "firstIncomingItem" => "if type == \"array\" then .[0] else . end",
            "allIncomingItems" => "if type == \"array\" then . else [.] end",
            other => return self.placeholder(at, &format!("Plait answers no requests with `{other}`.")),
        };
        let Some(input) = input else { return self.placeholder(at, "It has nothing to respond with.") };
        let items = Shape::object(self.as_object(at, input));
        let key = settings.text("/options/responseKey");
        let key = key.map(|key| format!(" | {{{}: .}}", json!(key))).unwrap_or_default();
        let response = self.query(at, "response", &format!("{query}{key}"), &items);
        let shapes = self.output(at, &TemplateText::of("response", &response, &[]));
        shapes.into_iter().map(|_| Some(input.clone())).collect()
    }

    /// A result of the flow. What was on its input stays readable for nodes after it.
    fn output(&mut self, at: usize, template: &TemplateText) -> Shapes {
        let node = &self.workflow.nodes[at];
        let text = self.text_output(at, &format!("{}: text", node.name), template);
        let id = self.builder.add(node.name, node.name, "output", json!({}), node.at);
        self.builder.connect(&text, &id, "value");
        // The text may be that of the node before, which does not wait for this one.
        self.primary = Some(id);
        vec![Some(Shape::object(text))]
    }

    /// Makes what the last nodes of a workflow that another one calls give to its result. None if it has several ends, of which none is the last.
    pub(super) fn add_result(&mut self) -> Option<NodeId> {
        let workflow = self.workflow;
        let is_end = |at: &usize| {
            !workflow.is_part(*at)
                && !self.ways[*at].is_empty()
                && workflow.outgoing(*at).all(|edge| !edge.is_main())
        };
        let ends: Vec<usize> = (0..workflow.nodes.len()).filter(is_end).collect();
        let found = ends.iter().find_map(|&at| Some((at, self.shapes[at].iter().flatten().next()?.clone())));
        let (at, shape) = found?;
        let value = if let [_] = ends[..] {
            self.as_object(at, &shape)
        } else {
            // Of ways that exclude each other, the one that was taken.
            let join =
                self.builder.add(workflow.nodes[at].name, "Any of", "join", json!({}), workflow.nodes[at].at);
            for &end in &ends {
                if let Some(shape) = self.shapes[end].iter().flatten().next().cloned() {
                    let item = self.as_object(end, &shape);
                    self.builder.connect(&item, &join, "values");
                }
            }
            Output::new(&join, "first")
        };
        let name = workflow.nodes[at].name;
        let id = self.builder.add(
            name,
            "Result",
            "output",
            json!({ "name": "result" }),
            workflow.nodes[at].at.beside(1.0, 0.0),
        );
        self.builder.connect(&value, &id, "value");
        Some(id)
    }

    fn stop(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let message = settings.text("/errorMessage").unwrap_or("The workflow stopped.");
        settings.ignore_all(&["/errorType", "/errorObject"]);
        let template = self.template(at, message, input);
        let text = self.text_output(at, &format!("{}: message", node.name), &template);
        let config = json!({ "code": "throw new Error(input);" });
        let id = self.builder.add(node.name, node.name, "code", config, node.at);
        self.builder.connect(&text, &id, "input");
        vec![Some(Shape::object(Output::new(&id, "result")))]
    }

    /// A workflow that is written into the node runs as a nested flow; one by its id is out of reach.
    fn execute_workflow(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let inner = settings.text("/workflowJson").and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Some(inner) = inner.filter(|_| self.depth < MAX_NESTING_DEPTH) else {
            return self.placeholder(
                at,
                "It runs another workflow by its id. Import that workflow too, and call it with a sub-flow.",
            );
        };
        let nested = super::read_nested(&inner, node.name, self.depth + 1, self.builder.budget());
        let nested = nested.and_then(|(builder, output)| {
            let (flow, report) = builder.finish()?;
            Ok((flow, report, output))
        });
        let nested = match nested {
            Ok(nested) => nested,
            Err(fault) => return self.placeholder(at, &fault.message),
        };
        settings.ignore_all(&["/source", "/options", "/mode"]);
        let flow = serde_json::to_value(nested.0).unwrap_or_default();
        for inner in nested.1.nodes {
            for lost in inner.lost {
                self.builder.lose(node.name, format!("In `{}`: {lost}", inner.name));
            }
        }
        let config = json!({ "flow": flow, "inputSource": "nodeOutput" });
        let id = self.builder.add(node.name, node.name, "subflow", config, node.at);
        let value = input.map_or_else(
            || {
                let empty = TemplateText::constant("{}");
                self.text_output(at, &format!("{}: input", node.name), &empty)
            },
            |input| input.output.clone(),
        );
        self.builder.connect(&value, &id, "value");
        let result = Output::new(&id, "result");
        let Some(output) = nested.2 else { return vec![Some(Shape::object(result))] };
        vec![Some(Shape {
            output: result,
            base: vec![output.to_string(), "value".to_owned()],
            fields: vec![Vec::new()],
        })]
    }

    /// The loop that a `splitInBatches` became.
    pub(super) fn loop_node(&self, start: usize) -> Option<NodeId> {
        let id = self.shapes[start].iter().flatten().next().map(|shape| &shape.output.node)?;
        (self.builder.node_type(id) == "loop").then(|| id.clone())
    }

    fn split_in_batches(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let Some(input) = input else { return self.placeholder(at, "It has no input.") };
        let node = &self.workflow.nodes[at];
        settings.ignore_all(&["/options", "/batchSize"]);
        let is_again = self.loop_of[at].is_some() || self.is_repeated[at];
        if let Some(lost) = loops::reset_lost(node, is_again) {
            self.builder.lose(node.name, lost);
        }
        let Some(size) = batch_size(node) else {
            return self.placeholder(at, "An expression computes how many items its batches have.");
        };
        let size = whole_number(size, 1..=u32::MAX);
        let id = self.builder.add(node.name, node.name, "loop", json!({ "kind": "forEach" }), node.at);
        let list = "if type == \"array\" then flatten(1) else [.] end";
        let batches =
            "[range(0; length; SIZE) as $at | .[$at:$at + SIZE] | if length == 1 then .[0] else . end]";
        let list = match size {
            1 => list.to_owned(),
            size => format!("({list}) | {}", batches.replace("SIZE", &size.to_string())),
        };
        let query = self.query(at, "items", &list, input);
        self.builder.connect(&query, &id, "items");
        let (done, repeat) = loop_outputs(node);
        let mut shapes = vec![None, None];
        shapes[done] = Some(Shape::object(Output::new(&id, "results")));
        shapes[repeat] = Some(Shape::object(Output::new(&id, "item")));
        shapes
    }

    /// Connects the ends of bodies to their loops.
    pub(super) fn close_loops(&mut self) {
        for edge in &self.workflow.edges {
            if self.loop_of[edge.source] != Some(edge.target) || !edge.is_main() {
                continue;
            }
            let Some(id) = self.loop_node(edge.target) else { continue };
            let Some(shape) = self.shapes[edge.source].get(edge.output).cloned().flatten() else { continue };
            self.builder.enter(&id);
            let item = self.as_object(edge.source, &shape);
            self.builder.leave();
            if !self.builder.try_connect(&item, &id, "next", PortKind::Data) {
                let name = self.workflow.nodes[edge.target].name;
                self.builder
                    .lose(name, "Several branches end an iteration; its result is that of the first one.");
            }
        }
    }
}
