//! `placeholder`: stands for a node of another tool that has no equivalent. Keeps its original and its edges, and can't run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType,
};
use plait_run::plan::PLACEHOLDER_HINT;

use crate::codes;

pub(super) struct Placeholder;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The tool that the node comes from.
    format: String,
    /// Its type there.
    kind: String,
    /// Why it was not translated.
    #[schemars(extend("format" = "multiline"))]
    reason: String,
    /// The node as it is in the file of that tool.
    #[schemars(extend("format" = "json"))]
    original: Value,
    /// The inputs that edges lead to.
    inputs: Vec<PlaceholderPort>,
    /// The outputs that edges start from.
    outputs: Vec<PlaceholderPort>,
}

/// A port of a placeholder.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlaceholderPort {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// The kind of edge it carries.
    kind: PortKind,
}

impl NodeType for Placeholder {
    type Config = Config;

    const TYPE: &'static str = "placeholder";
    const TITLE: &'static str = "Placeholder";
    const SUMMARY: &'static str = "Stands for a node of another tool that has no equivalent";
    const DESCRIPTION: &'static str = "An import puts a placeholder where the file of another tool has a node that Plait has no \
        equivalent for. It keeps the original and its edges, and **can't run**: a check reports it with \
        `import.placeholder`.\n\n\
        Replace it: add nodes that do the same, connect its edges to them, and delete it. Often a *Code* node, an *HTTP \
        request*, or a tool of an *MCP server* does.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "package-open";
    const TERMS: &'static [&'static str] = &["import", "imported", "unknown", "missing"];

    fn ports(config: &Config) -> Ports {
        let known = |ports: &[PlaceholderPort]| {
            let mut names = Vec::new();
            let mut unique: Vec<PlaceholderPort> = Vec::new();
            for port in ports {
                if !names.contains(&port.name) {
                    names.push(port.name.clone());
                    unique.push(port.clone());
                }
            }
            unique
        };
        let ports = known(&config.inputs).iter().fold(Ports::new(), |ports, port| {
            ports.many(&port.name, port.kind, PortType::Any, "An input of the original")
        });
        known(&config.outputs).iter().fold(ports, |ports, port| {
            ports.output(&port.name, port.kind, PortType::Any, "An output of the original")
        })
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("format"), CardPart::text("kind")])
    }

    fn editor() -> EditorTraits {
        EditorTraits { only_imported: true, ..EditorTraits::default() }
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { placeholder: Some(config.message()), ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        let port = json!([{ "name": "in", "kind": "data" }]);
        vec![Example::new("A node of another tool").config(json!({
            "format": "n8n",
            "kind": "n8n-nodes-base.gmail",
            "reason": "Plait has no node for this service.",
            "original": { "resource": "message" },
            "inputs": port,
        }))]
    }

    async fn execute(config: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Err(Fault::new(codes::IMPORT_PLACEHOLDER, config.message()).hint(PLACEHOLDER_HINT))
    }
}

impl Config {
    fn message(&self) -> String {
        let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
        let kind = or(&self.kind, "a node");
        let format = or(&self.format, "another tool");
        let reason = if self.reason.is_empty() { String::new() } else { format!(" {}", self.reason) };
        format!("This stands for `{kind}` of {format} and can't run.{reason}")
    }
}

#[cfg(test)]
mod tests;
