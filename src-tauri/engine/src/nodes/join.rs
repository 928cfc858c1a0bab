//! `join`: waits for several branches and brings them together.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Fault;
use crate::expression::as_text;
use crate::node::{Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Join;

/// How the values are put together.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// What stands between the values on the `text` output.
    #[schemars(extend("format" = "multiline"))]
    separator: String,
}

impl Default for Config {
    fn default() -> Self {
        Self { separator: "\n".to_owned() }
    }
}

impl NodeType for Join {
    type Config = Config;

    const TYPE: &'static str = "join";
    const TITLE: &'static str = "Join";
    const SUMMARY: &'static str = "Waits for several branches and puts their values together";
    const DESCRIPTION: &'static str = "Waits until every edge into `values` has brought its value or will never bring one. \
        Branches that were not taken are left out; when none was, this node is skipped.\n\n\
        - `list`: the values, always in the same order, whichever came first\n\
        - `first`: the first of them; with exclusive branches, the one that was taken\n\
        - `text`: all of them as text, with the separator between";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "merge";
    const TERMS: &'static [&'static str] =
        &["merge", "collect", "gather", "wait", "combine", "concat", "list", "barrier"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .at_least_one("values", PortKind::Data, PortType::Any, "Any number of values")
            .output("list", PortKind::Data, PortType::List, "The values")
            .output("first", PortKind::Data, PortType::Any, "The first of them")
            .output("text", PortKind::Data, PortType::Text, "All of them as text")
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Two branches")
                .config(json!({ "separator": " and " }))
                .input("values", json!(["tea", 2]))
                .outputs(json!({ "list": ["tea", 2], "first": "tea", "text": "tea and 2" })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let values = inputs.all("values");
        let Some(first) = values.first() else { return Ok(NodeOutput::new()) };
        let text =
            values.iter().map(|datum| as_text(&datum.value)).collect::<Vec<_>>().join(&config.separator);
        let list = values.iter().map(|datum| Value::clone(&datum.value)).collect::<Vec<_>>();
        Ok(NodeOutput::of("list", list).with_datum("first", first).with("text", text))
    }
}
