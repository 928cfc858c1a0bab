//! Nodes that a person skips, has run again, or has take another way.

use serde_json::{Value, json};

use super::restarts::resumed;
use super::{Session, chat, diamond, session_of, undebugged};
use crate::{Stage, of, types};
use plait_core::error::{ErrorCode, Fault};
use plait_journal::view::RunStatus;
use plait_journal::{DebugVerb, Entry};
use plait_run::DebugCommand;
use plait_testing::ScriptedReply;

fn outputs(events: &[Value]) -> Value {
    let end = events.last().unwrap();
    assert_eq!(end["type"], "run.finished", "{end}");
    end["outputs"].clone()
}

fn go(session: &mut Session<'_>, verb: DebugVerb) -> Result<(), Fault> {
    let stop = session.stop().number;
    session.debug(DebugCommand::Go { verb, stop })
}

fn force(session: &mut Session<'_>, port: &str) -> Result<(), Fault> {
    let stop = session.stop().number;
    session.debug(DebugCommand::Force { stop, port: port.into() })
}

/// Resumes a run from every prefix of its journal that ends behind the last event of a type, and expects the same end of each.
fn expect_same_end(flow: &(Value, Value), entries: &[Entry], from: &str, prepare: impl Fn(&Stage, &[Entry])) {
    let kind = |entry: &Entry| serde_json::to_value(&entry.event).unwrap()["type"].clone();
    let first = entries.iter().rposition(|entry| kind(entry) == from).unwrap() + 1;
    let whole: Vec<Value> = entries.iter().map(|entry| serde_json::to_value(&entry.event).unwrap()).collect();
    for end in first..entries.len() {
        let stage = Stage::new();
        prepare(&stage, &entries[..end]);
        let mut session = resumed(&stage, flow, &entries[..end]);
        session.continue_to_end();
        assert_eq!(outputs(&stage.events()), outputs(&whole), "after {end} entries");
    }
}

fn refused() -> ScriptedReply {
    let code = ErrorCode::from_wire("provider.refused");
    ScriptedReply::Failure { partial: String::new(), fault: Fault::new(code, "Not today.") }
}

#[test]
fn skipped_node_does_not_run_and_what_needs_it_is_skipped() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b"]);
    let before = stage.events();
    go(&mut session, DebugVerb::Skip).unwrap();
    assert_eq!(session.place(), "nowhere", "what follows still waits for the other branch");
    assert_eq!(session.continue_to_end(), ["nowhere"]);
    let events = stage.events();
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let of_b = of("b", &events);
    assert_eq!(types(&of_b), ["node.skipped"]);
    assert_eq!(of_b[0]["reason"], "byPerson");
    assert_eq!(outputs(&events)["e"]["value"], json!(["1c"]));
    expect_same_end(&flow, &stage.entries(), "node.skipped", |_, _| {});
}

#[test]
fn skip_goes_on_to_what_follows() {
    let nodes = json!({
        "a": { "type": "value", "config": { "value": 1 } },
        "b": { "type": "text", "config": { "template": "{{value}}b" } },
        "c": { "type": "output" },
        "d": { "type": "text", "config": { "template": "apart" } },
        "e": { "type": "output" },
    });
    let edges = json!(["a.value -> b.value", "b.text -> c.value", "d.text -> e.value"]);
    let stage = Stage::new();
    let mut session = session_of(&stage, &(nodes, edges), &["b"]);
    go(&mut session, DebugVerb::Skip).unwrap();
    session.continue_to_end();
    let events = stage.events();
    assert_eq!(of("c", &events)[0]["reason"], "deadInput");
    assert_eq!(outputs(&events), json!({ "e": { "value": "apart" } }));
}

#[test]
fn skip_in_a_loop_passes_over_one_iteration() {
    let flow = super::repeated(1);
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["plus"]);
    go(&mut session, DebugVerb::Skip).unwrap();
    session.continue_to_end();
    assert_eq!(outputs(&stage.events())["end"]["value"], json!([null, "2+", "3+", "4+", "5+"]));
    expect_same_end(&flow, &stage.entries(), "node.skipped", |_, _| {});
}

#[test]
fn what_is_not_held_there_is_neither_skipped_nor_run_again() {
    let flow = diamond();
    for (place, verb, code) in
        [("b:after", DebugVerb::Skip, "debug.cannot_skip"), ("b", DebugVerb::Retry, "debug.cannot_retry")]
    {
        let stage = Stage::new();
        let mut session = session_of(&stage, &flow, &[place]);
        let events = stage.events();
        assert_eq!(go(&mut session, verb).unwrap_err().code.as_str(), code);
        let stop = session.stop().number + 1;
        let late = session.debug(DebugCommand::Go { verb, stop }).unwrap_err();
        assert_eq!(late.code.as_str(), "debug.moved_on");
        assert_eq!(stage.events(), events, "nothing is journaled");
    }
    let stage = Stage::new();
    let mut session = session_of(&stage, &super::repeated(1), &["l"]);
    assert_eq!(go(&mut session, DebugVerb::Skip).unwrap_err().code.as_str(), "debug.cannot_skip");
}

#[test]
fn node_that_is_run_again_buys_a_reply_of_its_own_and_both_are_counted() {
    let flow = chat();
    let stage = Stage::new();
    stage.provider.push_replies([ScriptedReply::text("Bad."), ScriptedReply::text("Good.")]);
    let mut session = session_of(&stage, &flow, &["c:after"]);
    assert_eq!(session.stop().values["response"], json!("Bad.").into());
    let before = stage.events();
    go(&mut session, DebugVerb::Retry).unwrap();
    assert_eq!(session.place(), "c after");
    assert_eq!(session.stop().at.unwrap().attempt, 2);
    assert_eq!(session.stop().values["response"], json!("Good.").into());
    session.continue_to_end();
    let events = stage.events();
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let retrying = of("c", &events).into_iter().find(|event| event["type"] == "node.retrying").unwrap();
    assert_eq!(retrying["dropped"]["response"], "Bad.");
    assert_eq!(outputs(&events)["e"]["value"], "Good.");
    // The second request is as the first: the dropped turn is in no history.
    let requests = stage.provider.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].messages, requests[1].messages);
    let view = plait_journal::view::RunView::of(&stage.entries());
    assert_eq!((view.totals.model_calls, view.totals.tokens.output), (2, 4));
    expect_same_end(&flow, &stage.entries(), "node.retrying", |stage, entries| {
        let known = entries
            .iter()
            .filter(|entry| serde_json::to_value(&entry.event).unwrap()["type"] == "model.replied");
        if known.count() < 2 {
            stage.provider.push_replies([ScriptedReply::text("Good.")]);
        }
    });
}

#[test]
fn node_that_has_failed_can_be_run_again() {
    let flow = chat();
    let stage = Stage::new();
    stage.provider.push_replies([refused(), ScriptedReply::text("Good.")]);
    let mut session = session_of(&stage, &flow, &["c:after"]);
    go(&mut session, DebugVerb::Retry).unwrap();
    assert_eq!(session.stop().values["response"], json!("Good.").into());
    session.continue_to_end();
    assert_eq!(session.outline().status, RunStatus::Finished);
    let events = stage.events();
    let retrying = of("c", &events).into_iter().find(|event| event["type"] == "node.retrying").unwrap();
    assert_eq!((&retrying["error"]["code"], &retrying["dropped"]), (&json!("provider.refused"), &json!({})));
}

#[test]
fn values_that_were_changed_of_a_dropped_outcome_are_dropped_with_it() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b:after"]);
    let stop = session.stop().number;
    let change = DebugCommand::Change { stop, port: "text".into(), value: json!("changed") };
    session.debug(change).unwrap();
    go(&mut session, DebugVerb::Retry).unwrap();
    assert_eq!(session.stop().values["text"], json!("1b").into());
    session.continue_to_end();
    assert_eq!(outputs(&stage.events())["e"]["value"], json!(["1b", "1c"]));
    expect_same_end(&flow, &stage.entries(), "node.retrying", |_, _| {});
}

pub(super) fn switch() -> (Value, Value) {
    let cases = json!([{ "name": "big", "when": "value > 5" }, { "name": "small", "when": "value < 3" }]);
    let nodes = json!({
        "a": { "type": "value", "config": { "value": 9 } },
        "s": { "type": "switch", "config": { "cases": cases } },
        "big": { "type": "text", "config": { "template": "big {{value}}" } },
        "small": { "type": "text", "config": { "template": "small {{value}}" } },
        "e": { "type": "output" },
        "f": { "type": "output" },
    });
    let edges = json!([
        "a.value -> s.value",
        "s.big -> big.value",
        "s.small -> small.value",
        "big.text -> e.value",
        "small.text -> f.value",
    ]);
    (nodes, edges)
}

#[test]
fn forced_way_is_taken_and_names_the_person() {
    let flow = switch();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["s:after"]);
    let before = stage.events();
    let unknown = force(&mut session, "nowhere").unwrap_err();
    assert_eq!(unknown.code.as_str(), "debug.no_way");
    assert!(unknown.hint.unwrap().contains("`small`, `default`"));
    assert_eq!(force(&mut session, "big").unwrap_err().code.as_str(), "debug.no_way", "it is taken already");
    assert_eq!(session.stop().ways, ["small".into(), "default".into()]);
    force(&mut session, "small").unwrap();
    assert_eq!(serde_json::to_value(session.stop().values).unwrap(), json!({ "small": 9 }));
    assert_eq!(session.stop().ways, ["big".into(), "default".into()]);
    session.continue_to_end();
    let events = stage.events();
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    assert_eq!(outputs(&events), json!({ "f": { "value": "small 9" } }));
    let rerouted = events.iter().find(|event| event["type"] == "value.rerouted").unwrap();
    assert_eq!((&rerouted["from"], &rerouted["to"]), (&json!("big"), &json!("small")));
    assert_eq!((&rerouted["was"], &rerouted["values"]), (&json!({ "big": 9 }), &json!({ "small": 9 })));
    let finished = of("s", &events).into_iter().find(|event| event["type"] == "node.finished").unwrap();
    assert_eq!(finished["outputs"], json!({ "small": 9 }));
    assert_eq!(finished["metadata"]["origins"], json!(["person"]));
    assert_eq!(of("big", &events)[0]["type"], "node.skipped");
    let view = plait_journal::view::RunView::of(&stage.entries());
    let forced = view.nodes["s"].epochs[0].forced.clone().unwrap();
    assert_eq!((forced.from.as_str(), forced.to.as_str()), ("big", "small"));
    expect_same_end(&flow, &stage.entries(), "value.rerouted", |_, _| {});
}

#[test]
fn way_that_is_forced_back_is_the_one_that_the_node_chose() {
    let flow = switch();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["s:after"]);
    force(&mut session, "small").unwrap();
    force(&mut session, "default").unwrap();
    force(&mut session, "big").unwrap();
    session.continue_to_end();
    assert_eq!(outputs(&stage.events()), json!({ "e": { "value": "big 9" } }));
    let view = plait_journal::view::RunView::of(&stage.entries());
    assert_eq!(view.nodes["s"].epochs[0].forced, None);
    expect_same_end(&flow, &stage.entries(), "value.rerouted", |_, _| {});
}

#[test]
fn node_with_one_way_takes_no_other() {
    let stage = Stage::new();
    let flow = diamond();
    let mut session = session_of(&stage, &flow, &["b:after"]);
    assert_eq!(force(&mut session, "text").unwrap_err().code.as_str(), "debug.no_way");
    assert_eq!(undebugged(&stage.events()).len(), stage.events().len() - 2);
}
