//! `join`: waits for several branches and combines their values.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Behavior, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};

pub(super) struct Join;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The separator between the values on the `text` output.
    #[schemars(extend("format" = "multiline"))]
    separator: String,
    /// Names of the branches, in their order. If set, each has an input of its own, and the output `object` has the values by
    /// name.
    names: Vec<String>,
    /// Whether the branches that meet here get equal parts of what is left of quotas when the first of them begins.
    split_quota: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { separator: "\n".to_owned(), names: Vec::new(), split_quota: false }
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
        - `list`: the values, in the order in which their edges were drawn (`order` of the edges; edges without one come in the \
        order of the plan, ties by the ids of their nodes), independent of timing
\
        - `first`: the first value; of exclusive branches, the one that ran
\
        - `text`: all values as text, joined with the separator

\
        With **names**, each branch has an input of its own. Then the list has the order of the names, and `object` has the \
        values by name. With **splitQuota**, they get equal parts of what is left of the quotas of the run when the first of them \
        begins; what a branch does not use returns.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "merge";
    const TERMS: &'static [&'static str] =
        &["merge", "collect", "gather", "wait", "combine", "concat", "list", "barrier"];

    fn ports(config: &Config) -> Ports {
        let ports = if config.names.is_empty() {
            Ports::new().at_least_one("values", PortKind::Data, PortType::Any, "Any number of values")
        } else {
            let ports = config.names.iter().fold(Ports::new(), |ports, name| {
                ports.optional(name, PortKind::Data, PortType::Any, "The value of this branch")
            });
            ports.output(
                "object",
                PortKind::Data,
                PortType::Object,
                "The values by the names of their branches",
            )
        };
        ports
            .output("list", PortKind::Data, PortType::List, "The values")
            .output("first", PortKind::Data, PortType::Any, "The first value")
            .output("text", PortKind::Data, PortType::Text, "All values as text")
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { splits_quota: config.split_quota, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Two branches")
                .config(json!({ "separator": " and " }))
                .input("values", json!(["tea", 2]))
                .outputs(json!({ "list": ["tea", 2], "first": "tea", "text": "tea and 2" })),
            Example::new("Branches by name")
                .config(json!({ "names": ["tone", "content"] }))
                .input("content", json!("all right"))
                .input("tone", json!("too harsh"))
                .outputs(json!({
                    "object": { "tone": "too harsh", "content": "all right" },
                    "list": ["too harsh", "all right"],
                    "first": "too harsh",
                    "text": "too harsh\nall right",
                })),
        ]
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut known = HashSet::new();
        let names = config.names.iter().enumerate();
        names
            .filter_map(|(index, name)| {
                let problem = if name.trim().is_empty() {
                    "A branch needs a name.".to_owned()
                } else if known.insert(name) {
                    return None;
                } else {
                    format!("Another branch is already named `{name}`.")
                };
                Some((format!("/names/{index}"), problem))
            })
            .collect()
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let ports = if config.names.is_empty() {
            vec!["values"]
        } else {
            config.names.iter().map(String::as_str).collect()
        };
        let values: Vec<_> = ports.iter().flat_map(|port| inputs.all(port)).collect();
        let Some(first) = values.first() else { return Ok(NodeOutput::new()) };
        let text =
            values.iter().map(|datum| as_text(&datum.value)).collect::<Vec<_>>().join(&config.separator);
        let list = values.iter().map(|datum| Value::clone(&datum.value)).collect::<Vec<_>>();
        let output = NodeOutput::of("list", list).with_datum("first", first).with("text", text);
        if config.names.is_empty() {
            return Ok(output);
        }
        let named = config
            .names
            .iter()
            .filter_map(|name| Some((name.clone(), Value::clone(&inputs.datum(name)?.value))));
        Ok(output.with("object", named.collect::<serde_json::Map<_, _>>()))
    }
}
