//! Where what a loop gives comes from, when something in it fails: an error may say what the failing node was given.

use serde_json::{Value, json};

use super::Stage;
use plait_core::error::Fault;
use plait_nodes::codes;
use plait_testing::ScriptedReply;

/// A loop over one item that asks a person and fails about the answer. `edge` leads out of it.
fn play(on_error: &str, edge: &str) -> Vec<Value> {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": ["a"] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "on_error": on_error } },
        "start": { "type": "newContext", "parent": "l" },
        "ask": { "type": "userInput", "parent": "l" },
        "chat": { "type": "chat", "parent": "l" },
        "after": { "type": "text", "config": { "template": "{{given}}" } },
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> ask.in",
        "start.context -> chat.context",
        "ask.message -> chat.message",
        "chat.response -> l.next",
        edge,
    ]);
    let stage = Stage::new();
    let fault = Fault::new(codes::PROVIDER_BAD_REQUEST, "It can't be said: the secret plan.");
    stage.provider.push_replies([ScriptedReply::Failure { partial: String::new(), fault }]);
    let answer = |pauses: &[_]| Some((pauses.first().cloned()?, Some(json!("the secret plan"))));
    stage.play_answering(&nodes, &edges, &json!({}), answer)
}

/// Where what the loop gives comes from, by its event of this type.
fn origins_of_loop(events: &[Value], event_type: &str) -> String {
    let event = events.iter().find(|event| event["node"] == "l" && event["type"] == event_type);
    event.unwrap_or_else(|| panic!("no {event_type}: {events:#?}")).to_string()
}

#[test]
fn error_that_is_a_result_comes_from_what_the_failed_node_was_given() {
    let events = play("continue", "l.results -> after.given");
    let finished = origins_of_loop(&events, "node.finished");
    assert!(finished.contains(r#""origins":[""#) && finished.contains("person"), "{finished}");
}

#[test]
fn error_of_a_loop_comes_from_what_the_failed_node_was_given() {
    let events = play("stop", "l.error -> after.given");
    let failed = origins_of_loop(&events, "node.failed");
    assert!(failed.contains(r#""origins":[""#) && failed.contains("person"), "{failed}");
}

/// The second item has ended when the first one exits: what it gave does not count, so nothing comes from it.
#[test]
fn exit_does_not_come_from_later_iterations_that_were_faster() {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": ["ask", "chat"] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
        "route": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "ask", "equals": "ask" }] } },
        "start": { "type": "newContext", "parent": "l" },
        "ask": { "type": "userInput", "parent": "l" },
        "chat": { "type": "chat", "parent": "l" },
        "after": { "type": "text", "config": { "template": "{{given}}" } },
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> route.value",
        "route.ask -> ask.in",
        "route.default -> chat.message",
        "start.context -> chat.context",
        "chat.response -> l.next",
        "ask.message -> l.next",
        "ask.message -> l.exit",
        "l.results -> after.given",
    ]);
    let stage = Stage::new();
    let answer = |pauses: &[_]| Some((pauses.first().cloned()?, Some(json!("Enough."))));
    let events = stage.play_answering(&nodes, &edges, &json!({}), answer);
    assert_eq!(stage.provider.requests().len(), 1, "the second item was asked about");
    let finished = origins_of_loop(&events, "node.finished");
    assert!(finished.contains("person") && !finished.contains("model"), "{finished}");
}
