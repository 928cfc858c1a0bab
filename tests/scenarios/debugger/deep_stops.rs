//! Stops in a round of tool calls, in items side by side, in a sub-flow of a sub-flow, in a chat cycle: each place is stopped at once, the
//! process that drives the run is killed at each stop, and the run comes to what it comes to without stops.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};

const TIMEOUT: Duration = Duration::from_mins(1);

fn start() -> Value {
    json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } })
}

fn subflow(file: &str) -> Value {
    json!({ "type": "subflow", "config": { "file": file, "inputSource": "nodeOutput" } })
}

/// A chat that is asked twice, with what a sub-flow makes of its first reply.
fn cycle() -> Value {
    let cases = json!([{ "name": "good", "when": "value.contains(\"again\")" }]);
    let nodes = json!({
        "start": start(),
        "topic": { "type": "value", "config": { "value": "tea" } },
        "draft": {
            "type": "chat",
            "config": { "prompt": "draft {{topic}}{{#if remark}} again{{/if}}" },
            "limits": { "maxEpochs": 3 },
        },
        "sub": subflow("items.flow.json"),
        "verdict": { "type": "switch", "config": { "cases": cases } },
        "out": { "type": "output" },
    });
    let edges = [
        "start.context -> draft.context",
        "topic.value -> draft.topic",
        "draft.response -> sub.value",
        "sub.text -> verdict.value",
        "verdict.default -> draft.remark",
        "verdict.good -> out.value",
    ];
    flow_json("cycle", nodes, &edges)
}

/// Three items at once, each with a sub-flow.
fn items() -> Value {
    let mut leaf = subflow("leaf.flow.json");
    leaf["parent"] = json!("each");
    let nodes = json!({
        "text": { "type": "manualInput" },
        "list": { "type": "value", "config": { "value": ["a", "b", "c"] } },
        "each": { "type": "loop", "config": { "kind": "forEach", "concurrency": 3 } },
        "line": { "type": "text", "parent": "each", "config": { "template": "{{item}} of {{text}}" } },
        "leaf": leaf,
        "all": { "type": "output" },
    });
    let edges = [
        "list.value -> each.items",
        "each.item -> line.item",
        "text.value -> line.text",
        "line.text -> leaf.value",
        "leaf.text -> each.next",
        "each.results -> all.value",
    ];
    flow_json("items", nodes, &edges)
}

/// A chat that calls a tool.
fn leaf() -> Value {
    let nodes = json!({
        "text": { "type": "manualInput" },
        "start": start(),
        "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
        "ask": { "type": "chat", "config": { "prompt": "ask {{text}}" } },
        "said": { "type": "output" },
    });
    let edges = [
        "text.value -> ask.text",
        "start.context -> ask.context",
        "tools.tools -> ask.tools",
        "ask.response -> said.value",
    ];
    flow_json("leaf", nodes, &edges)
}

/// A server that says what it was asked, after calling the tool that it is offered.
async fn server() -> ModelServer {
    ModelServer::start(|request, _| {
        let messages = request["messages"].as_array().unwrap();
        let asked = messages.iter().rfind(|message| message["role"] == "user").unwrap();
        if request["tools"].is_array() && messages.last().unwrap()["role"] == "user" {
            return ServerReply::Tool {
                name: "calculator".to_owned(),
                arguments: json!({ "expression": "1 + 1" }),
            };
        }
        ServerReply::Text(format!("<{}>", asked["content"].as_str().unwrap()))
    })
    .await
}

/// How often each message history was sent, without the numbers that the server gives to tool calls.
fn bought(calls: &[Value]) -> BTreeMap<String, usize> {
    let mut bought = BTreeMap::new();
    for call in calls {
        let texts = call["messages"].as_array().unwrap().iter();
        let texts: Vec<String> = texts.map(|message| message["content"].to_string()).collect();
        *bought.entry(texts.join("|")).or_default() += 1;
    }
    bought
}

/// A process that has the data directory open and drives the runs of other commands, until it is killed.
struct Driver(std::process::Child);

impl Driver {
    fn start(home: &Home, file: &str) -> Self {
        let child = home.spawn(&["run", file, "--json"]);
        let begun = Instant::now();
        while !home.path().join("owner/owner.sock").exists() {
            assert!(begun.elapsed() < TIMEOUT, "it serves");
            std::thread::sleep(Duration::from_millis(10));
        }
        Self(child)
    }

    /// Kills it with what it drives.
    fn kill(mut self, home: &Home) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        // What a killed process leaves is replaced by the next one.
        std::fs::remove_file(home.path().join("owner/owner.sock")).unwrap();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Where a stopped run stands, by the newest stop: the node, the iteration, the side and the call.
fn place(home: &Home, run: &str) -> String {
    let stops = home.plait(&["debug", run, "stops", "--json"]);
    let stops: Value = serde_json::from_str(&stops.out).unwrap_or_else(|error| panic!("{error}: {stops:#?}"));
    assert_eq!(stops.as_array().unwrap().len(), 1, "{stops:#}");
    format!("{} {}", stops[0]["run"], stops[0]["stop"]["at"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_place_of_parallel_sub_flows_is_stopped_at_once_although_the_process_is_killed_at_each() {
    let server = server().await;
    let wait = json!({
        "go": { "type": "value", "config": { "value": 1 } },
        "wait": { "type": "delay", "config": { "ms": 600_000 } },
    });
    let folder = FlowFolder::with_files(&[
        ("cycle.flow.json", &cycle()),
        ("items.flow.json", &items()),
        ("leaf.flow.json", &leaf()),
        ("wait.flow.json", &flow_json("wait", wait, &["go.value -> wait.in"])),
    ]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let (file, driving) = (folder.file("cycle.flow.json"), folder.file("wait.flow.json"));
    let plain = home.plait(&["run", &file]);
    assert_eq!(plain.code, 0, "{plain:#?}");
    let expected = bought(&server.calls());
    let calls = server.calls().len();
    assert_eq!(calls, 2 + 2 * 3 * 2);

    let mut places = Vec::new();
    let mut driver = Driver::start(&home, &driving);
    let mut output: CliOutput =
        home.plait(&["run", &file, "--break", "draft", "--break", "sub/leaf/ask:call", "--json"]);
    let run = output.events()[0]["run"].as_str().unwrap().to_owned();
    while output.code == 4 {
        places.push(place(&home, &run));
        assert!(places.len() < 30, "{places:#?}");
        driver.kill(&home);
        driver = Driver::start(&home, &driving);
        assert_eq!(place(&home, &run), *places.last().unwrap(), "the same stop");
        output = home.plait(&["resume", &run, "--json"]);
    }
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{output:#?}");
    assert_eq!(output.events().last().unwrap()["outputs"]["out"]["value"], plain.out.trim());
    // Twice the chat of the cycle; in each of the six sub-flows a call, a tool and a call.
    assert_eq!(places.len(), 2 + 6 * 3, "{places:#?}");
    let mut once = places.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), places.len(), "no place is stopped at twice: {places:#?}");
    assert_eq!(bought(&server.calls()[calls..]), expected, "each reply is paid once");
    driver.kill(&home);
}
