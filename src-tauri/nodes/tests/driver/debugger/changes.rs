//! Values that a person changes at a stop.

use serde_json::{Value, json};

use super::restarts::resumed;
use super::{chat, diamond, session_of, tool_round};
use crate::{Stage, of};
use plait_journal::DebugVerb;
use plait_journal::view::RunStatus;
use plait_run::DebugCommand;

#[test]
fn changed_output_is_what_the_next_node_gets_and_names_the_person() {
    let flow = diamond();
    let stage = Stage::new();
    let mut session = session_of(&stage, &flow, &["b:after"]);
    let stop = session.stop().number;
    let change = |port: &str, value: Value| DebugCommand::Change { stop, port: port.into(), value };
    let unknown = session.debug(change("nothing", json!(1))).unwrap_err();
    assert_eq!(unknown.code.as_str(), "debug.no_value");
    session.debug(change("text", json!("changed"))).unwrap();
    assert_eq!(session.stop().values["text"], json!("changed").into());
    // Killed now, the change is still there.
    drop(session);
    let entries = stage.entries();
    let mut session = resumed(&stage, &flow, &entries);
    session.go(DebugVerb::Continue);
    let events = stage.events();
    let changed = events.iter().find(|event| event["type"] == "value.overridden").unwrap();
    assert_eq!((&changed["was"], &changed["value"]), (&json!("1b"), &json!("changed")));
    let finished = of("b", &events).into_iter().find(|event| event["type"] == "node.finished").unwrap();
    assert_eq!(finished["outputs"]["text"], "changed");
    assert_eq!(finished["metadata"]["origins"], json!(["person"]));
    assert_eq!(events.last().unwrap()["outputs"]["e"]["value"], json!(["changed", "1c"]));
}

#[test]
fn value_that_a_port_cannot_have_is_refused() {
    let flow = chat();
    let handle = json!({ "contextId": "main", "currentOutput": "Hi" });
    for (at, port, wrong, right) in [
        ("c", "context", vec![json!({ "contextId": "nosuch" }), json!(null), json!("main")], handle.clone()),
        ("c:after", "context", vec![json!({ "contextId": "nosuch" })], handle),
        ("c:after", "response", vec![json!(["x"]), json!(null)], json!("x")),
        // An input takes what any output gives.
        ("c", "message", vec![], json!(["x"])),
    ] {
        let stage = Stage::new();
        tool_round(&stage, 0);
        let mut session = session_of(&stage, &flow, &[at]);
        let stop = session.stop().number;
        let mut change =
            |value: Value| session.debug(DebugCommand::Change { stop, port: port.into(), value });
        for wrong in wrong {
            assert_eq!(
                change(wrong.clone()).unwrap_err().code.as_str(),
                "debug.wrong_type",
                "{at} {port} {wrong}"
            );
        }
        change(right).unwrap();
    }
}

#[test]
fn changed_input_is_what_the_node_and_its_model_get() {
    let flow = chat();
    let stage = Stage::new();
    tool_round(&stage, 1);
    let mut session = session_of(&stage, &flow, &["c"]);
    let stop = session.stop().number;
    let port = "message".into();
    session.debug(DebugCommand::Change { stop, port, value: json!("Stay.") }).unwrap();
    drop(session);
    let entries = stage.entries();
    let mut session = resumed(&stage, &flow, &entries);
    session.go(DebugVerb::Continue);
    let requests = stage.provider.requests();
    assert_eq!(requests.last().unwrap().messages.last().unwrap().content.text(), "Stay.");
    assert_eq!(session.outline().status, RunStatus::Finished);
}
