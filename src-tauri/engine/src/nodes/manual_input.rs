//! `manualInput`: a text that is typed in the flow or given to the run.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::Role;
use crate::error::Fault;
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct ManualInput;

/// The text, and whether it is said in the conversation.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The text. A text given to the run when it is started takes its place.
    #[schemars(extend("format" = "multiline"))]
    text: String,
    /// Whether the text is written to the conversation's history as the user's message.
    add_to_history: bool,
}

impl NodeType for ManualInput {
    type Config = Config;

    const TYPE: &'static str = "manualInput";
    const TITLE: &'static str = "Manual input";
    const SUMMARY: &'static str = "A text typed here, or given when the run is started";
    const DESCRIPTION: &'static str = "Gives a text without waiting for anybody: the one typed in its settings, or the \
        one the run was started with (`--input` in a terminal, the input field beside *Run*).\n\nOn a context edge it is \
        what the next *Chat* answers.";
    const CATEGORY: Category = Category::People;
    const ICON: &'static str = "text-cursor-input";
    const TERMS: &'static [&'static str] = &["text", "start", "constant", "parameter", "input"];

    fn ports(config: &Config) -> Ports {
        let history = "The conversation; needed to write the text to its history";
        super::conversation(config.add_to_history, history)
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the text as what is said",
            )
            .output("value", PortKind::Data, PortType::Text, "The text")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("text")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { uses_context: config.add_to_history, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A text").config(json!({ "text": "Hello" })).outputs(json!({ "value": "Hello" })),
            Example::new("Said in a conversation")
                .config(json!({ "text": "Hello", "addToHistory": true }))
                .input("context", json!({ "contextId": "main" }))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Hello", "messageId": "manualInput/0" },
                    "value": "Hello",
                })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let text = cx.run.input.clone().unwrap_or_else(|| config.text.clone());
        let handle = inputs.context()?;
        let mut output = NodeOutput::of("value", text.as_str());
        let mut written = None;
        if config.add_to_history {
            let message = super::say(&cx, handle.as_ref(), Role::User, text.clone())?;
            output = output.is_message("value", message.clone());
            written = Some(message);
        }
        Ok(match handle {
            Some(handle) => output.hand_on(&handle.saying(text.into(), written)),
            None => output,
        })
    }
}
