//! Dify's nodes that call models.

use serde_json::{Map, Value, json};

use super::super::chat_call::{Author, ChatCall, Memory, Model, named_provider};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::{Ends, Reader, Values};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

impl Reader<'_> {
    /// The model of a node.
    pub(super) fn model(&mut self, settings: &Settings<'_>, id: &str) -> Model {
        let model = read_model(settings, "/model");
        for lost in &model.lost {
            self.builder.lose(id, lost);
        }
        Model { lost: Vec::new(), ..model }
    }

    pub(super) fn llm(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let mut call = ChatCall { model: self.model(settings, node.id), ..ChatCall::default() };
        let context = settings.flag("/context/enabled").then(|| {
            let selector = settings.get("/context/variable_selector");
            self.output_of(at, selector)
        });
        let context = context.flatten();
        settings.ignore("/context");
        let prompts = settings.get("/prompt_template").unwrap_or(&Value::Null);
        let list = match prompts {
            Value::Array(list) => list.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut messages = Vec::new();
        for entry in list {
            let role = entry.get("role").and_then(Value::as_str).unwrap_or("user");
            let is_jinja = entry.get("edition_type").is_some_and(|edition| edition == "jinja2");
            let text = if is_jinja { entry.get("jinja2_text") } else { entry.get("text") };
            let text = text.and_then(Value::as_str).unwrap_or_default();
            let template = if is_jinja {
                let variables = self.variables(at, settings.items("/prompt_config/jinja2_variables"));
                let title = format!("{}: {role}", node.title);
                match self.jinja(at, &title, text, &variables) {
                    Ok(output) => TemplateText::of(role, &output, &[]),
                    Err(reason) => return self.placeholder(at, &reason),
                }
            } else {
                self.template(at, text, context.as_ref())
            };
            messages.push((Author::read(role), template));
        }
        settings.ignore_all(&["/prompt_config", "/variables"]);
        // A workflow that is no chat has no conversation, also if its nodes say so.
        let has_memory = self.is_chat && settings.get("/memory/window").is_some();
        if has_memory {
            let is_limited = settings.flag("/memory/window/enabled");
            let size = settings.count("/memory/window/size", 1..=1000).filter(|_| is_limited);
            // An exchange is two messages.
            let max_messages = size.map(|size| 2 * size);
            call.memory = Some(Memory { max_messages });
            let query = settings.text("/memory/query_prompt_template").unwrap_or("{{#sys.query#}}");
            let query = self.template(at, query, context.as_ref());
            messages.push((Author::User, query));
        }
        settings.ignore("/memory");
        if settings.flag("/vision/enabled") {
            self.builder
                .lose(node.id, "Its images: connect the `attachments` of a question to its `attach`.");
        }
        settings.ignore("/vision");
        call.set_all_messages(messages);
        if settings.flag("/structured_output_enabled") {
            call.schema = settings.get("/structured_output/schema").cloned();
        }
        settings.ignore_all(&["/structured_output", "/reasoning_format"]);
        if call.prompt.is_none() && call.history.is_empty() {
            return self.placeholder(at, "It has no message for the model.");
        }
        self.finish_call(at, settings, &call)
    }

    /// Adds a call, and what it makes.
    fn finish_call(&mut self, at: usize, settings: &Settings<'_>, call: &ChatCall) -> NodeId {
        let node = &self.graph.nodes[at];
        let done = call.add_to(&mut self.builder, node.id, node.title, node.at);
        let mut values = Values::one("text", done.response());
        if call.schema.is_some() {
            values = values.with("structured_output", done.structured());
        }
        self.set_values(at, values);
        self.ends.insert(node.id.to_owned(), Ends::one(done.response()));
        self.retry(settings, &done.chat);
        done.chat
    }

    /// Retries of a node.
    pub(super) fn retry(&mut self, settings: &Settings<'_>, id: &NodeId) {
        if settings.flag("/retry_config/retry_enabled") {
            let retries = settings.count("/retry_config/max_retries", 0..=99).unwrap_or(3);
            self.builder.set_retry(id, 1 + retries);
        }
        settings.ignore("/retry_config");
    }

    pub(super) fn extractor(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let Some(text) = self.output_of(at, settings.get("/query")) else {
            return self.placeholder(at, "It reads a value that is not in the flow.");
        };
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in settings.items("/parameters") {
            let Some(name) = parameter.get("name").and_then(Value::as_str) else { continue };
            let kind = parameter.get("type").and_then(Value::as_str).unwrap_or("string");
            let mut schema = match kind {
                "number" => json!({ "type": "number" }),
                "bool" | "boolean" => json!({ "type": "boolean" }),
                "select" => {
                    json!({ "type": "string", "enum": parameter.get("options").unwrap_or(&json!([])) })
                }
                _ => match kind.strip_prefix("array[") {
                    Some(item) => {
                        let item = item.trim_end_matches(']');
                        let item = if matches!(item, "number" | "object") { item } else { "string" };
                        json!({ "type": "array", "items": { "type": item } })
                    }
                    None => json!({ "type": "string" }),
                },
            };
            schema["description"] = parameter.get("description").cloned().unwrap_or_else(|| json!(""));
            if parameter.get("required").and_then(Value::as_bool) == Some(true) {
                required.push(name);
            }
            properties.insert(name.to_owned(), schema);
        }
        let model = self.model(settings, node.id);
        let instruction = settings.text("/instruction").unwrap_or_default();
        let instruction = self.template(at, instruction, None).source();
        settings.ignore_all(&["/reasoning_mode", "/vision", "/memory", "/variables"]);
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.id, node.title, node.at);
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let config = json!({ "schema": schema, "instructions": instruction });
        let (id, value) = self.add(at, "extract", config, "value");
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        self.builder.connect(&text, &id, "text");
        self.set_values(at, Values::object(value));
        id
    }

    pub(super) fn agent(&mut self, at: usize, settings: &Settings<'_>) -> NodeId {
        let node = &self.graph.nodes[at];
        let value = |name: &str| format!("/agent_parameters/{name}/value");
        let mut model = read_model(settings, &value("model"));
        for lost in std::mem::take(&mut model.lost) {
            self.builder.lose(node.id, lost);
        }
        let mut call = ChatCall { model, ..ChatCall::default() };
        let instruction = settings.text(&value("instruction")).unwrap_or_default().to_owned();
        let query = settings.text(&value("query")).unwrap_or("{{#sys.query#}}").to_owned();
        let system = self.template(at, &instruction, None);
        call.system = Some(system).filter(|system| !system.is_blank());
        call.prompt = Some(self.template(at, &query, None));
        for tool in settings.items(&value("tools")) {
            let name = ["tool_label", "tool_name"].iter().find_map(|key| tool.get(key)?.as_str());
            let lost = format!("Its tool `{}`: connect an HTTP tool or an MCP server.", name.unwrap_or("?"));
            self.builder.lose(node.id, lost);
        }
        call.max_tool_rounds = settings.count_in(&value("maximum_iterations"), 1..=1000);
        settings.ignore_all(&[
            "/agent_strategy_label",
            "/agent_strategy_name",
            "/agent_strategy_provider_name",
            "/output_schema",
            "/plugin_unique_identifier",
            "/agent_parameters",
            "/tool_node_version",
            "/memory",
        ]);
        self.finish_call(at, settings, &call)
    }
}

/// Reads a model and its parameters.
pub(super) fn read_model(settings: &Settings<'_>, pointer: &str) -> Model {
    let provider = settings.text(&format!("{pointer}/provider")).unwrap_or("openai");
    // Plugins are named `organization/plugin/provider`.
    let mut model = Model { provider: named_provider(provider), ..Model::default() };
    let name =
        settings.text(&format!("{pointer}/name")).or_else(|| settings.text(&format!("{pointer}/model")));
    model.name = name.map(str::to_owned);
    let number = |name: &str| settings.number(&format!("{pointer}/completion_params/{name}"));
    model.set_temperature(number("temperature"));
    model.max_tokens = number("max_tokens").or_else(|| number("num_predict"));
    let parameters = settings.get(&format!("{pointer}/completion_params")).and_then(Value::as_object);
    for (name, value) in parameters.into_iter().flatten() {
        let is_default = matches!(name.as_str(), "temperature" | "max_tokens" | "num_predict")
            || matches!(name.as_str(), "presence_penalty" | "frequency_penalty")
                && value.as_f64() == Some(0.0)
            || matches!(name.as_str(), "top_p") && value.as_f64() == Some(1.0)
            || name == "stop" && value.as_array().is_some_and(Vec::is_empty);
        if !is_default {
            model.set_option(name, Some(value.clone()));
        }
    }
    settings.ignore(pointer);
    model
}
