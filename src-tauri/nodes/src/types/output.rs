//! `output`: a result of the flow.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::exact_json;
use plait_core::expression::as_text;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

use crate::codes;

pub(super) struct Output;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The name of the result. If empty, the node's title.
    name: Option<String>,
    /// The format of the result.
    format: Format,
}

/// The format of a result.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    /// The value, unchanged.
    #[default]
    Auto,
    /// The value as text.
    Text,
    /// The value as text, shown as Markdown.
    Markdown,
    /// JSON data: text is parsed and must be JSON.
    Json,
}

impl NodeType for Output {
    type Config = Config;

    const TYPE: &'static str = "output";
    const TITLE: &'static str = "Output";
    const SUMMARY: &'static str = "A result of the flow";
    const DESCRIPTION: &'static str = "Its input is a result of the run: shown when the run ends, and printed in a terminal. \
        In a cycle the last value counts. The results of a flow without outputs are those of its last nodes.

With the \
        format `json`, text is parsed as JSON; the node fails with `output.not_json` if that is not possible.";
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
            Example::new("A model's JSON, parsed")
                .config(json!({ "name": "verdict", "format": "json" }))
                .input("value", json!("{\"ok\": true}"))
                .outputs(json!({ "value": { "ok": true } })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let Some(datum) = inputs.datum("value") else { return Ok(NodeOutput::new()) };
        let value = match (config.format, &*datum.value) {
            (Format::Text | Format::Markdown, value) => Arc::new(Value::String(as_text(value))),
            (Format::Json, Value::String(text)) => Arc::new(parse_json(text)?),
            _ => Arc::clone(&datum.value),
        };
        let mut output = NodeOutput::new().with_shared("value", value);
        if let Some(name) = &config.name {
            output.extra.insert("name".to_owned(), name.as_str().into());
        }
        Ok(output)
    }
}

fn parse_json(text: &str) -> Result<Value, Fault> {
    exact_json::parse(text).map_err(|error| {
        Fault::new(codes::OUTPUT_NOT_JSON, format!("The result is not JSON: {error}."))
            .hint("Ask the model for JSON with `responseSchema`, or set the format to `text`.")
            .details(json!({ "text": text.chars().take(500).collect::<String>() }))
    })
}
