//! Breakpoints on edges and on what happens to an activation, through the binary: where a run stops, that it goes on, and that recorded
//! runs are asked the same.

use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer};
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};
use crate::untrusted_arguments::{flow as injected, obedient_model};

/// Two texts that come together, and a chat about them.
fn flow() -> Value {
    flow_json(
        "together",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "left": { "type": "value", "config": { "value": "tea" } },
            "right": { "type": "value", "config": { "value": "cake" } },
            "both": { "type": "text", "config": { "template": "{{left}} and {{right}}" } },
            "chat": { "type": "chat", "retry": { "maxAttempts": 2, "baseDelayMs": 1 } },
            "done": { "type": "output" },
        }),
        &[
            "left.value -> both.left",
            "right.value -> both.right",
            "start.context -> chat.context",
            "both.text -> chat.message",
            "chat.response -> done.value",
        ],
    )
}

/// A server whose first reply fails if `fails`.
async fn server(fails: bool) -> ModelServer {
    ModelServer::start(move |_, call| match call {
        0 if fails => ServerReply::Status(500, json!({ "error": { "message": "busy" } })),
        _ => ServerReply::Text("Fine.".to_owned()),
    })
    .await
}

/// Where the runs stop with this breakpoint: the node and the side. Each goes on to its end.
fn stops(home: &Home, file: &str, breakpoint: &str) -> Vec<(String, String)> {
    let mut stops = Vec::new();
    let mut output = home.plait(&["run", file, "--break", breakpoint, "--json"]);
    while output.code == 4 {
        let events = output.events();
        let stopped = events.iter().rfind(|event| event["type"] == "debug.stopped").unwrap();
        let part = |name: &str| stopped["point"][name].as_str().unwrap_or("before").to_owned();
        stops.push((part("node"), part("side")));
        assert!(stops.len() < 10, "{breakpoint}: {stops:?}");
        output = home.plait(&["resume", "last", "--json"]);
    }
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{breakpoint}: {output:#?}");
    stops
}

/// How often the recorded runs would have stopped with this breakpoint.
fn asked(home: &Home, breakpoint: &str) -> u64 {
    let found = home.plait(&["runs", "find", "--node", breakpoint, "--json"]);
    let found: Value = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{found:#?}"));
    found["stops"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_stops_where_something_happens_and_goes_on() {
    let server = server(false).await;
    let folder = FlowFolder::with_files(&[("together.flow.json", &flow())]);
    let file = folder.file("together.flow.json");
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    for (breakpoint, node, side) in [
        ("left.value->both.left", "both", "before"),
        ("both:before:data", "both", "before"),
        ("chat:before:context", "chat", "before"),
        ("event:changed=main", "chat", "after"),
        ("event:spent=0.0000001", "chat", "after"),
    ] {
        // Once, and nowhere else.
        assert_eq!(stops(&home, &file, breakpoint), [(node.to_owned(), side.to_owned())], "{breakpoint}");
    }
    assert_eq!(server.calls().len(), 5, "a stop buys nothing");
    assert_eq!(stops(&home, &file, "event:retried"), [], "nothing is retried");
    assert_eq!(stops(&home, &file, "event:spent=5"), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_of_the_memory_stops_the_run_once() {
    let nodes = json!({
        "fact": { "type": "value", "config": { "value": "Lives in Kiel." } },
        "learn": { "type": "remember" },
        "find": { "type": "recall" },
    });
    let flow = flow_json("learning", nodes, &["fact.value -> learn.value", "fact.value -> find.query"]);
    let folder = FlowFolder::with_files(&[("learning.flow.json", &flow)]);
    let home = Home::default();
    let file = folder.file("learning.flow.json");
    assert_eq!(stops(&home, &file, "event:memory"), [("learn".to_owned(), "after".to_owned())]);
    assert_eq!(asked(&home, "event:memory"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_that_is_trimmed_stops_the_run() {
    let server = ModelServer::start(|_, _| ServerReply::Text("so and so ".repeat(100))).await;
    let narrow = json!({ "prompt": "What is two?", "contextWindow": 200, "maxTokens": 20 });
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
        "one": { "type": "chat", "config": { "prompt": "What is one?" } },
        "two": { "type": "chat", "config": narrow },
    });
    let flow = flow_json("short", nodes, &["start.context -> one.context", "one.context -> two.context"]);
    let folder = FlowFolder::with_files(&[("short.flow.json", &flow)]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("short.flow.json");
    assert_eq!(stops(&home, &file, "event:trimmed"), [("two".to_owned(), "after".to_owned())]);
    assert_eq!(asked(&home, "event:trimmed"), 1);
    assert_eq!(server.calls().len(), 2);
}

/// A page that a model obeys: its second reply sends what the page wants.
#[tokio::test(flavor = "multi_thread")]
async fn text_of_a_page_stops_the_run_before_it_is_sent() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let path = machine.write("injected.flow.json", &injected(&web).to_string());
    let allowed = format!("host=127.0.0.1:{}+untrusted", web.port);
    for (event, lines) in [("untrusted", 1), ("granted", 0)] {
        let model = obedient_model(&machine).await;
        let seen = web.lines().len();
        let stopped = machine.plait(&[
            "run",
            &path,
            "--json",
            "--allow",
            &allowed,
            "--break",
            &format!("event:{event}"),
        ]);
        assert_eq!(stopped.code, 4, "{event}: {stopped:#?}");
        assert_eq!(web.lines().len() - seen, lines, "{event}: nothing is sent that is held");
        let events = stopped.events();
        let stop = events.iter().rfind(|event| event["type"] == "debug.stopped").unwrap();
        assert_eq!(stop["point"]["side"], "call", "{stop}");
        let done = machine.plait(&["resume", "last", "--json"]);
        assert_eq!((done.code, web.lines().len() - seen), (0, 2), "{event}: {done:#?}");
        drop(model);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempt_that_is_retried_stops_the_run() {
    let server = server(true).await;
    let folder = FlowFolder::with_files(&[("together.flow.json", &flow())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let found = stops(&home, &folder.file("together.flow.json"), "chat:event:retried");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "chat");
    assert_eq!(server.calls().len(), 2);
    let asked = home.plait(&["runs", "find", "--node", "event:retried", "--json"]);
    let asked: Value = serde_json::from_str(&asked.out).unwrap_or_else(|error| panic!("{error}: {asked:#?}"));
    assert_eq!((&asked["stoppedRuns"], &asked["stops"]), (&json!(1), &json!(1)), "{asked:#}");
}

#[test]
fn breakpoints_that_can_never_hold_are_refused() {
    let inner = flow_json("inner", json!({ "in": { "type": "manualInput" } }), &[]);
    let outer = flow_json(
        "outer",
        json!({
            "text": { "type": "value", "config": { "value": "tea" } },
            "child": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "nodeOutput" } },
        }),
        &["text.value -> child.value"],
    );
    let folder = FlowFolder::with_files(&[("outer.flow.json", &outer), ("inner.flow.json", &inner)]);
    let home = Home::default();
    for (breakpoint, code, says) in [
        ("child/inn", "debug.unknown_node", "`in`"),
        ("chidl/in", "debug.unknown_node", "`child`"),
        ("text/in", "debug.bad_breakpoint", "`text`"),
        ("text:call", "debug.bad_breakpoint", "calls"),
        ("text.value->child.nosuch", "debug.bad_breakpoint", "nosuch"),
        ("event:nosuch", "invalid value", "nosuch"),
    ] {
        let refused = home.plait(&["run", &folder.file("outer.flow.json"), "--break", breakpoint]);
        assert_eq!(refused.code, 2, "{breakpoint}: {refused:#?}");
        assert!(refused.err.contains(code) && refused.err.contains(says), "{breakpoint}: {}", refused.err);
    }
    let there = home.plait(&["run", &folder.file("outer.flow.json"), "--break", "child/in", "--json"]);
    assert_eq!(there.code, 4, "{there:#?}");
}
