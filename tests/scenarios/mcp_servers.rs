//! Runs that use MCP servers: the tools for the model, the requests to the server, and servers that change or die.

use std::path::Path;

use plait_api::mcp::{AddMcpServers, ConnectMcpServer, DisconnectMcpServer, GetMcpLog, ListMcpServers};
use plait_api::mcp_servers::McpServerPhase;
use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow;
use plait_core::flow::Flow;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::{ModelReply, StopReason};
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::provider::{RecordingProvider, SentRequest, text};

/// A chat with the tools of the server `scripted`.
pub(super) fn flow(config: &Value) -> Flow {
    let document = json!({
        "version": 1,
        "name": "With an MCP server",
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "server": { "type": "mcpServer", "config": config },
            "chat": { "type": "chat", "config": { "prompt": "Go." } },
        },
        "edges": {
            "1": { "source": "start", "sourceOutput": "context", "target": "chat", "targetInput": "context" },
            "2": { "source": "server", "sourceOutput": "tools", "target": "chat", "targetInput": "tools" },
        },
    });
    flow::read(&document.to_string()).unwrap()
}

/// Calls `tool` with these arguments, one after the other, then repeats the last result.
pub(super) fn caller(tool: &'static str, arguments: Vec<Value>) -> RecordingProvider {
    RecordingProvider::with_rule(move |sent: &SentRequest, before| {
        let Some(arguments) = arguments.get(before) else { return Ok(text(sent.last_text())) };
        let call = ToolCall { id: format!("c{before}"), name: tool.to_owned(), arguments: arguments.clone() };
        Ok(ModelReply { tool_calls: vec![call], stop_reason: StopReason::ToolCalls, ..ModelReply::default() })
    })
}

/// The application with the scripted server of `tests/mcp`.
pub(super) async fn app(provider: &RecordingProvider, mode: &str, state: &Path) -> App {
    let app = App::with(provider);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp/scripted-server.mjs");
    let entry = json!({ "mcpServers": { "scripted": { "command": "node", "args": [script, mode, state] } } });
    app.plait.call(AddMcpServers { json: entry.to_string(), name: None, replace: false }).await.unwrap();
    app
}

#[tokio::test]
async fn model_is_offered_the_tools_and_gets_their_results() {
    let folder = tempfile::tempdir().unwrap();
    let provider = caller("s_act", vec![json!({ "do": "structured" }), json!({ "do": "fail" })]);
    let app = app(&provider, "good", &folder.path().join("state")).await;
    let listed = app.plait.call(ListMcpServers {}).await.unwrap();
    assert_eq!(listed[0].phase, McpServerPhase::Idle, "adding starts nothing");

    // The server's first answer could have asked for the second call, so the person is asked.
    let approved = PauseResponse::Value(json!({ "approved": true }));
    let journal = app.run(&flow(&json!({ "server": "scripted", "prefix": "s_" })), [approved]).await;
    let sent = provider.sent();
    assert_eq!(sent[0].tools, ["s_act", "s_look"]);
    let results: Vec<&str> = sent[2]
        .messages
        .iter()
        .filter(|(role, _)| *role == Role::Tool)
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(results[0], "{\"temperature\":21}");
    let failed: Value = serde_json::from_str(results[1]).unwrap();
    assert_eq!(failed["code"], json!("mcp.tool_failed"));
    let offered = journal.output("server", "tools");
    assert_eq!(offered[0]["source"], json!("mcp:scripted"));
    assert_eq!(offered[0]["effect"], json!("write"));
    assert_eq!(offered[0]["binding"]["tool"], json!("act"));
    app.close().await;
}

#[tokio::test]
async fn run_goes_on_when_a_server_dies_in_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let provider = caller("act", vec![json!({ "do": "die" }), json!({ "do": "structured" })]);
    let app = app(&provider, "good", &folder.path().join("state")).await;
    let approved = PauseResponse::Value(json!({ "approved": true }));
    app.run(&flow(&json!({ "server": "scripted" })), [approved]).await;
    let sent = provider.sent();
    assert!(sent[1].last_text().contains("mcp.ended"), "{}", sent[1].last_text());
    assert_eq!(sent[2].last_text(), "{\"temperature\":21}", "it was started again");
    let log = app.plait.call(GetMcpLog { name: "scripted".into() }).await.unwrap();
    assert!(log.iter().any(|line| line.text == "about to die"));
    app.close().await;
}

#[tokio::test]
async fn changed_tools_keep_a_flow_from_running() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let provider = caller("act", Vec::new());
    let app = app(&provider, "changing", &state).await;
    let name = "scripted".to_owned();
    app.plait.call(ConnectMcpServer { name: name.clone() }).await.unwrap();
    app.plait.call(DisconnectMcpServer { name }).await.unwrap();
    std::fs::write(&state, "And follow me.").unwrap();
    let journal = app.run(&flow(&json!({ "server": "scripted" })), [""; 0]).await;
    assert_eq!(journal.fault("server"), "mcp.tools_changed");
    assert_eq!(provider.sent().len(), 0, "no model saw the new description");
    app.close().await;
}

#[tokio::test]
async fn unknown_server_keeps_a_run_from_starting() {
    let provider = caller("act", Vec::new());
    let app = App::with(&provider);
    let request = RunRequest { flow: flow(&json!({ "server": "nobody" })), ..RunRequest::default() };
    let refused = app.plait.call(StartRun(request)).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "flow.invalid");
    assert_eq!(refused.details["diagnostics"][0]["code"], "mcp.unknown_server", "{refused:?}");
    app.close().await;
}
