//! What the journal of a run tells of breakpoints that it did not have.

use futures::executor::block_on;
use plait_core::expression::in_process::InProcess;
use plait_llm::models::TreeSpending;
use plait_run::breakpoint::{BreakpointQuestion, BreakpointReplay, ReachedPlace};
use serde_json::{Value, json};

use super::{Session, Stage, breakpoint, chat, diamond, repeated, tool_round};
use plait_journal::{Breakpoint, DebugVerb, Entry, Side};

/// The places that a journal tells of.
fn replayed(
    stage: &Stage,
    (nodes, edges): &(Value, Value),
    (node, side): (&str, Side),
    when: Option<&str>,
) -> Vec<ReachedPlace> {
    let plan = Stage::new().setup(nodes, edges, &json!({}), None).plan;
    let when = when.map(str::to_owned);
    let asked = Breakpoint { node: Some(node.into()), side, when, ..Breakpoint::default() };
    let question = BreakpointQuestion::new(asked).unwrap();
    let mut replay = BreakpointReplay::new(&question, plan, TreeSpending::default()).unwrap();
    let is_needed = |entry: &Entry| question.needs(serde_json::to_string(entry).unwrap().as_bytes());
    let mut places = Vec::new();
    for entry in stage.entries().iter().filter(|entry| is_needed(entry)) {
        places.extend(block_on(replay.apply(entry, &InProcess)).unwrap());
    }
    places
}

/// Where a run stops at a breakpoint, as the calls have their names without the tools.
fn stops(flow: &(Value, Value), at: &str, when: Option<&str>) -> Vec<String> {
    let stage = Stage::new();
    tool_round(&stage, 0);
    let at = Breakpoint { when: when.map(str::to_owned), ..breakpoint(at) };
    let mut session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
    let mut calls = Vec::new();
    while let Some(stop) = session.outline().stops.pop() {
        let call = stop.at.unwrap().call.unwrap_or_default();
        calls.push(call.split(':').next().unwrap_or_default().to_owned());
        session.go(DebugVerb::Continue);
    }
    calls
}

#[test]
fn calls_and_what_they_used_are_found_in_a_journal() {
    let flow = chat();
    let plain = Stage::new();
    tool_round(&plain, 0);
    plain.play(&flow.0, &flow.1, &json!({}));
    for (side, when) in [
        (Side::Call, None),
        (Side::Call, Some("tokens > 0")),
        (Side::Call, Some("tokens == 0 && !trimmed")),
        (Side::After, Some("tokens > 0")),
        (Side::After, Some("cost == null || cost >= 0.0")),
        (Side::After, Some("tokens > 1000000")),
    ] {
        let at = if side == Side::Call { "c:call" } else { "c:after" };
        let found = replayed(&plain, &flow, ("c", side), when);
        let calls: Vec<String> =
            found.iter().map(|place| place.point.call.clone().unwrap_or_default()).collect();
        assert_eq!(calls, stops(&flow, at, when), "{at} {when:?}");
        assert!(found.iter().all(|place| place.error.is_none()), "{found:?}");
    }
}

#[test]
fn value_that_a_person_changed_is_seen_as_it_was() {
    let flow = diamond();
    let stage = Stage::new();
    let at = vec![breakpoint("b"), breakpoint("b:after")];
    let mut session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), at);
    for (port, value) in [("value", json!(7)), ("text", json!("seven"))] {
        let stop = session.stop().number;
        let change = plait_run::DebugCommand::Change { stop, port: port.into(), value };
        session.debug(change).unwrap();
        session.go(DebugVerb::Continue);
    }
    let count = |side, when| replayed(&stage, &flow, ("b", side), Some(when)).len();
    assert_eq!((count(Side::Before, "value == 1"), count(Side::Before, "value == 7")), (1, 0));
    assert_eq!((count(Side::After, "value == '7b'"), count(Side::After, "value == 'seven'")), (1, 0));
    let delivered = replayed(&stage, &flow, ("d", Side::Before), Some("value[0] == 'seven'"));
    assert_eq!(delivered.len(), 1, "what follows has the changed value");
}

#[test]
fn journal_of_another_flow_is_refused() {
    let stage = Stage::new();
    stage.play(&diamond().0, &diamond().1, &json!({}));
    let (nodes, edges) = repeated(1);
    let plan = Stage::new().setup(&nodes, &edges, &json!({}), None).plan;
    let question =
        BreakpointQuestion::new(Breakpoint { side: Side::After, ..Breakpoint::default() }).unwrap();
    let mut replay = BreakpointReplay::new(&question, plan, TreeSpending::default()).unwrap();
    let entries = stage.entries();
    let error = entries.iter().find_map(|entry| block_on(replay.apply(entry, &InProcess)).err()).unwrap();
    assert_eq!(error.code.domain(), "journal", "{error}");
}

#[test]
fn nodes_that_a_person_skipped_ran_again_or_sent_another_way_are_seen_as_they_were() {
    let flow = diamond();
    let play = |at: &str, verb: DebugVerb| {
        let stage = Stage::new();
        let mut session = super::session_of(&stage, &flow, &[at]);
        session.go(verb);
        session.continue_to_end();
        stage
    };
    let skipped = play("b", DebugVerb::Skip);
    assert_eq!(replayed(&skipped, &flow, ("b", Side::Before), None).len(), 1);
    assert_eq!(replayed(&skipped, &flow, ("b", Side::After), None).len(), 0);
    let again = play("b:after", DebugVerb::Retry);
    let found = replayed(&again, &flow, ("b", Side::After), Some("value == '1b'"));
    assert_eq!(found.iter().map(|place| place.point.attempt).collect::<Vec<_>>(), [1, 2]);
    let flow = super::edits::switch();
    let stage = Stage::new();
    let mut session = super::session_of(&stage, &flow, &["s:after"]);
    let stop = session.stop().number;
    session.debug(plait_run::DebugCommand::Force { stop, port: "small".into() }).unwrap();
    session.continue_to_end();
    let when = Some("has(outputs.big) && !has(outputs.small)");
    assert_eq!(replayed(&stage, &flow, ("s", Side::After), when).len(), 1);
}
