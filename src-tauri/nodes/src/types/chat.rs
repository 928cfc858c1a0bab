//! `chat`: sends a message to a model in a conversation.
//!
//! [`user_message`] makes the sent message, [`model_call`] exchanges messages with the model and its tools. This file
//! decides when they enter the conversation: user message and reply together if all succeeded, nothing otherwise.

mod pinned;
mod user_message;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::num::NonZeroU32;

use crate::codes;
use crate::model_call;
use crate::model_call::{CallOptions, Interruption, MemoryAccess, NodeMemory, ReplySchema, Turn};
use crate::prompt::{BlockInputs, MemoryView};
use plait_core::attachment;
use plait_core::config::{DEFAULT_MAX_TOOL_ROUNDS, Unused};
use plait_core::error::Fault;
use plait_core::expression::schema::check_schema;
use plait_core::expression::template::Template;
use plait_core::id::MessageId;
use plait_core::port::{ATTACH_PORT, PortKind, PortType, Ports};
use plait_llm::context::{CallOverrides, ContextHandle, resolve_model_config};
use plait_llm::needs::NodeNeed;
use plait_llm::prompt_record::{Block, BlockKind, BlockSettings};
use plait_llm::provider::ModelReply;
use plait_llm::retriever::{Knowledge, query_text};
use plait_run::node::{
    Behavior, CallLimit, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
    Surroundings, template_inputs,
};

pub(super) struct Chat;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The user message, as a template. Its variables become inputs. `{{message}}` is the message on `message` or from the
    /// context edge. If empty, that message is sent.
    prompt: Option<Template>,
    /// The provider for this call only. If empty, the context's.
    #[schemars(extend("format" = "provider"))]
    override_provider: Option<String>,
    /// The model for this call only. If empty, the context's.
    #[schemars(extend("format" = "model"))]
    override_model: Option<String>,
    /// Sampling temperature, from 0 to 2. If empty, the provider's default.
    #[schemars(range(min = 0.0, max = 2.0))]
    temperature: Option<f64>,
    /// Maximum tokens of the reply. If empty, the provider's default; a quarter of the window, at most 16,384, is reserved, and a margin of a 64th.
    max_tokens: Option<NonZeroU32>,
    /// JSON Schema that the reply must match. The parsed reply is the output `structured`.
    #[schemars(extend("format" = "json"))]
    response_schema: Option<Value>,
    /// Whether the message and the reply stay out of the conversation's history. The model still sees the history.
    skip_history: bool,
    // The table of the configuration describes both.
    max_tool_rounds: u32,
    context_window: Option<NonZeroU32>,
    /// Where passages that fit the message are searched before the call. The model gets them with the message.
    knowledge: Knowledge,
    /// The memory that the nodes of the flow share.
    memory: NodeMemory,
    /// What stands around the message: order of the blocks, and how many tokens each may take.
    blocks: BlockSettings,
    /// In a loop with `conversation`: whether the model gets the history of the loop.
    #[serde(rename = "use_history")]
    #[schemars(extend("x-of-conversation" = true))]
    use_history: bool,
    /// In a loop with `conversation`: whether what this node says is always sent with the history, despite its bounds.
    #[schemars(extend("x-of-conversation" = true))]
    pinned: bool,
    /// Provider-specific options. To enable and show reasoning: for Anthropic
    /// `{"thinking":{"type":"adaptive"}}`, for Gemini `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`.
    /// For the offline simulator's model `script`, its replies, for example
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
            max_tool_rounds: DEFAULT_MAX_TOOL_ROUNDS,
            context_window: None,
            knowledge: Knowledge::default(),
            memory: NodeMemory::default(),
            blocks: BlockSettings::default(),
            use_history: true,
            pinned: false,
            options: Map::new(),
        }
    }
}

impl Config {
    fn overrides(&self) -> CallOverrides<'_> {
        CallOverrides {
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
    const SUMMARY: &'static str = "Sends a message to a model, with the conversation's history";
    const DESCRIPTION: &'static str = "Sends a message to the model of the conversation on the context edge and outputs the \
        reply. Message and reply enter the conversation's history together once the model has replied. A call that fails \
        or is canceled leaves the history unchanged.

\
        The message is the value on `message`; without one, the value on `data`; without that, the last output on the \
        context edge. With a **prompt** template, the message is rendered from the template instead.

\
        Images, PDFs and text files on **attach** go with the message: from a `userInput`, from another chat, or with `--attach` in a \
        terminal. A model that can't take one says so before the call.

\
        The model may call the tools on the **tools** edge, in several rounds if needed. Only the final reply enters the \
        history. If the history exceeds the model's window, its oldest messages are left out.

\
        With **memory**, agents see by label what others of the flow said, and a summary of what was said before. With \
        **knowledge**, passages of documents that fit the message come with it. **Blocks** sets the order of what stands \
        around the message, and how many tokens each block may take.

\
        Provider and model can be overridden for this call. That does not change the conversation.";
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
        "image",
        "vision",
        "file",
        "pdf",
    ];

    fn ports(config: &Config) -> Ports {
        let mut ports = Ports::new()
            .input("context", PortKind::Context, PortType::Any, "The conversation")
            .when_fed("message", PortKind::Data, PortType::Text, "The message to the model")
            .when_fed(
                "data",
                PortKind::Data,
                PortType::Any,
                "The message to the model if `message` is not connected",
            )
            .many(ATTACH_PORT, PortKind::Data, PortType::Any, "Images and files that go with the message")
            .many("tools", PortKind::Tools, PortType::Any, "Tools that the model may call");
        if let Some(prompt) = &config.prompt {
            ports = template_inputs::add_inputs(ports, prompt);
            // The message can also come from the context edge.
            for port in ports.inputs.iter_mut().filter(|port| port.name.as_str() == "message") {
                port.required = false;
            }
        }
        ports = ports
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the reply as its last output",
            )
            .output("response", PortKind::Data, PortType::Text, "The reply")
            .output(
                "attachments",
                PortKind::Data,
                PortType::List,
                "The images and files of the reply, when it has any",
            );
        if config.response_schema.is_some() {
            ports = ports.output("structured", PortKind::Data, PortType::Any, "The parsed reply");
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

    fn behavior(config: &Config) -> Behavior {
        let (memory, needs) = (config.memory.memory_use(), NodeNeed::of_documents(&config.knowledge.folder));
        let call_limit = CallLimit { tool_rounds: config.max_tool_rounds, ..CallLimit::default() };
        Behavior {
            is_agent: true,
            takes_prompt_only: super::prompt_only(
                config.override_provider.as_deref(),
                config.override_model.as_deref(),
            ),
            call_limit,
            pins_turns: config.pinned,
            ignores_loop_history: !config.use_history,
            uses_context: true,
            memory,
            needs,
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(prompt) = &config.prompt {
            problems.extend(template_inputs::check(prompt, "/prompt", &Self::ports(config)));
        }
        if let Some(problem) = config.blocks.problem() {
            problems.push(("/blocks/order".to_owned(), problem));
        }
        if config.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            problems.push(("/temperature".to_owned(), "`temperature` is a number from 0 to 2.".to_owned()));
        }
        if let Some(problem) = config.response_schema.as_ref().and_then(check_schema) {
            problems.push(("/responseSchema".to_owned(), problem));
        }
        problems
    }

    fn unused(config: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        let mut unused = around.unused_loop_settings();
        let mode = around.memory_mode(config.memory.memory_use());
        unused.extend(config.memory.unused(mode, &around.memory));
        unused.extend(config.knowledge.unused("/knowledge"));
        let sends = |kind| config.blocks.order().contains(&kind);
        if !sends(BlockKind::Retrieval) {
            let reason = "`blocks.order` lacks `retrieval`, so nothing is searched";
            unused.push(Unused::new("/knowledge", reason, "add `retrieval` to `blocks.order`"));
        }
        let has_tools = around.feeds("tools");
        if !has_tools {
            let reason = "no tools are connected";
            unused.push(Unused::new("/maxToolRounds", reason, "connect some to `tools`"));
        }
        let mut cap = |kind: BlockKind, name: &str, is_there: bool, reason: &str| {
            let pointer = format!("/blocks/caps/{name}");
            if !sends(kind) {
                unused.push(Unused::new(pointer, format!("`blocks.order` lacks `{name}`"), "add it"));
            } else if !is_there {
                unused.push(Unused::new(pointer, reason, ""));
            }
        };
        cap(
            BlockKind::Retrieval,
            "retrieval",
            !config.knowledge.is_empty(),
            "`knowledge` names nothing to search",
        );
        cap(BlockKind::Tools, "tools", has_tools, "no tools are connected");
        cap(BlockKind::Memory, "memory", mode.reads(), "the node's `memory.mode` is `off`");
        cap(BlockKind::Partner, "partner", true, "");
        unused
    }

    fn output_schemas(config: &Config) -> Vec<(&'static str, &Value)> {
        config.response_schema.iter().map(|schema| ("structured", schema)).collect()
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
            Example::new("A prompt from data and a structured reply, outside of the history")
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
                    "context": {
                        "contextId": "main",
                        "currentOutput": "{\"mood\": \"glad\"}",
                        "messageId": "chat/1",
                    },
                    "response": "{\"mood\": \"glad\"}",
                    "structured": { "mood": "glad" },
                })),
        ]
    }

    const RECORDS_TURN_OF_PIN: bool = true;

    async fn record_turn_of_pin(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
        output: NodeOutput,
    ) -> Result<NodeOutput, Fault> {
        pinned::record_turn(config, &inputs, &node_context, output).await
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let handle = inputs.context()?.ok_or_else(|| {
            Fault::new(codes::CONTEXT_NONE, "There is no context for this call.")
                .hint("Connect a context edge from a `contextStart` or another node of the conversation.")
        })?;
        let manager = node_context.context_manager(&handle.context_id)?;
        let context = manager.get();
        let model = resolve_model_config(&context, config.overrides(), node_context.model_settings())?;
        let mut prepared =
            user_message::prepare(config.prompt.as_ref(), &inputs, &handle, &node_context).await?;
        prepared.identify(&node_context);
        let incoming = prepared.incoming.as_ref();
        let memory = MemoryAccess::new(&config.memory, &node_context, incoming, &model.model);
        let repeated = match &memory {
            Some(memory) => memory.incoming_message(),
            None => incoming
                .filter(|incoming| !incoming.in_template)
                .and_then(|incoming| incoming.message.as_ref()),
        };
        let mut user_message = prepared.build(&context, &node_context, repeated, &model.model)?;
        let attachments = model_call::attached(&inputs)?;
        if !attachments.is_empty() {
            user_message = user_message.attach(attachments, &node_context, &model.model).await?;
        }
        let tools = model_call::collect_tools(&inputs)?;
        model_call::check_offer(&tools, &node_context)?;
        let provider = node_context.host.providers.get(&model.provider)?;
        let schema = config.response_schema.as_ref().map(ReplySchema::new);
        let options = config.call_options(schema.as_ref());
        let (view, partner) = memory.as_ref().map(|memory| (memory.view(), memory.partner(incoming))).unzip();
        let retrieval = match config.retrieve(&prepared, view.as_ref(), &model.model, &node_context).await {
            Ok(retrieval) => retrieval,
            Err(interruption) => return interruption.into_output(),
        };
        let blocks = BlockInputs {
            settings: Some(&config.blocks),
            retrieval: retrieval.as_ref(),
            memory: view.as_ref(),
            partner: partner.as_ref(),
        };
        let received =
            incoming.map(|incoming| (incoming.port, incoming.text.as_str(), incoming.message.as_ref()));
        let turns = model_call::loop_turns(&node_context, config.use_history, received, &model, &*provider);
        let mut turn = Turn::new(options, &node_context, &context, &model, &user_message, &tools, &*provider)
            .with_blocks(blocks)
            .with_turns(turns.as_ref())
            .with_memory(memory.as_ref());
        if !config.skip_history {
            turn.begin(&manager);
        }
        let (reply, structured) = match run_turn(schema.as_ref(), &mut turn).await {
            Ok(answer) => answer,
            Err(interruption) => return turn.interrupt(interruption),
        };
        if let Some(memory) = &memory {
            turn.remember(memory, &reply).await;
        }
        turn.commit(&reply);
        let id = model_call::reply_id(&node_context);
        Ok(turn.add_usage_to(build_output(&handle, reply, structured, id)))
    }
}

impl Config {
    fn call_options<'a>(&'a self, schema: Option<&'a ReplySchema<'_>>) -> CallOptions<'a> {
        CallOptions {
            temperature: self.temperature,
            response_schema: schema.map(ReplySchema::requested),
            max_tool_rounds: self.max_tool_rounds,
            options: &self.options,
        }
    }
}

impl Config {
    /// The passages of the knowledge bases that fit the message and the last line of the memory's summary.
    async fn retrieve(
        &self,
        prepared: &user_message::Prepared,
        memory: Option<&MemoryView>,
        model: &str,
        node_context: &NodeContext,
    ) -> Result<Option<Block>, Interruption> {
        if !self.blocks.order().contains(&BlockKind::Retrieval) {
            return Ok(None);
        }
        let query = || {
            let summary = memory.and_then(|view| view.memory.summary.as_deref());
            query_text(prepared.question(), summary.map(|summary| summary.text.as_str()))
        };
        let found = model_call::retrieve_if_any(&self.knowledge, query, model, node_context).await?;
        Ok(found.map(|found| found.prompt_block(model)))
    }
}

/// The reply, and its parsed value if there is a schema.
async fn run_turn(
    schema: Option<&ReplySchema<'_>>,
    turn: &mut Turn<'_>,
) -> Result<(ModelReply, Option<Value>), Interruption> {
    let reply = turn.run().await?;
    model_call::check_reply(&reply)?;
    let structured = schema.map(|schema| parse_structured(schema, &reply)).transpose()?;
    Ok((reply, structured))
}

fn parse_structured(schema: &ReplySchema<'_>, reply: &ModelReply) -> Result<Value, Fault> {
    schema.parse_reply(&reply.text).map_err(|reason| {
        Fault::new(
            codes::CHAT_NOT_STRUCTURED,
            format!("The reply does not match `responseSchema`: {reason}."),
        )
        .hint("Describe the format in the prompt too, use another model, or use `extract`, which retries.")
        .details(json!({ "reply": reply.text }))
    })
}

fn build_output(
    handle: &ContextHandle,
    reply: ModelReply,
    structured: Option<Value>,
    id: MessageId,
) -> NodeOutput {
    let text = Value::String(reply.text);
    let attachments = attachment::to_values(&reply.attachments);
    let mut output = NodeOutput { truncated: reply.stop_reason.is_truncated(), ..NodeOutput::new() }
        .with_context(&handle.with_output(text.clone(), Some(id.clone())))
        .with("response", text)
        .is_message("response", id);
    if !reply.attachments.is_empty() {
        output = output.with("attachments", attachments);
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
