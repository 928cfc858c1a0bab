//! The JSON of other clients, and where its secrets go.

use plait_adapters::tools::mcp::{McpTransport, McpValue};
use plait_llm::tool::ToolHost as _;
use serde_json::{Value, json};

use crate::fixture::{Fixture, test_servers};

async fn add(fixture: &Fixture, document: Value, name: Option<&str>) -> Result<Vec<String>, String> {
    let added = fixture.servers.add(&document.to_string(), name, false).await;
    added.map(|report| report.added).map_err(|fault| fault.code.to_string())
}

#[tokio::test]
async fn documents_of_other_clients_are_read() {
    let fixture = Fixture::new();
    let stdio =
        json!({ "command": "npx", "args": ["-y", "some-server", 5], "disabled": false, "autoApprove": [] });
    let document =
        json!({ "mcpServers": { "a": stdio, "b": { "type": "http", "url": "https://example.com/mcp" } } });
    assert_eq!(add(&fixture, document, None).await.unwrap(), ["a", "b"]);
    assert_eq!(add(&fixture, json!({ "mcp": { "servers": { "c": stdio } } }), None).await.unwrap(), ["c"]);
    assert_eq!(add(&fixture, json!({ "d": stdio }), None).await.unwrap(), ["d"]);
    assert_eq!(add(&fixture, stdio.clone(), Some("e")).await.unwrap(), ["e"]);
    assert_eq!(
        add(&fixture, json!({ "f": { "httpUrl": "https://example.com" } }), Some("g")).await.unwrap(),
        ["g"]
    );
    let listed = fixture.servers.list();
    let names: Vec<_> = listed.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "g"]);
    let McpTransport::Stdio { command, args, .. } = &listed[0].entry.transport else { panic!("a process") };
    assert_eq!((command.as_str(), args[2].as_str()), ("npx", "5"));
}

#[tokio::test]
async fn invalid_documents_are_refused_and_change_nothing() {
    let fixture = Fixture::new();
    for (document, code) in [
        (json!([]), "mcp.entry_invalid"),
        (json!({}), "mcp.entry_invalid"),
        (json!({ "command": "x" }), "mcp.entry_invalid"),
        (json!({ "a": { "args": [] } }), "mcp.entry_invalid"),
        (json!({ "a": { "command": "x", "url": "https://example.com" } }), "mcp.entry_invalid"),
        (json!({ "a": { "command": "" } }), "mcp.entry_invalid"),
        (json!({ "a": { "command": "x", "args": "y" } }), "mcp.entry_invalid"),
        (json!({ "a": { "command": "x", "env": { "A=B": "c" } } }), "mcp.entry_invalid"),
        (json!({ "a": { "url": "file:///etc/passwd" } }), "mcp.entry_invalid"),
        (json!({ "a": { "url": "https://me:pw@example.com" } }), "mcp.entry_invalid"),
        (json!({ "a": { "type": "sse", "url": "https://example.com/sse" } }), "mcp.entry_invalid"),
        (json!({ "a": { "url": "https://example.com", "headers": { "a b": "c" } } }), "mcp.entry_invalid"),
        (json!({ "a:b": { "command": "x" } }), "mcp.entry_invalid"),
        (json!({ "": { "command": "x" } }), "mcp.entry_invalid"),
        (
            json!({ "a": { "command": "x", "args": [format!("--key=ghp_{}", "a1B2".repeat(9))] } }),
            "settings.holds_secret",
        ),
    ] {
        assert_eq!(add(&fixture, document.clone(), None).await.unwrap_err(), code, "{document}");
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(fixture.servers.add(&deep, None, false).await.unwrap_err().code.as_str(), "mcp.entry_invalid");
    assert_eq!(fixture.servers.list(), []);
}

#[tokio::test]
async fn existing_server_is_replaced_only_on_demand() {
    let fixture = Fixture::new();
    let document = json!({ "a": { "command": "x" } });
    add(&fixture, document.clone(), None).await.unwrap();
    assert_eq!(add(&fixture, document.clone(), None).await.unwrap_err(), "mcp.server_exists");
    fixture.servers.add(&document.to_string(), None, true).await.unwrap();
    fixture.servers.remove("a").await.unwrap();
    assert_eq!(fixture.servers.remove("a").await.unwrap_err().code.as_str(), "mcp.unknown_server");
}

#[tokio::test]
async fn secrets_go_to_the_key_store_and_reach_the_server_only() {
    const SECRET: &str = "correct horse battery staple";
    let fixture = Fixture::new();
    let script = test_servers().join("scripted-server.mjs");
    let env = json!({ "API_KEY": SECRET, "OTHER_TOKEN": "${PATH}", "MODE": "fast" });
    let entry = json!({ "command": "node", "args": [script, "leaky"], "env": env });
    let report = fixture.servers.add(&json!({ "s": entry }).to_string(), None, false).await.unwrap();
    assert_eq!(report.secrets, ["s: API_KEY"]);
    let McpTransport::Stdio { env, .. } = &fixture.servers.list()[0].entry.transport else {
        panic!("a process")
    };
    assert_eq!(env["API_KEY"], McpValue::Secret);
    assert_eq!(env["MODE"], McpValue::Text("fast".into()));
    assert_eq!(
        env["OTHER_TOKEN"],
        McpValue::Text("${PATH}".into()),
        "a variable of the environment stays one"
    );

    let received: Value = serde_json::from_str(fixture.act("env").await.unwrap().as_str().unwrap()).unwrap();
    assert_eq!(received["API_KEY"], json!(SECRET));
    fixture.servers.close().await;
    let log = fixture.log("s").await;
    assert!(log.iter().any(|line| line == "key [key of s API_KEY]"), "the log is redacted: {log:?}");
    for file in std::fs::read_dir(fixture.home.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        let holds = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!holds, "{} holds the secret", path.display());
    }
    fixture.servers.remove("s").await.unwrap();
    let gone = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(gone.code.as_str(), "mcp.unknown_server");
}
