//! Restarts at a stop: a process ends anywhere, and the next one stands where it stood.

use serde_json::{Value, json};

use super::{Session, chat, repeated, session_of, tool_round, undebugged};
use crate::Stage;
use plait_journal::view::RunStatus;
use plait_journal::{DebugVerb, Entry};
use plait_run::Driver;

/// Resumes the run from what its journal has, in a world that is otherwise the same.
pub(super) fn resumed<'a>(
    stage: &'a Stage,
    (nodes, edges): &(Value, Value),
    entries: &[Entry],
) -> Session<'a> {
    *stage.kept.0.lock().unwrap() = entries.to_vec();
    let setup = stage.setup(nodes, edges, &json!({}), None);
    let setup = plait_run::RunSetup {
        // As a new process has it.
        host: plait_run::host::Host { debugger: plait_run::debugger::Debugger::default(), ..setup.host },
        ..setup
    };
    Session::new(stage, Driver::resume(setup, entries).unwrap(), Vec::new())
}

#[test]
fn run_that_is_killed_at_a_stop_stands_at_the_same_one() {
    for side in ["c", "c:call", "c:after"] {
        let flow = chat();
        let stage = Stage::new();
        tool_round(&stage, 0);
        let session = session_of(&stage, &flow, &[side, "e"]);
        let (place, stop) = (session.place(), session.stop().number);
        let bought = stage.provider.requests().len();
        drop(session);
        let entries = stage.entries();
        let mut session = resumed(&stage, &flow, &entries);
        assert_eq!((session.place(), session.stop().number), (place, stop));
        let added = &stage.events()[entries.len()..];
        assert_eq!(undebugged(added).len(), added.len(), "no other stop: {added:?}");
        assert_eq!(stage.provider.requests().len(), bought, "nothing is bought by that");
        let places = session.continue_to_end();
        assert_eq!(places.last().map(String::as_str), Some("e before"), "its breakpoints are still there");
        assert_eq!(session.outline().status, RunStatus::Finished);
        assert_eq!(stage.provider.requests().len(), 2, "nothing is bought twice");
    }
}

#[test]
fn every_prefix_of_a_debugged_journal_leads_to_the_same_end() {
    let flow = chat();
    let plain = Stage::new();
    tool_round(&plain, 0);
    let expected = plain.play(&flow.0, &flow.1, &json!({}));
    let stage = Stage::new();
    tool_round(&stage, 0);
    let mut session = session_of(&stage, &flow, &["c", "c:call", "c:after", "e"]);
    session.continue_to_end();
    drop(session);
    let entries = stage.entries();
    for end in 1..entries.len() {
        let stage = Stage::new();
        let is_reply =
            |entry: &&Entry| serde_json::to_value(&entry.event).unwrap()["type"] == "model.replied";
        tool_round(&stage, entries[..end].iter().filter(is_reply).count());
        let mut session = resumed(&stage, &flow, &entries[..end]);
        session.continue_to_end();
        let events = stage.events();
        let outputs = |events: &[Value]| events.last().unwrap()["outputs"].clone();
        assert_eq!(outputs(&events), outputs(&expected), "after {end} entries");
    }
}

#[test]
fn step_into_a_loop_is_the_same_after_a_restart() {
    let flow = repeated(1);
    let stage = Stage::new();
    let session = session_of(&stage, &flow, &["l"]);
    drop(session);
    let entries = stage.entries();
    let mut session = resumed(&stage, &flow, &entries);
    assert_eq!(session.place(), "l before");
    session.go(DebugVerb::Into);
    assert_eq!(session.place(), "plus#0 before");
}
