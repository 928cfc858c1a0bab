//! n8n's nodes that call models: agents, chains, classifiers and extractors, with the parts that are connected to them.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::chat_call::{Author, ChatCall, Memory, Model, provider_name};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::{Reader, Shape, Shapes};
use plait_core::expression::schema::check_schema;
use plait_core::port::PortKind;

/// The fields in which nodes put the reply of a model, those of the current version first.
fn reply_fields(kind: &str) -> &'static [&'static str] {
    match kind {
        "agent" => &["output"],
        "chainSummarization" => &["output.text", "response.text", "response.output_text"],
        "chainRetrievalQa" => &["response", "response.text", "response.response"],
        "chainLlm" => &["text", "response.text"],
        _ => &["message.content", "content", "text", "response"],
    }
}

/// What agents and chains read where no message is defined.
const AUTO_PROMPT: &str = "={{ $json.chatInput }}";
const SUMMARY_PROMPT: &str = "Write a concise summary of the following:\n\n\"{text}\"\n\nCONCISE SUMMARY:";

impl Reader<'_> {
    pub(super) fn model_node(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        match node.kind {
            "agent" => self.agent(at, settings, input),
            "chainLlm" => self.chain(at, settings, input),
            "chainSummarization" => self.summary(at, settings, input),
            "chainRetrievalQa" => self.retrieval_chain(at, settings, input),
            "openAi" | "anthropic" | "googleGemini" | "ollama" | "mistralCloud" => {
                self.vendor_node(at, settings, input)
            }
            "textClassifier" | "sentimentAnalysis" => self.classifier(at, settings, input),
            "informationExtractor" => self.extractor(at, settings, input),
            _ => self.placeholder(at, "Plait has no node for this."),
        }
    }

    /// The model that is connected to a node.
    pub(super) fn model_of(&mut self, at: usize) -> Model {
        let parts = self.workflow.parts(at, "ai_languageModel");
        let Some(&part) = parts.first() else {
            let name = self.workflow.nodes[at].name;
            self.builder.lose(name, "It has no model: choose one.");
            return Model::default();
        };
        let node = &self.workflow.nodes[part];
        let settings = Settings::new(node.parameters);
        let vendor = node.kind.trim_start_matches("lmChat").trim_start_matches("lm");
        let mut model = read_model(&settings, &provider_name(vendor));
        model.sources = vec![node.name.to_owned()];
        model.lost.extend(settings.unread());
        for &other in &parts[1..] {
            let other = self.workflow.nodes[other].name;
            self.builder.lose(other, "A node of Plait has one model.");
        }
        model
    }

    /// The memory that is connected to a node.
    fn memory_of(&mut self, at: usize) -> Option<(Memory, Vec<String>)> {
        let parts = self.workflow.parts(at, "ai_memory");
        let &part = parts.first()?;
        let node = &self.workflow.nodes[part];
        let settings = Settings::new(node.parameters);
        let length = settings.count("/contextWindowLength", 1..=1000).unwrap_or(5);
        if node.kind != "memoryBufferWindow" {
            self.builder.lose(node.name, "Where it stores messages: Plait stores conversations itself.");
        }
        settings.ignore_all(&["/sessionIdType", "/sessionKey"]);
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.name, unread);
        }
        // An exchange is two messages.
        let memory = Memory { max_messages: Some(2 * length) };
        Some((memory, vec![node.name.to_owned()]))
    }

    /// The JSON Schema of the parser that is connected to a node.
    fn schema_of(&mut self, at: usize) -> Option<Value> {
        let mut part = *self.workflow.parts(at, "ai_outputParser").first()?;
        // A parser that corrects replies has another one inside.
        let mut seen = vec![part];
        for model in self.workflow.parts(part, "ai_languageModel") {
            let name = self.workflow.nodes[model].name;
            self.builder.lose(name, "A model that corrects the format: a chat with a schema corrects none.");
        }
        while let Some(&inner) = self.workflow.parts(part, "ai_outputParser").first() {
            if seen.contains(&inner) {
                break;
            }
            seen.push(inner);
            part = inner;
        }
        let node = &self.workflow.nodes[part];
        let settings = Settings::new(node.parameters);
        let text = settings.text("/inputSchema").or_else(|| settings.text("/jsonSchema"));
        let schema = match node.kind {
            "outputParserItemList" => Some(json!({ "type": "array", "items": { "type": "string" } })),
            _ => text
                .and_then(read_schema)
                .or_else(|| settings.text("/jsonSchemaExample").and_then(schema_of_example)),
        };
        if schema.is_none() {
            self.builder.lose(node.name, "Its schema is no JSON Schema.");
        }
        schema
    }

    /// Reports the parts of a node as parts of the node that it became.
    fn attach_parts(&mut self, at: usize, kinds: &[&str], id: &plait_core::id::NodeId) {
        let mut stack: Vec<usize> = kinds.iter().flat_map(|kind| self.workflow.parts(at, kind)).collect();
        let mut seen = Vec::new();
        while let Some(part) = stack.pop() {
            if seen.contains(&part) {
                continue;
            }
            seen.push(part);
            self.builder.attach(self.workflow.nodes[part].name, id);
            stack.extend(self.workflow.parts(part, "ai_outputParser"));
        }
    }

    /// Adds a call, with the memory, the parser and the tools that are connected.
    fn call(&mut self, at: usize, mut call: ChatCall, settings: &Settings<'_>) -> Shapes {
        let node = &self.workflow.nodes[at];
        call.schema = call.schema.or_else(|| self.schema_of(at));
        if call.schema.is_some() {
            self.builder
                .lose(node.name, "What the model reads about the form of its reply is worded by Plait.");
        }
        call.memory = self.memory_of(at).map(|(memory, _)| memory);
        if call.memory.is_some() {
            self.take_conversation(at);
        }
        call.tools = self.tools_of(at);
        settings.ignore_all(&["/hasOutputParser", "/promptType", "/needsFallback", "/agent"]);
        let is_structured = call.schema.is_some();
        let done = call.add_to(&mut self.builder, node.name, node.name, node.at);
        self.attach_parts(at, &["ai_memory", "ai_outputParser", "ai_languageModel"], &done.chat);
        if is_structured {
            let mut shape = Shape::field(done.structured(), &["output"]);
            shape.fields.push(Vec::new());
            return vec![Some(shape)];
        }
        vec![Some(Shape::field(done.response(), reply_fields(node.kind)))]
    }

    fn agent(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let text = settings.text("/text");
        let text = text.filter(|_| settings.text("/promptType") != Some("auto")).unwrap_or(AUTO_PROMPT);
        call.prompt = Some(self.template(at, text, input));
        let system = ["/options/systemMessage", "/options/prefix", "/options/humanMessage"]
            .iter()
            .find_map(|pointer| settings.text(pointer));
        call.system = system.map(|text| self.template(at, text, input));
        call.max_tool_rounds = settings.count_in("/options/maxIterations", 1..=1000);
        settings.ignore_all(&["/options/returnIntermediateSteps", "/options/passthroughBinaryImages"]);
        let node = &self.workflow.nodes[at];
        let default = if node.version < 1.6 { "conversationalAgent" } else { "toolsAgent" };
        match settings.text("/agent").unwrap_or(default) {
            "toolsAgent" | "openAiFunctionsAgent" if system.is_some() => {}
            "toolsAgent" | "openAiFunctionsAgent" => self.builder.lose(
                node.name,
                "Without a system message, n8n sends “You are a helpful assistant”. Here the model gets none.",
            ),
            other => self.builder.lose(
                node.name,
                format!("n8n asks the model in its own words for the agent `{other}`. Here it is a chat with tools."),
            ),
        }
        self.call(at, call, settings)
    }

    fn chain(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let mut messages = Vec::new();
        for entry in settings.items("/messages/messageValues") {
            let kind = entry.get("type").and_then(Value::as_str).unwrap_or("SystemMessagePromptTemplate");
            let text = entry.get("message").and_then(Value::as_str).unwrap_or_default();
            messages.push((Author::read(kind), self.template(at, text, input)));
        }
        let text = settings.text("/text").or_else(|| settings.text("/prompt"));
        let text = text.filter(|_| settings.text("/promptType") != Some("auto")).unwrap_or(AUTO_PROMPT);
        messages.push((Author::User, self.template(at, text, input)));
        call.set_messages(messages);
        self.call(at, call, settings)
    }

    fn summary(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let values = "/options/summarizationMethodAndPrompts/values";
        let prompt = ["prompt", "combineMapPrompt"]
            .iter()
            .find_map(|key| settings.text(&format!("{values}/{key}")))
            .unwrap_or(SUMMARY_PROMPT);
        let method =
            settings.text(&format!("{values}/summarizationMethod")).or_else(|| settings.text("/type"));
        settings.ignore_all(&[
            values,
            "/type",
            "/operationMode",
            "/chunkingMode",
            "/chunkSize",
            "/chunkOverlap",
        ]);
        if method != Some("stuff") {
            let name = self.workflow.nodes[at].name;
            self.builder.lose(
                name,
                "n8n summarizes each part of the text, and then the summaries. Here one call gets the whole text.",
            );
        }
        let (before, after) = prompt.split_once("{text}").unwrap_or((prompt, ""));
        let mut template = self.template(at, before, input);
        if let Some(input) = input {
            template.push_value("text", &input.output, &input.base);
        }
        template.push_text(after);
        call.prompt = Some(template);
        for kind in ["ai_document", "ai_textSplitter"] {
            for part in self.workflow.parts(at, kind) {
                let name = self.workflow.nodes[part].name;
                self.builder.lose(name, "Plait gives the model the whole text.");
            }
        }
        self.call(at, call, settings)
    }

    /// An answer from documents. The search becomes a placeholder; its documents stand before the question.
    fn retrieval_chain(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let question = settings.text("/text").or_else(|| settings.text("/query")).unwrap_or(AUTO_PROMPT);
        let question = self.template(at, question, input);
        let mut prompt = TemplateText::constant("Answer the question with the documents below.\n\n");
        for part in self.workflow.parts(at, "ai_retriever") {
            let id = self.part_placeholder(part);
            // What is outside of the loop around this node gets no value from it.
            let is_beside = self.builder.parent(&id).as_ref() == self.builder.current_loop();
            if let Some(question) = question.single_output().filter(|_| is_beside) {
                self.builder.connect(question, &id, "query");
            }
            prompt.push_value("documents", &Output::new(&id, "documents"), &[]);
        }
        prompt.push_text("\n\nQuestion: ");
        prompt.push(&question);
        let system = settings.text("/options/systemPromptTemplate");
        call.system = system.map(|text| self.template(at, text, input));
        call.prompt = Some(prompt);
        let name = self.workflow.nodes[at].name;
        self.builder.lose(name, "What the model is asked about the documents is worded by Plait.");
        self.call(at, call, settings)
    }

    /// A node of one vendor. Messages to chat models have an equivalent.
    fn vendor_node(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let resource = settings.text("/resource").unwrap_or("text");
        let operation = settings.text("/operation").unwrap_or("message");
        let is_message = matches!(resource, "text" | "chat")
            && matches!(operation, "message" | "complete" | "response" | "chat");
        if !is_message {
            return self.placeholder(at, &format!("Plait has no node for `{operation}` of `{resource}`."));
        }
        let model = read_model(settings, &provider_name(node.kind));
        let mut call = ChatCall { model, ..ChatCall::default() };
        let mut messages = Vec::new();
        let lists = ["/messages/values", "/prompt/messages", "/responses/values", "/messages/messageValues"];
        for entry in lists.iter().flat_map(|pointer| settings.items(pointer)) {
            let role = entry.get("role").and_then(Value::as_str).unwrap_or("user");
            let text = entry.get("content").and_then(Value::as_str).unwrap_or_default();
            messages.push((Author::read(role), self.template(at, text, input)));
        }
        if let Some(prompt) = settings.get("/prompt").and_then(Value::as_str) {
            messages.push((Author::User, self.template(at, prompt, input)));
        }
        let wants_json = settings.flag("/jsonOutput")
            || settings.text("/options/responseFormat").is_some_and(|format| format.contains("json"));
        if wants_json {
            call.schema = Some(json!({ "type": "object" }));
        }
        settings.ignore_all(&["/simplify", "/simplifyOutput", "/authentication"]);
        call.set_all_messages(messages);
        let mut shapes = self.call(at, call, settings);
        if wants_json && let Some(Some(shape)) = shapes.first_mut() {
            let fields =
                reply_fields(node.kind).iter().map(|path| path.split('.').map(str::to_owned).collect());
            shape.fields = fields.chain([Vec::new()]).collect();
        }
        shapes
    }

    /// A classifier: its outputs are the categories, in their order.
    fn classifier(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let model = self.model_of(at);
        let text = settings.text("/inputText").or_else(|| settings.text("/text"));
        let Some(message) = self.template_or_input(at, text, input) else {
            return self.placeholder(at, "It has no text to classify.");
        };
        let mut classes: Vec<(String, String)> = Vec::new();
        if node.kind == "sentimentAnalysis" {
            let names = settings.text("/options/categories").unwrap_or("Positive, Neutral, Negative");
            classes.extend(names.split(',').map(|name| (name.trim().to_owned(), String::new())));
        }
        for entry in settings.items("/categories/categories") {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            classes.push((text("category"), text("description")));
        }
        let names: Vec<String> = unique_classes(&mut classes);
        let other = settings.text("/options/fallback") == Some("other");
        settings.ignore_all(&["/options/enableAutoFixing", "/options/multiClass", "/options/fallback"]);
        let instructions = settings.text("/options/systemPromptTemplate").filter(|text| !text.contains('{'));
        let list: Vec<Value> = classes
            .iter()
            .map(|(name, description)| json!({ "name": name, "description": description }))
            .collect();
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.name, node.name, node.at);
        let config = json!({ "classes": list, "other": other, "instructions": instructions });
        let id = self.builder.add(node.name, node.name, "classify", config, node.at);
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        let message = self.text_output(at, &format!("{}: text", node.name), &message);
        self.builder.connect(&message, &id, "message");
        self.attach_parts(at, &["ai_languageModel"], &context.node);
        self.report_unused_model_settings(&call.model, node.name);
        let fields = input.filter(|input| input.output == message);
        let shape = |name: &str| {
            let output = Output::new(&id, name);
            Some(fields.map_or_else(
                || Shape::field(output.clone(), &["text"]),
                |input| input.with_output(output.clone()),
            ))
        };
        let mut shapes: Vec<_> = names.iter().map(|name| shape(name)).collect();
        if other {
            shapes.push(shape("other"));
        }
        shapes
    }

    fn extractor(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        let model = self.model_of(at);
        let Some(text) = self.template_or_input(at, settings.text("/text"), input) else {
            return self.placeholder(at, "It has no text to extract from.");
        };
        let mut properties = Map::new();
        let mut required = Vec::new();
        for entry in settings.items("/attributes/attributes") {
            let Some(name) = entry.get("name").and_then(Value::as_str) else { continue };
            let kind = match entry.get("type").and_then(Value::as_str) {
                Some("number") => "number",
                Some("boolean") => "boolean",
                _ => "string",
            };
            let description =
                entry.get("description").and_then(Value::as_str).unwrap_or_default().trim_start_matches('=');
            properties.insert(name.to_owned(), json!({ "type": kind, "description": description }));
            if entry.get("required").and_then(Value::as_bool) == Some(true) {
                required.push(name);
            }
        }
        let written = settings.text("/inputSchema").and_then(read_schema);
        let example = settings.text("/jsonSchemaExample").and_then(schema_of_example);
        let schema = if properties.is_empty() {
            written.or(example).unwrap_or_else(|| json!({ "type": "object" }))
        } else {
            json!({ "type": "object", "properties": properties, "required": required })
        };
        settings.ignore("/schemaType");
        let instructions =
            settings.text("/options/systemPromptTemplate").map(|text| text.trim_start_matches('='));
        let call = ChatCall { model, ..ChatCall::default() };
        let context = call.add_context(&mut self.builder, node.name, node.name, node.at);
        let config = json!({ "schema": schema, "instructions": instructions });
        let id = self.builder.add(node.name, node.name, "extract", config, node.at);
        self.builder.connect_as(&context, &id, "context", PortKind::Context);
        let text = self.text_output(at, &format!("{}: text", node.name), &text);
        self.builder.connect(&text, &id, "text");
        self.attach_parts(at, &["ai_languageModel"], &context.node);
        self.report_unused_model_settings(&call.model, node.name);
        let mut shape = Shape::field(Output::new(&id, "value"), &["output"]);
        shape.fields.push(Vec::new());
        vec![Some(shape)]
    }

    /// Says what a model's settings lose where only provider and model are used.
    fn report_unused_model_settings(&mut self, model: &Model, name: &str) {
        let source = model.sources.first().map_or(name, String::as_str).to_owned();
        if model.temperature.is_some() || model.max_tokens.is_some() || !model.options.is_empty() {
            self.builder.lose(&source, format!("Its temperature, length and options for `{name}`."));
        }
        for lost in &model.lost {
            self.builder.lose(&source, lost);
        }
    }
}

/// Gives classes names that outputs can have. Returns them.
fn unique_classes(classes: &mut [(String, String)]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, (name, _)) in classes.iter_mut().enumerate() {
        let trimmed = name.trim();
        let is_reserved = ["context", "class", "reason", "error", "other"].contains(&trimmed);
        let mut unique = if trimmed.is_empty() || is_reserved {
            format!("class {}", index + 1)
        } else {
            trimmed.to_owned()
        };
        while names.contains(&unique) {
            unique.push('\'');
        }
        name.clone_from(&unique);
        names.push(unique);
    }
    names
}

/// A JSON Schema that is written in a parameter.
fn read_schema(text: &str) -> Option<Value> {
    let schema: Value = serde_json::from_str(text).ok()?;
    (schema.is_object() && check_schema(&schema).is_none()).then_some(schema)
}

/// The schema of values like an example.
pub(super) fn schema_of_example(text: &str) -> Option<Value> {
    /// Deeper examples are described as any value.
    const MAX_DEPTH: usize = 12;
    fn of(value: &Value, depth: usize) -> Value {
        match value {
            _ if depth > MAX_DEPTH => json!({}),
            Value::Null => json!({}),
            Value::Bool(_) => json!({ "type": "boolean" }),
            Value::Number(_) => json!({ "type": "number" }),
            Value::String(_) => json!({ "type": "string" }),
            Value::Array(items) => {
                json!({ "type": "array", "items": items.first().map_or(json!({}), |item| of(item, depth + 1)) })
            }
            Value::Object(entries) => {
                let properties: Map<_, _> =
                    entries.iter().map(|(key, value)| (key.clone(), of(value, depth + 1))).collect();
                json!({ "type": "object", "properties": properties })
            }
        }
    }
    serde_json::from_str::<Value>(text).ok().map(|value| of(&value, 0))
}

/// The model that n8n uses where none is set.
fn default_model(provider: &str) -> Option<&'static str> {
    match provider {
        "openai" => Some("gpt-4o-mini"),
        "anthropic" => Some("claude-3-5-sonnet-20241022"),
        "gemini" => Some("gemini-1.5-flash"),
        "ollama" => Some("llama3.2"),
        "groq" => Some("llama3-8b-8192"),
        "mistral" => Some("mistral-small"),
        _ => None,
    }
}

fn read_model(settings: &Settings<'_>, provider: &str) -> Model {
    let mut model = Model { provider: Some(provider.to_owned()), ..Model::default() };
    let name =
        ["/model", "/modelName", "/modelId"].iter().find_map(|pointer| match settings.get(pointer)? {
            Value::String(name) => Some(name.clone()),
            locator => locator.get("value")?.as_str().map(str::to_owned),
        });
    model.name = name
        .map(|name| name.trim_start_matches("models/").to_owned())
        .filter(|name| !name.is_empty() && !name.starts_with('='))
        .or_else(|| default_model(provider).map(str::to_owned));
    model.set_temperature(
        settings.number("/options/temperature").or_else(|| settings.number("/options/samplingTemperature")),
    );
    model.max_tokens = ["/options/maxTokens", "/options/maxTokensToSample", "/options/maxOutputTokens"]
        .iter()
        .find_map(|pointer| settings.number(pointer))
        .filter(|&count| count > 0.0);
    for (key, name) in [
        ("topP", "top_p"),
        ("topK", "top_k"),
        ("frequencyPenalty", "frequency_penalty"),
        ("presencePenalty", "presence_penalty"),
        ("reasoningEffort", "reasoning_effort"),
    ] {
        model.set_option(name, settings.get(&format!("/options/{key}")).cloned());
    }
    settings.ignore_all(&[
        "/options/timeout",
        "/options/maxRetries",
        "/builtInTools",
        "/responsesApiEnabled",
    ]);
    model
}
