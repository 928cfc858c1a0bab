//! `hitl_history`: what people answered in a loop, as its condition, templates, queries and models get it.

use serde_json::{Value, json};

use super::conversations::{messages, received, script};
use super::{Driver, Stage};
use plait_core::id::Activation;

fn text(parent: &str, template: &str) -> Value {
    json!({ "type": "text", "parent": parent, "config": { "template": template } })
}

fn ask(parent: &str, prompt: &str) -> Value {
    json!({ "type": "userInput", "parent": parent, "config": { "prompt": prompt } })
}

/// Answers the last question that is open: what a node asked, and where.
fn answer(open: &[Activation]) -> Option<(Activation, Option<Value>)> {
    let at = open.last()?.clone();
    let text = format!("{at}!");
    Some((at, Some(json!(text))))
}

const ALL: &str = "{{#each hitl_history}}{{this.node}}:{{this.question}}={{this.answer}};{{/each}}";

/// Plays a flow, and resumes it from each prefix of its journal. Gives the texts of these nodes, by node and epoch.
fn texts(stage: &Stage, nodes: &Value, edges: &Value, of: &[&str]) -> Vec<String> {
    let texts = |events: &[Value]| -> Vec<String> {
        let finished = events.iter().filter(|event| {
            event["type"] == "node.finished" && of.iter().any(|node| event["node"] == **node)
        });
        let text = |event: &Value| {
            let outputs = event["outputs"].as_object().unwrap();
            format!("{}{} {}", event["node"], event["epoch"], outputs.values().next().unwrap())
                .replace('"', "")
        };
        let mut texts: Vec<String> = finished.map(text).collect();
        texts.sort();
        texts
    };
    let all = texts(&stage.play_answering(nodes, edges, &json!({}), answer));
    let entries = stage.entries();
    for length in 1..entries.len() {
        *stage.kept.0.lock().unwrap() = entries[..length].to_vec();
        let setup = stage.setup(nodes, edges, &json!({}), None);
        let (driver, handle) = Driver::resume(setup, &entries[..length]).unwrap();
        let resumed = texts(&stage.drive_answering(driver, &handle, answer));
        assert_eq!(resumed, all, "resumed from {length} of {} entries", entries.len());
    }
    all
}

#[test]
fn answers_are_seen_downstream_at_once_and_by_later_iterations_in_plan_order() {
    // Of `one` and `two`, which ask at the same time, `two` is answered first.
    let nodes = json!({
        "l": { "type": "loop", "config": { "kind": "times", "times": 2 } },
        "one": ask("l", "1?"),
        "two": ask("l", "2?"),
        "after": text("l", &format!("{ALL}{{{{x}}}}")),
        "beside": text("l", &format!("{ALL}{{{{x}}}}")),
        "end": text("l", &format!("{ALL}{{{{x}}}}{{{{y}}}}")),
        "outside": text("", &format!("{ALL}{{{{x}}}}")),
    });
    let mut nodes = nodes;
    nodes["outside"].as_object_mut().unwrap().remove("parent");
    let edges = json!([
        "one.message -> after.x",
        "l.index -> beside.x",
        "one.message -> end.x",
        "two.message -> end.y",
        "end.text -> l.next",
        "l.iterations -> outside.x",
    ]);
    let (one, two) = ("one:1?=one#0!;", "two:2?=two#0!;");
    assert_eq!(
        texts(&Stage::new(), &nodes, &edges, &["after", "beside", "end", "outside"]),
        [
            format!("after[0] {one}one#0!"),
            format!("after[1] {one}{two}one:1?=one#1!;one#1!"),
            "beside[0] 0".to_owned(),
            format!("beside[1] {one}{two}1"),
            format!("end[0] {one}{two}one#0!two#0!"),
            format!("end[1] {one}{two}one:1?=one#1!;two:2?=two#1!;one#1!two#1!"),
            "outside[] 2".to_owned(),
        ]
    );
}

#[test]
fn conditions_and_queries_read_the_answers() {
    let condition = "size(hitl_history) < 2 || hitl_history[1].answer != \"ask#1!\"";
    let nodes = json!({
        "l": { "type": "loop", "config": { "condition": condition } },
        "ask": ask("l", "Go on?"),
        "list": { "type": "json", "parent": "l", "config": { "query": "[$hitl_history[].answer]" } },
        "newest": { "type": "json", "parent": "l", "config": { "query": "$hitl_history[0].node" } },
        "route": { "type": "switch", "parent": "l", "config": { "cases": [
            { "name": "later", "when": "size(hitl_history) > 1 && hitl_history[0].question == \"Go on?\"" },
        ] } },
        "later": text("l", "later {{x}}"),
    });
    let edges = json!([
        "ask.message -> list.value",
        "list.result -> newest.value",
        "ask.message -> route.value",
        "route.later -> later.x",
        "newest.result -> l.next",
    ]);
    assert_eq!(
        texts(&Stage::new(), &nodes, &edges, &["list", "newest", "later"]),
        [
            "later[1] later ask#1!",
            "list[0] [ask#0!]",
            "list[1] [ask#0!,ask#1!]",
            "newest[0] ask",
            "newest[1] ask"
        ]
    );
}

#[test]
fn answers_belong_to_the_innermost_loop_and_items_at_once_do_not_see_each_other() {
    for (concurrency, second) in [(1, "in:In?=in#0.0!;in:In?=in#0.1!;"), (2, "in:In?=in#0.1!;")] {
        let nodes = json!({
            "items": { "type": "value", "config": { "value": [1, 2] } },
            "l": { "type": "loop", "config": { "kind": "times", "times": 1 } },
            "out": ask("l", "Out?"),
            "each": { "type": "loop", "parent": "l", "config": { "kind": "forEach", "concurrency": concurrency } },
            "in": ask("each", "In?"),
            "inner": text("each", &format!("{ALL}{{{{default x}}}}")),
            "outer": text("l", &format!("{ALL}{{{{default x}}}}")),
        });
        let edges = json!([
            "out.message -> each.input",
            "items.value -> each.items",
            "in.message -> inner.x",
            "each.iterations -> outer.x",
        ]);
        let texts = texts(&Stage::new(), &nodes, &edges, &["inner", "outer"]);
        assert_eq!(
            texts,
            [
                "inner[0,0] in:In?=in#0.0!;in#0.0!".to_owned(),
                format!("inner[0,1] {second}in#0.1!"),
                "outer[0] out:Out?=out#0!;2".to_owned(),
            ],
            "concurrency {concurrency}"
        );
    }
}

#[test]
fn failed_iteration_leaves_no_answer() {
    let nodes = json!({
        "items": { "type": "value", "config": { "value": [1, 2] } },
        "l": { "type": "loop", "config": { "kind": "forEach", "on_error": "continue" } },
        "ask": ask("l", "?"),
        "route": { "type": "switch", "parent": "l", "config": { "cases": [{ "name": "one", "equals": 1 }] } },
        "fail": { "type": "json", "parent": "l", "config": { "query": ".field" } },
        "show": text("l", &format!("{ALL}{{{{x}}}}")),
    });
    let edges = json!([
        "items.value -> l.items",
        "l.item -> route.value",
        "l.item -> ask.in",
        "ask.message -> show.x",
        "show.text -> l.next",
        "route.one -> fail.value",
    ]);
    // `fail` fails before the first question is answered.
    let nodes_late = {
        let mut nodes = nodes.clone();
        nodes["join"] = json!({ "type": "text", "parent": "l", "config": { "template": "{{a}}{{b}}" } });
        nodes
    };
    let edges_late = json!([
        "items.value -> l.items",
        "l.item -> route.value",
        "l.item -> ask.in",
        "ask.message -> show.x",
        "show.text -> l.next",
        "show.text -> join.a",
        "route.one -> join.b",
        "join.text -> fail.value",
    ]);
    assert_eq!(
        texts(&Stage::new(), &nodes_late, &edges_late, &["show"]),
        ["show[0] ask:?=ask#0!;ask#0!", "show[1] ask:?=ask#1!;ask#1!"]
    );
    assert_eq!(texts(&Stage::new(), &nodes, &edges, &["show"]), ["show[1] ask:?=ask#1!;ask#1!"]);
}

#[test]
fn models_get_the_answers_in_their_prompt_and_in_a_conversation_as_turns_of_the_user() {
    let stage = Stage::new();
    let prompt = "{{#each hitl_history}}{{this.question}} {{json this.answer}} {{/each}}";
    let nodes = json!({
        "l": { "type": "loop", "config": { "kind": "times", "times": 2, "conversation": true } },
        "new": { "type": "newContext", "parent": "l" },
        "draft": text("l", "Draft {{x}}"),
        "ok": { "type": "approval", "parent": "l", "config": { "prompt": "Ok?" } },
        "chat": { "type": "chat", "parent": "l", "config": { "prompt": prompt } },
    });
    let edges = json!([
        "l.index -> draft.x",
        "draft.text -> ok.in",
        "new.context -> ok.context",
        "ok.context -> chat.context",
        "chat.response -> l.next",
    ]);
    script(&stage, &["C1", "C2"]);
    let approve = |open: &[Activation]| Some((open.first()?.clone(), Some(json!({ "approved": true }))));
    let events = stage.play_answering(&nodes, &edges, &json!({}), approve);
    let approved = r#"{"approved":true}"#;
    let (turn, asked) = (format!("user: {approved}"), format!("user: Ok? {approved} "));
    let twice = format!("user: Ok? {approved} Ok? {approved} ");
    assert_eq!(
        received(&stage),
        [messages(&[&turn, &asked]), messages(&[&turn, "assistant: C1", &turn, &twice])]
    );
    let origins = &events.iter().find(|event| event["type"] == "prompt.rendered").unwrap()["prompt"]["parts"];
    assert!(origins.to_string().contains("person"), "{origins}");
}
