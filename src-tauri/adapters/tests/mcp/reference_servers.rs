//! The reference servers from npm over standard input and output.

use std::sync::Arc;

use parking_lot::Mutex;
use plait_llm::tool::{ToolHost as _, ToolInvocation};
use serde_json::json;

use crate::fixture::{Fixture, reference_server};

#[tokio::test]
async fn everything_lists_tools_resources_and_prompts_and_answers() {
    let fixture = Fixture::new();
    fixture
        .add("every", json!({ "command": "node", "args": [reference_server("everything"), "stdio"] }))
        .await;
    let details = fixture.servers.connect("every").await.unwrap();
    assert!(details.tools.iter().any(|tool| tool.name == "echo"), "{:?}", details.tools);
    assert!(!details.resources.is_empty() && !details.prompts.is_empty());
    assert!(details.tools.iter().all(|tool| tool.problem.is_none()), "{:?}", details.tools);
    let result = fixture.call("every", "echo", json!({ "message": "hello" })).await.unwrap();
    assert_eq!(result, json!("Echo: hello"));
    let template = details.resources.iter().find(|resource| !resource.is_template).unwrap();
    let content = fixture.servers.read_resource("every", &template.uri).await.unwrap();
    assert!(content.contents[0].is_object());
    fixture.servers.close().await;
}

#[tokio::test]
async fn everything_reports_progress_of_a_long_operation() {
    let fixture = Fixture::new();
    fixture
        .add("every", json!({ "command": "node", "args": [reference_server("everything"), "stdio"] }))
        .await;
    let tools = fixture.tools("every").await;
    let tool = tools.into_iter().find(|tool| tool.name.contains("long-running")).expect("a long operation");
    let seen = Arc::new(Mutex::new(0));
    let sink = Arc::clone(&seen);
    let mut call = ToolInvocation::new(tool, json!({ "duration": 1, "steps": 4 }));
    call.progress = Arc::new(move |_| *sink.lock() += 1);
    fixture.servers.call(call).await.unwrap();
    assert!(*seen.lock() >= 2, "{}", seen.lock());
}

#[tokio::test]
async fn filesystem_reads_what_it_may_and_refuses_the_rest() {
    let fixture = Fixture::new();
    let folder = tempfile::TempDir::new().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::write(folder.join("note.txt"), "Buy milk.").unwrap();
    fixture
        .add("files", json!({ "command": "node", "args": [reference_server("filesystem"), folder] }))
        .await;
    let read =
        async |path: &std::path::Path| fixture.call("files", "read_text_file", json!({ "path": path })).await;
    let result = read(&folder.join("note.txt")).await.unwrap();
    assert!(result.to_string().contains("Buy milk."), "{result}");
    let fault = read(std::path::Path::new("/etc/hostname")).await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.tool_failed", "{fault}");
}

#[tokio::test]
async fn memory_keeps_its_entities_over_a_restart() {
    let fixture = Fixture::new();
    let file = fixture.home.path().join("memory.jsonl");
    let entry = json!({ "command": "node", "args": [reference_server("memory")], "env": { "MEMORY_FILE_PATH": file } });
    fixture.add("memory", entry).await;
    let ada = json!({ "name": "Ada", "entityType": "person", "observations": ["likes tea"] });
    fixture.call("memory", "create_entities", json!({ "entities": [ada] })).await.unwrap();
    fixture.servers.disconnect("memory").await.unwrap();
    let graph = fixture.call("memory", "read_graph", json!({})).await.unwrap();
    assert!(graph.to_string().contains("likes tea"), "{graph}");
}
