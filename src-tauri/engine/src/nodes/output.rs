//! `output`: a result of the flow.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Output;

/// What the result is called, and how it is to be read.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// What the result is called. Left out: the node's title.
    name: Option<String>,
    /// How the result is given and shown.
    format: Format,
}

/// How a result is given and shown.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    /// As it comes.
    #[default]
    Auto,
    /// Written out as text.
    Text,
    /// Written out as text, and shown as Markdown.
    Markdown,
    /// As data: a text must be JSON and is read.
    Json,
}

impl NodeType for Output {
    type Config = Config;

    const TYPE: &'static str = "output";
    const TITLE: &'static str = "Output";
    const SUMMARY: &'static str = "A result of the flow";
    const DESCRIPTION: &'static str = "What comes in here is a result of the run: shown when it ends, printed in a \
        terminal. In a cycle the last value counts. A flow without outputs gives what its last nodes gave.\n\nWith the \
        format `json` a text is read as JSON, and one that is none fails with `output.not_json`.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "flag";
    const TERMS: &'static [&'static str] = &["result", "response", "end", "return", "finish", "display"];

    fn ports(config: &Config) -> Ports {
        let ports = Ports::new().input("value", PortKind::Data, PortType::Any, "The result");
        if config.format == Format::Json { ports.error() } else { ports }
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("name")])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { is_output: true, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A result").input("value", json!("Done.")).outputs(json!({ "value": "Done." })),
            Example::new("A model's JSON, read")
                .config(json!({ "name": "verdict", "format": "json" }))
                .input("value", json!("{\"ok\": true}"))
                .outputs(json!({ "value": { "ok": true } })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let Some(datum) = inputs.datum("value") else { return Ok(NodeOutput::new()) };
        let value = match (config.format, &*datum.value) {
            (Format::Text | Format::Markdown, value) => Arc::new(Value::String(as_text(value))),
            (Format::Json, Value::String(text)) => Arc::new(read(text)?),
            _ => Arc::clone(&datum.value),
        };
        let mut output = NodeOutput::new().with_shared("value", value);
        if let Some(name) = &config.name {
            output.extra.insert("name".to_owned(), name.as_str().into());
        }
        Ok(output)
    }
}

fn read(text: &str) -> Result<Value, Fault> {
    serde_json::from_str(text).map_err(|error| {
        Fault::new(ErrorCode::OutputNotJson, format!("The result is not JSON: {error}."))
            .hint("Ask the model for JSON with `responseSchema`, or set the format to `text`.")
            .details(json!({ "text": text.chars().take(500).collect::<String>() }))
    })
}
