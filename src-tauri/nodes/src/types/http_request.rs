//! `httpRequest`: sends one HTTP request.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::codes;
use crate::model_call::call_tool;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::http_tool::{HTTP_SOURCE, HttpBinding, HttpMethod, placeholder, url_problem};
use plait_llm::needs::NodeNeed;
use plait_llm::tool::ToolSpec;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType,
};

pub(super) struct HttpRequest;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The method.
    method: HttpMethod,
    /// The URL, for example `https://api.example.com/users/{{id}}`. Each `{{name}}` here, in the query, the headers and the body
    /// becomes an input. If empty, the value on **url**.
    url: String,
    /// Parameters of the query, by name.
    query: BTreeMap<String, String>,
    /// Headers, by name. `${NAME}` stands for a secret of the settings, which is only sent to its own host.
    headers: BTreeMap<String, String>,
    /// The JSON body. If empty, the value on **body**, if there is one.
    #[schemars(extend("format" = "json"))]
    body: Value,
    /// Whether an answer with an error status fails the node.
    fail_on_error_status: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            method: HttpMethod::Get,
            url: String::new(),
            query: BTreeMap::new(),
            headers: BTreeMap::new(),
            body: Value::Null,
            fail_on_error_status: true,
        }
    }
}

/// Inputs with a meaning of their own.
const OWN_INPUTS: [&str; 2] = ["url", "body"];

impl NodeType for HttpRequest {
    type Config = Config;

    const TYPE: &'static str = "httpRequest";
    const TITLE: &'static str = "HTTP request";
    const SUMMARY: &'static str = "Sends a request to a web server";
    const DESCRIPTION: &'static str = "Sends an HTTP request and outputs the answer: JSON as a value, anything else as text.\n\n\
        Each `{{name}}` in the URL, the query, the headers and the body is an input. In a URL the value is escaped, so that it \
        stays one part of it.\n\n\
        The host needs a grant, which you give before the first run. Addresses of this machine and of private networks are \
        refused, also behind names and redirects, unless you allow the host in the settings or with `--allow host=NAME`.";
    const CATEGORY: Category = Category::Tools;
    const ICON: &'static str = "globe";
    const TERMS: &'static [&'static str] =
        &["fetch", "web", "api", "rest", "get", "post", "url", "download", "webhook", "call"];

    fn ports(config: &Config) -> Ports {
        let mut ports = Ports::new();
        if config.url.trim().is_empty() {
            ports = ports.input("url", PortKind::Data, PortType::Text, "The URL");
        }
        if config.body.is_null() && config.method.has_body() {
            ports = ports.when_fed("body", PortKind::Data, PortType::Any, "The JSON body");
        }
        for name in config.variables() {
            if ports.find_input(&name).is_none() {
                ports = ports.input(&name, PortKind::Data, PortType::Any, "A variable of the request");
            }
        }
        ports
            .output("body", PortKind::Data, PortType::Any, "The answer")
            .output("status", PortKind::Data, PortType::Number, "Its status, such as 200")
            .output("headers", PortKind::Data, PortType::Object, "Its headers, by name in lower case")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("method"), CardPart::text("url")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let has_url = !config.url.trim().is_empty();
        let problems = config.binding().problems().into_iter().filter(|(at, _)| has_url || *at != "/url");
        let mut problems: Vec<_> = problems.map(|(at, message)| (at.to_owned(), message)).collect();
        if let Some(name) = config.variables().iter().find(|name| OWN_INPUTS.contains(&name.as_str())) {
            let message =
                format!("`{name}` is already an input of this node. Use another name for the variable.");
            problems.push(("/url".to_owned(), message));
        }
        problems
    }

    fn behavior(config: &Config) -> Behavior {
        let url = Some(config.url.trim().to_owned()).filter(|url| !url.is_empty());
        let needs = vec![NodeNeed::Request { url, method: config.method, tool: None }];
        Behavior { needs, calls_tools: true, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        let answer = json!({ "body": { "ok": true }, "status": 200, "headers": { "server": "fake" } });
        vec![
            Example::new("A user by id")
                .config(json!({ "url": "https://api.example.com/users/{{id}}" }))
                .input("id", json!(7))
                .outputs(answer.clone()),
            Example::new("A value as the body of a POST")
                .config(json!({ "method": "POST", "url": "https://api.example.com/orders" }))
                .input("body", json!({ "item": "tea" }))
                .outputs(answer),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let mut binding = config.binding();
        let is_constant = !binding.url.is_empty() && binding.placeholders().is_empty();
        if binding.url.is_empty() {
            binding.url = inputs.text("url").unwrap_or_default();
            if let Some(problem) = url_problem(&binding.url) {
                return Err(Fault::new(codes::TOOL_BAD_URL, problem));
            }
        }
        let mut arguments = Map::new();
        for name in config.variables() {
            arguments.insert(name.clone(), inputs.get(&name).cloned().unwrap_or_default());
        }
        if let Some(body) = inputs.get("body") {
            binding.body = json!("{{body}}");
            arguments.insert("body".to_owned(), body.clone());
        }
        let mut tool = ToolSpec::new("http_request", "", json!({ "type": "object" }), HTTP_SOURCE);
        tool.effect = binding.effect(is_constant && arguments.is_empty());
        tool.binding = serde_json::to_value(binding).unwrap_or_default();
        let mut answer = match call_tool(&node_context, tool, arguments.into()).await {
            Ok(answer) => answer,
            Err(interruption) => return interruption.into_output(),
        };
        let mut take = |name: &str| answer.get_mut(name).map(Value::take).unwrap_or_default();
        Ok(NodeOutput::of("body", take("body"))
            .with("status", take("status"))
            .with("headers", take("headers")))
    }
}

impl Config {
    fn binding(&self) -> HttpBinding {
        HttpBinding {
            method: self.method,
            url: self.url.trim().to_owned(),
            query: self.query.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            full_response: true,
            accept_any_status: !self.fail_on_error_status,
            ..HttpBinding::default()
        }
    }

    /// The names of its inputs that come from placeholders.
    fn variables(&self) -> BTreeSet<String> {
        let names = self.binding().placeholders();
        names.iter().map(|name| placeholder::first_segment(name).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests;
