//! Agents that talk to each other through the workflow's memory: what each of them is sent, exactly.

use serde_json::{Value, json};

use super::{Stage, drive, of, started};
use plait_core::error::Fault;
use plait_llm::context::Role;
use plait_nodes::codes;
use plait_run::Driver;
use plait_testing::ScriptedReply;

/// A pair of agents, each in a context of its own, that answer each other three times.
fn pair() -> (Value, Value) {
    let agent = |label: &str| json!({ "type": "chat", "config": { "memory": { "label": label } } });
    let mut optimist = agent("Optimist");
    optimist["limits"] = json!({ "maxEpochs": 3 });
    let nodes = json!({
        "sky": { "type": "contextStart", "config": { "contextId": "sky", "systemInstructions": "Hope." } },
        "sea": { "type": "contextStart", "config": { "contextId": "sea", "systemInstructions": "Doubt." } },
        "topic": { "type": "value", "config": { "value": "Will it rain?" } },
        "optimist": optimist,
        "skeptic": agent("Skeptic"),
    });
    let edges = json!([
        "sky.context -> optimist.context",
        "sea.context -> skeptic.context",
        "topic.value -> optimist.message",
        "optimist.response -> skeptic.message",
        "skeptic.response -> optimist.message",
    ]);
    (nodes, edges)
}

fn settings() -> Value {
    json!({ "memory": { "mode": "readWrite" } })
}

fn replies(count: usize) -> impl Iterator<Item = ScriptedReply> {
    (1..=count).map(|number| ScriptedReply::text(&format!("Word {number}.")))
}

/// The messages of each request, each as "role: text".
fn prompts(stage: &Stage) -> Vec<Vec<String>> {
    let requests = stage.provider.requests();
    let lines = |request: &plait_llm::provider::ModelRequest| {
        let messages = request.messages.iter();
        let line = |role: Role, text: String| format!("{}: {text}", format!("{role:?}").to_lowercase());
        messages.map(|message| line(message.role, message.content.text())).collect()
    };
    requests.iter().map(lines).collect()
}

#[test]
fn agents_in_a_cycle_see_each_other_by_label_for_three_iterations() {
    let stage = Stage::new();
    stage.provider.push_replies(replies(6));
    let (nodes, edges) = pair();
    let events = stage.play(&nodes, &edges, &settings());
    let speakers: Vec<_> = events.iter().filter(|event| event["type"] == "memory.appended").collect();
    assert_eq!(speakers.len(), 6);
    let exact = [
        vec!["user: Partner just said: Will it rain?"],
        vec![
            "user: Memory of this workflow, in iteration 1:\nPartner just said: Will it rain?\n\nOptimist: Word 1.",
        ],
        vec!["user: Will it rain?", "assistant: Word 1.", "user: Skeptic: Word 2."],
        vec![
            "user: Word 1.",
            "assistant: Word 2.",
            "user: Memory of this workflow, in iteration 2:\nPartner just said: Will it rain?\n\nOptimist: Word 3.",
        ],
        vec![
            "user: Will it rain?",
            "assistant: Word 1.",
            "user: Word 2.",
            "assistant: Word 3.",
            "user: Skeptic: Word 4.",
        ],
        vec![
            "user: Word 1.",
            "assistant: Word 2.",
            "user: Word 3.",
            "assistant: Word 4.",
            "user: Memory of this workflow, in iteration 3:\nPartner just said: Will it rain?\n\nOptimist: Word 5.",
        ],
    ];
    assert_eq!(prompts(&stage), exact);
    assert!(events.iter().any(|event| event["type"] == "loop.exhausted"));
}

/// The partner's text could come twice: as the message and as part of the shared context.
#[test]
fn partner_is_sent_once_to_agents_that_share_a_context() {
    let stage = Stage::new();
    stage.provider.push_replies(replies(4));
    let agent = |label: &str| json!({ "type": "chat", "config": { "memory": { "label": label } } });
    let mut first = agent("First");
    first["limits"] = json!({ "maxEpochs": 2 });
    let nodes = json!({
        "c": { "type": "contextStart" },
        "topic": { "type": "value", "config": { "value": "Go." } },
        "a": first,
        "b": agent("Second"),
    });
    let edges = json!([
        "c.context -> a.context",
        "c.context -> b.context",
        "topic.value -> a.message",
        "a.response -> b.message",
        "b.response -> a.message",
    ]);
    stage.play(&nodes, &edges, &settings());
    let exact = [
        vec!["user: Partner just said: Go."],
        vec!["user: Go.", "user: First: Word 1."],
        vec!["user: Go.", "assistant: Word 1.", "user: Second: Word 2."],
        vec!["user: Go.", "assistant: Word 1.", "assistant: Word 2.", "user: First: Word 3."],
    ];
    assert_eq!(prompts(&stage), exact);
}

#[test]
fn flow_without_memory_sends_what_it_always_sent() {
    let stage = Stage::new();
    stage.provider.push_replies(replies(6));
    let (nodes, edges) = pair();
    let events = stage.play(&nodes, &edges, &json!({}));
    assert!(events.iter().all(|event| event["type"] != "memory.appended"));
    assert_eq!(prompts(&stage)[1], ["user: Word 1."]);
    assert_eq!(prompts(&stage)[2], ["user: Will it rain?", "assistant: Word 1.", "user: Word 2."]);
    let part = &of_prompt(&events, "skeptic")["parts"];
    assert_eq!(part.as_array().unwrap().iter().filter(|part| part["kind"] == "block").count(), 0);
}

fn of_prompt<'a>(events: &'a [Value], node: &str) -> &'a Value {
    let prompt = events.iter().find(|event| event["node"] == node && event["type"] == "prompt.rendered");
    &prompt.unwrap()["prompt"]
}

/// A summary that nobody fills is the failure that this test is for.
#[test]
fn summary_is_written_when_turns_leave_the_recent_ones() {
    let stage = Stage::new();
    let words = ["One.", "Two.", "Summary A.", "Three.", "Four.", "Summary B."];
    stage.provider.push_replies(words.map(ScriptedReply::text));
    let (mut nodes, edges) = pair();
    nodes["optimist"]["limits"]["maxEpochs"] = json!(2);
    let events = stage.play(&nodes, &edges, &json!({ "memory": { "mode": "readWrite", "recentTurns": 2 } }));
    let appended: Vec<_> = events.iter().filter(|event| event["type"] == "memory.appended").collect();
    // The topic and two replies are three turns: half of the recent ones stay.
    assert_eq!(appended[0]["change"].get("summary"), None);
    assert_eq!(appended[1]["change"]["summary"]["text"], "Summary A.");
    assert_eq!(appended[1]["change"]["dropped"], 2);
    assert_eq!(appended[3]["change"]["summary"]["text"], "Summary B.");
    let prompts = prompts(&stage);
    assert_eq!(prompts[2], ["user: Turns:\n\ntopic: Will it rain?\n\nOptimist: One.\n"]);
    let next = "Summary so far:\n  Summary A.\n\nTurns after it:\n\nSkeptic: Two.\n\nOptimist: Three.\n";
    assert_eq!(prompts[5], [format!("user: {next}")]);
    // The next speaker sees the summary.
    assert_eq!(
        prompts[3].last().unwrap(),
        "user: Memory of this workflow, in iteration 2:\nSummary of what was said before: Summary A.\n\nSkeptic: Two."
    );
    let purpose = events.iter().filter(|event| event["prompt"]["purpose"] == "memorySummary").count();
    assert_eq!(purpose, 2);
}

#[test]
fn refused_summary_is_asked_for_once_more_with_less() {
    let stage = Stage::new();
    let refusal = Fault::new(codes::PROVIDER_CONTEXT_EXCEEDED, "The prompt is too long.")
        .details(json!({ "tokens": 9_000, "limit": 3_000 }));
    let long = "word ".repeat(2_000);
    stage.provider.push_replies([&long, "Two."].map(ScriptedReply::text));
    stage.provider.push_replies([ScriptedReply::Failure { partial: String::new(), fault: refusal }]);
    stage.provider.push_replies(["Summary A.", "Three.", "Four.", "Summary B."].map(ScriptedReply::text));
    let (mut nodes, edges) = pair();
    nodes["optimist"]["limits"]["maxEpochs"] = json!(2);
    let events = stage.play(&nodes, &edges, &json!({ "memory": { "mode": "readWrite", "recentTurns": 2 } }));
    let summaries: Vec<_> =
        events.iter().filter(|event| event["prompt"]["purpose"] == "memorySummary").collect();
    let refused: Vec<_> =
        summaries.iter().map(|event| event["prompt"]["refused"]["tokens"].clone()).collect();
    assert_eq!(refused, [json!(null), json!(9_000), json!(null)]);
    let text = |at: usize| summaries[at]["prompt"]["parts"][1]["text"].as_str().unwrap();
    assert!(text(0).len() > 6_000 && text(1).len() < 2_000, "{} {}", text(0).len(), text(1).len());
    let appended: Vec<_> = events.iter().filter(|event| event["type"] == "memory.appended").collect();
    assert_eq!(appended[1]["change"]["summary"]["text"], "Summary A.");
}

#[test]
fn failed_summary_leaves_the_old_one_and_forgets_nothing() {
    let stage = Stage::new();
    let words = ["One.", "Two.", "", "Three.", "Summary.", "Four."];
    stage.provider.push_replies(words.map(ScriptedReply::text));
    let (mut nodes, edges) = pair();
    nodes["optimist"]["limits"]["maxEpochs"] = json!(2);
    let events = stage.play(&nodes, &edges, &json!({ "memory": { "mode": "readWrite", "recentTurns": 2 } }));
    let appended: Vec<_> = events.iter().filter(|event| event["type"] == "memory.appended").collect();
    assert_eq!(appended[1]["change"]["error"]["code"], "memory.no_summary");
    assert_eq!(appended[1]["change"].get("dropped"), None);
    let noticed: Vec<_> = events.iter().filter(|event| event["type"] == "node.noticed").collect();
    assert_eq!(noticed.len(), 1, "{noticed:?}");
    assert_eq!(noticed[0]["notice"]["code"], "memory.no_summary");
    assert_eq!(appended[2]["change"]["dropped"], 3);
    assert_eq!(
        prompts(&stage)[4],
        ["user: Turns:\n\ntopic: Will it rain?\n\nOptimist: One.\n\nSkeptic: Two.\n"]
    );
}

#[test]
fn memory_is_the_same_after_resume_from_every_prefix() {
    let whole = Stage::new();
    let words = ["One.", "Two.", "Summary A.", "Three.", "Four.", "Summary B."];
    whole.provider.push_replies(words.map(ScriptedReply::text));
    let (mut nodes, edges) = pair();
    nodes["optimist"]["limits"]["maxEpochs"] = json!(2);
    let settings = json!({ "memory": { "mode": "readWrite", "recentTurns": 2 } });
    whole.play(&nodes, &edges, &settings);
    let (entries, wanted) = (whole.entries(), whole.provider.requests());
    let view = plait_journal::view::RunView::of(&entries);
    assert_eq!(view.memory.as_ref().unwrap().memory.turns.len(), 1);
    for length in 1..entries.len() {
        let stage = Stage::new();
        let before = &entries[..length];
        let bought = before.iter().filter(|entry| is_reply(&entry.event)).count();
        stage.provider.push_replies(words.into_iter().skip(bought).map(ScriptedReply::text));
        stage.kept.0.lock().unwrap().extend_from_slice(before);
        let setup = stage.setup(&nodes, &edges, &settings, None);
        let (driver, _handle) = Driver::resume(setup, before).unwrap();
        drive(driver);
        let sent: Vec<_> = stage.provider.requests().into_iter().map(|request| request.messages).collect();
        let rest: Vec<_> = wanted[bought..].iter().map(|request| request.messages.clone()).collect();
        assert_eq!(sent, rest, "after {length} entries");
        let resumed = plait_journal::view::RunView::of(&stage.entries());
        assert_eq!(
            resumed.memory.map(|state| state.memory),
            view.memory.clone().map(|state| state.memory),
            "after {length} entries"
        );
    }
}

fn is_reply(event: &plait_journal::Event) -> bool {
    matches!(event, plait_journal::Event::Call(_, plait_journal::CallEvent::ModelReplied { .. }))
}

#[test]
fn node_without_memory_sees_nothing_of_it() {
    let stage = Stage::new();
    stage.provider.push_replies(replies(6));
    let (mut nodes, edges) = pair();
    nodes["skeptic"]["config"]["memory"]["mode"] = json!("off");
    let events = stage.play(&nodes, &edges, &settings());
    assert_eq!(prompts(&stage)[1], ["user: Word 1."]);
    assert!(of("skeptic", &events).iter().all(|event| event["type"] != "memory.appended"));
    // What it said reaches the other, who adds it.
    let last = events.iter().rfind(|event| event["type"] == "memory.appended").unwrap();
    assert_eq!(last["change"]["turns"][0]["text"], "Word 4.");
    let _ = started;
}
