//! Values that are nested so deep that a journal that holds them could not be read back.

use std::sync::Arc;

use futures::future::{Either, select};
use serde_json::{Value, json};

use super::{Stage, nested, of, types};
use plait_core::error::{ErrorCode, Fault};
use plait_core::id::{Activation, Epoch};
use plait_journal::{Entry, Event, InputOverrides};
use plait_run::Driver;
use plait_testing::{RunStart, ScriptedReply};

/// Reads every entry as a store does.
fn read_back(stage: &Stage) {
    for entry in stage.entries() {
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
    }
}

#[test]
fn outputs_have_a_depth_and_what_is_deeper_fails_the_node() {
    let deepest = |depth: usize| {
        let stage = Stage::new();
        let events = stage.play(
            &json!({ "v": { "type": "value", "config": { "value": nested(depth) } } }),
            &json!([]),
            &json!({}),
        );
        read_back(&stage);
        of("v", &events)[0].clone()
    };
    assert_eq!(deepest(100)["type"], "node.finished");
    assert_eq!(deepest(101)["error"]["code"], "node.too_deep");
}

#[test]
fn what_models_and_tools_give_too_deep_is_not_taken() {
    let nodes = json!({
        "c": { "type": "contextStart" },
        "t": { "type": "tools" },
        "v": { "type": "value", "config": { "value": "Go." } },
        "chat": { "type": "chat" },
    });
    let edges = json!(["c.context -> chat.context", "t.tools -> chat.tools", "v.value -> chat.message"]);

    let stage = Stage::new();
    stage.provider.push_replies([ScriptedReply::calls(&[("deep", json!({}))]), ScriptedReply::text("Well.")]);
    let events = stage.play(&nodes, &edges, &json!({}));
    read_back(&stage);
    let finished = events.iter().find(|event| event["type"] == "tool.finished").unwrap();
    assert_eq!((&finished["error"]["code"], &finished["result"]), (&json!("tool.too_deep"), &Value::Null));
    assert_eq!(events.last().unwrap()["type"], "run.finished", "the model receives the error and continues");

    let stage = Stage::new();
    stage.provider.push_replies([ScriptedReply::calls(&[("deep", nested(126))])]);
    let events = stage.play(&nodes, &edges, &json!({}));
    read_back(&stage);
    let chat = of("chat", &events);
    assert_eq!(types(&chat)[..3], ["turn.started", "turn.discarded", "node.failed"]);
    assert_eq!(chat[2]["error"]["code"], "chat.too_deep");

    let stage = Stage::new();
    let fault = Fault::new(ErrorCode::from_wire("provider.refused"), "No.").details(nested(126));
    stage.provider.push_replies([ScriptedReply::Failure { partial: String::new(), fault }]);
    let events = stage.play(&nodes, &edges, &json!({}));
    read_back(&stage);
    assert_eq!(events.last().unwrap()["error"]["code"], "provider.refused");
}

#[test]
fn what_people_give_too_deep_is_refused() {
    let stage = Stage::new();
    let nodes = json!({ "ask": { "type": "userInput", "config": { "schema": {} } } });
    let (driver, handle) = stage.start(&nodes, &json!([]), &json!({}));
    let asked = Activation { node: "ask".into(), epoch: Epoch::root() };
    let answer = Box::pin(handle.answer(asked, nested(101)));
    let taken = match futures::executor::block_on(select(Box::pin(driver.drive()), answer)) {
        Either::Right((taken, _)) => taken,
        Either::Left((ended, _)) => panic!("it still asks: {ended:?}"),
    };
    assert_eq!(taken.unwrap_err().code, "answer.invalid");

    let set: InputOverrides = [("v".into(), [("value".into(), Arc::new(nested(101)))].into())].into();
    let first: Event = RunStart { set, ..RunStart::new("run") }.into();
    let setup = stage.setup(&json!({ "v": { "type": "value" } }), &json!([]), &json!({}), None);
    assert_eq!(Driver::start(setup, first).err().unwrap().code, "input.too_deep");
}
