//! Pinned nodes: they deliver what their pin says and are not executed.

use serde_json::{Value, json};

use super::conversations::{assert_received, received, script};
use super::disabled::{self, flow};
use super::{Stage, of, types};
use plait_nodes::codes;
use plait_run::plan::check;

/// Two agents; the first one has this pin.
fn two_agents(pin: Value) -> (Value, Value) {
    let (mut nodes, edges) = disabled::two_agents();
    nodes["a"]["pin"] = pin;
    (nodes, edges)
}

/// The texts of the messages that turns added, in order.
fn history(events: &[Value]) -> Vec<String> {
    let committed = events.iter().filter(|event| event["type"] == "turn.committed");
    let messages = committed.flat_map(|event| event["messages"].as_array().unwrap().iter());
    messages.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The codes of what a check finds, with their places.
fn found(nodes: &Value, edges: &Value) -> Vec<(String, String)> {
    let checked = check(&flow(nodes, edges), &plait_nodes::registry());
    checked.diagnostics.iter().map(|found| (found.code.to_string(), found.pointer.clone())).collect()
}

#[test]
fn pinned_chat_calls_no_model_and_its_turn_is_in_the_history() {
    let executed = Stage::new();
    let (nodes, edges) = disabled::two_agents();
    script(&executed, &["Pinned.", "B1"]);
    executed.play(&nodes, &edges, &json!({}));
    let stage = Stage::new();
    let (nodes, edges) =
        two_agents(json!({ "outputs": { "response": "Pinned." }, "run": "r", "origins": ["model:m"] }));
    script(&stage, &["B1"]);
    let events = stage.play(&nodes, &edges, &json!({}));
    // The one call is the second one of a run that executes both.
    assert_eq!(received(&stage), received(&executed)[1..]);
    assert_eq!(history(&events), ["Plan.", "Pinned.", "B1"]);
    assert_eq!(events.last().unwrap()["outputs"]["out"]["value"], "B1", "{events:#?}");
    let finished = of("a", &events).into_iter().find(|event| event["type"] == "node.finished").unwrap();
    assert_eq!(finished["outputs"]["response"], "Pinned.");
    assert_eq!(finished["metadata"]["pinned"], true);
    assert_eq!(finished["metadata"]["origins"], json!(["model:m"]));
    // What came in is journaled as always.
    let ready = events.iter().find(|event| event["type"] == "node.ready" && event["node"] == "a").unwrap();
    assert_eq!(ready["inputs"]["message"][0]["node"], "goal", "{ready}");
}

#[test]
fn pinned_answer_asks_nobody() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput", "pin": { "outputs": { "message": "Hello" } } },
        "chat": { "type": "chat" },
    });
    let edges = json!(["start.context -> ask.context", "ask.context -> chat.context"]);
    script(&stage, &["Hi."]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Hello"]]);
    assert!(!types(&of("ask", &events)).contains(&"run.paused".to_owned()), "{events:#?}");
    let finished = of("ask", &events).into_iter().find(|event| event["type"] == "node.finished").unwrap();
    assert_eq!(finished["metadata"]["origins"], json!(["person"]), "a typed value comes from a person");
}

#[test]
fn pinned_loop_runs_nothing_inside() {
    let stage = Stage::new();
    let nodes = json!({
        "items": { "type": "value", "config": { "value": [1, 2] } },
        "l": { "type": "loop", "config": { "kind": "forEach" }, "pin": { "outputs": { "results": ["a"] } } },
        "inner": { "type": "text", "parent": "l", "config": { "template": "{{item}}" } },
        "out": { "type": "output" },
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> inner.item",
        "inner.text -> l.next",
        "l.results -> out.value"
    ]);
    assert_eq!(found(&nodes, &edges), []);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert!(of("inner", &events).is_empty(), "{events:#?}");
    assert_eq!(events.last().unwrap()["outputs"]["out"]["value"], json!(["a"]), "{events:#?}");
}

#[test]
fn pinned_switch_takes_the_pinned_way_and_outputs_that_are_not_listed_are_dead() {
    let stage = Stage::new();
    let nodes = json!({
        "v": { "type": "value", "config": { "value": 1 } },
        "s": {
            "type": "switch",
            "config": { "cases": [{ "name": "small", "when": "value < 5" }] },
            "pin": { "outputs": { "default": 1 } },
        },
        "small": { "type": "text", "config": { "template": "small {{v}}" } },
        "large": { "type": "text", "config": { "template": "large {{v}}" } },
    });
    let edges = json!(["v.value -> s.value", "s.small -> small.v", "s.default -> large.v"]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(types(&of("small", &events)), ["node.skipped"], "{events:#?}");
    assert_eq!(events.last().unwrap()["outputs"]["large"]["text"], "large 1", "{events:#?}");
}

#[test]
fn pin_taken_from_a_page_keeps_its_label_and_loses_that_of_the_inputs() {
    let stage = Stage::new();
    let nodes = json!({
        "ask": { "type": "userInput" },
        "t": {
            "type": "text",
            "config": { "template": "{{in}}" },
            "pin": { "outputs": { "text": "x" }, "run": "r", "origins": ["host:a.example"] },
        },
        "out": { "type": "output" },
    });
    let edges = json!(["ask.message -> t.in", "t.text -> out.value"]);
    let events = stage
        .play_answering(&nodes, &edges, &json!({}), |open| Some((open[0].clone(), Some(json!("typed")))));
    assert_eq!(events.last().unwrap()["origins"], json!(["host:a.example"]), "{events:#?}");
}

#[test]
fn dead_input_skips_a_pinned_node_and_a_missing_one_does_not() {
    let stage = Stage::new();
    let nodes = json!({
        "v": { "type": "value", "config": { "value": 1 } },
        "s": { "type": "switch", "config": { "cases": [{ "name": "small", "when": "value < 5" }] } },
        "dead": { "type": "text", "config": { "template": "{{v}}" }, "pin": { "outputs": { "text": "no" } } },
        "free": { "type": "text", "config": { "template": "{{v}}" }, "pin": { "outputs": { "text": "yes" } } },
    });
    let edges = json!(["v.value -> s.value", "s.default -> dead.v"]);
    assert_eq!(found(&nodes, &edges), [], "`free` needs no input");
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(types(&of("dead", &events)), ["node.skipped"], "{events:#?}");
    assert_eq!(events.last().unwrap()["outputs"]["free"]["text"], "yes", "{events:#?}");
}

#[test]
fn check_names_what_a_pin_cannot_do() {
    let pinned = |node_type: &str, outputs: Value| {
        let nodes = json!({ "n": { "type": node_type, "pin": { "outputs": outputs } } });
        found(&nodes, &json!([])).into_iter().filter(|(code, _)| code.starts_with("pin.")).collect::<Vec<_>>()
    };
    let one =
        |code: plait_core::error::ErrorCode, pointer: &str| vec![(code.to_string(), pointer.to_owned())];
    assert_eq!(
        pinned("text", json!({ "txt": "x" })),
        one(codes::PIN_UNKNOWN_PORT, "/nodes/n/pin/outputs/txt")
    );
    assert_eq!(
        pinned("text", json!({ "text": ["x"] })),
        one(codes::PIN_WRONG_TYPE, "/nodes/n/pin/outputs/text")
    );
    assert_eq!(pinned("text", json!({})), one(codes::PIN_EMPTY, "/nodes/n/pin/outputs"));
    assert_eq!(
        pinned("text", json!({ "text": "x".repeat(300_000) })),
        one(codes::PIN_TOO_LARGE, "/nodes/n/pin/outputs")
    );
    assert_eq!(
        pinned("contextStart", json!({ "context": {} })),
        one(codes::PIN_NOT_POSSIBLE, "/nodes/n/pin")
    );
    assert_eq!(pinned("note", json!({ "x": 1 })), one(codes::PIN_NOT_POSSIBLE, "/nodes/n/pin"));
    assert_eq!(pinned("text", json!({ "text": 5 })), []);
}

#[test]
fn pinned_value_matches_the_schema_of_its_node() {
    let number = json!({ "type": "integer", "minimum": 1 });
    for (node_type, config, output) in [
        ("userInput", json!({ "schema": number }), "message"),
        ("extract", json!({ "schema": number }), "value"),
        ("chat", json!({ "responseSchema": number }), "structured"),
    ] {
        let checked = |pin: Value| {
            let nodes = json!({ "n": { "type": node_type, "config": config, "pin": pin } });
            let pins = found(&nodes, &json!([])).into_iter().filter(|(code, _)| code.starts_with("pin."));
            pins.collect::<Vec<_>>()
        };
        let outside = [(codes::PIN_NOT_IN_SCHEMA.to_string(), format!("/nodes/n/pin/outputs/{output}"))];
        assert_eq!(checked(json!({ "outputs": { output: 0 } })), outside, "{node_type}");
        let later = json!({ "outputs": { output: 1 }, "iterations": { "0": { output: "one" } } });
        assert_eq!(checked(later), outside, "{node_type}");
        assert_eq!(checked(json!({ "outputs": { output: 7 } })), [], "{node_type}");
    }
}

#[test]
fn pin_in_a_cycle_delivers_in_each_iteration_and_is_warned_of() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput" },
        "chat": { "type": "chat", "pin": { "outputs": { "response": "Same." } } },
    });
    let edges =
        json!(["start.context -> ask.context", "ask.context -> chat.context", "chat.context -> ask.context"]);
    assert_eq!(found(&nodes, &edges), [(codes::PIN_IN_CYCLE.to_string(), "/nodes/chat/pin".to_owned())]);
    let mut answers = vec![None, Some(json!("Two")), Some(json!("One"))];
    let events =
        stage.play_answering(&nodes, &edges, &json!({}), |open| Some((open[0].clone(), answers.pop()?)));
    assert_received(&stage, &[]);
    let turns = events.iter().filter(|event| event["type"] == "turn.committed").count();
    assert_eq!(turns, 2, "{events:#?}");
}

#[test]
fn pin_delivers_the_values_of_each_iteration_of_a_cycle_in_a_loop() {
    let stage = Stage::new();
    // Each round of the loop repeats the step until it says `last`.
    let steps = json!({ "0.0": { "text": "a" }, "0.1": { "text": "last" }, "1.0": { "text": "last" } });
    let nodes = json!({
        "rounds": { "type": "loop", "config": { "kind": "times", "times": 2 } },
        "begin": { "type": "value", "parent": "rounds", "config": { "value": "x" } },
        "step": { "type": "text", "parent": "rounds", "config": { "template": "{{said}}" }, "limits": { "maxEpochs": 9 }, "pin": { "outputs": { "text": "never" }, "iterations": steps } },
        "again": { "type": "switch", "parent": "rounds", "config": { "cases": [{ "name": "last", "equals": "last" }] } },
    });
    let edges = json!([
        "begin.value -> step.said",
        "again.default -> step.said",
        "step.text -> again.value",
        "again.last -> rounds.next",
    ]);
    assert_eq!(found(&nodes, &edges), []);
    let events = stage.play(&nodes, &edges, &json!({}));
    let said = events.iter().filter(|event| event["type"] == "node.finished" && event["node"] == "step");
    let said: Vec<_> = said.map(|event| (event["epoch"].clone(), event["outputs"]["text"].clone())).collect();
    let at = |epoch: [u32; 2], text: &str| (json!(epoch), json!(text));
    assert_eq!(said, [at([0, 0], "a"), at([0, 1], "last"), at([1, 0], "last")], "{events:#?}");
}

#[test]
fn pinned_error_that_nobody_reads_fails_the_run() {
    let real = json!({ "code": "provider.refused", "message": "No." });
    for (error, code) in [(real, "provider.refused"), (json!({ "why": "It broke." }), "pin.error")] {
        let stage = Stage::new();
        let nodes = json!({
            "value": { "type": "value", "config": { "value": 1 } },
            "text": { "type": "text", "config": { "template": "{{value}}" }, "pin": { "outputs": { "error": error } } },
            "out": { "type": "output" },
        });
        let events =
            stage.play(&nodes, &json!(["value.value -> text.value", "text.text -> out.value"]), &json!({}));
        let last = events.last().unwrap();
        assert_eq!(
            (&last["type"], &last["error"]["code"]),
            (&json!("run.failed"), &json!(code)),
            "{events:#?}"
        );
    }
}
