//! `injectMessages`: adds messages to a conversation without calling a model.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

use crate::model_call::UserMessage;
use plait_core::error::Fault;
use plait_core::expression::template::Template;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::{ContextHandle, Message, Question, Role};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, template_inputs,
};

use super::addressed_context;

pub(super) struct InjectMessages;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The id of the conversation to write to. If empty, the one on the `contextId` input, or the one on the context edge.
    context_id: Option<String>,
    /// The messages, in order. Either all of them are added or none.
    messages: Vec<Injected>,
}

/// One message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Injected {
    /// The role of the message's author.
    role: AuthorRole,
    /// The text, as a template.
    content: Template,
}

/// The role of a message's author.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum AuthorRole {
    User,
    Assistant,
    System,
}

impl NodeType for InjectMessages {
    type Config = Config;

    const TYPE: &'static str = "injectMessages";
    const TITLE: &'static str = "Inject messages";
    const SUMMARY: &'static str = "Adds messages to a conversation without calling a model";
    const DESCRIPTION: &'static str = "Adds user, assistant or system messages to a conversation's history, all of them or \
        none. Use it for examples, for events that a model must know, or to pass the result of one conversation to \
        another.

The variables of the messages are inputs. The conversation is the one named in the settings; without \
        one, the one on `contextId` (an id, or the `handle` of *New context*); without that, the one on the context \
        edge.

If the last message is a user message, a *Chat* after this node replies to it. What a person said before it stays in the \
        history.";
    const CATEGORY: Category = Category::Contexts;
    const ICON: &'static str = "message-square-quote";
    const TERMS: &'static [&'static str] =
        &["few-shot", "examples", "history", "seed", "prime", "add message", "system"];

    fn ports(config: &Config) -> Ports {
        let ports = addressed_context::inputs();
        let ports = config
            .messages
            .iter()
            .fold(ports, |ports, message| template_inputs::add_inputs(ports, &message.content));
        ports
            .output("context", PortKind::Context, PortType::Any, "The conversation with the messages")
            .output("contextId", PortKind::Data, PortType::Text, "Its id")
            .error()
    }

    fn card() -> Card {
        Card::new().line([
            CardPart::count("messages", "message", "messages"),
            CardPart::prefixed_text("to", "contextId"),
        ])
    }

    fn behavior(config: &Config) -> Behavior {
        addressed_context::behavior(config.context_id.as_deref())
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let ports = Self::ports(config);
        let messages = config.messages.iter().enumerate();
        messages
            .flat_map(|(index, message)| {
                template_inputs::check(&message.content, &format!("/messages/{index}/content"), &ports)
            })
            .collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("An event and a question for the next chat")
                .config(json!({ "messages": [
                    { "role": "system", "content": "Today's menu: {{menu}}" },
                    { "role": "user", "content": "What is for lunch?" },
                ]}))
                .input("context", json!({ "contextId": "main" }))
                .input("menu", json!("soup"))
                .outputs(json!({
                    "context": {
                        "contextId": "main",
                        "currentOutput": "What is for lunch?",
                        "messageId": "injectMessages/1",
                    },
                    "contextId": "main",
                })),
            Example::new("A conversation addressed by its handle")
                .config(
                    json!({ "messages": [{ "role": "assistant", "content": "I have read the report." }] }),
                )
                .input("contextId", json!({ "contextId": "main" }))
                .outputs(json!({ "context": { "contextId": "main" }, "contextId": "main" })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let incoming = inputs.context()?;
        let id = addressed_context::id(config.context_id.as_deref(), &inputs, incoming.as_ref())?;
        let manager = node_context.context_manager(&id)?;
        let model = manager.get().model.clone();
        let mut messages = Vec::with_capacity(config.messages.len());
        for (index, message) in config.messages.iter().enumerate() {
            let values = template_inputs::values(&message.content, &inputs, &node_context);
            let text = message.content.render(values, &*node_context.host.evaluator).await?;
            let role = match message.role {
                AuthorRole::User => Role::User,
                AuthorRole::Assistant => Role::Assistant,
                AuthorRole::System => Role::System,
            };
            messages.push(Arc::new(node_context.message(index, role, text, &model)));
        }
        let user_message = messages.last().filter(|message| message.role == Role::User).cloned();
        // The next node replies to the last message, so what waits for a reply enters the history before it.
        let waiting =
            incoming.as_ref().filter(|incoming| user_message.is_some() && incoming.context_id == id);
        let context = manager.get();
        let waiting = waiting.and_then(|handle| UserMessage::pending(&context, handle, &node_context));
        if let Some(Question::New(message)) = waiting.map(|waiting| waiting.question()) {
            let renumbered =
                Message { id: node_context.message_id(messages.len()), ..Message::clone(&message) };
            messages.insert(0, Arc::new(renumbered));
        }
        if !messages.is_empty() {
            manager.add_messages(messages);
        }
        let handle = match user_message {
            Some(message) => {
                ContextHandle::new(id).with_output(message.content.text().into(), Some(message.id.clone()))
            }
            None => addressed_context::handle(incoming, &id),
        };
        Ok(addressed_context::output(&handle))
    }
}
