//! Stops that hold one branch: what depends on it waits, and everything else goes on and ends.

use serde_json::{Value, json};

use super::restarts::resumed;
use super::{Session, breakpoint, chat, diamond, repeated, session_of, tool_round, undebugged};
use crate::{Stage, of, types};
use plait_journal::view::RunStatus;
use plait_journal::{DebugVerb, StopScope};
use plait_run::DebugCommand;

/// The events but those of the debugger, without their numbers and in an order that does not depend on which branch was first.
fn events_in_any_order(events: &[Value]) -> Vec<String> {
    let mut events: Vec<String> = undebugged(events)
        .into_iter()
        .map(|event| {
            let mut event = event.clone();
            event.as_object_mut().unwrap().remove("seq");
            event.to_string()
        })
        .collect();
    events.sort();
    events
}

/// The flow [`chat`], beside a branch of its own.
fn chat_beside() -> (Value, Value) {
    let (mut nodes, mut edges) = chat();
    nodes["v"] = json!({ "type": "value", "config": { "value": 1 } });
    nodes["w"] = json!({ "type": "output" });
    edges.as_array_mut().unwrap().push(json!("v.value -> w.value"));
    (nodes, edges)
}

fn stops_of(events: &[Value]) -> usize {
    types(&events.iter().collect::<Vec<_>>()).iter().filter(|kind| *kind == "debug.stopped").count()
}

#[test]
fn other_branch_ends_and_what_depends_on_the_held_one_waits() {
    let flow = diamond();
    let plain = Stage::new().play(&flow.0, &flow.1, &json!({}));
    for at in ["b:branch", "b:after:branch"] {
        let stage = Stage::new();
        let mut session = session_of(&stage, &flow, &[at]);
        assert_eq!(session.outline().status, RunStatus::Stopped);
        assert_eq!(session.stop().scope, StopScope::Branch);
        assert!(session.place().starts_with("b "), "{}", session.place());
        let events = stage.events();
        assert!(types(&of("c", &events)).contains(&"node.finished".to_owned()), "it goes on: {events:?}");
        assert!(of("d", &events).is_empty() && of("b", &events).is_empty(), "{events:?}");
        assert!(*session.handle.idle().borrow(), "only a person can make it go on");
        session.go(DebugVerb::Continue);
        assert_eq!(events_in_any_order(&stage.events()), events_in_any_order(&plain));
    }
}

#[test]
fn call_is_held_while_the_other_branch_ends() {
    let stage = Stage::new();
    tool_round(&stage, 0);
    let mut session = session_of(&stage, &chat_beside(), &["c:call:branch"]);
    assert_eq!(session.place(), "c call model call 1");
    assert_eq!(stage.provider.requests().len(), 0);
    assert_eq!(types(&of("w", &stage.events())), ["node.finished"]);
    assert_eq!(session.continue_to_end().len(), 3);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn places_that_are_reached_meanwhile_come_up_one_after_the_other() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c:branch", "d:after:branch"]);
    assert_eq!(stops_of(&stage.events()), 1);
    assert_eq!(session.continue_to_end(), ["b before", "c before", "d after"]);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn stop_of_the_whole_run_comes_first_and_the_branch_again_after_it() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c"]);
    assert_eq!(session.stop().scope, StopScope::Tree);
    assert_eq!(session.continue_to_end(), ["c before", "b before"]);
    assert_eq!(session.outline().status, RunStatus::Finished);
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch"]);
    session.debug(DebugCommand::Pause).unwrap();
    assert_eq!(session.continue_to_end(), ["nowhere", "b before"]);
}

#[test]
fn step_from_a_branch_leads_to_what_follows_and_holds_the_rest() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch"]);
    session.go(DebugVerb::Over);
    assert_eq!((session.place(), session.stop().scope), ("d before".to_owned(), StopScope::Tree));
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn values_are_changed_and_nodes_run_again_or_skipped_at_a_branch() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:after:branch", "c:branch"]);
    let stop = session.stop().number;
    session.debug(DebugCommand::Change { stop, port: "text".into(), value: json!("other") }).unwrap();
    session.go(DebugVerb::Continue);
    assert_eq!(session.place(), "c before");
    session.go(DebugVerb::Skip);
    session.continue_to_end();
    let events = stage.events();
    assert_eq!(events.last().unwrap()["outputs"]["e"]["value"], json!(["other"]));
}

#[test]
fn run_that_is_killed_at_a_branch_stands_at_the_same_stop() {
    for at in ["c:branch", "c:call:branch", "c:after:branch"] {
        let flow = chat_beside();
        let stage = Stage::new();
        tool_round(&stage, 0);
        let session = session_of(&stage, &flow, &[at, "e:branch"]);
        let (place, stop) = (session.place(), session.stop().number);
        let bought = stage.provider.requests().len();
        drop(session);
        let entries = stage.entries();
        let mut session = resumed(&stage, &flow, &entries);
        assert_eq!((session.place(), session.stop().number), (place, stop));
        assert_eq!(stops_of(&stage.events()), 1, "no other stop");
        assert_eq!(stage.provider.requests().len(), bought, "nothing is bought by that");
        let places = session.continue_to_end();
        assert_eq!(places.last().map(String::as_str), Some("e before"));
        assert_eq!(session.outline().status, RunStatus::Finished);
        assert_eq!(stage.provider.requests().len(), 2, "nothing is bought twice");
    }
}

#[test]
fn branch_is_an_item_of_a_loop_or_a_loop() {
    for concurrency in [1, 3] {
        let stage = Stage::new();
        let mut session = session_of(&stage, &repeated(concurrency), &["plus:branch"]);
        assert_eq!(session.continue_to_end().len(), 5, "with {concurrency} at once");
        assert_eq!(session.outline().status, RunStatus::Finished);
        let (mut nodes, edges) = repeated(concurrency);
        nodes["beside"] = json!({ "type": "value", "config": { "value": 1 } });
        let flow = (nodes, edges);
        let stage = Stage::new();
        let session = session_of(&stage, &flow, &["l:branch"]);
        drop(session);
        let entries = stage.entries();
        let mut session = resumed(&stage, &flow, &entries);
        assert_eq!(session.place(), "l before");
        let events = stage.events();
        assert!(of("plus", &events).iter().all(|event| event["type"] != "node.started"), "{events:?}");
        assert_eq!(of("beside", &events).last().unwrap()["type"], "node.finished");
        assert_eq!(session.continue_to_end().len(), 1);
        assert_eq!(session.outline().status, RunStatus::Finished);
    }
}

#[test]
fn run_that_fails_or_is_canceled_ends_with_its_branch_held() {
    let nodes = json!({
        "a": { "type": "value", "config": { "value": 1 } },
        "b": { "type": "text", "config": { "template": "{{value}}" } },
        "c": { "type": "switch", "config": { "cases": [{ "name": "big", "when": "value.name == 1" }] } },
    });
    let flow = (nodes, json!(["a.value -> b.value", "a.value -> c.value"]));
    let stage = Stage::new();
    let session = session_of(&stage, &flow, &["b:branch"]);
    assert_eq!(session.outline().status, RunStatus::Failed);
    let stage = Stage::new();
    let mut session: Session<'_> = session_of(&stage, &diamond(), &["b:branch"]);
    session.handle.cancel();
    session.pool.run_until_stalled();
    assert_eq!(session.outline().status, RunStatus::Cancelled);
}

#[test]
fn end_of_a_loop_can_only_hold_the_whole_run() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &repeated(1), &["items"]);
    let refused = session.debug(DebugCommand::SetBreakpoints(vec![breakpoint("l:after:branch")]));
    assert_eq!(refused.unwrap_err().code.as_str(), "debug.bad_breakpoint");
}
