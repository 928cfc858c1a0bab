//! Langflow's models and agents.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::chat_call::{ChatCall, Memory, Model, named_provider};
use super::super::settings::Settings;
use super::Reader;
use plait_core::port::PortKind;

impl Reader<'_> {
    /// A model: a call if something is said to it, else a part of others.
    pub(super) fn model_component(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let is_part = self.graph.outgoing(at).all(|(edge, _)| {
            matches!(edge.output.as_str(), "model_output" | "language_model")
                || matches!(edge.field.as_str(), "llm" | "agent_llm" | "model")
        });
        let is_asked = !self.sources(at, "input_value").is_empty() || settings.text("/input_value").is_some();
        if is_part && self.graph.is_used(at) && !is_asked {
            // Read by what it is plugged into.
            return;
        }
        let mut call = ChatCall { model: read_model(node.kind, settings), ..ChatCall::default() };
        call.prompt = self.field(at, settings, "input_value").filter(|text| !text.is_blank());
        if call.prompt.is_none() {
            self.placeholder(at, "It has no message for the model.");
            return;
        }
        call.system = self.field(at, settings, "system_message").filter(|text| !text.is_blank());
        self.call(at, call, settings, &["input_value", "system_message"]);
    }

    pub(super) fn agent(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let graph = self.graph;
        let plugged =
            ["agent_llm", "llm", "model"].iter().find_map(|field| self.sources(at, field).first().cloned());
        let model = match plugged {
            Some((part, _)) => {
                let own = self.settings(part);
                let mut model = read_model(graph.nodes[part].kind, &own);
                model.sources = vec![graph.nodes[part].id.to_owned()];
                settings.ignore_all(&["/agent_llm", "/model_name", "/model", "/temperature", "/max_tokens"]);
                model
            }
            None => read_model(node.kind, settings),
        };
        let mut call = ChatCall { model, ..ChatCall::default() };
        call.prompt = self.field(at, settings, "input_value").filter(|text| !text.is_blank());
        if call.prompt.is_none() {
            self.placeholder(at, "It has no message for the model.");
            return;
        }
        call.system = self.field(at, settings, "system_prompt").filter(|text| !text.is_blank());
        for (part, output) in self.sources(at, "tools") {
            if let Some(output) = self.output(part, &output) {
                if output.port == "tools" {
                    call.tools.push(output);
                } else {
                    self.builder.lose(graph.nodes[part].id, "A model can't call it as a tool.");
                }
            }
        }
        if settings.flag("/add_current_date_tool") {
            let title = format!("{}: date", node.title);
            let config = json!({ "tools": ["current_time"] });
            let id = self.builder.add(node.id, &title, "tools", config, node.at.beside(0.0, 1.0));
            call.tools.push(Output::new(&id, "tools"));
        }
        // An agent keeps the last messages of its conversation.
        let messages = settings.count("/n_messages", 1..=10_000).unwrap_or(100);
        let memory = Memory { max_messages: Some(messages) };
        call.memory = (node.kind == "Agent").then_some(memory);
        call.max_tool_rounds = settings.count_in("/max_iterations", 1..=1000);
        settings.ignore_all(&["/memory", "/order", "/template", "/sender_type", "/output_schema"]);
        self.call(at, call, settings, &["input_value", "system_prompt"]);
    }

    fn call(&mut self, at: usize, mut call: ChatCall, settings: &Settings<'_>, fields: &[&str]) {
        let node = &self.graph.nodes[at];
        // A memory that feeds the prompt, or the model itself.
        let mut readers = vec![at];
        readers.extend(fields.iter().flat_map(|field| self.sources(at, field)).map(|(source, _)| source));
        let graph = self.graph;
        let mut memories = Vec::new();
        for reader in readers {
            for (_, source) in graph.incoming(reader) {
                if matches!(graph.nodes[source].kind, "Memory" | "MemoryComponent") {
                    memories.push(source);
                }
            }
        }
        if let Some(&memory) = memories.first() {
            let max_messages = self.settings(memory).count("/n_messages", 1..=10_000);
            call.memory = Some(Memory { max_messages });
        }
        let done = call.add_to(&mut self.builder, node.id, node.title, node.at);
        for memory in memories {
            self.builder.attach(graph.nodes[memory].id, &done.chat);
        }
        for field in fields {
            self.attach_prompts(at, field, &done.chat);
            settings.ignore(&format!("/{field}"));
        }
        self.finish(at, settings);
        self.set_output(at, "", done.response());
    }

    /// A value of a schema, from a text.
    pub(super) fn structured(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let graph = self.graph;
        let Some(text) = self.field(at, settings, "input_value") else {
            self.placeholder(at, "It has no text.");
            return;
        };
        let model = match self.sources(at, "llm").first().or(self.sources(at, "model").first()) {
            Some(&(part, _)) => {
                let own = self.settings(part);
                let model = read_model(graph.nodes[part].kind, &own);
                Model { sources: vec![graph.nodes[part].id.to_owned()], ..model }
            }
            None => read_model("", settings),
        };
        let mut properties = Map::new();
        for field in settings.items("/output_schema") {
            let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
            let kind = match text("type") {
                "int" | "integer" => "integer",
                "float" | "number" => "number",
                "bool" | "boolean" => "boolean",
                "dict" => "object",
                _ => "string",
            };
            let is_list = field.get("multiple").is_some_and(|multiple| {
                multiple.as_bool() == Some(true)
                    || multiple.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"))
            });
            let item = json!({ "type": kind, "description": text("description") });
            let schema = if is_list { json!({ "type": "array", "items": item }) } else { item };
            properties.insert(text("name").to_owned(), schema);
        }
        let schema = json!({ "type": "object", "properties": properties });
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.id, node.title, node.at);
        for part in &call.model.sources {
            self.builder.attach(part, &context.node);
        }
        let instructions = settings.text("/system_prompt");
        let config = json!({ "schema": schema, "instructions": instructions });
        let id = self.builder.add(node.id, node.title, "extract", config, node.at);
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        let text = self.text_output(at, "text", &text);
        self.builder.connect(&text, &id, "text");
        self.attach_prompts(at, "input_value", &id);
        settings.ignore_all(&["/schema_name", "/multiple", "/input_value"]);
        for lost in call.model.lost {
            self.builder.lose(node.id, lost);
        }
        self.finish(at, settings);
        self.set_output(at, "", Output::new(&id, "value"));
    }
}

/// Whether components of a type are models.
pub(super) fn is_model(kind: &str) -> bool {
    (kind.ends_with("Model") || kind.ends_with("ModelComponent") || kind == "LanguageModelComponent")
        && !kind.contains("Embedding")
        || matches!(kind, "ChatOpenAI" | "ChatAnthropic" | "ChatOllama" | "LanguageModel")
}

fn read_model(kind: &str, settings: &Settings<'_>) -> Model {
    let vendor =
        ["/provider", "/agent_llm", "/model_provider"].iter().find_map(|pointer| settings.text(pointer));
    // Newer versions have a list of models, each with its provider.
    let listed = settings.items("/model").first();
    let listed_vendor = listed.and_then(|model| model.get("provider")?.as_str());
    let listed_name = listed.and_then(|model| model.get("name")?.as_str());
    let of_kind = || {
        let name = kind.trim_end_matches("Component").trim_end_matches("Model").trim_start_matches("Chat");
        (is_model(kind) && name != "Language").then_some(name)
    };
    let vendor = listed_vendor.or(vendor).or_else(of_kind);
    let mut model = Model { provider: vendor.and_then(named_provider), ..Model::default() };
    if vendor.is_none() {
        model.lost.push("Its model is not chosen: choose one.".to_owned());
    }
    let name =
        ["/model_name", "/model", "/azure_deployment"].iter().find_map(|pointer| settings.text(pointer));
    model.name = listed_name.or(name).map(str::to_owned);
    model.set_temperature(settings.number("/temperature"));
    let length = settings.number("/max_tokens").or_else(|| settings.number("/max_output_tokens"));
    model.max_tokens = length.filter(|&count| count > 0.0);
    model.set_option("seed", settings.get("/seed").filter(|seed| seed.as_i64() != Some(1)).cloned());
    model.set_option("top_p", settings.number("/top_p").map(Value::from));
    if settings
        .text("/openai_api_base")
        .or_else(|| settings.text("/base_url"))
        .is_some_and(|url| !url.contains("api.openai.com") && !url.contains("localhost:11434"))
    {
        model.lost.push("The model's address: set up a provider with it.".to_owned());
    }
    settings.ignore_all(&[
        "/model_kwargs",
        "/output_parser",
        "/json_mode",
        "/provider",
        "/agent_llm",
        "/model",
    ]);
    model
}
