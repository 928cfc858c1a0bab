//! `contextStart`: where a flow's conversation begins.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::{ContextHandle, ContextRecord, ContextType, MAIN, conversation};
use crate::error::{ErrorCode, Fault};
use crate::models::{ECHO, OFFLINE};
use crate::node::{
    Behavior, Card, CardPart, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType,
};
use crate::port::{PortKind, PortType, Ports};

mod recall;
mod summary;

pub(super) struct ContextStart;

/// Who answers in this conversation, and how it is told to.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Who answers, for example `offline` (a simulator, needs no key) or `openai`.
    #[schemars(extend("format" = "provider"))]
    provider: String,
    /// The provider's name for the model.
    #[schemars(extend("format" = "model"))]
    model: String,
    /// How the model is to behave. Sent once in every call.
    #[schemars(extend("format" = "multiline"))]
    system_instructions: String,
    /// The name under which other nodes can address this conversation. Each `Context start` of a flow needs its own.
    #[schemars(length(min = 1))]
    context_id: String,
    /// What is remembered of earlier runs, when a run goes on in a conversation. Only the context `main` remembers.
    conversation: Memory,
}

/// How a conversation is remembered across runs.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Memory {
    /// What becomes of messages that there is no room for: `window` leaves the oldest out, `summarize` has a model sum
    /// them up. The conversation itself keeps them all.
    strategy: Strategy,
    /// At most so many messages are remembered.
    max_messages: u32,
    /// They take at most so many tokens.
    max_tokens: u32,
    /// How many of the newest messages stay word for word when the older ones are summed up.
    keep_recent: u32,
    /// Who sums up; left out: who answers.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The model that sums up; left out: the one that answers.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
}

/// What becomes of messages that there is no room for.
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
            max_messages: conversation::MESSAGES,
            max_tokens: conversation::TOKENS,
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
    const SUMMARY: &'static str = "Begins a conversation: who answers, with which instructions";
    const DESCRIPTION: &'static str = "Makes the conversation that the nodes behind its **context** edge share: the \
        provider and model that answer, the system instructions, and a history that starts empty.\n\n\
        A run may go on in a *conversation* of the flow. Then the history of the context `main` starts with what was \
        said in its earlier runs: the newest messages, within the bounds set here, beginning with one of the user's. \
        Older ones can be summed up by a model instead of being left out; the conversation keeps them all.\n\n\
        Every node on the same context edge speaks in the same conversation. Use *New context* for one apart.";
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
        Behavior { makes_context: true, context_id: Some(config.context_id.clone()), ..Behavior::default() }
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
            let problem = "`keepRecent` is more than `maxMessages`: so many are never remembered.".to_owned();
            problems.push(("/conversation/keepRecent".to_owned(), problem));
        }
        problems
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A conversation with the offline simulator")
                .config(json!({ "systemInstructions": "Answer in one sentence." }))
                .outputs(json!({ "context": { "contextId": "main" } })),
        ]
    }

    async fn execute(config: &Config, _: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let id = config.context_id.as_str().into();
        if cx.context_manager(&id).is_ok() {
            return Err(Fault::new(ErrorCode::ContextDuplicate, format!("This run already has a context `{id}`."))
        .hint("Give each `contextStart` of the flow a `contextId` of its own, and no `newContext` an id that one of them has."));
        }
        let mut record = ContextRecord::new(id, ContextType::Main, &config.provider, &config.model);
        record.system_instructions = super::nonempty(&config.system_instructions);
        let handle = ContextHandle::bare(record.context_id.clone());
        let output = NodeOutput::new().hand_on(&handle);
        let conversation = cx.run.conversation.clone().filter(|_| handle.context_id.as_str() == MAIN);
        let Some(conversation) = conversation else {
            cx.create_context(record)?;
            return Ok(output);
        };
        record.session_id.clone_from(&conversation.at.thread);
        let (recalled, usage) = recall::recall(&config.conversation, &conversation, &record, &cx).await?;
        let manager = cx.create_context(record)?;
        if !recalled.messages.is_empty() {
            manager.recall(recalled);
        }
        Ok(NodeOutput { token_usage: usage, ..output })
    }
}
