//! Stops: what is held, what goes on, and that nothing but `debug.*` differs in the journal.

mod branches;
mod changes;
mod clocks;
mod edits;
mod histories;
mod replays;
mod restarts;
mod steps;

use futures::FutureExt;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use serde_json::{Value, json};

use super::{Stage, of, types};
use plait_core::error::Fault;
use plait_journal::view::{RunOutline, RunStatus, StopView};
use plait_journal::{Breakpoint, DebugVerb, Side, StopScope};
use plait_run::{DebugCommand, Driver, RunHandle};
use plait_testing::ScriptedReply;

/// A breakpoint, written `NODE`, `NODE:after` or `NODE:call`, with `:branch` behind that if it holds its branch alone.
fn breakpoint(text: &str) -> Breakpoint {
    let (place, scope) = match text.strip_suffix(":branch") {
        Some(place) => (place, StopScope::Branch),
        None => (text, StopScope::Tree),
    };
    let (node, side) = place.split_once(':').unwrap_or((place, "before"));
    let side: Side = serde_json::from_value(json!(side)).unwrap();
    Breakpoint { id: text.to_owned(), node: Some(node.into()), side, scope, ..Breakpoint::default() }
}

/// A run at which a person debugs.
struct Session<'a> {
    stage: &'a Stage,
    pool: LocalPool,
    handle: RunHandle,
}

impl<'a> Session<'a> {
    fn new(
        stage: &'a Stage,
        (mut driver, handle): (Driver, RunHandle),
        breakpoints: Vec<Breakpoint>,
    ) -> Self {
        if !breakpoints.is_empty() {
            driver.set_breakpoints(breakpoints).unwrap();
        }
        let mut pool = LocalPool::new();
        pool.spawner().spawn_local(driver.drive().map(|end| assert!(end.is_ok(), "{end:?}"))).unwrap();
        pool.run_until_stalled();
        Self { stage, pool, handle }
    }

    fn outline(&self) -> RunOutline {
        RunOutline::of(&self.stage.entries())
    }

    fn stop(&self) -> StopView {
        self.outline().stops.pop().expect("the run stands still")
    }

    /// Where it stands by its newest stop, as `node epoch side`.
    fn place(&self) -> String {
        place_of(&self.stop())
    }

    /// Where it stands by all of its stops, the oldest first.
    fn places(&self) -> Vec<String> {
        self.outline().stops.iter().map(place_of).collect()
    }

    /// The number of the stop at a place.
    fn number_at(&self, place: &str) -> u64 {
        let stops = self.outline().stops;
        let found = stops.iter().find(|stop| place_of(stop) == place);
        found.unwrap_or_else(|| panic!("nothing stands at {place}: {:?}", self.places())).number
    }

    /// Goes on from the stop at a place.
    fn go_from(&mut self, place: &str, verb: DebugVerb) {
        let stop = self.number_at(place);
        self.debug(DebugCommand::Go { verb, stop }).unwrap();
    }

    fn debug(&mut self, command: DebugCommand) -> Result<(), Fault> {
        let handle = self.handle.clone();
        let (sender, mut receiver) = futures::channel::oneshot::channel();
        let task = async move {
            let _ = sender.send(handle.debug(command).await);
        };
        self.pool.spawner().spawn_local(task).unwrap();
        self.pool.run_until_stalled();
        receiver.try_recv().unwrap().expect("the driver answers")
    }

    fn go(&mut self, verb: DebugVerb) {
        let stop = self.stop().number;
        self.debug(DebugCommand::Go { verb, stop }).unwrap();
    }

    /// Continues from the newest stop until the run does not stand still any more. Gives the places of those stops.
    fn continue_to_end(&mut self) -> Vec<String> {
        let mut places = Vec::new();
        while self.outline().newest_stop().is_some() {
            places.push(self.place());
            self.go(DebugVerb::Continue);
        }
        places
    }
}

fn place_of(stop: &StopView) -> String {
    let Some(at) = &stop.at else { return "nowhere".to_owned() };
    let side = serde_json::to_value(at.side).unwrap();
    let call = at.call.as_ref().map(|call| format!(" {call}")).unwrap_or_default();
    format!("{} {}{call}", at.activation(), side.as_str().unwrap())
}

/// The events but those of the debugger.
fn undebugged(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| !event["type"].as_str().unwrap().starts_with("debug.")).collect()
}

/// Two branches that meet.
fn diamond() -> (Value, Value) {
    let nodes = json!({
        "a": { "type": "value", "config": { "value": 1 } },
        "b": { "type": "text", "config": { "template": "{{value}}b" } },
        "c": { "type": "text", "config": { "template": "{{value}}c" } },
        "d": { "type": "join" },
        "e": { "type": "output" },
    });
    let edges = json!([
        "a.value -> b.value",
        "a.value -> c.value",
        "b.text -> d.values",
        "c.text -> d.values",
        "d.list -> e.value",
    ]);
    (nodes, edges)
}

fn session_of<'a>(stage: &'a Stage, (nodes, edges): &(Value, Value), at: &[&str]) -> Session<'a> {
    let breakpoints = at.iter().map(|text| breakpoint(text)).collect();
    Session::new(stage, stage.start(nodes, edges, &json!({})), breakpoints)
}

#[test]
fn stop_before_holds_the_start_and_continue_gives_the_same_journal() {
    let flow = diamond();
    let plain = Stage::new().play(&flow.0, &flow.1, &json!({}));
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b"]);
    assert_eq!(session.outline().status, RunStatus::Stopped);
    assert_eq!(session.place(), "b before");
    assert_eq!(session.stop().values["value"], json!(1).into());
    let events = stage.events();
    assert!(of("b", &events).is_empty() && of("c", &events).is_empty(), "nothing starts: {events:?}");
    session.go(DebugVerb::Continue);
    let events = stage.events();
    assert_eq!(undebugged(&events), plain.iter().collect::<Vec<_>>());
}

#[test]
fn stop_after_holds_the_delivery() {
    let flow = diamond();
    let plain = Stage::new().play(&flow.0, &flow.1, &json!({}));
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b:after"]);
    assert_eq!(session.place(), "b after");
    assert_eq!(session.stop().values["text"], json!("1b").into());
    assert!(of("b", &stage.events()).is_empty(), "its outputs are not delivered");
    session.go(DebugVerb::Continue);
    let events = stage.events();
    assert_eq!(undebugged(&events), plain.iter().collect::<Vec<_>>());
}

#[test]
fn every_place_of_a_flow_can_be_stopped_at() {
    let flow = diamond();
    let plain = Stage::new().play(&flow.0, &flow.1, &json!({}));
    let stage = Stage::new();
    let places = ["a", "b", "c", "d", "e", "a:after", "b:after", "c:after", "d:after", "e:after"];
    let mut session = session_of(&stage, &flow, &places);
    assert_eq!(session.continue_to_end().len(), places.len());
    let events = stage.events();
    assert_eq!(undebugged(&events), plain.iter().collect::<Vec<_>>());
}

#[test]
fn breakpoint_at_every_node_stops_at_each_beside_those_with_their_own() {
    let flow = diamond();
    let stage = Stage::new();
    let everywhere = Breakpoint { node: None, ..breakpoint("everywhere:after") };
    let breakpoints = vec![breakpoint("b"), everywhere, breakpoint("d:after")];
    let mut session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), breakpoints);
    let mut places = session.continue_to_end();
    places.sort();
    assert_eq!(places, ["a after", "b after", "b before", "c after", "d after", "e after"]);
}

#[test]
fn condition_decides_and_one_that_fails_stops_with_its_fault() {
    let flow = diamond();
    for (when, stops) in [("value == '1b'", true), ("value == '2b'", false), ("size(outputs.text) > 1", true)]
    {
        let stage = Stage::new();
        let when = Some(when.to_owned());
        let at = Breakpoint { when, ..breakpoint("b:after") };
        let session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
        assert_eq!(session.outline().newest_stop().is_some(), stops);
    }
    let stage = Stage::new();
    let at = Breakpoint { when: Some("value.name == 1".to_owned()), ..breakpoint("b:after") };
    let session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
    let cause = serde_json::to_value(session.stop().cause).unwrap();
    assert_eq!((&cause["kind"], &cause["error"]["code"]), (&json!("condition"), &json!("switch.condition")));
}

#[test]
fn breakpoint_at_a_port_stops_where_a_value_is_on_it() {
    let nodes = json!({
        "a": { "type": "value", "config": { "value": 9 } },
        "way": { "type": "switch", "config": { "cases": [{ "name": "big", "when": "value > 5" }] } },
        "b": { "type": "text", "config": { "template": "{{value}} {{more}}" } },
    });
    let flow = (nodes, json!(["a.value -> way.value", "way.big -> b.value", "a.value -> b.more"]));
    let at = |place: &str, port: &str, when: Option<&str>| {
        let (port, when) = (Some(port.into()), when.map(str::to_owned));
        Breakpoint { port, when, ..breakpoint(place) }
    };
    let place_of = |at: Breakpoint| {
        let stage = Stage::new();
        let session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
        session.outline().newest_stop().is_some().then(|| session.place())
    };
    assert_eq!(place_of(at("way:after", "big", None)).as_deref(), Some("way after"));
    assert_eq!(place_of(at("way:after", "default", None)), None, "nothing leaves there");
    // The value is that of the port, also where there are several.
    assert_eq!(place_of(at("b", "more", Some("value == 9"))).as_deref(), Some("b before"));
    assert_eq!(place_of(at("b", "more", Some("value == 8"))), None);
    let failing =
        json!({ "type": "switch", "config": { "cases": [{ "name": "big", "when": "value.name == 1" }] } });
    let fails = (
        json!({ "a": flow.0["a"], "way": failing, "e": { "type": "output" } }),
        json!(["a.value -> way.value", "way.error -> e.value"]),
    );
    let stage = Stage::new();
    let at_error = at("way:after", "error", Some("value.code == 'switch.condition'"));
    let session = Session::new(&stage, stage.start(&fails.0, &fails.1, &json!({})), vec![at_error]);
    assert_eq!(session.place(), "way after");
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["a"]);
    let refused = [at("way:after", "huge", None), at("b", "text", None), at("b:call", "more", None)];
    for refused in refused {
        let refused = session.debug(DebugCommand::SetBreakpoints(vec![refused])).unwrap_err();
        assert_eq!(refused.code.as_str(), "debug.bad_breakpoint");
    }
}

#[test]
fn breakpoint_with_a_text_notes_it_and_holds_nothing() {
    let flow = diamond();
    let stage = Stage::new();
    let at = Breakpoint { log: Some("got {{value}}".to_owned()), ..breakpoint("b:after") };
    let session = Session::new(&stage, stage.start(&flow.0, &flow.1, &json!({})), vec![at]);
    assert_eq!(session.outline().status, RunStatus::Finished);
    let events = stage.events();
    let logged: Vec<_> = events.iter().filter(|event| event["type"] == "debug.logged").collect();
    assert_eq!(logged.len(), 1);
    assert_eq!(logged[0]["text"], "got 1b");
}

#[test]
fn breakpoints_that_cannot_hold_anything_are_refused() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["a"]);
    let gone = session.debug(DebugCommand::SetBreakpoints(vec![breakpoint("nobody")])).unwrap_err();
    assert_eq!(gone.code.as_str(), "debug.unknown_node");
    let bad = Breakpoint { when: Some("value ==".to_owned()), ..breakpoint("a") };
    let bad = session.debug(DebugCommand::SetBreakpoints(vec![bad])).unwrap_err();
    assert_eq!(bad.code.as_str(), "debug.bad_breakpoint");
    let twice = session.debug(DebugCommand::SetBreakpoints(vec![breakpoint("a"), breakpoint("a")]));
    assert_eq!(twice.unwrap_err().code.as_str(), "debug.bad_breakpoint");
    let stop = session.stop().number;
    session.go(DebugVerb::Continue);
    let late = session.debug(DebugCommand::Go { verb: DebugVerb::Continue, stop });
    assert!(late.is_err(), "the run is over");
}

/// A loop over five items with one node.
fn repeated(concurrency: u32) -> (Value, Value) {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": [1, 2, 3, 4, 5] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": concurrency } },
        "plus": { "type": "text", "parent": "l", "config": { "template": "{{value}}+" } },
        "end": { "type": "output" },
    });
    (
        nodes,
        json!([
            "items.value -> l.items",
            "l.item -> plus.value",
            "plus.text -> l.next",
            "l.results -> end.value"
        ]),
    )
}

fn chat() -> (Value, Value) {
    let nodes = json!({
        "a": { "type": "contextStart" },
        "b": { "type": "value", "config": { "value": "Go." } },
        "t": { "type": "tools", "config": { "tools": ["deep"] } },
        "c": { "type": "chat" },
        "e": { "type": "output" },
    });
    let edges = json!([
        "a.context -> c.context",
        "b.value -> c.message",
        "t.tools -> c.tools",
        "c.response -> e.value",
    ]);
    (nodes, edges)
}

/// A reply that calls the tool, and one that ends the turn; those that were bought before are not there.
fn tool_round(stage: &Stage, bought: usize) {
    let replies = [ScriptedReply::calls(&[("deep", json!({}))]), ScriptedReply::text("Done.")];
    stage.provider.push_replies(replies.into_iter().skip(bought));
}

#[test]
fn calls_of_models_and_tools_can_be_stopped_at_one_by_one() {
    let plain = Stage::new();
    tool_round(&plain, 0);
    let flow = chat();
    let expected = plain.play(&flow.0, &flow.1, &json!({}));
    let stage = Stage::new();
    tool_round(&stage, 0);
    let mut session = session_of(&stage, &flow, &["c:call"]);
    assert_eq!(session.place(), "c call model call 1");
    assert_eq!(stage.provider.requests().len(), 0);
    session.go(DebugVerb::Continue);
    assert_eq!(session.place(), "c call tool round 1: deep");
    session.go(DebugVerb::Continue);
    assert_eq!(session.place(), "c call model call 2");
    assert_eq!(stage.provider.requests().len(), 1);
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Finished);
    let events = stage.events();
    assert_eq!(undebugged(&events), expected.iter().collect::<Vec<_>>());
}

#[test]
fn pause_stops_wherever_the_run_is_and_answers_are_taken_meanwhile() {
    let flow = (
        json!({ "ask": { "type": "userInput" }, "e": { "type": "output" } }),
        json!(["ask.message -> e.value"]),
    );
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &[]);
    session.debug(DebugCommand::Pause).unwrap();
    assert_eq!(session.outline().status, RunStatus::Stopped);
    let handle = session.handle.clone();
    let answering = async move {
        let at = plait_core::id::Activation { node: "ask".into(), epoch: plait_core::id::Epoch::root() };
        handle.answer(at, json!("Hello")).await.unwrap();
    };
    session.pool.spawner().spawn_local(answering).unwrap();
    session.pool.run_until_stalled();
    assert_eq!(session.outline().status, RunStatus::Stopped);
    assert!(!types(&of("ask", &stage.events())).contains(&"node.finished".to_owned()));
    session.go(DebugVerb::Continue);
    assert_eq!(session.outline().status, RunStatus::Finished);
}

#[test]
fn loop_of_five_stops_five_times_in_turn_and_side_by_side() {
    for concurrency in [1, 3] {
        let flow = repeated(concurrency);
        let plain = Stage::new().play(&flow.0, &flow.1, &json!({}));
        let stage = Stage::new();
        let mut session = session_of(&stage, &flow, &["plus"]);
        assert_eq!(session.continue_to_end().len(), 5, "with {concurrency} at once");
        let events = stage.events();
        assert_eq!(undebugged(&events), plain.iter().collect::<Vec<_>>());
    }
}

#[test]
fn end_of_a_loop_is_a_place_to_stop_at() {
    let stage = Stage::new();
    let session = session_of(&stage, &repeated(1), &["l:after"]);
    assert_eq!(session.place(), "l after");
    assert_eq!(session.stop().values["results"], json!(["1+", "2+", "3+", "4+", "5+"]).into());
    assert!(of("end", &stage.events()).is_empty());
}

#[test]
fn cancel_ends_a_run_that_stands_still() {
    let stage = Stage::new();
    let mut session = session_of(&stage, &diamond(), &["b:after"]);
    session.handle.cancel();
    session.pool.run_until_stalled();
    assert_eq!(session.outline().status, RunStatus::Cancelled);
}
