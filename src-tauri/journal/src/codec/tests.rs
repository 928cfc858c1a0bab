use serde_json::{Value, json};

use crate::{ChildEvent, Entry, Event, LoopEvent, NodeEvent, RunEvent};
use plait_core::id::{Activation, Epoch};

fn activation() -> Activation {
    Activation { node: "chat".into(), epoch: Epoch::from(&[2, 0][..]) }
}

fn entry(event: Event) -> Entry {
    Entry { seq: Some(7), at: 1_700, event, interrupted_ms: 0 }
}

#[test]
fn entry_is_one_flat_object() {
    let started = entry(Event::Node(activation(), NodeEvent::Started { attempt: 1 }));
    let line = r#"{"seq":7,"at":1700,"type":"node.started","node":"chat","epoch":[2,0],"attempt":1}"#;
    assert_eq!(serde_json::to_string(&started).unwrap(), line);
    assert_eq!(serde_json::from_str::<Entry>(line).unwrap(), started);
}

#[test]
fn every_group_survives_a_round_trip() {
    let failed = json!({
        "seq": 3, "at": 5, "type": "run.failed", "node": "chat", "epoch": [1],
        "error": { "code": "node.timeout", "message": "It took too long." }, "outputs": {},
    });
    let lines = [
        json!({ "seq": 0, "at": 5, "type": "run.cancelling" }),
        json!({ "seq": 1, "at": 5, "type": "loop.iteration", "node": "chat", "epoch": [1] }),
        json!({ "seq": 2, "at": 5, "type": "run.paused", "node": "chat", "epoch": [], "prompt": "?", "schema": {} }),
        failed,
        json!({ "seq": 4, "at": 5, "type": "turn.started", "node": "chat", "epoch": [], "contextId": "main" }),
        json!({ "seq": 9, "at": 5, "type": "iteration.started", "node": "loop", "epoch": [1] }),
        json!({ "seq": 10, "at": 5, "type": "iteration.finished", "node": "loop", "epoch": [1], "exit": true }),
        json!({
            "seq": 12, "at": 5, "type": "history.pinned", "node": "loop", "epoch": [1],
            "turn": "ask#1.0/turn", "pinned": true,
        }),
        json!({
            "seq": 13, "at": 5, "type": "history.appended", "node": "loop", "epoch": [], "turns": [], "pinned": ["a/1"],
        }),
        json!({
            "seq": 11, "at": 5, "type": "context.merged", "node": "loop", "epoch": [],
            "activations": [{ "node": "chat", "epoch": [1] }],
        }),
        json!({
            "seq": 14, "at": 5, "type": "debug.breakpoints",
            "breakpoints": [{ "id": "1", "path": ["review"], "node": "chat", "side": "after", "when": "tokens > 9" }],
        }),
        json!({
            "seq": 15, "at": 5, "type": "debug.stopped", "cause": { "kind": "breakpoint", "id": "1" },
            "point": { "node": "chat", "epoch": [1], "attempt": 1, "side": "call", "call": "model call 1" },
            "values": { "message": "Hi" },
        }),
        json!({
            "seq": 18, "at": 5, "type": "debug.stopped", "cause": { "kind": "pause" }, "scope": "branch",
            "point": { "node": "chat", "epoch": [1], "attempt": 1, "side": "before" },
        }),
        json!({ "seq": 16, "at": 5, "type": "debug.continued", "verb": "over" }),
        json!({
            "seq": 19, "at": 5, "type": "trial.made", "node": "chat", "was": {}, "config": { "prompt": "Hi" },
            "begun": [{ "epoch": [1], "attempt": 1 }],
        }),
        json!({ "seq": 20, "at": 5, "type": "trial.dropped", "node": "chat" }),
        json!({
            "seq": 17, "at": 5, "type": "value.overridden", "port": "response", "was": "Hi", "value": { "n": 1 },
            "point": { "node": "chat", "epoch": [1], "attempt": 1, "side": "after" },
        }),
        json!({ "seq": 5, "at": 5, "type": "child.started", "node": "chat", "epoch": [], "run": "r" }),
        json!({ "seq": 6, "at": 5, "type": "input.provided", "node": "chat", "epoch": [], "answer": "end" }),
        json!({
            "seq": 7, "at": 5, "type": "tool.finished", "node": "chat", "epoch": [],
            "step": 0, "callId": "c", "result": [1],
        }),
        json!({ "at": 5, "type": "node.delta", "node": "chat", "epoch": [], "text": "Hi" }),
        json!({
            "seq": 8, "at": 5, "type": "memory.appended", "node": "chat", "epoch": [], "change": { "turns": [] },
        }),
        json!({
            "seq": 9, "at": 5, "type": "memory.recalled", "node": "chat", "epoch": [],
            "recall": { "query": "trains", "limit": 8, "memories": [], "more": 0 },
        }),
        json!({ "seq": 10, "at": 5, "type": "memory.remembered", "node": "chat", "epoch": [], "memories": [] }),
        json!({
            "seq": 11, "at": 5, "type": "knowledge.retrieved", "node": "chat", "epoch": [],
            "retrieval": { "query": "trains", "maxTokens": 100, "used": [] },
        }),
    ];
    for line in lines {
        let entry: Entry = serde_json::from_value(line.clone()).unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), line);
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
    }
}

#[test]
fn reader_accepts_any_order_of_keys_and_ignores_unknown_ones() {
    let expected = entry(Event::Child(activation(), ChildEvent::Started { run: "r".into() }));
    let sorted =
        r#"{"at":1700,"epoch":[2,0],"new":{"a":[1]},"node":"chat","run":"r","seq":7,"type":"child.started"}"#;
    assert_eq!(serde_json::from_str::<Entry>(sorted).unwrap(), expected);
    let type_first =
        r#"{"type":"child.started","run":"r","new":null,"epoch":[2,0],"node":"chat","at":1700,"seq":7}"#;
    assert_eq!(serde_json::from_str::<Entry>(type_first).unwrap(), expected);
}

#[test]
fn reader_says_what_is_wrong() {
    let wrong = |line: Value| serde_json::from_str::<Entry>(&line.to_string()).unwrap_err().to_string();
    let unknown = wrong(json!({ "at": 1, "type": "node.exploded", "node": "a", "epoch": [] }));
    assert!(unknown.contains("node.exploded") && unknown.contains("node.started"), "{unknown}");
    let unknown = wrong(json!({ "at": 1, "type": "grant.given" }));
    assert!(unknown.contains("unknown event type `grant.given`"), "{unknown}");
    let missing = wrong(json!({ "at": 1, "type": "node.started", "epoch": [], "attempt": 1 }));
    assert!(missing.contains("missing field `node`"), "{missing}");
    let missing = wrong(json!({ "at": 1, "node": "a" }));
    assert!(missing.contains("missing field `type`"), "{missing}");
    let missing = wrong(json!({ "type": "run.cancelling" }));
    assert!(missing.contains("missing field `at`"), "{missing}");
}

#[test]
fn only_the_end_of_the_run_is_terminal() {
    let read = |line: Value| serde_json::from_value::<Event>(line).unwrap();
    for (line, terminal) in [
        (json!({ "type": "run.finished", "outputs": {} }), true),
        (json!({ "type": "run.cancelled", "outputs": {} }), true),
        (json!({ "type": "run.waiting", "on": [] }), false),
        (json!({ "type": "run.cancelling" }), false),
    ] {
        assert_eq!(read(line.clone()).is_terminal(), terminal, "{line}");
        assert_eq!(read(line).activation(), None);
    }
    assert_eq!(Event::Loop(activation(), LoopEvent::Iteration).activation(), None);
    assert_eq!(Event::Run(RunEvent::Canceling).activation(), None);
    let started = Event::Node(activation(), NodeEvent::Started { attempt: 1 });
    assert_eq!(started.activation(), Some(&activation()));
}

/// A type that is written and not known to the reader would make its journal unreadable.
#[test]
fn reader_knows_every_type_of_event() {
    let shape = <Event as ts_rs::TS>::inline(&ts_rs::Config::default());
    let names: Vec<&str> = shape
        .split("\"type\": \"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name))
        .collect();
    assert!(names.contains(&"node.started") && names.contains(&"iteration.finished"), "{names:?}");
    for name in names {
        let read = serde_json::from_value::<Event>(json!({ "type": name }));
        let problem = read.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(!problem.contains("unknown event type"), "{problem}");
    }
}
