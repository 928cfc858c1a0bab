//! Histories that a person edits before the next turn.

use serde_json::{Value, json};

use super::restarts::resumed;
use super::{Session, session_of};
use crate::Stage;
use plait_core::error::Fault;
use plait_journal::DebugVerb;
use plait_journal::view::RunView;
use plait_llm::context::{MessageEdit, Role};
use plait_run::DebugCommand;
use plait_testing::ScriptedReply;

/// Three chats in one context, each with its own question.
fn talk() -> (Value, Value) {
    let nodes = json!({
        "a": { "type": "contextStart" },
        "p": { "type": "value", "config": { "value": "One?" } },
        "q": { "type": "value", "config": { "value": "Two?" } },
        "r": { "type": "value", "config": { "value": "Three?" } },
        "c": { "type": "chat" },
        "d": { "type": "chat" },
        "e": { "type": "chat" },
        "end": { "type": "output" },
    });
    let edges = json!([
        "a.context -> c.context",
        "p.value -> c.message",
        "c.context -> d.context",
        "q.value -> d.message",
        "d.context -> e.context",
        "r.value -> e.message",
        "e.response -> end.value",
    ]);
    (nodes, edges)
}

/// A run that stands before a node, with the replies that come before and after.
fn session<'a>(stage: &'a Stage, flow: &(Value, Value), at: &str) -> Session<'a> {
    stage.provider.push_replies(["First.", "Second.", "Third."].map(ScriptedReply::text));
    session_of(stage, flow, &[at])
}

fn edit(session: &mut Session<'_>, edits: &[(&str, Option<&str>)]) -> Result<(), Fault> {
    let view = RunView::of(&session.stage.entries());
    let history = &view.contexts["main"].record.message_history;
    let id = |text: &str| history.iter().find(|message| message.content.is_text(text)).unwrap().id.clone();
    let edits = edits
        .iter()
        .map(|(message, text)| MessageEdit { message: id(message), text: text.map(str::to_owned) });
    let edits = edits.collect();
    let stop = session.stop().number;
    session.debug(DebugCommand::EditHistory { stop, edits })
}

/// What the last request carried, without the instructions.
fn sent(stage: &Stage) -> Vec<(Role, String)> {
    let requests = stage.provider.requests();
    let last = requests.last().unwrap();
    last.messages.iter().map(|message| (message.role, message.content.text())).collect()
}

fn spoken(texts: &[&str]) -> Vec<(Role, String)> {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    roles.zip(texts).map(|(role, text)| (role, (*text).to_owned())).collect()
}

#[test]
fn next_request_has_the_edited_history_and_the_first_events_stay() {
    let flow = talk();
    let stage = Stage::new();
    let mut session = session(&stage, &flow, "e");
    let before = stage.events();
    edit(&mut session, &[("First.", Some("Never said.")), ("Two?", None), ("Second.", None)]).unwrap();
    // Killed now, the edit is still there.
    drop(session);
    let entries = stage.entries();
    let mut session = resumed(&stage, &flow, &entries);
    session.go(DebugVerb::Continue);
    assert_eq!(sent(&stage), spoken(&["One?", "Never said.", "Three?"]));
    let events = stage.events();
    assert_eq!(events[..before.len()], before, "what was journaled stays");
    let changed = events.iter().find(|event| event["type"] == "context.changed").unwrap();
    assert_eq!((&changed["node"], &changed["change"]["kind"]), (&json!("e"), &json!("edited")));
    assert_eq!(changed["change"]["edits"][0]["by"]["origins"], json!(["person"]));
    let view = RunView::of(&stage.entries());
    let history = &view.contexts["main"].record.message_history;
    let texts: Vec<String> = history.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts, ["One?", "Never said.", "Three?", "Third."]);
}

#[test]
fn every_prefix_behind_an_edit_leads_to_the_same_request() {
    let flow = talk();
    let stage = Stage::new();
    let mut whole = session(&stage, &flow, "e");
    edit(&mut whole, &[("Second.", Some("Never said."))]).unwrap();
    whole.continue_to_end();
    let entries = stage.entries();
    let kind = |event: &Value| event["type"] == "context.changed";
    let first = stage.events().iter().position(kind).unwrap() + 1;
    let expected = spoken(&["One?", "First.", "Two?", "Never said.", "Three?"]);
    for end in first..entries.len() {
        let stage = Stage::new();
        let is_bought = entries[..end].iter().any(|entry| {
            let event = serde_json::to_value(&entry.event).unwrap();
            event["type"] == "model.replied" && event["node"] == "e"
        });
        let mut session = resumed(&stage, &flow, &entries[..end]);
        session.continue_to_end();
        assert_eq!(stage.provider.requests().len(), usize::from(!is_bought), "after {end} entries");
        if !is_bought {
            assert_eq!(sent(&stage), expected, "after {end} entries");
        }
    }
}

#[test]
fn edit_that_model_servers_refuse_is_refused() {
    let flow = talk();
    let stage = Stage::new();
    let mut session = session(&stage, &flow, "e");
    let events = stage.events();
    for (edits, why) in [
        (&[("One?", None)][..], "start with a reply"),
        (&[("Two?", None)], "same side"),
        (&[("Second.", None)], "end without a reply"),
        (&[("First.", Some("  "))], "say something"),
    ] {
        let fault = edit(&mut session, edits).unwrap_err();
        assert_eq!(fault.code.as_str(), "debug.bad_history");
        assert!(fault.message.contains(why), "{}", fault.message);
    }
    assert_eq!(stage.events(), events, "nothing is journaled");
}

#[test]
fn history_is_edited_only_before_a_turn() {
    let flow = talk();
    for (at, is_taken) in [("e", true), ("d:after", false), ("d:call", false), ("r", false)] {
        let stage = Stage::new();
        let mut session = session(&stage, &flow, at);
        let stop = session.stop().number;
        let done = session.debug(DebugCommand::EditHistory { stop, edits: Vec::new() });
        let code = done.err().map(|fault| fault.code.as_str().to_owned());
        assert_eq!(code.as_deref(), if is_taken { None } else { Some("debug.no_history") }, "at {at}");
    }
}
