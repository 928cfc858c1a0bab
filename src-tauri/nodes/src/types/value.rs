//! `value`: a fixed value.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};

pub(super) struct Value;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Any JSON: text in quotes, a number, true or false, a list, an object.
    #[schemars(extend("format" = "json"))]
    value: Json,
}

impl NodeType for Value {
    type Config = Config;

    const TYPE: &'static str = "value";
    const TITLE: &'static str = "Value";
    const SUMMARY: &'static str = "A fixed value: a number, text, a list or an object";
    const DESCRIPTION: &'static str = "Outputs the JSON value in its settings.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "braces";
    const TERMS: &'static [&'static str] = &["constant", "json", "literal", "number", "list", "object"];

    fn ports(config: &Config) -> Ports {
        let value_type = match &config.value {
            Json::Null => PortType::Any,
            Json::Bool(_) => PortType::Boolean,
            Json::Number(_) => PortType::Number,
            Json::String(_) => PortType::Text,
            Json::Array(_) => PortType::List,
            Json::Object(_) => PortType::Object,
        };
        Ports::new().output("value", PortKind::Data, value_type, "The value")
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("value")])
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A list")
                .config(json!({ "value": ["red", "green"] }))
                .outputs(json!({ "value": ["red", "green"] })),
        ]
    }

    async fn execute(config: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::of("value", config.value.clone()))
    }
}
