//! Loops: what their iterations get and give, what ends them, and what of an iteration counts outside.

use serde_json::{Value, json};

use super::{Driver, Stage, drive, of, types};
use plait_journal::Entry;
use plait_testing::ScriptedReply;

fn outputs(node: &str, events: &[Value]) -> Vec<Value> {
    let finished = events.iter().filter(|event| event["node"] == node && event["type"] == "node.finished");
    finished.map(|event| event["outputs"].clone()).collect()
}

fn epochs(node: &str, event_type: &str, events: &[Value]) -> Vec<Value> {
    let found = events.iter().filter(|event| event["node"] == node && event["type"] == event_type);
    found.map(|event| event["epoch"].clone()).collect()
}

/// Runs a flow, and resumes it from every prefix of its journal. The end must be the same.
fn play(stage: &Stage, nodes: &Value, edges: &Value) -> Vec<Value> {
    let events = stage.play(nodes, edges, &json!({}));
    let entries = stage.entries();
    for length in 1..entries.len() {
        let resumed = resume(stage, nodes, edges, &entries[..length]);
        assert_eq!(resumed.last(), events.last(), "resumed from {length} of {} entries", entries.len());
        let count =
            |events: &[Value]| events.iter().filter(|event| event["type"] == "iteration.finished").count();
        assert_eq!(count(&resumed), count(&events), "resumed from {length} entries");
    }
    *stage.kept.0.lock().unwrap() = entries;
    events
}

fn resume(stage: &Stage, nodes: &Value, edges: &Value, entries: &[Entry]) -> Vec<Value> {
    *stage.kept.0.lock().unwrap() = entries.to_vec();
    let setup = stage.setup(nodes, edges, &json!({}), None);
    let (driver, _handle) = Driver::resume(setup, entries).unwrap();
    drive(driver);
    stage.events()
}

fn text(parent: &str, template: &str) -> Value {
    json!({ "type": "text", "parent": parent, "config": { "template": template } })
}

#[test]
fn times_loop_hands_its_result_from_iteration_to_iteration() {
    let stage = Stage::new();
    let nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "l": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "add": text("l", "{{value}}{{index}}"),
        "after": { "type": "text", "config": { "template": "[{{value}}]" } },
    });
    let edges = json!([
        "seed.value -> l.input",
        "l.previous -> add.value",
        "l.index -> add.index",
        "add.text -> l.next",
        "l.result -> after.value",
    ]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(outputs("after", &events), [json!({ "text": "[s012]" })]);
    assert_eq!(outputs("l", &events), [json!({ "result": "s012", "iterations": 3 })]);
    assert_eq!(epochs("add", "node.finished", &events), [json!([0]), json!([1]), json!([2])]);
    assert_eq!(epochs("l", "iteration.started", &events), [json!([0]), json!([1]), json!([2])]);
    assert_eq!(epochs("after", "node.finished", &events), [json!([])]);
}

#[test]
fn previous_is_null_after_an_iteration_without_result() {
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "body": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "none", "when": "value == null" }] } },
        "seen": text("l", "[{{value}}]"),
    });
    let edges = json!(["l.previous -> body.value", "body.none -> seen.value"]);
    let events = play(&stage, &nodes, &edges);
    // Iteration 0 has nothing before it: the loop has no input.
    assert_eq!(epochs("body", "node.skipped", &events), [json!([0])]);
    assert_eq!(epochs("seen", "node.finished", &events), [json!([1]), json!([2])]);
}

#[test]
fn while_loop_tests_before_each_iteration() {
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop", "config": { "condition": "index < 2" } },
        "body": text("l", "{{index}}"),
    });
    let edges = json!(["l.index -> body.index", "body.text -> l.next"]);
    let events = play(&stage, &nodes, &edges);
    let tests: Vec<_> = outputs("l", &events);
    assert_eq!(
        tests,
        [
            json!({ "continue": true }),
            json!({ "continue": true }),
            json!({ "continue": false }),
            json!({ "result": "1", "results": ["0", "1"], "iterations": 2 }),
        ]
    );
}

#[test]
fn exit_ends_the_loop_when_the_body_has_finished() {
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop" },
        "done": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "yes", "when": "value == 2" }] } },
        "slow": { "type": "delay", "parent": "l" },
        "tail": text("l", "{{value}}!"),
    });
    let edges = json!([
        "l.index -> done.value",
        "done.yes -> l.exit",
        "l.index -> slow.in",
        "slow.out -> tail.value",
        "tail.text -> l.next",
    ]);
    let events = play(&stage, &nodes, &edges);
    let result = json!({ "result": "2!", "results": ["0!", "1!", "2!"], "iterations": 3 });
    assert_eq!(outputs("l", &events), [result]);
}

#[test]
fn exit_of_an_item_stops_later_ones_however_far_they_are() {
    let stage = Stage::new();
    let nodes = json!({
        "list": { "type": "value", "config": { "value": [1, 2, 3, 4, 5] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
        "first": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "yes", "when": "value == 1" }] } },
        "slow": { "type": "delay", "parent": "l" },
        "tail": text("l", "{{value}}"),
    });
    let edges = json!([
        "list.value -> l.items",
        "l.item -> first.value",
        "first.yes -> slow.in",
        "slow.out -> l.exit",
        "l.item -> tail.value",
        "tail.text -> l.next",
    ]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(outputs("l", &events), [json!({ "result": "1", "results": ["1"], "iterations": 1 })]);
    assert!(epochs("l", "iteration.started", &events).len() > 1, "others had begun");
}

#[test]
fn values_from_outside_keep_the_plan_order_of_their_sources() {
    let stage = Stage::new();
    let nodes = json!({
        "a": { "type": "value", "config": { "value": "first" } },
        "b": { "type": "value", "config": { "value": "last" } },
        "l": { "type": "loop", "config": { "kind": "times", "times": 1 } },
        "body": text("l", "{{value}}"),
    });
    // Edges are numbered in this order.
    let edges = json!(["b.value -> body.value", "a.value -> body.value", "body.text -> l.next"]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(outputs("body", &events), [json!({ "text": "last" })]);
}

#[test]
fn greatest_number_of_iterations_holds_with_a_warning() {
    let stage = Stage::new();
    let nodes = json!({
        "l": { "type": "loop", "config": { "max_iterations": 4 } },
        "body": text("l", "{{index}}"),
    });
    let edges = json!(["l.index -> body.index", "body.text -> l.next"]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(outputs("l", &events)[0]["iterations"], 4);
    let exhausted: Vec<_> = events.iter().filter(|event| event["type"] == "loop.exhausted").collect();
    assert_eq!(exhausted.len(), 1);
    assert_eq!((&exhausted[0]["epoch"], &exhausted[0]["maxEpochs"]), (&json!([3]), &json!(4)));
}

#[test]
fn for_each_gives_results_in_the_order_of_the_items() {
    for concurrency in [1, 2, 16] {
        let stage = Stage::new();
        let nodes = json!({
            "list": { "type": "value", "config": { "value": ["a", "b", "c", "d", "e"] } },
            "suffix": { "type": "value", "config": { "value": "?" } },
            "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": concurrency } },
            "wait": { "type": "delay", "parent": "l" },
            "body": text("l", "{{value}}{{suffix}}"),
        });
        let edges = json!([
            "list.value -> l.items",
            "l.item -> wait.in",
            "wait.out -> body.value",
            "suffix.value -> body.suffix",
            "body.text -> l.next",
        ]);
        let events = play(&stage, &nodes, &edges);
        let expected = json!({ "result": "e?", "results": ["a?", "b?", "c?", "d?", "e?"], "iterations": 5 });
        assert_eq!(outputs("l", &events), [expected], "{concurrency} at once");
        assert_eq!(epochs("suffix", "node.finished", &events).len(), 1, "a value from outside is held");
    }
}

#[test]
fn loops_nest_and_cycles_run_inside() {
    let stage = Stage::new();
    let nodes = json!({
        "outer": { "type": "loop", "config": { "kind": "times", "times": 2 } },
        "inner": { "type": "loop", "parent": "outer", "config": { "kind": "times", "times": 2 } },
        "join": text("inner", "{{before}}({{outer}}.{{inner}})"),
        // A cycle in the body, which runs three times in each iteration.
        "head": { "type": "text", "parent": "outer", "config": { "template": "{{value}}+" }, "limits": { "maxEpochs": 3 } },
        "back": text("outer", "{{value}}"),
    });
    let edges = json!([
        "outer.index -> join.outer",
        "inner.index -> join.inner",
        "inner.previous -> join.before",
        "join.text -> inner.next",
        "inner.result -> head.value",
        "head.text -> back.value",
        "back.text -> head.value",
        "back.text -> outer.next",
        "outer.previous -> inner.input",
    ]);
    let events = play(&stage, &nodes, &edges);
    let result = outputs("outer", &events).pop().unwrap()["result"].clone();
    // Iteration 0 has nothing before it, so the inner loop is skipped in it. Its result is null, which iteration 1 begins with.
    assert_eq!(result, json!("(1.0)(1.1)+++"), "{events:#?}");
}

#[test]
fn failed_iteration_leaves_its_error_or_ends_the_loop() {
    let nodes = |on_error: &str| {
        json!({
            "list": { "type": "value", "config": { "value": [1, "x", 3] } },
            "l": { "type": "loop", "config": { "kind": "forEach", "on_error": on_error, "concurrency": 3 } },
            "check": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "yes", "when": "value > 0" }] } },
            "tail": text("l", "{{value}}"),
        })
    };
    let edges = json!([
        "list.value -> l.items",
        "l.item -> check.value",
        "check.yes -> tail.value",
        "tail.text -> l.next"
    ]);
    let stage = Stage::new();
    let events = play(&stage, &nodes("continue"), &edges);
    let results = outputs("l", &events)[0]["results"].clone();
    assert_eq!((&results[0], &results[2]), (&json!("1"), &json!("3")));
    assert_eq!(results[1]["error"]["node"], "check");
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    let stage = Stage::new();
    let events = play(&stage, &nodes("stop"), &edges);
    assert_eq!(events.last().unwrap()["type"], "run.failed");
    assert_eq!(events.last().unwrap()["node"], "check");
    // The loop's error output takes it, if it is connected.
    let stage = Stage::new();
    let mut caught = nodes("stop");
    caught["after"] = json!({ "type": "text", "config": { "template": "{{error.code}}" } });
    let mut with_error = edges.as_array().unwrap().clone();
    with_error.push(json!("l.error -> after.error"));
    let events = play(&stage, &caught, &json!(with_error));
    assert_eq!(events.last().unwrap()["type"], "run.finished", "{:#?}", of("l", &events));
    assert_eq!(outputs("after", &events).len(), 1);
}

/// A list of two items in a loop that has both open: the first one passes `slow`, and takes longer than the second.
fn two_at_once(body: &Value) -> Value {
    let mut nodes = json!({
        "list": { "type": "value", "config": { "value": [1, 2] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
        "first": { "type": "switch", "parent": "l", "config": { "cases": [
            { "name": "slowly", "when": "value == 1" },
            { "name": "now", "when": "value == 2" },
        ] } },
        "slow": { "type": "delay", "parent": "l" },
        "after": { "type": "text", "config": { "template": "{{error.code}}" } },
    });
    nodes.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    nodes
}

fn two_at_once_edges(body: &[&str]) -> Value {
    let all = [
        "list.value -> l.items",
        "l.item -> first.value",
        "first.slowly -> slow.in",
        "l.error -> after.error",
    ];
    json!([&all, body].concat())
}

#[test]
fn failure_of_the_first_item_counts_however_late_it_comes() {
    let stage = Stage::new();
    let nodes = two_at_once(&json!({
        "late": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "sure", "when": "value.no > 0" }] } },
        "early": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "yes", "when": "value.no > 0" }] } },
    }));
    let edges = two_at_once_edges(&["slow.out -> late.value", "first.now -> early.value"]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(events.last().unwrap()["type"], "run.finished", "{events:#?}");
    let errors = |node: &str| -> Vec<Value> {
        let failed = of(node, &events).into_iter().filter(|event| event["type"] == "node.failed");
        failed.map(|event| event["error"]["message"].clone()).collect()
    };
    assert_eq!((errors("late").len(), errors("early").len()), (1, 1));
    assert_ne!(errors("late"), errors("early"));
    assert_eq!(errors("l"), errors("late"));
    assert_eq!(epochs("l", "iteration.finished", &events), [json!([1]), json!([0])]);
}

#[test]
fn failure_does_not_count_if_an_earlier_item_ends_the_loop() {
    let stage = Stage::new();
    let nodes = two_at_once(&json!({
        "early": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "yes", "when": "value.no > 0" }] } },
        "tail": text("l", "{{value}}"),
    }));
    let edges = two_at_once_edges(&[
        "first.now -> early.value",
        "slow.out -> l.exit",
        "slow.out -> tail.value",
        "tail.text -> l.next",
    ]);
    let events = play(&stage, &nodes, &edges);
    assert_eq!(of("early", &events).last().unwrap()["type"], "node.failed");
    assert_eq!(outputs("l", &events), [json!({ "result": "1", "iterations": 1 })]);
    assert_eq!(types(&of("after", &events)), ["node.skipped"]);
}

#[test]
fn turns_of_items_that_are_stopped_are_given_up() {
    let stage = Stage::new();
    let nodes = two_at_once(&json!({
        "c": { "type": "contextStart", "config": { "provider": "stalls" } },
        "say": text("l", "{{value}}"),
        "chat": { "type": "chat", "parent": "l" },
        "unasked": { "type": "chat", "parent": "l" },
        "impatient": { "type": "chat", "parent": "l", "limits": { "timeoutMs": 5 }, "retry": { "attempts": 1 } },
        "begin": text("l", "{{value}}"),
    }));
    let edges = two_at_once_edges(&[
        "c.context -> l.context",
        "l.context -> chat.context",
        "l.context -> unasked.context",
        "first.now -> say.value",
        "say.text -> chat.message",
        "chat.response -> unasked.message",
        "l.context -> impatient.context",
        "first.slowly -> begin.value",
        "begin.text -> impatient.message",
        "impatient.error -> l.exit",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["type"], "run.finished", "{events:#?}");
    let chat: Vec<_> = of("chat", &events).into_iter().filter(|event| event["epoch"] == json!([1])).collect();
    assert_eq!(types(&chat), ["turn.started", "turn.discarded", "node.failed"]);
    assert_eq!(chat[1]["partial"], "Well, I");
    assert_eq!(chat[2]["error"]["code"], "node.stopped");
    let unasked = of("unasked", &events).into_iter().find(|event| event["epoch"] == json!([1])).unwrap();
    assert_eq!((&unasked["type"], &unasked["reason"]), (&json!("node.skipped"), &json!("loopEnded")));
}

#[test]
fn contexts_of_iterations_count_in_order() {
    let stage = Stage::new();
    for reply in ["one", "two", "three", "last"] {
        stage.provider.push_replies([ScriptedReply::text(reply)]);
    }
    let nodes = json!({
        "start": { "type": "contextStart" },
        "l": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "chat": { "type": "chat", "parent": "l" },
        "say": text("l", "turn {{index}}"),
        "after": { "type": "chat" },
    });
    let edges = json!([
        "start.context -> l.context",
        "l.context -> chat.context",
        "l.index -> say.index",
        "say.text -> chat.message",
        "chat.response -> l.next",
        "l.context -> after.context",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["type"], "run.finished", "{:#?}", events.last());
    let texts = |at: usize| -> Vec<String> {
        stage.provider.requests()[at].messages.iter().map(|message| message.content.text()).collect()
    };
    assert_eq!(texts(0), ["turn 0"]);
    assert_eq!(texts(1), ["turn 0", "one", "turn 1"]);
    assert_eq!(texts(2), ["turn 0", "one", "turn 1", "two", "turn 2"]);
    assert_eq!(texts(3), ["turn 0", "one", "turn 1", "two", "turn 2", "three"]);
}
