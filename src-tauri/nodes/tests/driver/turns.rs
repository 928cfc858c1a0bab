//! What becomes of turns and contexts when an activation does not end as it should.

use serde_json::json;

use super::{Stage, of, started, types};
use plait_run::Driver;

#[test]
fn a_turn_that_runs_out_of_time_is_given_up_with_what_it_had_streamed() {
    let stage = Stage::new();
    let events = stage.play(
        &json!({
            "c": { "type": "contextStart", "config": { "provider": "stalls" } },
            "v": { "type": "value", "config": { "value": "Go." } },
            "chat": {
                "type": "chat",
                "limits": { "timeoutMs": 5 },
                "retry": { "attempts": 2 },
            },
            "o": { "type": "output" },
        }),
        &json!(["c.context -> chat.context", "v.value -> chat.message", "chat.error -> o.value"]),
        &json!({}),
    );
    let chat = of("chat", &events);
    let given_up = ["turn.started", "model.failed", "turn.discarded"];
    assert_eq!(types(&chat), [&given_up[..], &["node.retrying"], &given_up, &["node.failed"]].concat());
    assert_eq!((&chat[2]["partial"], &chat[6]["partial"]), (&json!("Well, I"), &json!("Well, I")));
    assert_eq!(chat[7]["handled"], true);
}

#[test]
fn call_that_is_given_up_may_have_been_billed() {
    let stage = Stage::new();
    let events = stage.play(
        &json!({
            "c": { "type": "contextStart", "config": { "provider": "stalls" } },
            "v": { "type": "value", "config": { "value": "Go." } },
            "chat": { "type": "chat", "limits": { "timeoutMs": 5 }, "retry": { "attempts": 2 } },
        }),
        &json!(["c.context -> chat.context", "v.value -> chat.message"]),
        &json!({}),
    );
    let failed: Vec<_> = events.iter().filter(|event| event["type"] == "model.failed").collect();
    assert_eq!(failed.len(), 2, "one for each attempt");
    assert_eq!((&failed[0]["code"], &failed[0]["contextId"]), (&json!("node.cancelled"), &json!("main")));
}

#[test]
fn a_turn_whose_failure_ends_the_run_is_given_up_too() {
    let stage = Stage::new();
    let events = stage.play(
        &json!({
            "c": { "type": "contextStart", "config": { "provider": "stalls" } },
            "v": { "type": "value", "config": { "value": "Go." } },
            "chat": { "type": "chat", "limits": { "timeoutMs": 5 }, "retry": { "attempts": 1 } },
        }),
        &json!(["c.context -> chat.context", "v.value -> chat.message"]),
        &json!({}),
    );
    let expected = ["turn.started", "model.failed", "turn.discarded", "node.failed"];
    assert_eq!(types(&of("chat", &events))[..4], expected);
}

#[test]
fn turns_under_way_are_given_up_when_the_run_has_come_to_its_target() {
    let stage = Stage::new();
    let nodes = json!({
        "c": { "type": "contextStart", "config": { "provider": "stalls" } },
        "v": { "type": "value", "config": { "value": "Go." } },
        "draft": { "type": "json", "limits": { "maxEpochs": 2 } },
        "chat": { "type": "chat" },
        "o": { "type": "output" },
    });
    let edges = json!([
        "v.value -> draft.value",
        "c.context -> chat.context",
        "draft.result -> chat.message",
        "chat.response -> draft.value",
        "draft.result -> o.value",
    ]);
    let setup = stage.setup(&nodes, &edges, &json!({}), Some("o"));
    let (driver, _handle) = Driver::start(setup, started()).unwrap();
    futures::executor::block_on(driver.drive()).unwrap();
    let events = stage.events();
    assert_eq!(types(&of("chat", &events)), ["turn.started", "turn.discarded", "node.skipped"]);
    assert_eq!(of("chat", &events)[1]["partial"], "Well, I");
}
