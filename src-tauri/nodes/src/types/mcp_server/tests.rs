use serde_json::{Value, json};

use crate::testing::NodeHarness;
use plait_journal::{Event, NodeEvent};

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
fn start_of_a_slow_server_is_shown() {
    let run = NodeHarness::new().run("mcpServer", json!({ "server": "slow" }), &[]);
    assert_eq!(run.output("names"), Some(&json!(["read_file", "write_file"])));
    let shown: Vec<_> = run
        .shown
        .iter()
        .filter_map(|event| match event {
            Event::Node(_, NodeEvent::Progressed { progress }) => progress.message.clone(),
            _ => None,
        })
        .collect();
    let after = |seconds| format!("Waiting for the MCP server `slow` to start ({seconds} s)");
    assert_eq!(shown, [after(2), after(4)]);
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
