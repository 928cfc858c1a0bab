//! `contextStart`: starts a conversation of the flow.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::offline::{ECHO, OFFLINE};
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::{ContextHandle, ContextRecord, ContextType, MAIN, conversation};
use plait_run::node::{
    Behavior, Card, CardPart, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType,
    Surroundings,
};

use crate::codes;

mod recall;
mod summary;

pub(super) struct ContextStart;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The provider, for example `offline` (a simulator that needs no key) or `openai`.
    #[schemars(extend("format" = "provider"))]
    provider: String,
    /// The provider's name for the model.
    #[schemars(extend("format" = "model"))]
    model: String,
    /// System instructions, sent once in every call.
    #[schemars(extend("format" = "multiline"))]
    system_instructions: String,
    /// The id by which other nodes can address this conversation. Each `Context start` of a flow needs its own.
    #[schemars(length(min = 1))]
    context_id: String,
    /// What is recalled from earlier runs if a run continues a conversation. Only the context `main` recalls.
    conversation: Memory,
}

/// How a conversation is remembered across runs.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Memory {
    /// What happens to messages beyond the limits: `window` leaves out the oldest, `summarize` has a model summarize them.
    /// The conversation itself keeps all of them.
    strategy: Strategy,
    /// Maximum number of messages that are recalled.
    max_messages: u32,
    /// Maximum tokens of the recalled messages.
    max_tokens: u32,
    /// How many of the newest messages are kept verbatim when the older ones are summarized.
    keep_recent: u32,
    /// The provider for summaries. If empty, the conversation's.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The model for summaries. If empty, the conversation's.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
}

/// What happens to messages beyond the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Strategy {
    Window,
    Summarize,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            strategy: Strategy::Window,
            max_messages: conversation::DEFAULT_MAX_MESSAGES,
            max_tokens: conversation::DEFAULT_MAX_TOKENS,
            keep_recent: 10,
            provider: None,
            model: None,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            provider: OFFLINE.to_owned(),
            model: ECHO.to_owned(),
            system_instructions: String::new(),
            context_id: MAIN.to_owned(),
            conversation: Memory::default(),
        }
    }
}

impl NodeType for ContextStart {
    type Config = Config;

    const TYPE: &'static str = "contextStart";
    const ALIASES: &'static [&'static str] = &["defaultContextStart"];
    const TITLE: &'static str = "Context start";
    const SUMMARY: &'static str = "Starts a conversation with a provider, model and instructions";
    const DESCRIPTION: &'static str = "Starts the conversation that the nodes on its **context** edge share: the provider and \
        model, the system instructions, and a history that starts empty.

\
        A run can continue a *conversation* of the flow. Then the history of the context `main` starts with the newest \
        messages of earlier runs, within the limits set here, beginning with a user message. Older messages can be \
        summarized by a model instead of being left out. The conversation keeps all of them.

\
        All nodes on the same context edge share one conversation. Use *New context* for a separate one.";
    const CATEGORY: Category = Category::Contexts;
    const ICON: &'static str = "messages-square";
    const TERMS: &'static [&'static str] =
        &["start", "begin", "conversation", "system prompt", "model", "provider", "main"];

    fn ports(_: &Config) -> Ports {
        Ports::new().output("context", PortKind::Context, PortType::Any, "The conversation").error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("provider"), CardPart::text("model")])
    }

    fn editor() -> EditorTraits {
        EditorTraits { makes_main_context: true, ..EditorTraits::default() }
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior {
            makes_context: true,
            context_id: Some(config.context_id.clone()),
            // To summarize what a conversation begins with.
            calls_tools: config.conversation.strategy == Strategy::Summarize,
            takes_prompt_only: super::prompt_only(Some(&config.provider), Some(&config.model)),
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let fields =
            [("/provider", &config.provider), ("/model", &config.model), ("/contextId", &config.context_id)];
        let empty = fields.into_iter().filter(|(_, value)| value.trim().is_empty());
        let mut problems: Vec<_> = empty
            .map(|(pointer, _)| (pointer.to_owned(), format!("`{}` is empty.", &pointer[1..])))
            .collect();
        let Memory { strategy, max_messages, keep_recent, .. } = &config.conversation;
        if *strategy == Strategy::Summarize && keep_recent > max_messages {
            let problem = "`keepRecent` is greater than `maxMessages`.".to_owned();
            problems.push(("/conversation/keepRecent".to_owned(), problem));
        }
        problems
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        if config.context_id != MAIN {
            let reason = "only the context `main` recalls a conversation";
            return vec![Unused::new("/conversation", reason, "set `contextId: main`")];
        }
        if config.conversation.strategy == Strategy::Summarize {
            return Vec::new();
        }
        let unused = |name: &str| {
            let reason = "the strategy `window` writes no summary";
            Unused::new(format!("/conversation/{name}"), reason, "set `strategy: summarize`")
        };
        ["keepRecent", "provider", "model"].into_iter().map(unused).collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A conversation with the offline simulator")
                .config(json!({ "systemInstructions": "Answer in one sentence." }))
                .outputs(json!({ "context": { "contextId": "main" } })),
        ]
    }

    async fn execute(config: &Config, _: Inputs, node_context: NodeContext) -> Result<NodeOutput, Fault> {
        let id = config.context_id.as_str().into();
        if node_context.context_manager(&id).is_ok() {
            return Err(Fault::new(codes::CONTEXT_DUPLICATE, format!("This run already has a context `{id}`."))
        .hint("Give each `contextStart` of the flow a different `contextId`, which is also not the id of a `newContext`."));
        }
        let mut record = ContextRecord::new(id, ContextType::Main, &config.provider, &config.model);
        record.system_instructions = super::non_blank(&config.system_instructions);
        let handle = ContextHandle::new(record.context_id.clone());
        let output = NodeOutput::new().with_context(&handle);
        let conversation =
            node_context.run.info.conversation.clone().filter(|_| handle.context_id.as_str() == MAIN);
        let Some(conversation) = conversation else {
            node_context.create_context(record)?;
            return Ok(output);
        };
        record.session_id = conversation.at.thread.as_str().into();
        let (recalled, usage) =
            recall::recall(&config.conversation, &conversation, &record, &node_context).await?;
        let manager = node_context.create_context(record)?;
        if !recalled.messages.is_empty() {
            manager.recall(recalled);
        }
        Ok(NodeOutput { token_usage: usage, ..output })
    }
}
