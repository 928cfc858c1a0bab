//! The components of chatflows: models, prompts, memories and tools that are plugged into chains and agents. Only the chains and
//! agents run; the rest describes them.

use serde_json::{Map, Value, json};

use super::super::builder::Output;
use super::super::chat_call::{Author, ChatCall, Memory, Model};
use super::super::graph::text as text_of;
use super::super::http_request::{ADDRESS_KEY_LOST, address_without_keys};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::{Reader, inputs_of, read_model};

impl Reader<'_> {
    /// Adds a component that acts alone. A component that describes another is read by that one.
    pub(super) fn component(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        match node.kind {
            "stickyNote" => self.note(at, settings),
            "llmChain" => self.chain(at, settings),
            "conversationChain" => self.conversation(at, settings, "/systemMessagePrompt"),
            "toolAgent"
            | "conversationalAgent"
            | "openAIFunctionAgent"
            | "openAIToolAgent"
            | "mistralAIToolAgent"
            | "reactAgentChat"
            | "reactAgentLLM"
            | "conversationalRetrievalAgent" => {
                self.conversation(at, settings, "/systemMessage");
            }
            "conversationalRetrievalQAChain" | "retrievalQAChain" | "vectorDBQAChain" => {
                self.retrieval(at, settings);
            }
            "seqStart" => {
                let question = self.question(at);
                self.builder.attach(node.id, &question.node);
                self.set_output(at, "", question);
            }
            "seqAgent" | "seqLLMNode" => self.sequential(at, settings),
            "seqEnd" => {
                if let Some(value) = self.previous(at) {
                    let id = self.builder.add(node.id, node.title, "output", json!({}), node.at);
                    self.builder.connect(&value, &id, "value");
                } else {
                    self.placeholder(at, "Nothing leads to it.");
                }
            }
            _ if self.describes_others(at) => {}
            "calculator" | "requestsGet" | "requestsPost" | "currentDateTime" => {
                self.tool(at);
            }
            _ => {
                let reason = match text_of(node.data, "category") {
                    "Vector Stores" | "Embeddings" | "Document Loaders" | "Text Splitters" | "Retrievers" => {
                        "Plait has no such part. A knowledge base with `retrieve` searches documents."
                    }
                    "Tools" | "Tools (MCP)" => {
                        "Plait has no such tool. An HTTP tool or an MCP server can do the same."
                    }
                    _ => "Plait has no node for this.",
                };
                let id = self.placeholder(at, reason);
                let base = node.data.get("baseClasses").and_then(Value::as_array);
                let is_tool = base.is_some_and(|base| {
                    base.iter().any(|class| class == "Tool" || class == "StructuredTool")
                });
                if is_tool {
                    self.set_output(at, "", Output::new(&id, "tools"));
                }
            }
        }
    }

    /// Whether a component is read by the components that it is plugged into.
    fn describes_others(&self, at: usize) -> bool {
        let node = &self.graph.nodes[at];
        let category = text_of(node.data, "category");
        let is_described =
            matches!(category, "Chat Models" | "LLMs" | "Prompts" | "Memory" | "Output Parsers")
                || matches!(node.kind, "agentMemory" | "seqState")
                || node.kind.starts_with("chat") && node.kind != "chatPrompt";
        let takes = |kind: &str| {
            matches!(
                kind,
                "llmChain"
                    | "conversationChain"
                    | "toolAgent"
                    | "conversationalAgent"
                    | "openAIFunctionAgent"
                    | "openAIToolAgent"
                    | "mistralAIToolAgent"
                    | "reactAgentChat"
                    | "reactAgentLLM"
                    | "conversationalRetrievalAgent"
                    | "conversationalRetrievalQAChain"
                    | "retrievalQAChain"
                    | "vectorDBQAChain"
                    | "seqStart"
                    | "seqAgent"
                    | "seqLLMNode"
            )
        };
        let mut targets = self.graph.outgoing(at).map(|(_, target)| target).peekable();
        is_described && targets.peek().is_some() && targets.all(|target| takes(self.graph.nodes[target].kind))
    }

    /// The model that is plugged into a component, or into the start of its sequence.
    fn model_of(&mut self, at: usize) -> Model {
        let graph = self.graph;
        let own = graph.sources(at, "model").first().copied();
        let start = || {
            let starts = (0..graph.nodes.len()).filter(|&other| graph.nodes[other].kind == "seqStart");
            starts.into_iter().find_map(|start| graph.sources(start, "model").first().copied())
        };
        let Some(part) = own.or_else(start) else {
            let id = graph.nodes[at].id;
            self.builder.lose(id, "It has no model: choose one.");
            return Model::default();
        };
        let node = &graph.nodes[part];
        let settings = Settings::new(inputs_of(node));
        let mut model = read_model(node.kind, &settings, "");
        model.sources = vec![node.id.to_owned()];
        model.lost.extend(settings.unread());
        model
    }

    fn memory_of(&mut self, at: usize) -> Option<(Memory, usize)> {
        let graph = self.graph;
        let part = *graph.sources(at, "memory").first()?;
        let node = &graph.nodes[part];
        let settings = Settings::new(inputs_of(node));
        let size = settings.count("/k", 1..=1000);
        if !matches!(node.kind, "bufferMemory" | "bufferWindowMemory") {
            self.builder
                .lose(node.id, "How and where it stores messages: Plait stores conversations itself.");
        }
        settings.ignore_all(&["/sessionId", "/memoryKey"]);
        // An exchange is two messages.
        let max_messages = size.map(|size| 2 * size);
        Some((Memory { max_messages }, part))
    }

    /// The schema of the parser that is plugged in.
    fn schema_of(&mut self, at: usize) -> (Option<Value>, Option<usize>) {
        let graph = self.graph;
        let Some(&part) = graph.sources(at, "outputParser").first() else { return (None, None) };
        let node = &graph.nodes[part];
        let inputs = inputs_of(node);
        let schema = match node.kind {
            "structuredOutputParser" => {
                let structure = match inputs.get("jsonStructure") {
                    Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
                    Some(other) => other.clone(),
                    None => Value::Null,
                };
                Some(schema_of_fields(structure.as_array().map_or(&[], Vec::as_slice), "property"))
            }
            "csvOutputParser" | "customListOutputParser" => {
                Some(json!({ "type": "array", "items": { "type": "string" } }))
            }
            _ => None,
        };
        if schema.is_none() {
            self.builder.lose(node.id, "Its format: describe it as the `responseSchema` of the chat.");
        }
        (schema, Some(part))
    }

    /// Adds a call with all that is plugged into a component.
    fn call(&mut self, at: usize, mut call: ChatCall, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let (schema, parser) = self.schema_of(at);
        call.schema = schema;
        let memory = self.memory_of(at);
        call.memory = memory.map(|(memory, _)| memory);
        call.tools = self.tools_of(at);
        call.max_tool_rounds = settings.count_in("/maxIterations", 1..=1000);
        settings.ignore_all(&[
            "/model",
            "/memory",
            "/tools",
            "/prompt",
            "/outputParser",
            "/chatPromptTemplate",
            "/chainName",
        ]);
        let done = call.add_to(&mut self.builder, node.id, node.title, node.at);
        for part in [memory.map(|(_, part)| part), parser].into_iter().flatten() {
            self.builder.attach(self.graph.nodes[part].id, &done.chat);
        }
        for field in ["prompt", "chatPromptTemplate"] {
            for part in self.graph.sources(at, field) {
                self.builder.attach(self.graph.nodes[part].id, &done.chat);
            }
        }
        for moderation in self.graph.sources(at, "inputModeration") {
            let name = self.graph.nodes[moderation].id;
            self.builder.lose(name, "Plait moderates no messages.");
        }
        settings.ignore("/inputModeration");
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.id, unread);
        }
        if call.schema.is_some() {
            self.set_output(at, "structured", done.structured());
        }
        self.set_output(at, "", done.response());
        if !self.graph.is_used(at) {
            let output = self.builder.add(node.id, "Answer", "output", json!({}), node.at.beside(1.0, 0.0));
            self.builder.connect(&done.response(), &output, "value");
        }
    }

    fn chain(&mut self, at: usize, settings: &Settings<'_>) {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let messages = self.prompt_of(at, "prompt");
        if messages.is_empty() {
            let question = self.question(at);
            call.prompt = Some(TemplateText::of("question", &question, &[]));
        }
        call.set_all_messages(messages);
        if call.prompt.is_none() {
            let question = self.question(at);
            call.prompt = Some(TemplateText::of("question", &question, &[]));
        }
        self.call(at, call, settings);
    }

    /// The messages of the prompt that is plugged into a field.
    fn prompt_of(&mut self, at: usize, field: &str) -> Vec<(Author, TemplateText)> {
        let graph = self.graph;
        let Some(&part) = graph.sources(at, field).first() else { return Vec::new() };
        let node = &graph.nodes[part];
        let settings = Settings::new(inputs_of(node));
        let values = match settings.get("/promptValues") {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(other) => other.clone(),
            None => Value::Null,
        };
        let mut messages = Vec::new();
        for (pointer, author) in [
            ("/systemMessagePrompt", Author::System),
            ("/humanMessagePrompt", Author::User),
            ("/template", Author::User),
        ] {
            if let Some(text) = settings.text(pointer) {
                messages.push((author, self.braces(part, text, &values)));
            }
        }
        if messages.is_empty() {
            self.builder.lose(node.id, "Its examples: the prompt has no text of its own.");
        }
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.id, unread);
        }
        messages
    }

    /// A text with `{name}` in it. `values` has the values of the names, each a text with a reference.
    fn braces(&mut self, at: usize, text: &str, values: &Value) -> TemplateText {
        let mut template = TemplateText::default();
        let mut rest = text;
        while let Some(start) = rest.find(['{', '}']) {
            template.push_text(&rest[..start]);
            rest = &rest[start..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                template.push_text(&rest[..1]);
                rest = &rest[2..];
                continue;
            }
            let name: String = rest[1..]
                .chars()
                .take_while(|one| one.is_alphanumeric() || matches!(one, '_' | ' ' | '-'))
                .collect();
            let end = 1 + name.len();
            if !rest.starts_with('{') || name.trim().is_empty() || !rest[end..].starts_with('}') {
                template.push_text(&rest[..1]);
                rest = &rest[1..];
                continue;
            }
            rest = &rest[end + 1..];
            match values.get(&name).and_then(Value::as_str).filter(|value| !value.is_empty()) {
                Some(value) if value.contains("{{") => {
                    let value = self.template(at, value);
                    template.push(&value);
                }
                Some(value) => template.push_text(value),
                // Flowise fills in what the person says.
                None => {
                    let question = self.question(at);
                    template.push_value(&name, &question, &[]);
                }
            }
        }
        template.push_text(rest);
        template
    }

    /// A chain or an agent that talks with a person.
    fn conversation(&mut self, at: usize, settings: &Settings<'_>, system: &str) {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let mut messages = self.prompt_of(at, "chatPromptTemplate");
        if messages.is_empty()
            && let Some(text) = settings.text(system)
        {
            messages.push((Author::System, TemplateText::constant(text)));
        }
        messages.retain(|(author, _)| *author == Author::System);
        let question = self.question(at);
        messages.push((Author::User, TemplateText::of("question", &question, &[])));
        settings.ignore_all(&["/systemMessage", "/systemMessagePrompt", "/humanMessage"]);
        call.set_messages(messages);
        self.call(at, call, settings);
    }

    /// An answer from documents, which a placeholder searches.
    fn retrieval(&mut self, at: usize, settings: &Settings<'_>) {
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let question = self.question(at);
        let text = ["/responsePrompt", "/systemMessagePrompt", "/prompt"]
            .iter()
            .find_map(|pointer| settings.text(pointer));
        let graph = self.graph;
        let mut prompt = TemplateText::default();
        for (edge, source) in graph.incoming(at) {
            if matches!(edge.field.as_str(), "vectorStoreRetriever" | "vectorStore") {
                let id = self.node_of(source);
                if let Some(id) = id {
                    self.builder.connect(&question, &id, "query");
                    prompt.push_value("documents", &Output::new(&id, "documents"), &[]);
                }
            }
        }
        let text = text.unwrap_or("Answer the question with the documents below.\n\n{context}");
        let (before, after) = text.split_once("{context}").unwrap_or((text, ""));
        let mut whole = TemplateText::constant(before);
        whole.push(&prompt);
        whole.push_text(after);
        whole.push_text("\n\nQuestion: ");
        whole.push_value("question", &question, &[]);
        call.prompt = Some(whole);
        settings.ignore_all(&[
            "/vectorStoreRetriever",
            "/vectorStore",
            "/returnSourceDocuments",
            "/rephrasePrompt",
        ]);
        if settings.text("/rephrasePrompt").is_some() {
            let id = self.graph.nodes[at].id;
            self.builder.lose(id, "That questions are rephrased before the search.");
        }
        self.call(at, call, settings);
    }

    fn node_of(&self, at: usize) -> Option<plait_core::id::NodeId> {
        self.output(at, "").map(|output| output.node)
    }

    /// A node of a sequence: a call with the text of the node before it as its message.
    fn sequential(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let mut call = ChatCall { model: self.model_of(at), ..ChatCall::default() };
        let mut messages = Vec::new();
        if let Some(text) = settings.text("/systemMessagePrompt") {
            messages.push((Author::System, TemplateText::constant(text)));
        }
        let previous = self.previous(at).unwrap_or_else(|| self.question(at));
        let mut prompt = TemplateText::of("message", &previous, &[]);
        if let Some(text) = settings.text("/humanMessagePrompt") {
            prompt.push_text("\n\n");
            prompt.push_text(text);
        }
        messages.push((Author::User, prompt));
        settings.ignore_all(&["/sequentialNode", "/agentName", "/llmNodeName", "/interrupt", "/streaming"]);
        self.builder
            .lose(node.id, "The messages of the whole sequence: it gets what the node before it says.");
        call.set_messages(messages);
        self.call(at, call, settings);
    }

    /// What the node before one in a sequence says.
    fn previous(&mut self, at: usize) -> Option<Output> {
        let graph = self.graph;
        let sources: Vec<_> = graph.incoming(at).filter(|(edge, _)| edge.field == "sequentialNode").collect();
        sources.into_iter().find_map(|(edge, source)| self.output(source, &edge.output))
    }

    /// The tools that are plugged into a component.
    fn tools_of(&mut self, at: usize) -> Vec<Output> {
        let graph = self.graph;
        let parts = graph.sources(at, "tools");
        parts.into_iter().map(|part| self.output(part, "").unwrap_or_else(|| self.tool(part))).collect()
    }

    fn tool(&mut self, at: usize) -> Output {
        let node = &self.graph.nodes[at];
        let settings = Settings::new(inputs_of(node));
        let config = match node.kind {
            "calculator" => json!({ "tools": ["calculator"] }),
            "currentDateTime" => json!({ "tools": ["current_time"] }),
            _ => {
                let url = settings.text("/url").or_else(|| settings.text("/requestsGetUrl"));
                let url = url.or_else(|| settings.text("/requestsPostUrl")).unwrap_or_default();
                if !url.starts_with("http") {
                    let id = self.placeholder(
                        at,
                        "Its address is chosen by the model; Plait's tools have a fixed host.",
                    );
                    let output = Output::new(&id, "tools");
                    self.set_output(at, "", output.clone());
                    return output;
                }
                let description = ["/description", "/requestsGetDescription", "/requestsPostDescription"];
                let description =
                    description.iter().find_map(|pointer| settings.text(pointer)).unwrap_or_default();
                let (url, has_keys) = address_without_keys(url);
                if has_keys {
                    self.builder.lose(node.id, ADDRESS_KEY_LOST);
                }
                let method = if node.kind == "requestsPost" { "POST" } else { "GET" };
                let name = node.title.replace(|one: char| !one.is_ascii_alphanumeric(), "_");
                json!({ "tools": [], "http": [{ "name": name, "description": description, "method": method, "url": url }] })
            }
        };
        let id = self.builder.add(node.id, node.title, "tools", config, node.at);
        if let Some(unread) = settings.unread() {
            self.builder.lose(node.id, unread);
        }
        let output = Output::new(&id, "tools");
        self.set_output(at, "", output.clone());
        output
    }
}

/// A schema of fields that are described one by one.
pub(super) fn schema_of_fields(fields: &[Value], name: &str) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut schema = match text("type") {
            "number" => json!({ "type": "number" }),
            "boolean" => json!({ "type": "boolean" }),
            "stringArray" => json!({ "type": "array", "items": { "type": "string" } }),
            "enum" => {
                let values: Vec<&str> = text("enumValues").split(',').map(str::trim).collect();
                json!({ "type": "string", "enum": values })
            }
            "jsonArray" => json!({ "type": "array", "items": { "type": "object" } }),
            _ => json!({ "type": "string" }),
        };
        schema["description"] = text("description").into();
        properties.insert(text(name).to_owned(), schema);
    }
    let names: Vec<String> = properties.keys().cloned().collect();
    json!({ "type": "object", "properties": properties, "required": names })
}
