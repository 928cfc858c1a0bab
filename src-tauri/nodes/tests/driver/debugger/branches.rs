//! Stops that hold one branch: what depends on it waits, and everything else goes on and ends.

use serde_json::{Value, json};

use super::restarts::resumed;
use super::{Session, breakpoint, chat, diamond, repeated, session_of, tool_round, undebugged};
use crate::{Stage, of, types};
use plait_journal::view::RunStatus;
use plait_journal::{Breakpoint, DebugVerb, StopScope};
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
fn several_branches_stand_still_and_each_goes_on_by_itself() {
    let plain = Stage::new().play(&diamond().0, &diamond().1, &json!({}));
    for first in ["b before", "c before"] {
        let stage = Stage::new();
        let mut session = session_of(&stage, &diamond(), &["b:branch", "c:branch", "d:after:branch"]);
        assert_eq!(session.places(), ["b before", "c before"]);
        session.go_from(first, DebugVerb::Continue);
        let other = if first == "b before" { "c before" } else { "b before" };
        assert_eq!(session.places(), [other], "it stands where it did");
        let events = stage.events();
        assert_eq!(of(&first[..1], &events).last().unwrap()["type"], "node.finished");
        assert!(of(&other[..1], &events).iter().all(|event| event["type"] != "node.started"));
        session.go_from(other, DebugVerb::Continue);
        assert_eq!(session.places(), ["d after"]);
        session.go(DebugVerb::Continue);
        assert_eq!(events_in_any_order(&stage.events()), events_in_any_order(&plain));
    }
}

#[test]
fn whole_run_stands_still_beside_its_branches_which_stay_when_it_goes_on() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c"]);
    assert_eq!(session.places(), ["b before", "c before"]);
    assert_eq!(session.stop().scope, StopScope::Tree);
    let of_branch = session.number_at("b before");
    session.go(DebugVerb::Continue);
    assert_eq!((session.places(), session.stop().number), (vec!["b before".to_owned()], of_branch));
    assert_eq!(of("c", &stage.events()).last().unwrap()["type"], "node.finished");
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Finished);
    assert_eq!(stops_of(&stage.events()), 2, "each is said once");

    // A branch that is continued while the whole run stands still goes on when that does.
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch"]);
    session.debug(DebugCommand::Pause).unwrap();
    session.go_from("b before", DebugVerb::Continue);
    assert_eq!(session.places(), ["nowhere"]);
    assert!(of("b", &stage.events()).is_empty(), "it has not started");
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn step_from_one_branch_leaves_the_other_where_it_is() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c:branch"]);
    let of_other = session.number_at("c before");
    session.go_from("b before", DebugVerb::Over);
    assert_eq!(of("b", &stage.events()).last().unwrap()["type"], "node.finished");
    assert_eq!(session.places(), ["c before", "nowhere"], "nothing follows until the other has ended");
    assert_eq!(session.number_at("c before"), of_other);
    session.go(DebugVerb::Continue);
    assert_eq!(session.continue_to_end(), ["c before"]);
    assert_eq!(session.outline().status, RunStatus::Finished);

    // One place for everything that is held: both branches go on.
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c:branch"]);
    session.go_from("b before", DebugVerb::All);
    assert_eq!(session.places(), ["d before"]);
    assert_eq!(session.continue_to_end().len(), 1);
}

#[test]
fn step_from_a_branch_ends_a_stop_of_the_whole_run_and_its_place_comes_up_again() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch", "c"]);
    session.go_from("b before", DebugVerb::Over);
    assert_eq!(session.places(), ["nowhere"]);
    assert!(of("c", &stage.events()).iter().all(|event| event["type"] != "node.started"), "it is held");
    assert_eq!(session.continue_to_end(), ["nowhere", "c before"]);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn step_out_of_an_item_passes_over_one_that_stands_still() {
    let flow = repeated(2);
    let at = Breakpoint { when: Some("value <= 2".to_owned()), ..breakpoint("plus:branch") };
    let stage = Stage::new();
    let mut session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
    assert_eq!(session.places(), ["plus#0 before", "plus#1 before"]);
    session.go_from("plus#1 before", DebugVerb::Out);
    assert_eq!(session.places(), ["plus#0 before", "nowhere"]);
    let events = stage.events();
    let finished = of("plus", &events).iter().filter(|event| event["type"] == "node.finished").count();
    assert_eq!(finished, 4, "all items but the one that is held");
    session.continue_to_end();
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn one_stop_is_named_and_another_is_refused() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:after:branch", "c:after:branch"]);
    let (of_b, of_c) = (session.number_at("b after"), session.number_at("c after"));
    for (stop, text) in [(of_b, "of b"), (of_c, "of c")] {
        session.debug(DebugCommand::Change { stop, port: "text".into(), value: json!(text) }).unwrap();
    }
    let values: Vec<_> = session.outline().stops.iter().map(|stop| stop.values["text"].clone()).collect();
    assert_eq!(values, [json!("of b").into(), json!("of c").into()]);
    session.debug(DebugCommand::Go { verb: DebugVerb::Continue, stop: of_b }).unwrap();
    let late = session.debug(DebugCommand::Go { verb: DebugVerb::Continue, stop: of_b }).unwrap_err();
    assert_eq!(late.code.as_str(), "debug.moved_on");
    session.debug(DebugCommand::Go { verb: DebugVerb::Continue, stop: of_c }).unwrap();
    assert_eq!(stage.events().last().unwrap()["outputs"]["e"]["value"], json!(["of b", "of c"]));
}

#[test]
fn run_that_is_killed_at_two_stops_stands_at_the_same_two() {
    for at in [&["b:branch", "c:branch"][..], &["b:after:branch", "c:branch"], &["b:branch", "c"]] {
        let stage = Stage::new();
        let session = session_of(&stage, &diamond(), at);
        let stops = session.outline().stops;
        assert_eq!(stops.len(), 2);
        drop(session);
        let entries = stage.entries();
        let mut session = resumed(&stage, &diamond(), &entries);
        assert_eq!(session.outline().stops, stops, "with {at:?}");
        assert_eq!(stops_of(&stage.events()), 2, "no other stop");
        // The older one first.
        session.debug(DebugCommand::Go { verb: DebugVerb::Continue, stop: stops[0].number }).unwrap();
        assert_eq!(session.outline().stops, stops[1..]);
        session.continue_to_end();
        assert_eq!(session.outline().status, RunStatus::Finished);
    }
}

/// Before several stops at a time, the next branch was said to stand still only when the one before went on, and `debug.continued` named
/// none.
#[test]
fn journal_of_a_version_with_one_stop_at_a_time_goes_on() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:branch"]);
    session.debug(DebugCommand::Pause).unwrap();
    let entries = stage.entries();
    drop(session);
    let mut older: Vec<Value> = entries.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect();
    let seq = older.len();
    older.push(
        json!({ "seq": seq, "at": older[seq - 1]["at"], "type": "debug.continued", "verb": "continue" }),
    );
    let older: Vec<plait_journal::Entry> =
        older.into_iter().map(|entry| serde_json::from_value(entry).unwrap()).collect();
    assert!(plait_journal::view::RunOutline::of(&older).stops.is_empty(), "it left all there was");
    let stage = Stage::new();
    let session = resumed(&stage, &diamond(), &older);
    assert_eq!(session.outline().status, RunStatus::Finished);
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
    let stop = session.number_at("b after");
    session.debug(DebugCommand::Change { stop, port: "text".into(), value: json!("other") }).unwrap();
    session.go_from("b after", DebugVerb::Continue);
    assert_eq!(session.places(), ["c before"]);
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
