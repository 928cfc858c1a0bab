//! `code`: runs JavaScript in a sandbox.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::model_call::call_tool;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::tool::ToolSpec;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

pub(super) struct Code;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// JavaScript. The value on the input is `input`; what the program returns is the result.
    #[schemars(extend("format" = "multiline"))]
    code: String,
}

impl Default for Config {
    fn default() -> Self {
        Self { code: "return input;".to_owned() }
    }
}

impl NodeType for Code {
    type Config = Config;

    const TYPE: &'static str = "code";
    const TITLE: &'static str = "Code";
    const SUMMARY: &'static str = "Runs JavaScript in a sandbox";
    const DESCRIPTION: &'static str = "Runs a JavaScript program: the body of a function with the parameter `input`. What it \
        returns is the **result**; values must be JSON. Lines of `console.log` are on **log**.\n\n\
        The program runs in a process of its own and can reach nothing: no files, no network, no modules. It may take 5 \
        seconds and 64 MB of memory; a program that exceeds a limit fails with `tool.code_limit`.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "code";
    const TERMS: &'static [&'static str] =
        &["javascript", "js", "script", "program", "function", "sandbox", "transform", "compute"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .when_fed("input", PortKind::Data, PortType::Any, "The value, `input` in the program")
            .output("result", PortKind::Data, PortType::Any, "What the program returned")
            .output("log", PortKind::Data, PortType::List, "The lines it logged")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("code")])
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { calls_tools: true, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("The sum of a list")
                .config(
                    json!({ "code": "console.log(\"Adding.\");\nreturn input.reduce((a, b) => a + b, 0);" }),
                )
                .input("input", json!([1, 2]))
                .outputs(json!({ "result": 3, "log": ["Adding."] })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let tool = ToolSpec::new("run_code", "", json!({ "type": "object" }), "native");
        let input = inputs.get("input").cloned().unwrap_or_default();
        let arguments = json!({ "code": config.code, "input": input });
        let mut outcome = match call_tool(&node_context, tool, arguments).await {
            Ok(outcome) => outcome,
            Err(interruption) => return interruption.into_output(),
        };
        let mut take = |name: &str| outcome.get_mut(name).map(Value::take).unwrap_or_default();
        Ok(NodeOutput::of("result", take("result")).with("log", take("log")))
    }
}
