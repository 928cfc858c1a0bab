//! Tools that read flows.

use plait_api::flows::{CheckFlow, DiffFlows, ListExamples, ListNearbyFlows, ListRecent, ReadFlow};
use plait_api::nodes::ListNodes;
use plait_api::runs::ForecastFlow;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{NamedFlow, flow_path, named_flow};
use crate::codes;
use crate::reply::{self, Reply};
use crate::server::PlaitServer;
use plait_api::ErrorReply;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FlowPage {
    /// A flow file (`.flow.json`), a pipeline (`.yaml`), or the ID of an example flow.
    flow: String,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckArguments {
    /// A flow file, or the ID of an example flow. With `text`, the file that the text is meant for: sub-flows are found from its folder.
    #[serde(default)]
    flow: Option<String>,
    /// The text of a flow, in place of what the file holds.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ForecastArguments {
    /// A flow file, or the ID of an example flow.
    flow: String,
    /// The text that the run would be started with.
    #[serde(default)]
    input: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NodeTypeArguments {
    /// The node type to describe whole, with the JSON Schema of its config, its ports and examples.
    #[serde(rename = "type")]
    node_type: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareArguments {
    /// The first flow: a file, or the ID of an example flow.
    before: String,
    /// The second flow.
    after: String,
}

#[tool_router(router = flow_tools, vis = "pub(crate)")]
impl PlaitServer {
    /// List flow files: those that were opened lately and others in their folders, and the example flows.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_flows(&self, Parameters(page): Parameters<Page>) -> Reply {
        let app = self.app().await?;
        let recent = app.call(ListRecent {}).await?;
        let nearby = app.call(ListNearbyFlows {}).await?;
        let examples = app.call(ListExamples {}).await?;
        let mut flows: Vec<_> = recent
            .iter()
            .filter(|flow| !flow.missing)
            .map(|flow| json!({ "flow": flow.path, "name": flow.name }))
            .collect();
        let others = nearby.iter().filter(|path| recent.iter().all(|flow| flow.path != **path));
        flows.extend(others.map(|path| json!({ "flow": path })));
        flows.extend(examples.iter().map(
            |example| json!({ "flow": example.id, "name": example.title, "example": example.description }),
        ));
        reply::list(&flows, page.from)
    }

    /// Read a flow file as JSON: its nodes, edges and settings.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn read_flow(&self, Parameters(page): Parameters<FlowPage>) -> Reply {
        let app = self.app().await?;
        let NamedFlow { flow, .. } = named_flow(&app, &page.flow).await?;
        reply::json_text(&flow, page.from)
    }

    /// Check a flow, or a text that would be one, for problems. Runs nothing.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn check_flow(&self, Parameters(arguments): Parameters<CheckArguments>) -> Reply {
        let app = self.app().await?;
        let NamedFlow { flow, path } = match arguments {
            CheckArguments { flow, text: Some(text) } => {
                let flow = flow.as_deref().map(flow_path).transpose()?;
                let read = ReadFlow { path: None, text: Some(text), name: flow.clone() };
                NamedFlow { flow: app.call(read).await?, path: flow }
            }
            CheckArguments { flow: Some(flow), text: None } => named_flow(&app, &flow).await?,
            CheckArguments { flow: None, text: None } => {
                let message = "`check_flow` takes a `flow`, a `text`, or both.";
                return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message).into());
            }
        };
        let checked = app.call(CheckFlow { flow, path }).await?;
        reply::value(&json!({ "problems": checked.diagnostics }))
    }

    /// Say how the prompts of a flow will grow, when they no longer fit the window, and what a run may cost. Calls no model.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn forecast_flow(&self, Parameters(arguments): Parameters<ForecastArguments>) -> Reply {
        let app = self.app().await?;
        let NamedFlow { flow, path } = named_flow(&app, &arguments.flow).await?;
        let forecast = ForecastFlow { flow, path, input: arguments.input, run: None };
        reply::value(&app.call(forecast).await?)
    }

    /// Say what differs between two flows by meaning: moving a node is no difference, renaming one is a single one.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn compare_flows(&self, Parameters(arguments): Parameters<CompareArguments>) -> Reply {
        let app = self.app().await?;
        let before = named_flow(&app, &arguments.before).await?.flow;
        let after = named_flow(&app, &arguments.after).await?.flow;
        reply::value(&app.call(DiffFlows { before, after }).await?)
    }

    /// List the node types that flows are made of, one line each.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_node_types(&self, Parameters(page): Parameters<Page>) -> Reply {
        let nodes = self.app().await?.call(ListNodes {}).await?;
        let types: Vec<_> = nodes
            .iter()
            .map(|node| json!({ "type": node.node_type, "title": node.title, "summary": node.summary }))
            .collect();
        reply::list(&types, page.from)
    }

    /// Describe a node type: what it does, the JSON Schema of its config, its ports, and examples of flows with it.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn describe_node_type(&self, Parameters(arguments): Parameters<NodeTypeArguments>) -> Reply {
        let wanted = arguments.node_type;
        let nodes = self.app().await?.call(ListNodes {}).await?;
        let found = nodes.iter().find(|node| node.node_type == wanted || node.aliases.contains(&wanted));
        let node = found.ok_or_else(|| {
            let message = format!("There is no node type `{wanted}`.");
            ErrorReply::new(codes::COMMAND_ARGUMENTS, message).hint("`list_node_types` lists them.")
        })?;
        reply::value(node)
    }
}
