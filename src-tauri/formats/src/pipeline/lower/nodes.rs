//! The nodes that steps and agents become, with their settings.

use serde_json::{Map, Value, json};

use crate::pipeline::document::{Agent, AllTools, McpServer, McpServerRef, Retry, Tools};
use plait_core::flow::{Node, RetryPolicy};
use plait_llm::tool::ToolPolicy;

/// The settings of `chat` that an agent has, and the keys of the agent.
pub(in crate::pipeline) const CHAT_KEYS: [(&str, &str); 6] = [
    ("temperature", "temperature"),
    ("maxTokens", "max_tokens"),
    ("responseSchema", "response_schema"),
    ("maxToolRounds", "max_tool_rounds"),
    ("contextWindow", "context_window"),
    ("options", "options"),
];

pub(super) fn chat_config(agent: &Agent) -> Map<String, Value> {
    let Ok(Value::Object(mut settings)) = serde_json::to_value(agent) else { return Map::new() };
    CHAT_KEYS.iter().filter_map(|(key, own)| Some(((*key).to_owned(), settings.remove(*own)?))).collect()
}

pub(super) fn context_node(agent: &Agent) -> Node {
    node(
        "newContext",
        &[
            ("provider", agent.provider.as_deref().map(Value::from)),
            ("model", agent.model.as_deref().map(Value::from)),
            ("systemInstructions", agent.system_prompt.as_deref().map(Value::from)),
        ],
    )
}

/// Plait's own tools and HTTP tools of an agent, if it has any.
pub(super) fn tools_node(agent: &Agent) -> Option<Node> {
    let selection = match &agent.tools {
        Some(Tools::All(AllTools::Auto)) => None,
        Some(Tools::Names(names)) => Some(json!(names)),
        // Without a selection, a node offers all.
        None => Some(json!([])),
    };
    let http = agent.http_tools.as_ref();
    let is_any = agent.tools.is_some() || http.is_some();
    is_any.then(|| node("tools", &[("tools", selection), ("http", http.map(|tools| json!(tools)))]))
}

/// An MCP server of an agent.
pub(super) fn server_node(server: &McpServerRef) -> Node {
    let server = match server {
        McpServerRef::Name(name) => McpServer { server: name.clone(), ..McpServer::default() },
        McpServerRef::Settings(server) => McpServer::clone(server),
    };
    let policy = server.policy.map(|policy| {
        json!(ToolPolicy {
            timeout_ms: policy.timeout_ms,
            attempts: policy.attempts,
            approval: policy.approval
        })
    });
    let non_empty = |value: Value, is_empty: bool| Some(value).filter(|_| !is_empty);
    node(
        "mcpServer",
        &[
            ("server", Some(json!(server.server))),
            ("tools", non_empty(json!(server.tools), server.tools.is_empty())),
            ("prefix", non_empty(json!(server.prefix), server.prefix.is_empty())),
            ("instructions", non_empty(json!(server.instructions), server.instructions.is_empty())),
            ("sendContext", non_empty(json!(true), !server.send_context)),
            ("policy", policy),
        ],
    )
}

/// The case of a branch: it is named like the result of the condition, or like the value itself.
pub(in crate::pipeline) fn case(condition: Option<&str>, branch: &str) -> Value {
    let literal = match branch {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => text.into(),
    };
    match condition {
        Some(condition) => json!({ "name": branch, "when": format!("({condition}) == {literal}") }),
        None => json!({ "name": branch, "equals": literal }),
    }
}

pub(super) fn retry_policy(retry: &Retry) -> RetryPolicy {
    let Retry { attempts, backoff_ms, max_backoff_ms, jitter } = *retry;
    RetryPolicy { attempts, backoff_ms, max_backoff_ms, jitter, extra: Map::new() }
}

pub(super) fn node(node_type: &str, config: &[(&str, Option<Value>)]) -> Node {
    let config = config.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.clone()?))).collect();
    Node { node_type: node_type.to_owned(), config, ..Node::default() }
}

pub(super) fn text_or_none(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| text.into())
}
