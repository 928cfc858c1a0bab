//! `mcpServer`: offers the tools of an MCP server to models.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::{self, Either};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::model_call::allow_server;
use plait_core::config::Unused;
use plait_core::diagnostic::escape;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::NodeEvent;
use plait_llm::needs::NodeNeed;
use plait_llm::tool::{ToolPolicy, ToolProgress, ToolSpec};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

/// How often watchers see how long a server has been starting.
const WAIT_INTERVAL: Duration = Duration::from_secs(2);

pub(super) struct McpServer;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The name of the server, as it is under *MCP servers*.
    #[schemars(extend("format" = "mcpServer"))]
    server: String,
    /// The tools to offer, by name. If empty, all of them.
    tools: Vec<String>,
    /// A text before the name of each tool, such as `files_`. It keeps tools of two servers apart.
    prefix: String,
    /// Instructions for a tool's use, by its name. They become a block of the prompt.
    instructions: BTreeMap<String, String>,
    /// Sends the server what its tools may know of the conversation: summary, recent turns and iteration.
    send_context: bool,
    /// How its tools are called.
    policy: ToolPolicy,
}

impl NodeType for McpServer {
    type Config = Config;

    const TYPE: &'static str = "mcpServer";
    const TITLE: &'static str = "MCP server";
    const SUMMARY: &'static str = "The tools of an MCP server";
    const DESCRIPTION: &'static str = "Offers the tools of one of your MCP servers to every *Chat* on its **tools** edge.

A flow only names the server. How it is started is set up under *MCP servers* or with `plait mcp add`, \
        on each machine. The server starts when the run comes to this node.

If the server's tools are no longer those that you accepted, the node fails with `mcp.tools_changed` until you accept what changed.

During a call a server can ask you something, or request the reply of the model that calls its tool. The run waits for your answer.";
    const CATEGORY: Category = Category::Tools;
    const ICON: &'static str = "plug";
    const TERMS: &'static [&'static str] = &[
        "model context protocol",
        "server",
        "tools",
        "function",
        "functions",
        "calling",
        "agent",
        "external",
    ];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .output("tools", PortKind::Tools, PortType::Any, "The server's tools, for a chat")
            .output("names", PortKind::Data, PortType::List, "Their names")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("server")]).line([CardPart::list("tools")])
    }

    fn behavior(config: &Config) -> Behavior {
        let name = config.server.trim().to_owned();
        let no_server = ("/server", "The node names no MCP server.");
        Behavior {
            missing_setting: name.is_empty().then_some(no_server),
            needs: vec![NodeNeed::Server { name, tools: config.tools.clone() }],
            ..Behavior::default()
        }
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        let is_offered = |name: &String| config.tools.is_empty() || config.tools.contains(name);
        let others = config.instructions.keys().filter(|name| !is_offered(name));
        let unused = |name: &String| {
            let reason = format!("`tools` does not offer `{name}`");
            Unused::new(format!("/instructions/{}", escape(name)), reason, "add it to `tools`")
        };
        others.map(unused).collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("All tools of a server").config(json!({ "server": "files" })).outputs(Value::Null),
            Example::new("One tool, each call approved by a person")
                .config(json!({ "server": "files", "tools": ["write_file"], "policy": { "approval": true } }))
                .outputs(Value::Null),
        ]
    }

    async fn execute(config: &Config, _: Inputs, node_context: NodeContext) -> Result<NodeOutput, Fault> {
        let server = config.server.trim();
        if server.is_empty() {
            let message = "The node names no MCP server.";
            return Err(Fault::new(codes::CONFIG_INCOMPLETE, message)
                .hint("Enter its name, as it is under *MCP servers*."));
        }
        if let Err(interruption) = allow_server(&node_context, server) {
            return interruption.into_output();
        }
        let available = list_server(&node_context, server).await?;
        let mut offered = Vec::with_capacity(available.len());
        for tool in select(config, available)? {
            offered.push(configure(config, tool));
        }
        let names: Vec<Value> = offered.iter().map(|tool| tool.name.as_str().into()).collect();
        let tools = serde_json::to_value(&offered).map_err(|error| {
            Fault::new(codes::TOOLS_UNREADABLE, format!("A tool cannot be serialized: {error}."))
        })?;
        Ok(NodeOutput::of("tools", tools).with("names", names))
    }
}

/// The tools of the server. Watchers see how long its start takes.
async fn list_server(node_context: &NodeContext, server: &str) -> Result<Vec<ToolSpec>, Fault> {
    let host = &node_context.host;
    let mut listing = host.tools.list_server(server);
    let mut waited = Duration::ZERO;
    loop {
        match future::select(listing, host.clock.sleep(WAIT_INTERVAL)).await {
            Either::Left((tools, _)) => return tools,
            Either::Right(((), waiting)) => listing = waiting,
        }
        waited += WAIT_INTERVAL;
        let progress = ToolProgress::of_starting_server(server, waited);
        node_context.show(NodeEvent::Progressed { progress });
    }
}

/// The wanted tools, in the order of the config; all of them if it names none.
fn select(config: &Config, available: Vec<ToolSpec>) -> Result<Vec<ToolSpec>, Fault> {
    let wanted = config.tools.iter().chain(config.instructions.keys());
    if let Some(unknown) = wanted.into_iter().find(|name| !available.iter().any(|tool| tool.name == **name)) {
        let known: Vec<_> = available.iter().map(|tool| tool.name.as_str()).collect();
        let message = format!("The MCP server `{}` offers no tool `{unknown}`.", config.server.trim());
        return Err(
            Fault::new(codes::TOOLS_UNKNOWN, message).hint(format!("It offers: {}.", known.join(", ")))
        );
    }
    if config.tools.is_empty() {
        return Ok(available);
    }
    let mut selected: Vec<ToolSpec> = Vec::with_capacity(config.tools.len());
    for name in &config.tools {
        let is_new = selected.iter().all(|tool| tool.name != *name);
        selected.extend(available.iter().find(|tool| is_new && tool.name == *name).cloned());
    }
    Ok(selected)
}

fn configure(config: &Config, mut tool: ToolSpec) -> ToolSpec {
    if let Some(instructions) = config.instructions.get(&tool.name).filter(|text| !text.trim().is_empty()) {
        tool.instructions = Some(instructions.clone());
    }
    tool.name = format!("{}{}", config.prefix, tool.name);
    tool.policy = config.policy.clone();
    if config.send_context && tool.binding.is_object() {
        tool.binding["sendContext"] = true.into();
    }
    tool
}

#[cfg(test)]
mod tests;
