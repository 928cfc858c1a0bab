//! `tools`: offers tools to models.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};
use crate::model_call::engine_tools;
use crate::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};
use crate::tool::ToolSpec;

pub(super) struct Tools;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// `auto` for all available tools, or a list of names.
    tools: Selection,
}

/// `auto`, or names.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`tools` is `auto` or a list of tool names")]
enum Selection {
    /// All available tools.
    All(All),
    /// These.
    Names(Vec<String>),
}

/// The keyword for all tools.
#[derive(Deserialize, JsonSchema)]
enum All {
    /// All available tools.
    #[serde(rename = "auto")]
    Auto,
}

impl Default for Selection {
    fn default() -> Self {
        Self::All(All::Auto)
    }
}

impl NodeType for Tools {
    type Config = Config;

    const TYPE: &'static str = "tools";
    const TITLE: &'static str = "Tools";
    const SUMMARY: &'static str = "Tools that models may call";
    const DESCRIPTION: &'static str =
        "Offers tools to every *Chat* on its **tools** edge. The model decides whether to \
        call them. The run's events show each call and its result.

Plait's own tools: current time, calculator, \
        reading files in the flow's folder. By name also `get_workflow_context`, which reads the memory that the flow's nodes \
        share.";
    const CATEGORY: Category = Category::Tools;
    const ICON: &'static str = "wrench";
    const TERMS: &'static [&'static str] =
        &["function", "functions", "calling", "agent", "calculator", "time", "file"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .output("tools", PortKind::Tools, PortType::Any, "The tools, for a chat")
            .output("names", PortKind::Data, PortType::List, "Their names")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::list("tools")]).line([CardPart::text("tools")])
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("All available tools").outputs(Value::Null),
            Example::new("One tool").config(json!({ "tools": ["calculator"] })).outputs(Value::Null),
        ]
    }

    async fn execute(config: &Config, _: Inputs, node_context: NodeContext) -> Result<NodeOutput, Fault> {
        let available = node_context.host.tools.list();
        let selected = match &config.tools {
            Selection::All(All::Auto) => available,
            Selection::Names(names) => select(&available, names)?,
        };
        let names: Vec<Value> = selected.iter().map(|tool| tool.name.as_str().into()).collect();
        let tools = serde_json::to_value(&selected).map_err(|error| {
            Fault::new(ErrorCode::ToolsUnreadable, format!("A tool cannot be serialized: {error}."))
        })?;
        Ok(NodeOutput::of("tools", tools).with("names", names))
    }
}

/// The tools with these names, in this order, each once.
fn select(available: &[ToolSpec], names: &[String]) -> Result<Vec<ToolSpec>, Fault> {
    let mut selected: Vec<ToolSpec> = Vec::with_capacity(names.len());
    let engine_tools = engine_tools();
    for name in names {
        let mut all = available.iter().chain(&engine_tools);
        let Some(tool) = all.find(|tool| tool.name == *name) else {
            let all = available.iter().chain(&engine_tools);
            let known: Vec<_> = all.map(|tool| tool.name.as_str()).collect();
            return Err(Fault::new(ErrorCode::ToolsUnknown, format!("There is no tool `{name}`."))
                .hint(format!("Available tools: {}.", known.join(", "))));
        };
        if !selected.contains(tool) {
            selected.push(tool.clone());
        }
    }
    Ok(selected)
}
