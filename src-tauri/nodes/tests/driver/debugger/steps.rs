//! Steps: what goes on, and what the next place is.

use serde_json::{Value, json};

use super::{breakpoint, chat, diamond, repeated, session_of, tool_round};
use crate::{Stage, of, types};
use plait_journal::DebugVerb;
use plait_journal::view::RunStatus;
use plait_run::DebugCommand;

#[test]
fn two_who_press_step_at_once_make_one_step() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["a"]);
    let stop = session.stop().number;
    session.debug(DebugCommand::Go { verb: DebugVerb::Over, stop }).unwrap();
    let second = session.debug(DebugCommand::Go { verb: DebugVerb::Over, stop }).unwrap_err();
    assert_eq!(second.code.as_str(), "debug.moved_on");
    assert_eq!(session.place(), "b before");
}

#[test]
fn step_over_is_that_of_its_branch() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b"]);
    session.go(DebugVerb::Over);
    // Nothing follows from `b` alone: `c` has not started.
    assert_eq!(session.place(), "nowhere");
    assert!(of("c", &stage.events()).is_empty());
    session.go(DebugVerb::Over);
    assert_eq!(session.place(), "d before");
    session.go(DebugVerb::Over);
    assert_eq!(session.place(), "e before");
    session.go(DebugVerb::Over);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn step_all_is_one_wave() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b"]);
    session.go(DebugVerb::All);
    assert_eq!(session.place(), "d before");
    let events = stage.events();
    assert_eq!(types(&of("b", &events)), ["node.finished"]);
    assert_eq!(types(&of("c", &events)), ["node.finished"]);
}

#[test]
fn step_into_a_chat_goes_through_its_calls() {
    let stage = Stage::new();
    tool_round(&stage, 0);
    let mut session = session_of(&stage, &chat(), &["c"]);
    let mut places = Vec::new();
    while session.outline().newest_stop().is_some() {
        places.push(session.place());
        session.go(DebugVerb::Into);
    }
    let expected = [
        "c before",
        "c call model call 1",
        "c call tool round 1: deep",
        "c call model call 2",
        "c after",
        "e before",
        "e after",
    ];
    assert_eq!(places, expected);
}

#[test]
fn steps_lead_over_into_and_out_of_a_loop() {
    let flow = repeated(1);
    let walk = |verbs: &[DebugVerb]| {
        let stage = Stage::new();
        let mut session = session_of(&stage, &flow, &["l"]);
        assert_eq!(session.place(), "l before");
        let mut places = Vec::new();
        for verb in verbs {
            session.go(*verb);
            places.push(session.place());
        }
        places
    };
    assert_eq!(walk(&[DebugVerb::Over]), ["end before"]);
    assert_eq!(walk(&[DebugVerb::Into]), ["plus#0 before"]);
    assert_eq!(walk(&[DebugVerb::Into, DebugVerb::Over]), ["plus#0 before", "plus#1 before"]);
    assert_eq!(walk(&[DebugVerb::Into, DebugVerb::Out]), ["plus#0 before", "end before"]);
}

/// A loop over two lists around a loop over the items of each.
fn nested() -> (Value, Value) {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": [[1, 2], [3, 4]] } },
        "outer": { "type": "loop", "config": { "kind": "forEach" } },
        "inner": { "type": "loop", "parent": "outer", "config": { "kind": "forEach" } },
        "say": { "type": "text", "parent": "inner", "config": { "template": "{{value}}" } },
    });
    let edges = json!([
        "items.value -> outer.items",
        "outer.item -> inner.items",
        "inner.item -> say.value",
        "say.text -> inner.next",
        "inner.results -> outer.next",
    ]);
    (nodes, edges)
}

#[test]
fn loop_around_a_loop_is_a_place_before_it() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &nested(), &["outer", "inner"]);
    let places = session.continue_to_end();
    assert_eq!(places, ["outer before", "inner#0 before", "inner#1 before"]);
}

#[test]
fn step_after_a_loop_leads_to_what_it_gave_its_outputs_to() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &repeated(1), &["l:after"]);
    session.go(DebugVerb::Over);
    assert_eq!(session.place(), "end before");
}

#[test]
fn breakpoints_that_are_removed_at_a_stop_hold_nothing_any_more() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b", "c", "d:after"]);
    session.debug(DebugCommand::SetBreakpoints(vec![breakpoint("e")])).unwrap();
    assert_eq!(session.continue_to_end(), ["b before", "e before"]);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn step_that_waits_for_a_person_keeps_nothing_else_back() {
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop", "config": { "kind": "times", "times": 1 } },
        "ask": { "type": "userInput", "parent": "l" },
        "other": { "type": "value", "config": { "value": 1 } },
        "end": { "type": "output" },
    });
    let flow = (nodes, json!(["other.value -> end.value"]));
    let mut session = session_of(&stage, &flow, &["ask"]);
    session.go(DebugVerb::Out);
    assert_eq!(session.place(), "nowhere");
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Waiting);
    assert_eq!(types(&of("end", &stage.events())), ["node.finished"]);
}
