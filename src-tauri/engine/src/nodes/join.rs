//! `join`: waits for several branches and combines their values.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Fault;
use crate::expression::as_text;
use crate::node::{Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};

pub(super) struct Join;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The separator between the values on the `text` output.
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
    const SUMMARY: &'static str = "Waits for several branches and combines their values";
    const DESCRIPTION: &'static str =
        "Waits until every edge into `values` has delivered a value or is skipped. Skipped branches \
        are left out. If all are skipped, so is this node.

\
        - `list`: the values, always in the same order, independent of timing
\
        - `first`: the first value; of exclusive branches, the one that ran
\
        - `text`: all values as text, joined with the separator";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "merge";
    const TERMS: &'static [&'static str] =
        &["merge", "collect", "gather", "wait", "combine", "concat", "list", "barrier"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .at_least_one("values", PortKind::Data, PortType::Any, "Any number of values")
            .output("list", PortKind::Data, PortType::List, "The values")
            .output("first", PortKind::Data, PortType::Any, "The first value")
            .output("text", PortKind::Data, PortType::Text, "All values as text")
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
