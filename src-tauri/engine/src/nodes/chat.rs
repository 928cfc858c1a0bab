//! `chat`: asks a model in a conversation.
//!
//! What is asked is [`question`]'s, the back and forth with model and tools [`asking`]'s. This file decides when it becomes
//! part of the conversation: user message and answer together when all went well, nothing otherwise.

mod question;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::num::NonZeroU32;

use crate::context::ContextHandle;
use crate::error::{ErrorCode, Fault};
use crate::expression::schema::check_schema;
use crate::expression::template::Template;
use crate::id::MessageId;
use crate::model_call::{self, Manner, Schema, Turn};
use crate::node::template_inputs;
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};
use crate::prompt::{Overrides, resolve_model_config};
use crate::provider::{ModelReply, StopReason};

pub(super) struct Chat;

/// What is asked, of whom, and how.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The user's message, as a template. Its variables become inputs; `{{message}}` is what comes in on `message` or along
    /// the context edge. Left out: that message itself.
    prompt: Option<Template>,
    /// Another provider than the context's, for this call only.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// Another model than the context's, for this call only.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// How freely the model chooses its words, from 0 to 2. Left out: as the provider sees fit.
    #[schemars(range(min = 0.0, max = 2.0))]
    temperature: Option<f64>,
    /// The most tokens of reply. Left out: as the provider sees fit; a quarter of the window, at most 16,384, is kept for it.
    max_tokens: Option<NonZeroU32>,
    /// JSON Schema the reply must follow. The reply, read, goes out on `structured`.
    #[schemars(extend("format" = "json"))]
    response_schema: Option<Value>,
    /// Whether the conversation is left as it was: the model sees its history, but question and answer do not enter it.
    skip_history: bool,
    /// How often the model may call tools before it must answer.
    max_tool_rounds: u32,
    /// The model's window in tokens, where Plait does not know it or less of it is to be used.
    context_window: Option<NonZeroU32>,
    /// Anything a particular provider understands. To have a model think, and show its thoughts: for Anthropic
    /// `{"thinking":{"type":"adaptive"}}`, for Gemini `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`.
    /// For the offline simulator's model `script` its answers, for example
    /// `{"replies": [{"text": "Hello."}], "tokensPerSecond": 30}`.
    #[schemars(extend("format" = "json"))]
    options: Map<String, Value>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            prompt: None,
            override_provider: None,
            override_model: None,
            temperature: None,
            max_tokens: None,
            response_schema: None,
            skip_history: false,
            max_tool_rounds: 8,
            context_window: None,
            options: Map::new(),
        }
    }
}

impl Config {
    fn overrides(&self) -> Overrides<'_> {
        Overrides {
            provider: self.override_provider.as_deref(),
            model: self.override_model.as_deref(),
            max_tokens: self.max_tokens.map(NonZeroU32::get),
            window: self.context_window.map(|window| window.get().into()),
        }
    }
}

impl NodeType for Chat {
    type Config = Config;

    const TYPE: &'static str = "chat";
    const ALIASES: &'static [&'static str] = &["llmRequest"];
    const TITLE: &'static str = "Chat";
    const SUMMARY: &'static str = "Asks a model, in a conversation that it remembers";
    const DESCRIPTION: &'static str = "Sends a message to the model of the conversation on its context edge and gives the \
        reply. Question and answer enter the conversation's history together, once the model has answered; a call that \
        fails or is stopped leaves it as it was.\n\n\
        The message is the one on `message`, else the value on `data`, else what the node before it on the context edge \
        said. With a **prompt** template it is written from the template's variables instead.\n\n\
        Tools on the **tools** edge may be called by the model, several rounds if need be; only the final answer enters \
        the history. When the history has grown too long for the model's window, its oldest messages are left out.\n\n\
        Provider and model can be set otherwise for this call; that never changes the conversation.";
    const CATEGORY: Category = Category::Models;
    const ICON: &'static str = "bot-message-square";
    const TERMS: &'static [&'static str] = &[
        "llm",
        "model",
        "ask",
        "answer",
        "gpt",
        "claude",
        "completion",
        "prompt",
        "assistant",
        "agent",
        "request",
    ];

    fn ports(config: &Config) -> Ports {
        let mut ports = Ports::new()
            .input("context", PortKind::Context, PortType::Any, "The conversation")
            .when_fed("message", PortKind::Data, PortType::Text, "What is said to the model")
            .when_fed(
                "data",
                PortKind::Data,
                PortType::Any,
                "What is said to the model when there is no message",
            )
            .many("tools", PortKind::Tools, PortType::Any, "What the model may call");
        if let Some(prompt) = &config.prompt {
            ports = template_inputs::add_inputs(ports, prompt);
            // It may come along the context edge as well.
            for port in ports.inputs.iter_mut().filter(|port| port.name.as_str() == "message") {
                port.required = false;
            }
        }
        ports = ports
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the reply as what is said",
            )
            .output("response", PortKind::Data, PortType::Text, "The reply");
        if config.response_schema.is_some() {
            ports =
                ports.output("structured", PortKind::Data, PortType::Any, "The reply, read by its schema");
        }
        ports.error()
    }

    fn card() -> Card {
        Card::new()
            .line([
                CardPart::text("overrideProvider"),
                CardPart::text("overrideModel"),
                CardPart::prefixed_number("temp", "temperature"),
            ])
            .line([CardPart::quoted("prompt")])
            .line([CardPart::ContextMaker])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { uses_context: true, ..Behavior::default() }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(prompt) = &config.prompt {
            problems.extend(template_inputs::check(prompt, "/prompt", &Self::ports(config)));
        }
        if config.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            problems.push(("/temperature".to_owned(), "`temperature` is a number from 0 to 2.".to_owned()));
        }
        if let Some(problem) = config.response_schema.as_ref().and_then(check_schema) {
            problems.push(("/responseSchema".to_owned(), problem));
        }
        problems
    }

    fn examples() -> Vec<Example> {
        let script = |reply: &str| json!({ "replies": [{ "text": reply }] });
        vec![
            Example::new("A question, answered by the offline simulator from a script")
                .config(json!({ "overrideModel": "script", "options": script("Four.") }))
                .input("context", json!({ "contextId": "main" }))
                .input("message", json!("What is two and two?"))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Four.", "messageId": "chat/1" },
                    "response": "Four.",
                })),
            Example::new("A prompt made from data, and a reply read by a schema, apart from the history")
                .config(json!({
                    "prompt": "How does the writer feel? {{letter}}",
                    "responseSchema": { "type": "object", "required": ["mood"] },
                    "skipHistory": true,
                    "overrideModel": "script",
                    "options": script("{\"mood\": \"glad\"}"),
                }))
                .input("context", json!({ "contextId": "main" }))
                .input("letter", json!("What a day!"))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "{\"mood\": \"glad\"}" },
                    "response": "{\"mood\": \"glad\"}",
                    "structured": { "mood": "glad" },
                })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let handle = inputs.context()?.ok_or_else(|| {
            Fault::new(ErrorCode::ContextNone, "There is no conversation to speak in.")
                .hint("Wire a context edge from a `contextStart` or another node of the conversation.")
        })?;
        let manager = cx.context_manager(&handle.context_id)?;
        let context = manager.get();
        let model = resolve_model_config(&context, config.overrides(), cx.known())?;
        let question =
            question::question(config.prompt.as_ref(), &inputs, &handle, &context, &cx, &model.model)?;
        let tools = model_call::offered(&inputs)?;
        let provider = cx.host.providers.get(&model.provider)?;
        let schema = config.response_schema.as_ref().map(Schema::new);
        let manner = config.manner(schema.as_ref());
        let mut turn = Turn::new(manner, &cx, &context, &model, &question, &tools, &*provider);
        if !config.skip_history {
            turn.begin(&manager);
        }
        let (reply, structured) = match answer(schema.as_ref(), &mut turn).await {
            Ok(answer) => answer,
            Err(fault) => {
                turn.discard();
                return Err(fault);
            }
        };
        let written = turn.commit(&reply);
        Ok(turn.spent().told(give(&handle, reply, structured, written), &model))
    }
}

impl Config {
    fn manner<'a>(&'a self, schema: Option<&'a Schema<'_>>) -> Manner<'a> {
        Manner {
            temperature: self.temperature,
            response_schema: schema.map(Schema::asked),
            max_tool_rounds: self.max_tool_rounds,
            options: &self.options,
        }
    }
}

/// The answer, read by its schema where there is one.
async fn answer(
    schema: Option<&Schema<'_>>,
    turn: &mut Turn<'_>,
) -> Result<(ModelReply, Option<Value>), Fault> {
    let reply = turn.answer().await?;
    model_call::is_answer(&reply)?;
    let structured = schema.map(|schema| structured(schema, &reply)).transpose()?;
    Ok((reply, structured))
}

fn structured(schema: &Schema<'_>, reply: &ModelReply) -> Result<Value, Fault> {
    schema.read(&reply.text).map_err(|why| {
        let cut = reply.stop_reason == StopReason::MaxTokens;
        let hint = if cut {
            "The reply was cut short: raise `maxTokens`."
        } else {
            "Describe the shape in the prompt too, ask another model, or use `extract`, which asks again."
        };
        Fault::new(
            ErrorCode::ChatNotStructured,
            format!("The reply does not follow `responseSchema`: {why}."),
        )
        .hint(hint)
        .details(json!({ "reply": reply.text }))
    })
}

fn give(
    handle: &ContextHandle,
    reply: ModelReply,
    structured: Option<Value>,
    written: Option<MessageId>,
) -> NodeOutput {
    let text = Value::String(reply.text);
    let mut output =
        NodeOutput::new().hand_on(&handle.saying(text.clone(), written.clone())).with("response", text);
    if let Some(id) = written {
        output = output.is_message("response", id);
    }
    if let Some(structured) = structured {
        output = output.with("structured", structured);
    }
    let stop_reason = serde_json::to_value(&reply.stop_reason).unwrap_or_default();
    output.extra.insert("stopReason".to_owned(), stop_reason);
    output
}

#[cfg(test)]
mod tests;
