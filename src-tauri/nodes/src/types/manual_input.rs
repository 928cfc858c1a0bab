//! `manualInput`: a text from the flow or from the start of the run.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::Role;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

pub(super) struct ManualInput;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The text. The input text of a run replaces it.
    #[schemars(extend("format" = "multiline"))]
    text: String,
    /// Whether the text is written to the conversation's history as the user's message.
    add_to_history: bool,
}

impl NodeType for ManualInput {
    type Config = Config;

    const TYPE: &'static str = "manualInput";
    const TITLE: &'static str = "Manual input";
    const SUMMARY: &'static str = "A fixed text, or the input text of the run";
    const DESCRIPTION: &'static str =
        "Outputs a text without a pause: the one in its settings, or the one that the run was \
        started with (`--input` in a terminal, the input field next to *Run*).

On a context edge, it is the message \
        for the next *Chat*.";
    const CATEGORY: Category = Category::People;
    const ICON: &'static str = "text-cursor-input";
    const TERMS: &'static [&'static str] = &["text", "start", "constant", "parameter", "input"];

    fn ports(config: &Config) -> Ports {
        let history = "The conversation; required to add the text to its history";
        super::context_input(config.add_to_history, history)
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the text as its last output",
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
            Example::new("Added to a conversation")
                .config(json!({ "text": "Hello", "addToHistory": true }))
                .input("context", json!({ "contextId": "main" }))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Hello", "messageId": "manualInput/0" },
                    "value": "Hello",
                })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let text = match &node_context.run.info.input {
            Some(given) => {
                node_context.add_origins(&given.origins);
                given.text.clone()
            }
            None => config.text.clone(),
        };
        let handle = inputs.context()?;
        if config.add_to_history {
            node_context.add_message(handle.as_ref(), Role::User, text.clone())?;
        }
        let id = node_context.message_id(0);
        let output = NodeOutput::of("value", text.as_str()).is_message("value", id.clone());
        Ok(match handle {
            Some(handle) => output.with_context(&handle.with_output(text.into(), Some(id))),
            None => output,
        })
    }
}
