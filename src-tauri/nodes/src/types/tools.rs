//! `tools`: offers tools to models: Plait's own, and HTTP tools that the node declares.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::codes;
use crate::model_call::engine_tools;
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::http_tool::{HttpBinding, HttpTool, OpenApiImport, import};
use plait_llm::long_term_memory::READ_TOOL;
use plait_llm::needs::NodeNeed;
use plait_llm::tool::{ToolEffect, ToolPolicy, ToolSpec};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct Tools;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Plait's own tools: `auto` for all that change nothing and read nothing personal, or a list of names.
    tools: Selection,
    /// Tools that send an HTTP request.
    http: Vec<HttpTool>,
    /// Tools from an `OpenAPI` document: one for each operation.
    openapi: Option<OpenApiImport>,
    /// Instructions and limits of single tools, by name.
    per_tool: BTreeMap<String, ToolOptions>,
}

/// `auto`, or names.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`tools` is `auto` or a list of tool names")]
enum Selection {
    /// All that change nothing and read nothing personal.
    All(All),
    /// These.
    Names(Vec<ToolName>),
}

/// The name of one of Plait's own tools.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("format" = "tool"))]
struct ToolName(String);

/// The keyword for all tools.
#[derive(Deserialize, JsonSchema)]
enum All {
    /// All of Plait's own tools that change nothing and read nothing personal.
    #[serde(rename = "auto")]
    Auto,
}

impl Default for Selection {
    fn default() -> Self {
        Self::All(All::Auto)
    }
}

/// How one tool is offered and called.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ToolOptions {
    /// Instructions for its use. They become part of the prompt.
    #[schemars(extend("format" = "multiline"))]
    instructions: String,
    /// The longest time a call may take, in milliseconds. If empty, 60,000.
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
    /// How often a call is tried, if it fails with an error that may pass.
    #[schemars(range(min = 1, max = 10))]
    attempts: Option<u32>,
    /// Whether a person is asked before each call.
    approval: bool,
}

/// The largest `timeoutMs`.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// The largest `attempts`.
const MAX_ATTEMPTS: u32 = 10;
/// Maximum HTTP tools that one node declares by hand.
const MAX_HTTP_TOOLS: usize = 200;

impl NodeType for Tools {
    type Config = Config;

    const TYPE: &'static str = "tools";
    const TITLE: &'static str = "Tools";
    const SUMMARY: &'static str = "Tools that models may call";
    const DESCRIPTION: &'static str = "Offers tools to every *Chat* on its **tools** edge. The model decides whether to \
        call them. The run's events show each call and its result.\n\n\
        Plait's own tools: calculator, current time, reading and searching files in the flow's folders, fetching web pages, \
        running JavaScript in a sandbox, and the user's name. `auto` offers these. Only if you name them: `write_file`, \
        `memory_read` and `memory_write`, which read and add to the user's long-term memory, and `get_workflow_context`, \
        which reads the memory that the flow's nodes share.\n\n\
        **HTTP** tools send a request: each `{{name}}` in the URL, the headers and the body is an argument. **OpenAPI** takes \
        them from a document. Addresses of private networks are refused unless you allow the host in the settings.\n\n\
        **Per tool** adds instructions to the prompt, limits a call's time, retries it, or asks a person before each call.";
    const CATEGORY: Category = Category::Tools;
    const ICON: &'static str = "wrench";
    const TERMS: &'static [&'static str] = &[
        "function",
        "functions",
        "calling",
        "agent",
        "calculator",
        "time",
        "file",
        "http",
        "rest",
        "api",
        "openapi",
        "fetch",
        "code",
    ];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .output("tools", PortKind::Tools, PortType::Any, "The tools, for a chat")
            .output("names", PortKind::Data, PortType::List, "Their names")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::list("tools")]).line([CardPart::text("tools")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if config.http.len() > MAX_HTTP_TOOLS {
            problems
                .push(("/http".to_owned(), format!("A node declares at most {MAX_HTTP_TOOLS} HTTP tools.")));
            return problems;
        }
        for (index, tool) in config.http.iter().enumerate() {
            let found = tool.problems().into_iter();
            problems.extend(found.map(|(at, message)| (format!("/http/{index}{at}"), message)));
            if config.http[..index].iter().any(|other| other.name == tool.name) {
                let message = format!("Two tools are called `{}`.", tool.name);
                problems.push((format!("/http/{index}/name"), message));
            }
        }
        if let Some(problem) = config.openapi_tools().err() {
            problems.push(("/openapi".to_owned(), problem));
        }
        for (name, options) in &config.per_tool {
            if options.timeout_ms.is_some_and(|timeout| !(1..=MAX_TIMEOUT_MS).contains(&timeout)) {
                let message = format!("`timeoutMs` is a number from 1 to {MAX_TIMEOUT_MS}.");
                problems.push((format!("/perTool/{name}/timeoutMs"), message));
            }
            if options.attempts.is_some_and(|attempts| !(1..=MAX_ATTEMPTS).contains(&attempts)) {
                let message = format!("`attempts` is a number from 1 to {MAX_ATTEMPTS}.");
                problems.push((format!("/perTool/{name}/attempts"), message));
            }
        }
        problems
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { needs: config.needs(), ..Behavior::default() }
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        if config.openapi.as_ref().is_none_or(|source| !source.document.is_null()) {
            return Vec::new();
        }
        let unused = |name: &str| {
            let reason = "there is no `document`";
            Unused::new(format!("/openapi/{name}"), reason, "set `openapi.document`")
        };
        ["baseUrl", "context", "headers", "operations"].into_iter().map(unused).collect()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("All available tools").outputs(Value::Null),
            Example::new("One tool").config(json!({ "tools": ["calculator"] })).outputs(Value::Null),
            Example::new("A tool that asks a web server, with instructions for the model")
                .config(json!({
                    "tools": [],
                    "http": [{
                        "name": "weather",
                        "description": "The weather in a city.",
                        "url": "https://api.example.com/weather/{{city}}",
                        "parameters": {
                            "type": "object",
                            "properties": { "city": { "type": "string" } },
                            "required": ["city"],
                        },
                    }],
                    "perTool": { "weather": { "instructions": "Ask for the city first.", "timeoutMs": 5000 } },
                }))
                .outputs(Value::Null),
        ]
    }

    async fn execute(config: &Config, _: Inputs, node_context: NodeContext) -> Result<NodeOutput, Fault> {
        let available = node_context.host.tools.list();
        let mut selected = match &config.tools {
            Selection::All(All::Auto) => {
                let is_harmless = |tool: &ToolSpec| {
                    tool.source == "native" && tool.effect != ToolEffect::Write && tool.name != READ_TOOL
                };
                available.into_iter().filter(is_harmless).collect()
            }
            Selection::Names(names) => select(&available, names)?,
        };
        selected.extend(config.http.iter().map(HttpTool::to_spec));
        selected.extend(config.openapi_tools().map_err(|problem| {
            Fault::new(codes::TOOLS_BAD_DECLARATION, problem)
                .hint("Correct the OpenAPI document of this node.")
        })?);
        config.apply_options(&mut selected)?;
        let names: Vec<Value> = selected.iter().map(|tool| tool.name.as_str().into()).collect();
        let tools = serde_json::to_value(&selected).map_err(|error| {
            Fault::new(codes::TOOLS_UNREADABLE, format!("A tool cannot be serialized: {error}."))
        })?;
        Ok(NodeOutput::of("tools", tools).with("names", names))
    }
}

impl Config {
    fn openapi_tools(&self) -> Result<Vec<ToolSpec>, String> {
        self.openapi.as_ref().filter(|source| !source.document.is_null()).map_or(Ok(Vec::new()), import)
    }

    /// What its tools need. An `OpenAPI` document that cannot be read offers none.
    fn needs(&self) -> Vec<NodeNeed> {
        let own = match &self.tools {
            Selection::All(All::Auto) => NodeNeed::ReadingTools,
            Selection::Names(names) => NodeNeed::Tools(names.iter().map(|name| name.0.clone()).collect()),
        };
        let http = self.http.iter().map(HttpTool::to_spec).chain(self.openapi_tools().unwrap_or_default());
        let requests = http.filter_map(|tool| {
            let HttpBinding { url, method, .. } = HttpBinding::deserialize(&tool.binding).ok()?;
            Some(NodeNeed::Request { url: Some(url), method, tool: Some(tool.name) })
        });
        std::iter::once(own).chain(requests).collect()
    }

    /// Sets instructions and policies. Fault `tools.unknown` if there is no tool of a name.
    fn apply_options(&self, tools: &mut [ToolSpec]) -> Result<(), Fault> {
        for (name, options) in &self.per_tool {
            let Some(tool) = tools.iter_mut().find(|tool| tool.name == *name) else {
                let known: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
                let message = format!("`perTool` has options for `{name}`, which this node does not offer.");
                return Err(Fault::new(codes::TOOLS_UNKNOWN, message)
                    .hint(format!("The tools of this node are: {}.", known.join(", "))));
            };
            let instructions = options.instructions.trim();
            if !instructions.is_empty() {
                tool.instructions = Some(instructions.to_owned());
            }
            tool.policy = ToolPolicy {
                timeout_ms: options.timeout_ms,
                attempts: options.attempts,
                approval: options.approval,
            };
        }
        Ok(())
    }
}

/// The tools with these names, in this order, each once.
fn select(available: &[ToolSpec], names: &[ToolName]) -> Result<Vec<ToolSpec>, Fault> {
    let mut selected: Vec<ToolSpec> = Vec::with_capacity(names.len());
    let engine_tools = engine_tools();
    for ToolName(name) in names {
        let mut all = available.iter().chain(&engine_tools);
        let Some(tool) = all.find(|tool| tool.name == *name) else {
            let all = available.iter().chain(&engine_tools);
            let known: Vec<_> = all.map(|tool| tool.name.as_str()).collect();
            return Err(Fault::new(codes::TOOLS_UNKNOWN, format!("There is no tool `{name}`."))
                .hint(format!("Available tools: {}.", known.join(", "))));
        };
        if !selected.contains(tool) {
            selected.push(tool.clone());
        }
    }
    Ok(selected)
}

#[cfg(test)]
mod tests;
