//! The reference server over streamable HTTP.

use std::process::Stdio;
use std::time::Duration;

use plait_llm::tool::ToolHost as _;
use serde_json::json;
use tokio::process::{Child, Command};

use crate::fixture::{Fixture, reference_server};

/// The server at a free port.
async fn start() -> (Child, String) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new("node")
        .args([&reference_server("everything"), "streamableHttp"])
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (child, format!("http://127.0.0.1:{port}/mcp"))
}

#[tokio::test]
async fn everything_over_http_lists_and_answers() {
    let (_child, url) = start().await;
    let fixture = Fixture::new();
    fixture.add("every", json!({ "url": url })).await;
    let details = fixture.servers.connect("every").await.unwrap();
    assert!(!details.resources.is_empty() && !details.prompts.is_empty());
    let result = fixture.call("every", "echo", json!({ "message": "hello" })).await.unwrap();
    assert_eq!(result, json!("Echo: hello"));
}

#[tokio::test]
async fn ended_http_server_fails_with_a_code() {
    let (mut child, url) = start().await;
    let fixture = Fixture::new();
    fixture.add("every", json!({ "url": url })).await;
    let echo = fixture.tool("every", "echo").await;
    child.kill().await.unwrap();
    let call = plait_llm::tool::ToolInvocation::new(echo, json!({ "message": "hello" }));
    let fault = fixture.servers.call(call).await.unwrap_err();
    assert!(["mcp.unreachable", "mcp.ended"].contains(&fault.code.as_str()), "{fault}");
}
