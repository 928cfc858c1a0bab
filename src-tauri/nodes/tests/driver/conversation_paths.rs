//! Conversational loops: the turns of its own iteration that a model gets, without the turn that is its message. Both
//! follow from the plan, at any timing.

use serde_json::{Value, json};

use super::conversations::{Messages, assert_received, chat, messages, received, script};
use super::{Driver, Stage};
use plait_core::id::Activation;

fn prompted(parent: &str, prompt: &str) -> Value {
    json!({ "type": "chat", "parent": parent, "config": { "prompt": prompt } })
}

fn answer(open: &[Activation]) -> Option<(Activation, Option<Value>)> {
    let at = open.first()?.clone();
    let text = format!("U{}", at.epoch);
    Some((at, Some(json!(text))))
}

/// Asserts what the models receive in a run, and in a run that goes on from any prefix of its journal.
fn assert_received_from_any_prefix(
    stage: &Stage,
    (nodes, edges): (&Value, &Value),
    replies: &[&str],
    expected: &[&[&str]],
) {
    script(stage, replies);
    stage.play_answering(nodes, edges, &json!({}), answer);
    let sorted = |mut requests: Vec<Messages>| {
        requests.sort();
        requests
    };
    let expected: Vec<Messages> = expected.iter().map(|lines| messages(lines)).collect();
    assert_eq!(sorted(received(stage)), sorted(expected));
    let prompts = |events: &[Value]| -> Vec<Value> {
        let rendered = events.iter().filter(|event| event["type"] == "prompt.rendered");
        let prompts = rendered.map(|event| json!([event["node"], event["epoch"], event["prompt"]["parts"]]));
        let mut prompts: Vec<Value> = prompts.collect();
        prompts.sort_by_key(Value::to_string);
        prompts.dedup();
        prompts
    };
    let (all, entries) = (prompts(&stage.events()), stage.entries());
    // Repeated questions get the same replies.
    for length in 1..entries.len() {
        let asked = entries[..length]
            .iter()
            .filter(|entry| serde_json::to_value(&entry.event).unwrap()["type"] == "model.replied");
        let resumed = Stage::new();
        script(&resumed, &replies[asked.count()..]);
        *resumed.kept.0.lock().unwrap() = entries[..length].to_vec();
        let setup = resumed.setup(nodes, edges, &json!({}), None);
        let (driver, handle) = Driver::resume(setup, &entries[..length]).unwrap();
        let events = resumed.drive_answering(driver, &handle, answer);
        assert_eq!(prompts(&events), all, "resumed from {length} of {} entries", entries.len());
    }
}

/// `a`, then `b` and `c` beside each other, then `d`. `c` waits for a person.
fn diamond(config: &Value) -> (Value, Value) {
    let nodes = json!({
        "l": { "type": "loop", "config": config },
        "one": { "type": "newContext", "parent": "l" },
        "two": { "type": "newContext", "parent": "l" },
        "a": prompted("l", "To a."),
        "b": prompted("l", "To b."),
        "ask": { "type": "userInput", "parent": "l" },
        "c": prompted("l", "To c. {{in}}"),
        "d": prompted("l", "To d. {{b}} {{c}}"),
    });
    let edges = json!([
        "one.context -> a.context",
        "a.context -> b.context",
        "a.response -> ask.in",
        "two.context -> c.context",
        "ask.message -> c.in",
        "b.context -> d.context",
        "b.response -> d.b",
        "c.response -> d.c",
        "d.response -> l.next",
    ]);
    (nodes, edges)
}

#[test]
fn turns_of_all_agents_are_seen_by_nodes_that_a_path_leads_to() {
    let config = json!({ "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents" });
    let (nodes, edges) = diamond(&config);
    let first = ["assistant: A1", "user: U#0", "assistant: B1", "assistant: C1", "assistant: D1"];
    let then = |lines: &[&'static str]| [&first[..], lines].concat();
    let (a, b) = (then(&["user: To a."]), then(&["assistant: A2", "user: To b."]));
    // `b` has replied before the person answers, and is beside `c`.
    let c = then(&["assistant: A2", "user: U#1", "user: To c. U#1"]);
    let d = then(&["assistant: A2", "user: U#1", "assistant: B2", "assistant: C2", "user: To d. B2 C2"]);
    assert_received_from_any_prefix(
        &Stage::new(),
        (&nodes, &edges),
        &["A1", "B1", "C1", "D1", "A2", "B2", "C2", "D2"],
        &[
            &["user: To a."],
            &["assistant: A1", "user: To b."],
            &["assistant: A1", "user: U#0", "user: To c. U#0"],
            &["assistant: A1", "user: U#0", "assistant: B1", "assistant: C1", "user: To d. B1 C1"],
            &a,
            &b,
            &c,
            &d,
        ],
    );
}

#[test]
fn turns_of_named_steps_are_seen_by_nodes_that_a_path_leads_to() {
    let config = json!({
        "kind": "times", "times": 1, "conversation": true, "ai_turn_source": "named_steps", "named_steps": ["b", "c"],
    });
    let (nodes, edges) = diamond(&config);
    assert_received_from_any_prefix(
        &Stage::new(),
        (&nodes, &edges),
        &["A1", "B1", "C1", "D1"],
        &[
            &["user: To a."],
            &["user: To b."],
            &["user: U#0", "user: To c. U#0"],
            &["user: U#0", "assistant: B1", "assistant: C1", "user: To d. B1 C1"],
        ],
    );
}

#[test]
fn last_turn_is_seen_after_the_iteration_only() {
    let config = json!({ "kind": "times", "times": 2, "conversation": true });
    let (mut nodes, mut edges) = diamond(&config);
    // `e` comes after the last agent, which feeds `next`.
    nodes["e"] = prompted("l", "To e.");
    edges.as_array_mut().unwrap().push(json!("d.context -> e.context"));
    assert_received_from_any_prefix(
        &Stage::new(),
        (&nodes, &edges),
        &["A1", "B1", "C1", "D1", "E1", "A2", "B2", "C2", "D2", "E2"],
        &[
            &["user: To a."],
            &["user: To b."],
            &["user: U#0", "user: To c. U#0"],
            &["user: U#0", "user: To d. B1 C1"],
            &["user: U#0", "user: To e."],
            &["user: U#0", "assistant: D1", "user: To a."],
            &["user: U#0", "assistant: D1", "user: To b."],
            &["user: U#0", "assistant: D1", "user: U#1", "user: To c. U#1"],
            &["user: U#0", "assistant: D1", "user: U#1", "user: To d. B2 C2"],
            &["user: U#0", "assistant: D1", "user: U#1", "user: To e."],
        ],
    );
}

/// A cycle of `a` and `b` that runs twice in each iteration, followed by `log`, which waits for a person each time.
fn cycle_in_a_loop() -> (Value, Value) {
    let config = json!({ "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents" });
    let mut nodes = json!({
        "l": { "type": "loop", "config": config },
        "one": { "type": "newContext", "parent": "l" },
        "two": { "type": "newContext", "parent": "l" },
        "a": prompted("l", "To a."),
        "b": prompted("l", "To b."),
        "ask": { "type": "userInput", "parent": "l" },
        "log": prompted("l", "To log."),
    });
    nodes["a"]["limits"] = json!({ "maxEpochs": 2 });
    let edges = json!([
        "one.context -> a.context",
        "a.context -> b.context",
        "b.context -> a.context",
        "a.response -> ask.in",
        "two.context -> log.context",
        "ask.message -> log.in",
    ]);
    nodes["log"]["config"]["prompt"] = json!("To log. {{in}}");
    (nodes, edges)
}

#[test]
fn iterations_of_a_cycle_inside_follow_each_other_and_do_not_see_what_lags_behind() {
    let (nodes, edges) = cycle_in_a_loop();
    let stage = Stage::new();
    script(&stage, &["A1", "B1", "A2", "B2", "L1", "L2", "A3"]);
    stage.play_answering(&nodes, &edges, &json!({}), answer);
    let requests = received(&stage);
    // `a` and `b` do not wait for the person.
    assert_eq!(
        requests[..4],
        [
            messages(&["user: To a."]),
            messages(&["assistant: A1", "user: To b."]),
            messages(&["assistant: A1", "assistant: B1", "user: To a."]),
            messages(&["assistant: A1", "assistant: B1", "assistant: A2", "user: To b."]),
        ]
    );
    // The first question belongs to the first epoch, although the second one is over.
    assert_eq!(requests[4], messages(&["assistant: A1", "user: U#0.0", "user: To log. U#0.0"]));
    assert_eq!(
        requests[5],
        messages(&[
            "assistant: A1",
            "user: U#0.0",
            "assistant: B1",
            "assistant: L1",
            "assistant: A2",
            "user: U#0.1",
            "user: To log. U#0.1",
        ])
    );
    let history = requests[6].clone();
    let said: Vec<&str> = history.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(said, ["A1", "U#0.0", "B1", "L1", "A2", "U#0.1", "B2", "L2", "To a."]);
}

#[test]
fn items_that_may_run_at_once_do_not_see_each_other() {
    for (concurrency, second) in [(1, vec!["assistant: R1", "user: Two"]), (2, vec!["user: Two"])] {
        let stage = Stage::new();
        let config =
            json!({ "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents" });
        let nodes = json!({
            "items": { "type": "value", "config": { "value": ["One", "Two"] } },
            "l": { "type": "loop", "config": config },
            "each": { "type": "loop", "parent": "l", "config": { "kind": "forEach", "concurrency": concurrency } },
            "new": { "type": "newContext", "parent": "each" },
            "a": chat("each"),
        });
        let edges =
            json!(["items.value -> each.items", "new.context -> a.context", "each.item -> a.message",]);
        script(&stage, &["R1", "R2", "R3", "R4"]);
        stage.play(&nodes, &edges, &json!({}));
        let requests = received(&stage);
        assert_eq!(requests[..2], [messages(&["user: One"]), messages(&second)], "concurrency {concurrency}");
        assert_eq!(requests[2], messages(&["assistant: R1", "assistant: R2", "user: One"]));
    }
}

#[test]
fn message_that_is_a_turn_is_recognized_by_where_it_comes_from_and_not_by_its_text() {
    // The person says what the loop's input says; `join` and `text` only pass on what they get.
    let stage = Stage::new();
    let config = json!({ "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents" });
    let pass = json!({ "type": "text", "parent": "l", "config": { "template": "{{x}}" } });
    let nodes = json!({
        "goal": { "type": "value", "config": { "value": "Same." } },
        "l": { "type": "loop", "config": config },
        "new": { "type": "newContext", "parent": "l" },
        "ask": { "type": "userInput", "parent": "l" },
        "pass": pass,
        "a": chat("l"),
        "b": chat("l"),
    });
    let edges = json!([
        "goal.value -> l.input",
        "ask.message -> pass.x",
        "new.context -> a.context",
        "pass.text -> a.message",
        "a.context -> b.context",
        "l.previous -> b.message",
        "b.response -> l.next",
    ]);
    script(&stage, &["Same.", "B1", "A2", "B2"]);
    let same = |open: &[Activation]| Some((open.first()?.clone(), Some(json!("Same."))));
    stage.play_answering(&nodes, &edges, &json!({}), same);
    assert_received(
        &stage,
        &[
            // The turn that the loop began with is left, the person's is the message.
            &["user: Same.", "user: Same."],
            // What the person and `a` said is left, the loop's input is the message.
            &["user: Same.", "assistant: Same.", "user: Same."],
            &["user: Same.", "user: Same.", "assistant: Same.", "assistant: B1", "user: Same."],
            // `previous` is the reply of `b`.
            &["user: Same.", "user: Same.", "assistant: Same.", "user: Same.", "assistant: A2", "user: B1"],
        ],
    );
}

#[test]
fn reply_with_the_text_of_a_turn_is_no_turn() {
    // Under `last`, `a` is no turn. It says what the person said, so `b` receives that from two.
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop", "config": { "kind": "times", "times": 1, "conversation": true } },
        "new": { "type": "newContext", "parent": "l" },
        "ask": { "type": "userInput", "parent": "l" },
        "a": { "type": "chat", "parent": "l", "config": { "skipHistory": true } },
        "b": chat("l"),
    });
    let edges = json!([
        "new.context -> a.context",
        "ask.message -> a.message",
        "a.context -> b.context",
        "a.response -> b.message",
        "b.response -> l.next",
    ]);
    script(&stage, &["Same.", "B1"]);
    let same = |open: &[Activation]| Some((open.first()?.clone(), Some(json!("Same."))));
    stage.play_answering(&nodes, &edges, &json!({}), same);
    assert_received(&stage, &[&["user: Same."], &["user: Same.", "user: Same."]]);
}
