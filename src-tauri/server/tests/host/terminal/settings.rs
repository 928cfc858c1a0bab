//! What a host has besides runs: settings, grants, knowledge, memories, people. Keys stay where they are.

use serde_json::{Value, json};

use super::Terminal;
use crate::process::{Data, ask_flow, edge};

/// A flow that asks a server over HTTP.
fn fetching_flow() -> Value {
    json!({
        "version": 1, "name": "Fetch", "layout": {},
        "nodes": {
            "fetch": { "type": "httpRequest", "config": { "url": "https://api.example.com/state" } },
            "out": { "type": "output" },
        },
        "edges": { "a": edge("fetch", "body", "out", "value") },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_people_and_knowledge_are_the_hosts() {
    let (data, flows) = (Data::new(), tempfile::tempdir().unwrap());
    std::fs::write(flows.path().join("handbook.md"), "Trains are booked a week ahead.").unwrap();
    let host = data.serve_with(&["--flows", flows.path().to_str().unwrap()]);
    let terminal = Terminal::of(&data, &host, "admin");
    for (args, code, expected) in [
        (&["config", "set", "retry.attempts", "7"][..], 0, "7"),
        (&["config", "get", "retry.attempts"], 0, "7"),
        (&["users", "add", "ada"], 0, ""),
        (&["users", "list"], 0, "ada"),
        (&["memory", "add", "Ada likes trains."], 0, ""),
        (&["memory", "list"], 0, "Ada likes trains."),
        (&["knowledge", "add", "handbook", "handbook.md"], 0, ""),
        (&["knowledge", "search", "trains"], 0, "booked a week ahead"),
        (&["knowledge", "list"], 0, "handbook"),
        (&["knowledge", "add", "other", "../settings.json"], 1, "host.path"),
        (&["providers", "add", "mine", "--kind", "openai-chat", "--url", "http://127.0.0.1:9"], 0, ""),
        (&["providers", "list"], 0, "mine"),
        (&["models", "set", "mine/m", "--window", "1000"], 0, ""),
        (&["models", "list"], 0, "mine/m"),
        (&["tools", "hosts", "add", "localhost:8080"], 0, ""),
        (&["tools", "hosts", "list"], 0, "localhost:8080"),
        (&["redaction", "list"], 0, ""),
        (&["mcp", "list"], 0, ""),
        (&["proposals", "list"], 0, ""),
        (&["usage"], 0, ""),
        (&["conversations", "list"], 0, ""),
        (&["keys", "list"], 2, "usage.host"),
        (&["mcp", "serve"], 2, "usage.host"),
        (&["doctor"], 2, "usage.host"),
    ] {
        let (found, out, error) = terminal.on_host(args);
        assert_eq!(found, code, "{args:?}: {out}{error}");
        assert!(format!("{out}{error}").contains(expected), "{args:?}: {out}{error}");
    }
    // Nothing of it is in the data directory of the terminal.
    for (args, absent) in [
        (&["config", "get", "retry.attempts"][..], "7"),
        (&["users", "list"], "ada"),
        (&["memory", "list"], "trains"),
        (&["knowledge", "list"], "handbook"),
        (&["providers", "list"], "mine"),
    ] {
        let output = terminal.command(args).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && !out.contains(absent), "{args:?}: {out}");
    }
    let editor = Terminal::of(&data, &host, "editor");
    let (code, _, error) = editor.on_host(&["config", "set", "retry.attempts", "8"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("host.forbidden"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_host_lacks_for_a_flow_is_shown_and_granted() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "admin");
    terminal.write("fetch.flow.json", &fetching_flow());
    let undecided = "Not decided on the host: host=api.example.com";
    let (code, out, error) = terminal.on_host(&["check", "fetch.flow.json"]);
    assert_eq!((code, error.contains(undecided)), (0, true), "{out}{error}");
    assert_eq!(terminal.on_host(&["publish", "fetch.flow.json"]).0, 0);
    let (code, out, error) = terminal.on_host(&["grants", "list", "fetch"]);
    assert_eq!((code, out.contains("not decided")), (0, true), "{out}{error}");
    let (code, out, error) = terminal.on_host(&["grants", "allow", "fetch", "host=api.example.com"]);
    assert_eq!(code, 0, "{out}{error}");
    let (_, out, error) = terminal.on_host(&["check", "fetch.flow.json"]);
    assert!(!error.contains(undecided), "{out}{error}");
    let (code, _, error) = terminal.on_host(&["grants", "revoke", "fetch", "--all"]);
    assert_eq!(code, 0, "{error}");
    let (_, out, error) = terminal.on_host(&["check", "fetch.flow.json"]);
    assert!(error.contains(undecided), "{out}{error}");
    // A provider that the terminal knows, and the host does not.
    let added = ["providers", "add", "mine", "--kind", "openai-chat", "--url", "http://127.0.0.1:9"];
    assert!(terminal.command(&added).output().unwrap().status.success());
    let flow = json!({
        "version": 1, "name": "Chat", "layout": {},
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "mine", "model": "m" } },
            "chat": { "type": "chat", "config": { "prompt": "Hi" } },
        },
        "edges": { "a": edge("start", "context", "chat", "context") },
    });
    terminal.write("chat.flow.json", &flow);
    let (_, out, error) = terminal.on_host(&["check", "chat.flow.json"]);
    assert!(format!("{out}{error}").contains("mine"), "{out}{error}");
    let here = terminal.command(&["check", "chat.flow.json"]).output().unwrap();
    assert!(String::from_utf8(here.stderr).unwrap().contains("No problems found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_name_the_host() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "editor");
    terminal.write("ask.flow.json", &ask_flow());
    assert_eq!(terminal.on_host(&["publish", "ask.flow.json"]).0, 0);
    let (code, _, error) = terminal.on_host(&["run", "ask"]);
    assert_eq!(code, 3, "{error}");
    let (hint, last) = error.split_once("help: ").unwrap();
    assert!(hint.contains("Who?"), "{error}");
    let command = last.split(" --answer ").next().unwrap();
    assert!(command.starts_with("plait --host team resume "), "{error}");
    // What it says works.
    let args: Vec<&str> = command.split(' ').skip(3).chain(["--answer", "Ann"]).collect();
    let (code, out, error) = terminal.on_host(&args);
    assert_eq!((code, out.trim()), (0, "Ann"), "{error}");
    let (code, _, error) = terminal.on_host(&["debug", "last", "continue"]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("`plait --host team rerun "), "{error}");
}
