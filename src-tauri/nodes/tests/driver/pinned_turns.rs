//! Turns of a loop's conversation that are pinned, by a person or by their node: what models receive then.

use futures::FutureExt;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use serde_json::{Value, json};

use super::conversations::{assert_received, script};
use super::{Driver, RunHandle, Stage};
use plait_core::id::Activation;

/// A loop in which a person and `chat` speak, with the two newest turns of its history.
fn person_and_agent() -> (Value, Value) {
    let management = json!({ "strategy": "truncate_turns", "max_turns": 2 });
    let config =
        json!({ "kind": "times", "times": 4, "conversation": true, "history_management": management });
    let nodes = json!({
        "new": { "type": "contextStart" },
        "l": { "type": "loop", "config": config },
        "ask": { "type": "userInput", "parent": "l" },
        "chat": { "type": "chat", "parent": "l" },
    });
    let edges = json!([
        "new.context -> l.context",
        "l.context -> chat.context",
        "ask.message -> chat.message",
        "chat.response -> l.next",
    ]);
    (nodes, edges)
}

/// What the person does before the answer in an iteration: pins the first turn, or takes the pin off.
type Pins = &'static [(u32, bool)];

/// Drives a run to its end. In iteration `k` the person says `U` and the number, after the pins of that iteration.
fn drive(stage: &Stage, driver: Driver, handle: &RunHandle, pins: Pins) {
    let mut pool = LocalPool::new();
    pool.spawner().spawn_local(driver.drive().map(|end| assert!(end.is_ok(), "{end:?}"))).unwrap();
    pool.run_until_stalled();
    let is_open = |iteration: u32| {
        let of = |event: &&Value| event["node"] == "ask" && event["epoch"] == json!([iteration]);
        let events = stage.events();
        let last = events.iter().rfind(of).map(|event| event["type"].clone());
        last == Some(json!("run.paused"))
    };
    for iteration in 0..4 {
        if !is_open(iteration) {
            continue;
        }
        for (_, pinned) in pins.iter().filter(|(at, _)| *at == iteration) {
            pin(&mut pool, handle, first_turn(stage).as_str(), *pinned).unwrap();
        }
        let handle = handle.clone();
        let asked = Activation { node: "ask".into(), epoch: [iteration].as_slice().into() };
        let answer = async move { handle.answer(asked, json!(format!("U{iteration}"))).await.unwrap() };
        pool.spawner().spawn_local(answer).unwrap();
        pool.run_until_stalled();
    }
}

fn first_turn(stage: &Stage) -> String {
    let events = stage.events();
    let appended = events.iter().find(|event| event["type"] == "history.appended").unwrap();
    appended["turns"][0]["id"].as_str().unwrap().to_owned()
}

/// The code of the error, if it is refused.
fn pin(pool: &mut LocalPool, handle: &RunHandle, turn: &str, pinned: bool) -> Result<(), String> {
    let (handle, turn) = (handle.clone(), turn.into());
    let owner = Activation { node: "l".into(), epoch: [].as_slice().into() };
    let pinning = async move { handle.pin(owner, turn, pinned).await };
    let done = pool.spawner().spawn_local_with_handle(pinning).unwrap();
    pool.run_until_stalled();
    done.now_or_never().unwrap().map_err(|fault| fault.code.to_string())
}

fn play(pins: Pins) -> Stage {
    let stage = Stage::new();
    let (nodes, edges) = person_and_agent();
    script(&stage, &["A0", "A1", "A2", "A3"]);
    let (driver, handle) = stage.start(&nodes, &edges, &json!({}));
    drive(&stage, driver, &handle, pins);
    stage
}

const FIRST_TWO: [&[&str]; 2] = [&["user: U0"], &["user: U0", "assistant: A0", "user: U1"]];

#[test]
fn without_pins_the_newest_turns_are_sent() {
    let (third, fourth) =
        (["user: U1", "assistant: A1", "user: U2"], ["user: U2", "assistant: A2", "user: U3"]);
    assert_received(&play(&[]), &[FIRST_TWO[0], FIRST_TWO[1], &third, &fourth]);
}

#[test]
fn turn_that_a_person_pins_is_sent_until_the_pin_is_taken_off() {
    let third = ["user: U0", "assistant: A1", "user: U2"];
    let kept = ["user: U0", "assistant: A2", "user: U3"];
    assert_received(&play(&[(1, true)]), &[FIRST_TWO[0], FIRST_TWO[1], &third, &kept]);
    let taken_off = ["user: U2", "assistant: A2", "user: U3"];
    let pins: Pins = &[(2, true), (3, false)];
    let stage = play(pins);
    assert_received(&stage, &[FIRST_TWO[0], FIRST_TWO[1], &third, &taken_off]);
    let events = stage.events();
    let recorded = events.iter().filter(|event| event["type"] == "history.pinned");
    let recorded: Vec<Value> = recorded.map(|event| json!([event["node"], event["pinned"]])).collect();
    assert_eq!(recorded, [json!(["l", true]), json!(["l", false])]);
}

#[test]
fn pins_survive_a_restart_at_any_point() {
    let pins: Pins = &[(1, true)];
    let stage = play(pins);
    let entries = stage.entries();
    let (nodes, edges) = person_and_agent();
    let is_replied = |event: &Value| event["type"] == "model.replied";
    let prompts = |events: &[Value]| -> Vec<Value> {
        let mut prompts: Vec<Value> = events
            .iter()
            .filter(|event| event["type"] == "prompt.rendered")
            .map(|event| json!([event["epoch"], event["prompt"]["parts"]]))
            .collect();
        prompts.dedup();
        prompts
    };
    let all = prompts(&stage.events());
    for length in 1..entries.len() {
        let resumed = Stage::new();
        *resumed.kept.0.lock().unwrap() = entries[..length].to_vec();
        let bought = resumed.events().iter().filter(|event| is_replied(event)).count();
        script(&resumed, &["A0", "A1", "A2", "A3"][bought..]);
        let setup = resumed.setup(&nodes, &edges, &json!({}), None);
        let (driver, handle) = Driver::resume(setup, &entries[..length]).unwrap();
        drive(&resumed, driver, &handle, pins);
        assert_eq!(prompts(&resumed.events()), all, "resumed from {length} of {} entries", entries.len());
    }
}

#[test]
fn pin_is_refused_for_other_turns_and_while_the_run_works() {
    let stage = Stage::new();
    let (nodes, edges) = person_and_agent();
    let (driver, handle) = stage.start(&nodes, &edges, &json!({}));
    let mut pool = LocalPool::new();
    let owner = Activation { node: "l".into(), epoch: [].as_slice().into() };
    let early = {
        let handle = handle.clone();
        pool.spawner()
            .spawn_local_with_handle(async move { handle.pin(owner, "x".into(), true).await })
            .unwrap()
    };
    pool.run_until_stalled();
    pool.spawner().spawn_local(driver.drive().map(drop)).unwrap();
    pool.run_until_stalled();
    assert_eq!(early.now_or_never().unwrap().unwrap_err().code.to_string(), "history.not_waiting");
    assert_eq!(pin(&mut pool, &handle, "x", true), Err("history.no_turn".to_owned()));
    assert!(stage.events().iter().all(|event| event["type"] != "history.pinned"));
}

#[test]
fn turns_of_a_pinned_step_are_sent_always() {
    for (step, third) in [
        ("ask", ["user: U0", "user: U1", "user: U2"]),
        ("chat", ["assistant: A0", "assistant: A1", "user: U2"]),
    ] {
        let stage = Stage::new();
        let (mut nodes, edges) = person_and_agent();
        nodes["l"]["config"]["times"] = json!(3);
        nodes[step]["config"] = json!({ "pinned": true });
        script(&stage, &["A0", "A1", "A2"]);
        let (driver, handle) = stage.start(&nodes, &edges, &json!({}));
        drive(&stage, driver, &handle, &[]);
        assert_received(&stage, &[FIRST_TWO[0], FIRST_TWO[1], &third]);
        let events = stage.events();
        let appended = events.iter().find(|event| event["type"] == "history.appended").unwrap();
        assert_eq!(appended["pinned"].as_array().map(Vec::len), Some(1), "{appended}");
    }
}
