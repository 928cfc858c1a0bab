//! A call of a model, as every tool has one in some form: the nodes of Plait that make it.
//!
//! The provider, the model and constant instructions stand in a `contextStart`. What the conversation begins with beside them is
//! injected. The `chat` sends the message.

use serde_json::{Map, Value, json};

use super::builder::{FlowBuilder, Output, Point};
use super::settings::whole_number;
use super::template::{InputNames, TemplateText};
use plait_core::id::NodeId;
use plait_core::port::PortKind;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    System,
    User,
    Assistant,
}

impl Author {
    /// Reads a role as other tools write it.
    pub(super) fn read(role: &str) -> Self {
        match role.to_ascii_lowercase().as_str() {
            "system" | "developer" | "systemmessage" | "systemmessageprompttemplate" => Self::System,
            "assistant" | "ai" | "model" | "aimessage" | "aimessageprompttemplate" => Self::Assistant,
            _ => Self::User,
        }
    }

    fn role(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Which model, and how it is called.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) provider: Option<String>,
    pub(super) name: Option<String>,
    pub(super) temperature: Option<f64>,
    pub(super) max_tokens: Option<f64>,
    /// Options for the provider, by its own names.
    pub(super) options: Map<String, Value>,
    /// The nodes of the file that it is described by.
    pub(super) sources: Vec<String>,
    /// What of it cannot be set, each a sentence.
    pub(super) lost: Vec<String>,
}

impl Model {
    /// Sets the temperature, if it is one that Plait takes.
    pub(super) fn set_temperature(&mut self, temperature: Option<f64>) {
        match temperature {
            Some(value) if (0.0..=2.0).contains(&value) => self.temperature = Some(value),
            Some(value) => self.lost.push(format!("A temperature of {value} is out of range.")),
            None => {}
        }
    }

    /// Sets an option of the provider, if its protocol has it.
    pub(super) fn set_option(&mut self, name: &str, value: Option<Value>) {
        let Some(value) = value.filter(|value| !value.is_null() && *value != json!("")) else { return };
        let takes = match self.provider.as_deref() {
            Some("anthropic") => matches!(name, "top_p" | "top_k"),
            Some("gemini" | "ollama" | "offline") => false,
            _ => {
                matches!(
                    name,
                    "top_p" | "frequency_penalty" | "presence_penalty" | "seed" | "reasoning_effort"
                )
            }
        };
        if takes {
            self.options.insert(name.to_owned(), value);
        } else {
            self.lost.push(format!("The model's setting `{name}` has no equivalent."));
        }
    }

    fn max_tokens(&self) -> Option<u32> {
        let count = self.max_tokens.filter(|&count| (1.0..=f64::from(u32::MAX)).contains(&count));
        count.map(|count| whole_number(count, 1..=u32::MAX))
    }
}

/// The same, unless the file names none.
pub(super) fn named_provider(name: &str) -> Option<String> {
    (!name.trim().is_empty()).then(|| provider_name(name))
}

/// The provider of Plait that a name in another tool stands for.
pub(super) fn provider_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let known = [
        ("azure", "azure"),
        ("openrouter", "openrouter"),
        ("bedrock", "bedrock"),
        ("anthropic", "anthropic"),
        ("claude", "anthropic"),
        ("gemini", "gemini"),
        ("google", "gemini"),
        ("vertex", "gemini"),
        ("ollama", "ollama"),
        ("mistral", "mistral"),
        ("groq", "groq"),
        ("deepseek", "deepseek"),
        ("xai", "xai"),
        ("grok", "xai"),
        ("together", "together"),
        ("fireworks", "fireworks"),
        ("litellm", "litellm"),
        ("openai", "openai"),
    ];
    let found = known.iter().find(|(part, _)| name.contains(part)).map(|(_, provider)| *provider);
    found.map_or_else(|| super::template::identifier(&name), str::to_owned)
}

#[derive(Clone, Debug, Default)]
pub(super) struct ChatCall {
    pub(super) model: Model,
    /// The system instructions.
    pub(super) system: Option<TemplateText>,
    /// What the conversation begins with.
    pub(super) history: Vec<(Author, TemplateText)>,
    /// The message to the model.
    pub(super) prompt: Option<TemplateText>,
    /// The JSON Schema of the reply.
    pub(super) schema: Option<Value>,
    /// How many messages of earlier runs the model gets, if it has a memory.
    pub(super) memory: Option<Memory>,
    /// The tools that the model may call.
    pub(super) tools: Vec<Output>,
    pub(super) max_tool_rounds: Option<u32>,
    /// How it differs, each a sentence.
    pub(super) lost: Vec<&'static str>,
}

/// What a model remembers of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    pub(super) max_messages: Option<u32>,
}

/// The nodes that a call became.
#[derive(Clone, Debug)]
pub(super) struct ChatNodes {
    pub(super) chat: NodeId,
}

impl ChatNodes {
    /// The reply as text.
    pub(super) fn response(&self) -> Output {
        Output::new(&self.chat, "response")
    }

    /// The reply as a value, if the call has a schema.
    pub(super) fn structured(&self) -> Output {
        Output::new(&self.chat, "structured")
    }
}

/// A call of Plait ends with a message of the user, where the original sends instructions alone.
const INSTRUCTIONS_ASKED: &str =
    "Its last message has the role `system`. Here it is the message of the user.";

/// A conversation of Plait has one text of instructions.
const INSTRUCTIONS_JOINED: &str =
    "It has several messages of the role `system`. Here they are sent as one, with empty lines between them.";

impl ChatCall {
    /// Sets all that the model gets. Instructions at the end become the message to the model, which the report says.
    pub(super) fn set_all_messages(&mut self, mut messages: Vec<(Author, TemplateText)>) {
        messages.retain(|(_, text)| !text.is_blank());
        if let Some((author, _)) = messages.last_mut().filter(|(author, _)| *author == Author::System) {
            *author = Author::User;
            self.lost.push(INSTRUCTIONS_ASKED);
        }
        self.set_messages(messages);
    }

    /// Adds messages in their order: the last one of the user is the message to the model, the ones before are the history.
    pub(super) fn set_messages(&mut self, messages: Vec<(Author, TemplateText)>) {
        let mut messages: Vec<_> = messages.into_iter().filter(|(_, text)| !text.is_blank()).collect();
        let systems = messages.iter().filter(|(author, _)| *author == Author::System).count();
        if systems + usize::from(self.system.is_some()) > 1 {
            self.lost.push(INSTRUCTIONS_JOINED);
        }
        if messages.first().is_some_and(|(author, _)| *author == Author::System) && self.system.is_none() {
            self.system = Some(messages.remove(0).1);
        }
        if messages.last().is_some_and(|(author, _)| *author == Author::User) {
            self.prompt = messages.pop().map(|(_, text)| text);
        }
        self.history.extend(messages);
    }

    /// Adds the nodes of the call for a node of the file.
    pub(super) fn add_to(
        &self,
        builder: &mut FlowBuilder,
        source: &str,
        title: &str,
        at: Point,
    ) -> ChatNodes {
        let context = self.add_context(builder, source, title, at);
        let mut config = json!({
            "temperature": self.model.temperature,
            "maxTokens": self.model.max_tokens(),
            "responseSchema": self.schema,
            "maxToolRounds": self.max_tool_rounds,
        });
        if !self.model.options.is_empty() {
            config["options"] = self.model.options.clone().into();
        }
        let message = self.prompt.as_ref().and_then(TemplateText::single_output);
        let message = message.filter(|output| !builder.gives_list(output));
        if let Some(prompt) = self.prompt.as_ref().filter(|_| message.is_none()) {
            config["prompt"] = prompt.source().into();
        }
        let chat = builder.add(source, title, "chat", config, at);
        builder.connect_as(&context, &chat, "context", PortKind::Context);
        match (message, &self.prompt) {
            (Some(message), _) => {
                builder.connect(message, &chat, "message");
            }
            (None, Some(prompt)) => builder.feed(&prompt.inputs(), &chat),
            (None, None) => {}
        }
        for tools in &self.tools {
            builder.connect_as(tools, &chat, "tools", PortKind::Tools);
        }
        for part in &self.model.sources {
            builder.attach(part, &context.node);
        }
        let loser = self.model.sources.first().map_or(source, String::as_str);
        for lost in &self.model.lost {
            builder.lose(loser, lost);
        }
        for lost in &self.lost {
            builder.lose(source, *lost);
        }
        ChatNodes { chat }
    }

    /// Adds the nodes that make the conversation of the call. Returns it.
    pub(super) fn add_context(
        &self,
        builder: &mut FlowBuilder,
        source: &str,
        title: &str,
        at: Point,
    ) -> Output {
        let constant = self.system.as_ref().and_then(TemplateText::literal);
        let injected: Vec<_> = self
            .system
            .iter()
            .filter(|_| constant.is_none())
            .map(|system| (Author::System, system))
            .chain(self.history.iter().map(|(author, text)| (*author, text)))
            .collect();
        // Only the context `main` recalls.
        let is_main = self.memory.is_some() && builder.take_main_context();
        if self.memory.is_some() && !is_main {
            builder.lose(source, "Only one conversation of a flow recalls earlier runs, and this is not it.");
        }
        let mut config = json!({
            "provider": self.model.provider,
            "model": self.model.name,
            "systemInstructions": constant.filter(|text| !text.is_empty()),
        });
        if let Some(count) = self.memory.filter(|_| is_main).and_then(|memory| memory.max_messages) {
            config["conversation"] = json!({ "maxMessages": count.max(1) });
        }
        let columns = if injected.is_empty() { 0.0 } else { -1.0 };
        let start = builder.add(
            source,
            &format!("{title}: context"),
            "contextStart",
            config,
            at.beside(columns, -1.0),
        );
        let id = if is_main { "main" } else { start.as_str() };
        let id = Value::from(id);
        if let Some(config) = builder.config(&start) {
            config.insert("contextId".to_owned(), id);
        }
        if injected.is_empty() {
            return Output::new(&start, "context");
        }
        // The messages share their inputs.
        let mut names = InputNames::default();
        let messages: Vec<Value> = injected
            .into_iter()
            .map(|(author, text)| {
                let content = text.write(&mut names);
                json!({ "role": author.role(), "content": content.trim_start() })
            })
            .collect();
        let inject = builder.add(
            source,
            &format!("{title}: messages"),
            "injectMessages",
            json!({ "messages": messages }),
            at.beside(0.0, -1.0),
        );
        builder.connect_as(&Output::new(&start, "context"), &inject, "context", PortKind::Context);
        builder.feed(names.inputs(), &inject);
        Output::new(&inject, "context")
    }
}
