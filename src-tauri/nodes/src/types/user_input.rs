//! `userInput`: asks a person and waits for the answer.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::model_call::attach;
use plait_core::attachment;
use plait_core::attachment::{Attachment, TAKES_ATTACHMENTS};
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::expression::schema::{check_answer, check_schema};
use plait_core::expression::template::Template;
use plait_core::origin::Origin;
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::{Answer, LOOP_TURN};
use plait_llm::context::Role;
use plait_llm::loop_history::turn_content;
use plait_run::node::{
    Behavior, Card, CardPart, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType,
    Pause, Surroundings, template_inputs,
};

pub(super) struct UserInput;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The question, in Markdown, as a template. `{{in}}` is the value on `in`; other variables become inputs.
    prompt: Template,
    /// The placeholder of the answer field.
    placeholder: Option<String>,
    /// JSON Schema of the answer. If empty, any text that is not blank.
    #[schemars(extend("format" = "json"))]
    schema: Option<Value>,
    /// Whether images and files may be attached to the answer. They are the output `attachments`.
    attachments: bool,
    /// Whether the answer is added to the conversation's history as a user message. If off, it is only passed on along the
    /// edges, and the chat that replies to it adds it together with the reply.
    add_to_history: bool,
    /// In a loop with `conversation`: whether what this node says is always sent with the history, despite its bounds.
    #[schemars(extend("x-of-conversation" = true))]
    pinned: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            prompt: "What would you like to say?".into(),
            placeholder: None,
            schema: None,
            attachments: false,
            add_to_history: false,
            pinned: false,
        }
    }
}

impl NodeType for UserInput {
    type Config = Config;

    const TYPE: &'static str = "userInput";
    const TITLE: &'static str = "User input";
    const SUMMARY: &'static str = "Asks a person and waits for the answer";
    const DESCRIPTION: &'static str = "Pauses its branch and asks a question. The answer is the output `message`, and along the \
        context edge the message for the next *Chat*. Other branches continue meanwhile, and the run survives a restart \
        while it waits.

With **attachments**, the person may attach images, PDFs and text files; they are the output `attachments`, for the input \
        `attach` of a *Chat*.

In a cycle with a *Chat* it makes a conversation: one answer per iteration. Ending the pause \
        instead of answering ends the cycle.";
    const CATEGORY: Category = Category::People;
    const ICON: &'static str = "message-circle-question-mark";
    const TERMS: &'static [&'static str] =
        &["ask", "question", "prompt", "human", "pause", "wait", "form", "hitl", "image", "file", "upload"];

    fn ports(config: &Config) -> Ports {
        let history = "The conversation; required to add the answer to its history";
        let ports = super::context_input(config.add_to_history, history);
        let ports = ports.when_fed(
            "in",
            PortKind::Data,
            PortType::Any,
            "The question waits for this value; `{{in}}` in the prompt",
        );
        let answer = if config.schema.is_some() { PortType::Any } else { PortType::Text };
        let ports = template_inputs::add_inputs(ports, &config.prompt)
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the answer as its last output",
            )
            .output("message", PortKind::Data, answer, "The answer");
        if config.attachments {
            let description = "The images and files of the answer; an empty list if there are none";
            return ports.output("attachments", PortKind::Data, PortType::List, description).error();
        }
        ports.error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::quoted("prompt")])
    }

    fn editor() -> EditorTraits {
        EditorTraits { asks_for_message: true, ..EditorTraits::default() }
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior {
            pauses: true,
            pins_turns: config.pinned,
            uses_context: config.add_to_history,
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = template_inputs::check(&config.prompt, "/prompt", &Self::ports(config));
        problems.extend(
            config.schema.as_ref().and_then(check_schema).map(|problem| ("/schema".to_owned(), problem)),
        );
        problems
    }

    fn unused(config: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        let mut unused: Vec<_> =
            around.unused_loop_settings().into_iter().filter(|one| one.pointer == "/pinned").collect();
        let schema = config.schema.as_ref();
        if schema.is_some_and(|schema| schema.get("examples").is_some() || !schema.is_object()) {
            let reason = "`schema` has examples of its own, or is no object";
            unused.push(Unused::new("/placeholder", reason, "remove `examples` from the schema"));
        }
        unused
    }

    fn output_schemas(config: &Config) -> Vec<(&'static str, &Value)> {
        config.schema.iter().map(|schema| ("message", schema)).collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A question and its answer")
                .config(json!({ "prompt": "What should we call {{in}}?" }))
                .input("in", json!("the ship"))
                .answer(json!("Plait"))
                .outputs(json!({ "message": "Plait" })),
            Example::new("A number between 1 and 10")
                .config(json!({
                    "prompt": "How urgent is it?",
                    "schema": { "type": "integer", "minimum": 1, "maximum": 10 },
                }))
                .answer(json!(7))
                .outputs(json!({ "message": 7 })),
            Example::new("In a conversation")
                .input("context", json!({ "contextId": "main" }))
                .answer(json!("Hello"))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Hello", "messageId": "userInput/0" },
                    "message": "Hello",
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
        let Some(answer) = output.outputs.get("message").filter(|_| config.add_to_history) else {
            return Ok(output);
        };
        let answer = Value::clone(answer);
        let handle = inputs.context()?;
        let id = node_context.add_message(handle.as_ref(), Role::User, as_text(&answer))?;
        let output = output.is_message("message", id.clone());
        Ok(match handle {
            Some(handle) => output.with_context(&handle.with_output(answer, Some(id))),
            None => output,
        })
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let schema = answer_schema(config);
        let (answer, attachments) = match &node_context.answer {
            Some(Answer::Value(answer)) => (Arc::clone(answer), &[][..]),
            Some(Answer::Attached { value, attachments }) => (Arc::clone(value), attachments.as_slice()),
            Some(Answer::End) => return Ok(NodeOutput::new()),
            None => {
                let values = template_inputs::values(&config.prompt, &inputs, &node_context);
                let prompt = config.prompt.render(values, &*node_context.host.evaluator).await?;
                return Ok(NodeOutput::paused(Pause::new(prompt, schema)));
            }
        };
        check_answer(&schema, &answer)?;
        node_context.add_origin(Origin::Person);
        for attachment in attachments {
            node_context.add_origin(Origin::Attachment(attachment.name.clone()));
        }
        let handle = inputs.context()?;
        let mut output = NodeOutput::new().with_shared("message", Arc::clone(&answer));
        if config.attachments {
            output = output.with("attachments", attachment::to_values(attachments));
        }
        if let Some(turn) = loop_turn(&answer, attachments, &node_context).await? {
            output.extra.insert(LOOP_TURN.to_owned(), turn);
        }
        if config.add_to_history {
            let content = attach(as_text(&answer), attachments.to_vec(), &node_context).await?;
            node_context.add_message(handle.as_ref(), Role::User, content)?;
        }
        let id = node_context.message_id(0);
        output = output.is_message("message", id.clone());
        Ok(match handle {
            Some(handle) => output.with_context(&handle.with_output(Value::clone(&answer), Some(id))),
            None => output,
        })
    }
}

/// The answer with its attachments, if it becomes a turn of the conversation of the loop around the node. Fault
/// `attachment.missing`.
async fn loop_turn(
    answer: &Value,
    attachments: &[Attachment],
    node_context: &NodeContext,
) -> Result<Option<Value>, Fault> {
    let becomes_turn = node_context.conversation.as_ref().is_some_and(|conversation| {
        conversation.settings.is_user_source(&node_context.activation.node, true)
    });
    if attachments.is_empty() || !becomes_turn {
        return Ok(None);
    }
    let text = turn_content(answer).unwrap_or_default();
    let content = attach(text, attachments.to_vec(), node_context).await?;
    Ok(serde_json::to_value(content).ok())
}

fn answer_schema(config: &Config) -> Value {
    // Blank text would be a valid answer, and fail the chat that replies to it.
    let text = || json!({ "type": "string", "minLength": 1, "pattern": "\\S" });
    let mut schema = config.schema.clone().unwrap_or_else(text);
    if let (Some(placeholder), Some(schema)) = (&config.placeholder, schema.as_object_mut()) {
        schema.entry("examples").or_insert_with(|| json!([placeholder]));
    }
    if let Some(schema) = schema.as_object_mut().filter(|_| config.attachments) {
        schema.insert(TAKES_ATTACHMENTS.to_owned(), json!(true));
    }
    schema
}
