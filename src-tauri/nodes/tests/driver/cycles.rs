//! Cycles: what bounds them, and how one follows another.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{Stage, of};
use plait_testing::ScriptedReply;

/// What the provider was asked, in order: the last message of each request.
fn questions(stage: &Stage) -> Vec<String> {
    let requests = stage.provider.requests();
    requests.iter().map(|request| request.messages.last().unwrap().content.text()).collect()
}

fn script(stage: &Stage, replies: &[&str]) {
    stage.provider.push_replies(replies.iter().map(|text| ScriptedReply::text(text)));
}

fn of_type<'a>(events: &'a [Value], event_type: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == event_type).collect()
}

/// Answers the questions of each node in order, and ends the pause of a node without further answers.
fn play(
    stage: &Stage,
    nodes: &Value,
    edges: &Value,
    settings: &Value,
    answers: &[(&str, &[&str])],
) -> Vec<Value> {
    let mut left: Vec<(&str, VecDeque<&str>)> =
        answers.iter().map(|(node, answers)| (*node, answers.iter().copied().collect())).collect();
    stage.play_answering(nodes, edges, settings, |open| {
        let pause = open.first()?.clone();
        let of_node = left.iter_mut().find(|(node, _)| pause.node.as_str() == *node);
        let answer = of_node.and_then(|(_, answers)| answers.pop_front());
        Some((pause, answer.map(Value::from)))
    })
}

/// The example of the design: drafts are criticized at most three times, inside a conversation of any length.
#[test]
fn bound_of_inner_cycle_does_not_end_the_conversation() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "userInput" },
        "draft": { "type": "chat" },
        "critique": { "type": "chat" },
        "check": {
            "type": "switch",
            "config": { "cases": [{ "name": "redo", "equals": "redo" }] },
            "limits": { "maxEpochs": 3 },
        },
    });
    let edges = json!([
        "start.context -> draft.context",
        "start.context -> critique.context",
        "ask.message -> draft.message",
        "draft.response -> critique.message",
        "critique.response -> check.value",
        "check.redo -> draft.message",
        "draft.response -> ask.in",
    ]);
    // In each turn of the conversation three drafts, none of them good enough; in the last turn the first is.
    let asked = ["one", "two", "three", "four", "five", "six"];
    for _ in 0..5 {
        script(&stage, &["draft a", "redo", "draft b", "redo", "draft c", "redo"]);
    }
    script(&stage, &["draft a", "fine"]);
    let events = play(&stage, &nodes, &edges, &json!({}), &[("ask", &asked)]);
    let turn = |asked: &str| [asked, "draft a", "redo", "draft b", "redo", "draft c"].map(str::to_owned);
    let mut expected: Vec<String> = asked[..5].iter().flat_map(|asked| turn(asked)).collect();
    expected.extend(["six".to_owned(), "draft a".to_owned()]);
    assert_eq!(questions(&stage), expected);
    let exhausted = of_type(&events, "loop.exhausted");
    let epochs: Vec<_> = exhausted.iter().map(|event| event["epoch"].clone()).collect();
    assert_eq!(epochs, [json!([0, 2]), json!([1, 2]), json!([2, 2]), json!([3, 2]), json!([4, 2])]);
    assert!(exhausted.iter().all(|event| event["node"] == "draft" && event["maxEpochs"] == 3));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    // The whole conversation is in the history of the last request: in each turn what the person said and six replies.
    assert_eq!(stage.provider.requests().last().unwrap().messages.len(), 5 * (1 + 6) + 2);
}

/// A cycle that asks only if the model says "ask".
fn rarely_asks() -> (Value, Value) {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "v": { "type": "value", "config": { "value": "go" } },
        "head": { "type": "delay" },
        "chat": { "type": "chat" },
        "branch": { "type": "switch", "config": { "cases": [{ "name": "ask", "equals": "ask" }] } },
        "ask": { "type": "userInput" },
    });
    let edges = json!([
        "start.context -> chat.context",
        "v.value -> head.in",
        "head.out -> chat.message",
        "chat.response -> branch.value",
        "branch.ask -> ask.in",
        "ask.message -> head.in",
        "branch.default -> head.in",
    ]);
    (nodes, edges)
}

#[test]
fn skipped_pause_bounds_nothing() {
    let (nodes, edges) = rarely_asks();
    for (settings, bound) in [(json!({}), 100), (json!({ "maxUnattendedEpochs": 7 }), 7)] {
        let stage = Stage::new();
        let events = play(&stage, &nodes, &edges, &settings, &[]);
        assert_eq!(stage.provider.requests().len(), bound);
        let exhausted = of_type(&events, "loop.exhausted");
        assert_eq!(exhausted.len(), 1);
        assert_eq!((&exhausted[0]["maxEpochs"], &exhausted[0]["unattended"]), (&json!(bound), &json!(true)));
        assert_eq!(events.last().unwrap()["type"], "run.finished");
    }
}

#[test]
fn question_starts_the_count_of_unattended_epochs_anew() {
    let (nodes, edges) = rarely_asks();
    let stage = Stage::new();
    script(&stage, &["x", "x", "ask", "x", "x", "ask", "x", "x", "x", "x"]);
    let settings = json!({ "maxUnattendedEpochs": 3 });
    let events = play(&stage, &nodes, &edges, &settings, &[("ask", &["on", "on"])]);
    assert_eq!(stage.provider.requests().len(), 9);
    assert_eq!(of_type(&events, "loop.exhausted")[0]["epoch"], json!([8]));
}

#[test]
fn cycle_with_a_bound_of_its_own_may_be_unattended_for_longer() {
    let (mut nodes, edges) = rarely_asks();
    nodes["chat"]["limits"] = json!({ "maxEpochs": 150 });
    let stage = Stage::new();
    let events = play(&stage, &nodes, &edges, &json!({}), &[]);
    assert_eq!(stage.provider.requests().len(), 150);
    let exhausted = of_type(&events, "loop.exhausted");
    assert_eq!((&exhausted[0]["maxEpochs"], exhausted[0].get("unattended")), (&json!(150), None));
}

#[test]
fn child_that_asked_attends_an_epoch() {
    let nodes = json!({
        "v": { "type": "value", "config": { "value": "go" } },
        "head": { "type": "delay" },
        "child": { "type": "subflow", "config": { "file": "child.flow.json", "inputSource": "nodeOutput" } },
    });
    let edges = json!(["v.value -> head.in", "head.out -> child.value", "child.text -> head.in"]);
    let stage = Stage::new();
    // Of the first three children the third asks.
    stage.subflows.asks_in([2]);
    let events = play(&stage, &nodes, &edges, &json!({ "maxUnattendedEpochs": 4 }), &[]);
    assert_eq!(stage.subflows.calls().len(), 7, "epoch 2 is attended, and four more follow");
    assert_eq!(of_type(&events, "child.asked").len(), 1);
    assert_eq!(of_type(&events, "loop.exhausted")[0]["epoch"], json!([6]));
}

#[test]
fn one_conversation_follows_another() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "name": { "type": "userInput", "config": { "prompt": "First" } },
        "greet": { "type": "chat" },
        "topic": { "type": "userInput", "config": { "prompt": "After {{in}}" } },
        "talk": { "type": "chat" },
    });
    let edges = json!([
        "start.context -> greet.context",
        "start.context -> talk.context",
        "name.message -> greet.message",
        "greet.response -> name.in",
        "greet.response -> topic.in",
        "topic.message -> talk.message",
        "talk.response -> topic.in",
    ]);
    script(&stage, &["g1", "g2", "t1", "t2"]);
    let answers: [(&str, &[&str]); 2] = [("name", &["n1", "n2"]), ("topic", &["w1", "w2"])];
    let events = play(&stage, &nodes, &edges, &json!({}), &answers);
    assert_eq!(questions(&stage), ["n1", "n2", "w1", "w2"]);
    let prompts: Vec<_> = of_type(&events, "run.paused")
        .iter()
        .map(|event| format!("{} {} {}", event["node"].as_str().unwrap(), event["epoch"], event["prompt"]))
        .collect();
    let expected = [
        r#"name [0] "First""#,
        r#"name [1] "First""#,
        r#"name [2] "First""#,
        r#"topic [0] "After g2""#,
        r#"topic [1] "After t1""#,
        r#"topic [2] "After t2""#,
    ];
    assert_eq!(prompts, expected);
    let last = stage.provider.requests().pop().unwrap();
    let history: Vec<_> = last.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(history, ["n1", "g1", "n2", "g2", "w1", "t1", "w2"]);
    assert_eq!(events.last().unwrap()["type"], "run.finished");
}

/// A cycle with a last value that comes through a follower that lags.
#[test]
fn cycle_waits_for_lagging_follower_of_the_cycle_before() {
    let nodes = json!({
        "v": { "type": "value", "config": { "value": "0" } },
        "count": {
            "type": "text",
            "config": { "template": "{{in}}+" },
            "limits": { "maxEpochs": 3 },
        },
        "slow": { "type": "delay", "config": { "ms": 50 } },
        "next": {
            "type": "text",
            "config": { "template": "({{in}})" },
            "limits": { "maxEpochs": 2 },
        },
    });
    let edges = json!([
        "v.value -> count.in",
        "count.text -> count.in",
        "count.text -> slow.in",
        "slow.out -> next.in",
        "next.text -> next.in",
    ]);
    let stage = Stage::new();
    let events = play(&stage, &nodes, &edges, &json!({}), &[]);
    let results: Vec<_> =
        of("next", &events).iter().filter_map(|event| event["outputs"].get("text").cloned()).collect();
    assert_eq!(results, ["(0+++)", "((0+++))"]);
}
