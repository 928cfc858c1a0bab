//! `readFile`: reads a text file that the flow may read.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::codes;
use crate::model_call::call_tool;
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::needs::NodeNeed;
use plait_llm::tool::ToolSpec;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct ReadFile;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The file, relative to the flow's folder, for example `notes/plan.md`. If empty, the value on **path**.
    path: String,
}

impl NodeType for ReadFile {
    type Config = Config;

    const TYPE: &'static str = "readFile";
    const TITLE: &'static str = "Read file";
    const SUMMARY: &'static str = "Reads a text file next to the flow";
    const DESCRIPTION: &'static str = "Reads a text file (at most 256 KB) and outputs its text.\n\n\
        The file must be in the folder of the flow's file, or in one of the folders that the flow's settings declare. \
        Files that hold secrets by their name, such as `.env`, are not read.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "file-text";
    const TERMS: &'static [&'static str] = &["load", "open", "text", "document", "disk", "folder"];

    fn ports(config: &Config) -> Ports {
        let ports = Ports::new();
        let description = "The path of the file, relative to the flow's folder";
        let ports = if config.path.trim().is_empty() {
            ports.input("path", PortKind::Data, PortType::Text, description)
        } else {
            ports.when_fed("path", PortKind::Data, PortType::Text, description)
        };
        ports.output("text", PortKind::Data, PortType::Text, "The text of the file").error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("path")])
    }

    fn behavior(_: &Config) -> Behavior {
        let needs = vec![NodeNeed::Tools(vec!["read_file".to_owned()])];
        Behavior { needs, calls_tools: true, ..Behavior::default() }
    }

    fn unused(_: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        let reason = "the path comes from the edge into `path`";
        let unused = around.feeds("path").then(|| Unused::new("/path", reason, "remove the edge"));
        unused.into_iter().collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A file next to the flow")
                .config(json!({ "path": "notes/plan.md" }))
                .outputs(json!({ "text": "The text of the file." })),
            Example::new("A path from an edge")
                .input("path", json!("notes/plan.md"))
                .outputs(json!({ "text": "The text of the file." })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let path = inputs.text("path").unwrap_or_else(|| config.path.trim().to_owned());
        if path.trim().is_empty() {
            return Err(Fault::new(codes::TOOL_NOT_FOUND, "There is no path of a file to read.")
                .hint("Enter a path in the node, or connect one to `path`."));
        }
        let tool = ToolSpec::new("read_file", "", json!({ "type": "object" }), "native");
        let text = match call_tool(&node_context, tool, json!({ "path": path })).await {
            Ok(text) => text,
            Err(interruption) => return interruption.into_output(),
        };
        Ok(NodeOutput::of("text", text))
    }
}
