//! `callTool`: calls one tool, without a model.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use crate::codes;
use crate::model_call::{SamplingModel, call_tool_with_model, collect_tools};
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::{CallOverrides, ContextRecord, ContextType, resolve_model_config};
use plait_llm::needs::NodeNeed;
use plait_llm::tool::ToolSpec;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct CallTool;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The name of the tool: one of Plait's own, or one on the **tools** edge.
    #[schemars(extend("format" = "tool"))]
    tool: String,
    /// The arguments. Those on the **arguments** input replace arguments of the same name.
    #[schemars(extend("format" = "json"))]
    arguments: Map<String, serde_json::Value>,
    /// The provider of the model that replies if the tool requests a reply, as tools of MCP servers can. You are asked before.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The model that replies if the tool requests a reply. Without a model, such a call fails.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
}

impl Config {
    /// The model that replies to the tool, if one is set.
    fn sampling_model(&self, node_context: &NodeContext) -> Result<Option<SamplingModel>, Fault> {
        let (provider, model) = (self.provider.as_deref(), self.model.as_deref());
        let is_set = [provider, model].into_iter().flatten().any(|name| !name.trim().is_empty());
        if !is_set {
            return Ok(None);
        }
        // No context: what replies to a tool has no history.
        let context = ContextRecord::new("".into(), ContextType::Isolated, "", "");
        let overrides = CallOverrides { provider, model, ..CallOverrides::default() };
        let config = resolve_model_config(&context, overrides, node_context.model_settings())?;
        Ok(Some(SamplingModel { config, context_id: context.context_id }))
    }
}

impl NodeType for CallTool {
    type Config = Config;

    const TYPE: &'static str = "callTool";
    const TITLE: &'static str = "Call tool";
    const SUMMARY: &'static str = "Calls a tool, without a model";
    const DESCRIPTION: &'static str = "Calls one tool and outputs its result. The tool is one of Plait's own, such as \
        `calculator` or `fetch_url`, or one that a *Tools* or *MCP server* node offers on the **tools** edge.\n\n\
        The arguments must match the tool's schema. A tool that fails fails the node; connect **error** to handle that.\n\n\
        A tool of an MCP server can ask you something during its call. It can also request the reply of a model: set the \
        **model** that replies, and you are asked each time.";
    const CATEGORY: Category = Category::Tools;
    const ICON: &'static str = "square-function";
    const TERMS: &'static [&'static str] = &["function", "invoke", "execute", "mcp", "http", "action"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .many("tools", PortKind::Tools, PortType::Any, "Tools to choose from, besides Plait's own")
            .when_fed("arguments", PortKind::Data, PortType::Object, "Arguments, by name")
            .output("result", PortKind::Data, PortType::Any, "What the tool returned")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("tool")])
    }

    fn behavior(config: &Config) -> Behavior {
        let tool = config.tool.trim();
        let need = match config.arguments.get("url").and_then(serde_json::Value::as_str) {
            Some(url) if tool == "fetch_url" => NodeNeed::Fetch { url: url.to_owned() },
            _ => NodeNeed::Tools(vec![tool.to_owned()]),
        };
        let missing_setting = tool.is_empty().then_some(("/tool", "This node names no tool."));
        Behavior { needs: vec![need], calls_tools: true, missing_setting, ..Behavior::default() }
    }

    fn unused(_: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        if around.feeds("tools") {
            return Vec::new();
        }
        let unused = |setting: &str| {
            let reason = "none of Plait's own tools requests the reply of a model";
            Unused::new(setting, reason, "connect a tool of an MCP server to `tools`")
        };
        vec![unused("/provider"), unused("/model")]
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A calculation")
                .config(json!({ "tool": "calculator", "arguments": { "expression": "6 * 7" } }))
                .outputs(json!({ "result": 42 })),
            Example::new("Arguments from an edge")
                .config(json!({ "tool": "calculator" }))
                .input("arguments", json!({ "expression": "6 * 7" }))
                .outputs(json!({ "result": 42 })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let tool = find_tool(config.tool.trim(), &inputs, &node_context)?;
        let mut arguments = config.arguments.clone();
        arguments.extend(inputs.read::<Map<_, _>>("arguments")?.unwrap_or_default());
        let model = config.sampling_model(&node_context)?;
        let (result, sampling) =
            match call_tool_with_model(&node_context, tool, arguments.into(), model).await {
                Ok(result) => result,
                Err(interruption) => return interruption.into_output(),
            };
        Ok(sampling.add_to(NodeOutput::of("result", result)))
    }
}

/// The tool of this name: on the edge, or of the host.
fn find_tool(name: &str, inputs: &Inputs, node_context: &NodeContext) -> Result<ToolSpec, Fault> {
    let mut tools = collect_tools(inputs)?;
    tools.extend(node_context.host.tools.list());
    if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
        return Ok(tool.clone());
    }
    let what = if name.is_empty() {
        "This node names no tool.".to_owned()
    } else {
        format!("There is no tool `{name}`.")
    };
    let known: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    Err(Fault::new(codes::TOOLS_UNKNOWN, what).hint(format!("Available tools: {}.", known.join(", "))))
}
