//! `tools`: which tools a model may call.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};
use crate::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};
use crate::tool::ToolSpec;

pub(super) struct Tools;

/// Which tools.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// `auto` for all tools there are, or a list of names.
    tools: Selection,
}

/// `auto`, or names.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`tools` is `auto` or a list of tool names")]
enum Selection {
    /// All tools there are.
    All(All),
    /// These.
    Names(Vec<String>),
}

/// The word for all of them.
#[derive(Deserialize, JsonSchema)]
enum All {
    /// All tools there are.
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
    const SUMMARY: &'static str = "Tools that a model may call";
    const DESCRIPTION: &'static str = "Offers tools to every *Chat* on its **tools** edge. The model decides whether to \
        call them; each call and its result stands in the run's events.\n\nPlait's own tools: the current time, a \
        calculator, and reading files in the flow's folder.";
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
            Example::new("All tools there are").outputs(Value::Null),
            Example::new("One of them").config(json!({ "tools": ["calculator"] })).outputs(Value::Null),
        ]
    }

    async fn execute(config: &Config, _: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let there = cx.host.tools.list();
        let chosen = match &config.tools {
            Selection::All(All::Auto) => there,
            Selection::Names(names) => choose(&there, names)?,
        };
        let names: Vec<Value> = chosen.iter().map(|tool| tool.name.as_str().into()).collect();
        let tools = serde_json::to_value(&chosen).map_err(|error| {
            Fault::new(ErrorCode::ToolsUnreadable, format!("A tool can't be described: {error}."))
        })?;
        Ok(NodeOutput::of("tools", tools).with("names", names))
    }
}

/// The tools of these names, in the order of the names, each once.
fn choose(there: &[ToolSpec], names: &[String]) -> Result<Vec<ToolSpec>, Fault> {
    let mut chosen: Vec<ToolSpec> = Vec::with_capacity(names.len());
    for name in names {
        let Some(tool) = there.iter().find(|tool| tool.name == *name) else {
            let known: Vec<_> = there.iter().map(|tool| tool.name.as_str()).collect();
            return Err(Fault::new(ErrorCode::ToolsUnknown, format!("There is no tool `{name}`."))
                .hint(format!("There are: {}.", known.join(", "))));
        };
        if !chosen.contains(tool) {
            chosen.push(tool.clone());
        }
    }
    Ok(chosen)
}
