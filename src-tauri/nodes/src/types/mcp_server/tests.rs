use serde_json::{Value, json};

use crate::testing::NodeHarness;

fn offered(config: Value) -> Vec<Value> {
    let run = NodeHarness::new().run("mcpServer", config, &[]);
    run.output("tools").and_then(Value::as_array).expect("tools").clone()
}

#[test]
fn server_offers_all_its_tools_with_their_binding_and_effect() {
    let tools = offered(json!({ "server": " files " }));
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["read_file", "write_file"]);
    assert_eq!(tools[1]["source"], json!("mcp:files"));
    assert_eq!(tools[1]["effect"], json!("write"));
    assert_eq!(tools[1]["binding"], json!({ "tool": "write_file" }), "the context is not sent");
}

#[test]
fn config_selects_and_configures_tools() {
    let tools = offered(json!({
        "server": "files",
        "tools": ["write_file", "write_file"],
        "prefix": "my_",
        "instructions": { "write_file": "Ask first." },
        "sendContext": true,
        "policy": { "timeoutMs": 5, "approval": true },
    }));
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], json!("my_write_file"));
    assert_eq!(tools[0]["instructions"], json!("Ask first."));
    assert_eq!(tools[0]["binding"], json!({ "tool": "write_file", "sendContext": true }));
    assert_eq!(tools[0]["policy"], json!({ "timeoutMs": 5, "approval": true }));
}

#[test]
fn unknown_servers_and_tools_fail() {
    let run = |config| NodeHarness::new().run("mcpServer", config, &[]);
    assert_eq!(run(json!({ "server": " " })).code(), "config.incomplete");
    assert_eq!(run(json!({ "server": "other" })).code(), "mcp.unknown_server");
    assert_eq!(run(json!({ "server": "files", "tools": ["delete"] })).code(), "tools.unknown");
    assert_eq!(
        run(json!({ "server": "files", "instructions": { "delete": "Never." } })).code(),
        "tools.unknown"
    );
}
