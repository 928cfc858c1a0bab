//! Quotas of loops: the parts that open iterations and branches get, and what they return.

use serde_json::{Value, json};

use super::quotas::{end, play, reply, sent, used};
use super::{Driver, Stage};

#[test]
fn parts_of_open_iterations_count_once_after_a_restart() {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": ["a", "b"] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
        "start": { "type": "newContext", "parent": "l" },
        "x": { "type": "chat", "parent": "l", "config": { "maxTokens": 50 } },
        "ask": { "type": "userInput", "parent": "l" },
        "y": { "type": "chat", "parent": "l", "config": { "maxTokens": 50 } },
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> x.message",
        "start.context -> x.context",
        "x.response -> ask.in",
        "ask.message -> y.message",
        "start.context -> y.context",
        "y.response -> l.next",
    ]);
    // Each of the two iterations gets 200, and uses 60 with each of its calls.
    let settings = json!({ "quotas": { "run": { "tokens": 400 } } });
    let stage = Stage::new();
    stage.provider.push_replies((0..4).map(|_| reply("Yes.", 40, 20)));
    stage.play(&nodes, &edges, &settings);
    let setup = stage.setup(&nodes, &edges, &settings, None);
    let (driver, handle) = Driver::resume(setup, &stage.entries()).unwrap();
    stage.drive_answering(driver, &handle, |pauses| Some((pauses[0].clone(), Some(json!("Go on.")))));
    let events = stage.events();
    assert_eq!(end(&events), ("run.finished", None), "{:#?}", events.last());
    // When the last call is reported, the part of its iteration is still open.
    assert_eq!((sent(&stage), used(&events)), (4, (240, 80)));
}

#[test]
fn iteration_that_is_known_not_to_end_within_the_quota_sends_nothing() {
    let stage = Stage::new();
    stage.provider.push_replies((0..9).map(|_| reply("Yes.", 20, 20)));
    let chat = json!({ "type": "chat", "parent": "l", "config": { "maxTokens": 100 } });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Go." } },
        "l": { "type": "loop", "config": { "kind": "times", "times": 9 }, "limits": { "quota": { "tokens": 380 } } },
        "a": chat,
        "b": chat,
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> a.context",
        "l.previous -> a.message",
        "a.context -> b.context",
        "a.response -> b.message",
        "b.response -> l.next",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    // The first two iterations use 160 of 380. The second reserved more than the 220 that the third has left, so that sends
    // nothing, though one of its calls would fit.
    assert_eq!(sent(&stage), 4);
    assert_eq!(end(&events), ("run.failed", Some("quota.node_exceeded")));
}

#[test]
fn parallel_iterations_get_equal_parts() {
    let stage = Stage::new();
    let nodes = json!({
        "items": { "type": "value", "config": { "value": ["short", "long", "short"] } },
        "l": {
            "type": "loop",
            "config": { "kind": "forEach", "concurrency": 3, "on_error": "continue" },
            "limits": { "quota": { "tokens": 900 } },
        },
        "start": { "type": "newContext", "parent": "l" },
        "route": {
            "type": "switch",
            "parent": "l",
            "config": { "cases": [{ "name": "long", "equals": "long" }] },
        },
        "few": { "type": "chat", "parent": "l", "config": { "maxTokens": 200 } },
        "many": { "type": "chat", "parent": "l", "config": { "maxTokens": 400 } },
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> route.value",
        "start.context -> few.context",
        "start.context -> many.context",
        "route.default -> few.message",
        "route.long -> many.message",
        "few.response -> l.next",
        "many.response -> l.next",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(sent(&stage), 2, "{:#?}", events.last());
    let results =
        events.iter().find(|event| event["node"] == "l" && event["type"] == "node.finished").unwrap();
    assert_eq!(results["outputs"]["results"][1]["error"]["code"], "quota.node_exceeded", "its part is 300");
}

/// A join of two branches: `few` needs 200 tokens, `many` needs `needed`.
fn two_branches(needed: u64, split: bool) -> (Value, Value, Value) {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "own": { "type": "newContext" },
        "ask": { "type": "value", "config": { "value": "Go." } },
        "few": { "type": "chat", "config": { "maxTokens": 200 } },
        "many": { "type": "chat", "config": { "maxTokens": needed } },
        "join": { "type": "join", "config": { "names": ["a", "b"], "splitQuota": split } },
        "after": { "type": "chat", "config": { "maxTokens": 500 } },
    });
    let edges = json!([
        "start.context -> few.context",
        "own.context -> many.context",
        "ask.value -> few.message",
        "ask.value -> many.message",
        "few.response -> join.a",
        "many.response -> join.b",
        "join.text -> after.message",
        "start.context -> after.context",
    ]);
    (nodes, edges, json!({ "quotas": { "run": { "tokens": 600 } } }))
}

#[test]
fn branches_that_meet_get_equal_parts_and_return_the_rest() {
    for (needed, split, ended) in [
        (250, true, ("run.finished", None)),
        (380, true, ("run.failed", Some("quota.node_exceeded"))),
        (380, false, ("run.finished", None)),
    ] {
        let stage = Stage::new();
        stage.provider.push_replies((0..3).map(|_| reply("Yes.", 10, 10)));
        let events = play(&stage, &two_branches(needed, split));
        assert_eq!(end(&events), ended, "{needed} {split}: {:#?}", events.last());
        if ended.1.is_some() {
            // What the person reads is the part that the branch was given, not what is left of it.
            let message = events.last().unwrap()["error"]["message"].as_str().unwrap();
            let wanted = "The share of this branch to `join` is 300 tokens: 0 are used or reserved";
            assert!(message.starts_with(wanted), "{message}");
        } else {
            assert_eq!((sent(&stage), used(&events)), (3, (60, 0)), "nothing stays reserved");
        }
    }
}

/// The end of an iteration of one loop returns nothing of the branches in another.
#[test]
fn branches_in_a_loop_keep_their_parts_when_another_loop_ends() {
    let chat =
        |of: &str, tokens: u64| json!({ "type": "chat", "parent": of, "config": { "maxTokens": tokens } });
    let start = json!({ "type": "newContext" });
    let once = json!({ "type": "loop", "config": { "kind": "times", "times": 1 } });
    let nodes = json!({
        "go": { "type": "value", "config": { "value": "Go." } },
        "a": once,
        "first": start,
        "second": start,
        "third": start,
        "quick": chat("a", 10),
        "b": once,
        "few": chat("b", 100),
        "many": chat("b", 250),
        "more": chat("b", 60),
        "join": { "type": "join", "parent": "b", "config": { "names": ["x", "y"], "splitQuota": true } },
    });
    let edges = json!([
        "go.value -> a.input",
        "go.value -> b.input",
        "first.context -> quick.context",
        "a.previous -> quick.message",
        "quick.response -> a.next",
        "second.context -> few.context",
        "third.context -> many.context",
        "b.previous -> few.message",
        "b.previous -> many.message",
        "many.context -> more.context",
        "many.response -> more.message",
        "few.response -> join.x",
        "more.response -> join.y",
        "join.text -> b.next",
    ]);
    let stage = Stage::new();
    stage
        .provider
        .push_replies([("q", 10), ("f", 10), ("m", 240), ("n", 10)].map(|(text, out)| reply(text, 10, out)));
    let events = stage.play(&nodes, &edges, &json!({ "quotas": { "run": { "tokens": 600 } } }));
    assert_eq!(
        end(&events),
        ("run.failed", Some("quota.node_exceeded")),
        "the part of `many` and `more` is half"
    );
    assert_eq!(sent(&stage), 3);
}
