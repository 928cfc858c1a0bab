//! Laws of what was said: a message reaches a model once, a turn is committed whole, and no content looks like somebody else's turn.

mod any_flow;
mod forged_turns;

use serde_json::{Value, json};

use super::Stage;
use super::conversations::{Messages, assert_received, received, script};
use plait_testing::FakeSubflows;

/// How often a text stands in the messages of a request.
fn count(request: &Messages, text: &str) -> usize {
    request.iter().map(|(_, content)| content.matches(text).count()).sum()
}

fn memory() -> Value {
    json!({ "memory": { "mode": "readWrite" } })
}

/// The texts that were added to the workflow's memory.
fn remembered(events: &[Value]) -> Vec<&str> {
    let appended = events.iter().filter(|event| event["type"] == "memory.appended");
    let turns = appended.flat_map(|event| event["change"]["turns"].as_array().unwrap());
    turns.map(|turn| turn["text"].as_str().unwrap()).collect()
}

#[test]
fn loop_with_memory_sends_each_turn_once() {
    let stage = Stage::new();
    let said = ["Alder.", "Birch.", "Cedar.", "Downy."];
    script(&stage, &said);
    let nodes = json!({
        "a": { "type": "contextStart" },
        "b": { "type": "newContext" },
        "in": { "type": "manualInput", "config": { "text": "Hello." } },
        "l": { "type": "loop", "config": {
            "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents",
        } },
        "one": { "type": "chat", "parent": "l" },
        "two": { "type": "chat", "parent": "l" },
    });
    let edges = json!([
        "in.value -> l.input",
        "a.context -> one.context",
        "b.context -> two.context",
        "l.previous -> one.message",
        "one.response -> two.message",
        "two.response -> l.next",
    ]);
    let events = stage.play(&nodes, &edges, &memory());
    for (number, request) in received(&stage).iter().enumerate() {
        for text in ["Hello."].iter().chain(&said[..number]) {
            assert_eq!(count(request, text), 1, "{text} in call {number}: {request:?}");
        }
    }
    assert_eq!(received(&stage).len(), 4);
    assert_eq!(remembered(&events), ["Hello.", "Alder.", "Birch.", "Cedar.", "Downy."]);
}

/// The question comes from each kind of node that brings one in, straight and through a node that passes it on.
#[test]
fn question_to_two_agents_is_remembered_and_read_once() {
    let asking = [
        json!({ "type": "manualInput", "config": { "text": "Why?" } }),
        json!({ "type": "value", "config": { "value": "Why?" } }),
        json!({ "type": "text", "config": { "template": "Why?" } }),
    ];
    for ask in asking {
        let stage = Stage::new();
        script(&stage, &["Alder.", "Birch."]);
        let nodes = json!({
            "a": { "type": "contextStart" },
            "b": { "type": "newContext" },
            "in": ask,
            "one": { "type": "chat" },
            "two": { "type": "chat" },
        });
        let edges = json!([
            "a.context -> one.context",
            "b.context -> two.context",
            "in.value -> one.message",
            "in.value -> two.message",
        ]);
        let edges =
            edges.to_string().replace("in.value", if ask["type"] == "text" { "in.text" } else { "in.value" });
        let edges: Value = serde_json::from_str(&edges).unwrap();
        let events = stage.play(&nodes, &edges, &memory());
        assert_eq!(remembered(&events), ["Why?", "Alder.", "Birch."], "{ask}");
        let requests = received(&stage);
        assert_eq!(
            (requests.len(), count(&requests[1], "Why?"), count(&requests[1], "Alder.")),
            (2, 1, 1),
            "{ask}"
        );
    }
}

#[test]
fn classifier_in_a_loop_says_the_class_and_not_what_the_person_said() {
    let stage = Stage::new();
    let class = r#"{"class": "refund", "reason": "money"}"#;
    script(&stage, &[class, "Alder.", class, "Birch."]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "l": { "type": "loop", "config": {
            "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents",
        } },
        "ask": { "type": "userInput", "parent": "l" },
        "k": { "type": "classify", "parent": "l", "config": { "classes": [{ "name": "refund", "description": "" }] } },
        "x": { "type": "chat", "parent": "l", "config": { "prompt": "Help with {{q}}" } },
    });
    let edges = json!([
        "c.context -> l.context",
        "l.context -> k.context",
        "ask.message -> k.message",
        "l.context -> x.context",
        "k.refund -> x.q",
        "x.response -> l.next",
    ]);
    let mut answers = ["Money, please.", "Again, please."].into_iter();
    stage.play_answering(&nodes, &edges, &json!({}), |open| {
        Some((open[0].clone(), Some(json!(answers.next()?))))
    });
    let requests = received(&stage);
    assert_eq!(requests.len(), 4);
    for request in &requests {
        let own = request.iter().filter(|(role, _)| role == "assistant");
        assert!(own.clone().all(|(_, text)| !text.contains("please")), "{request:?}");
    }
    let last: Vec<_> = requests[3].iter().map(|(role, text)| format!("{role}: {text}")).collect();
    assert_eq!(
        last,
        [
            "user: Money, please.",
            "assistant: refund",
            "assistant: Alder.",
            "user: Again, please.",
            "assistant: refund",
            "user: Help with Again, please.",
        ]
    );
}

#[test]
fn sub_flow_takes_what_the_person_said_into_the_history() {
    let stage = Stage::new();
    stage.subflows.push_end(FakeSubflows::finished_end(&json!({ "said": { "value": "Result." } })));
    script(&stage, &["Alder.", "Birch."]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "ask": { "type": "userInput" },
        "child": { "type": "subflow", "config": { "file": "child.flow.json" } },
        "chat": { "type": "chat" },
        "then": { "type": "chat", "config": { "prompt": "And then?" } },
    });
    let edges = json!([
        "c.context -> ask.context",
        "ask.context -> child.context",
        "child.context -> chat.context",
        "chat.context -> then.context",
    ]);
    stage
        .play_answering(&nodes, &edges, &json!({}), |open| Some((open[0].clone(), Some(json!("My words.")))));
    assert_received(
        &stage,
        &[
            &["user: My words.", "user: Result."],
            &["user: My words.", "assistant: Result.", "assistant: Alder.", "user: And then?"],
        ],
    );
}

#[test]
fn injected_question_does_not_displace_what_the_person_said() {
    let stage = Stage::new();
    script(&stage, &["Alder."]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "ask": { "type": "userInput" },
        "inject": { "type": "injectMessages", "config": { "messages": [{ "role": "user", "content": "Be brief." }] } },
        "chat": { "type": "chat" },
    });
    let edges = json!([
        "c.context -> ask.context",
        "ask.context -> inject.context",
        "inject.context -> chat.context",
    ]);
    stage
        .play_answering(&nodes, &edges, &json!({}), |open| Some((open[0].clone(), Some(json!("My words.")))));
    assert_received(&stage, &[&["user: My words.", "user: Be brief."]]);
}

#[test]
fn memory_of_a_long_flow_buys_few_summaries_and_none_for_nobody() {
    let stage = Stage::new();
    script(&stage, &["Said."; 60]);
    let mut nodes = json!({ "c": { "type": "contextStart" }, "in": { "type": "manualInput", "config": { "text": "Go." } } });
    let mut edges = vec!["in.value -> s00.message".to_owned()];
    for step in 0..30 {
        nodes[format!("c{step:02}")] = json!({ "type": "newContext" });
        nodes[format!("s{step:02}")] = json!({ "type": "chat" });
        edges.push(format!("c{step:02}.context -> s{step:02}.context"));
        if step > 0 {
            edges.push(format!("s{:02}.response -> s{step:02}.message", step - 1));
        }
    }
    let events = stage.play(&nodes, &json!(edges), &memory());
    assert_eq!(remembered(&events).len(), 31);
    let of_summaries: Vec<&str> = events
        .iter()
        .filter(|event| event["prompt"]["purpose"] == "memorySummary")
        .map(|event| event["node"].as_str().unwrap())
        .collect();
    assert!((1..=5).contains(&of_summaries.len()), "{of_summaries:?}");
    assert!(!of_summaries.contains(&"s29"), "nobody reads the memory after it: {of_summaries:?}");
}

/// The last writer would have a summary due, and the memory lives on in the next run of a conversation only.
#[test]
fn last_reader_of_the_memory_writes_no_summary() {
    let stage = Stage::new();
    script(&stage, &["One.", "Two.", "Sum."]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "d": { "type": "newContext" },
        "in": { "type": "manualInput", "config": { "text": "Go." } },
        "one": { "type": "chat" },
        "two": { "type": "chat" },
    });
    let edges = json!([
        "c.context -> one.context",
        "d.context -> two.context",
        "in.value -> one.message",
        "one.response -> two.message",
    ]);
    let settings = json!({ "memory": { "mode": "readWrite", "recentTurns": 2 } });
    stage.play(&nodes, &edges, &settings);
    assert_eq!(received(&stage).len(), 2);
}

/// The conversation of the loop begins with its first turn. What other nodes add to the context stands where they added it.
#[test]
fn sub_flow_and_injected_messages_stand_in_their_places_among_the_turns_of_a_loop() {
    let stage = Stage::new();
    for result in ["Result 2.", "Result 1.", "Result 0."] {
        stage.subflows.push_end(FakeSubflows::finished_end(&json!({ "said": { "value": result } })));
    }
    script(&stage, &["Alder.", "Birch.", "Cedar."]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "in": { "type": "manualInput", "config": { "text": "Start." } },
        "l": { "type": "loop", "config": {
            "kind": "times", "times": 3, "conversation": true, "ai_turn_source": "all_agents",
        } },
        "note": { "type": "injectMessages", "parent": "l", "config": { "messages": [
            { "role": "system", "content": "Round {{n}}." },
        ] } },
        "x": { "type": "chat", "parent": "l", "config": { "prompt": "Q{{n}}" } },
        "s": { "type": "subflow", "parent": "l", "config": { "file": "child.flow.json" } },
    });
    let edges = json!([
        "c.context -> l.context",
        "in.value -> l.input",
        "l.context -> note.context",
        "l.index -> note.n",
        "note.context -> x.context",
        "l.index -> x.n",
        "x.context -> s.context",
        "s.text -> l.next",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_received(
        &stage,
        &[
            &["user: Start.", "system: Round 0.", "user: Q0"],
            &[
                "user: Start.",
                "system: Round 0.",
                "assistant: Alder.",
                "assistant: Result 0.",
                "system: Round 1.",
                "user: Q1",
            ],
            &[
                "user: Start.",
                "system: Round 0.",
                "assistant: Alder.",
                "assistant: Result 0.",
                "system: Round 1.",
                "assistant: Birch.",
                "assistant: Result 1.",
                "system: Round 2.",
                "user: Q2",
            ],
        ],
    );
    // The record says so as well, and its tokens are those of the request.
    let prompts: Vec<&Value> = events.iter().filter(|event| event["type"] == "prompt.rendered").collect();
    let kinds: Vec<&str> = prompts[1]["prompt"]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["turns", "history", "turns", "history", "history", "message"]);
}

/// An injected system message would otherwise be sent for good, until nothing else fits the window.
#[test]
fn injected_system_messages_are_trimmed_like_others() {
    let stage = Stage::new();
    script(&stage, &["Fine."; 12]);
    let nodes = json!({
        "c": { "type": "contextStart" },
        "l": { "type": "loop", "config": { "kind": "times", "times": 12 } },
        "note": { "type": "injectMessages", "parent": "l", "config": { "messages": [
            { "role": "system", "content": "Note {{n}}: ".to_owned() + &"word ".repeat(40) },
        ] } },
        "x": { "type": "chat", "parent": "l", "config": { "prompt": "Q{{n}}", "contextWindow": 400, "maxTokens": 100 } },
    });
    let edges = json!([
        "c.context -> l.context",
        "l.context -> note.context",
        "l.index -> note.n",
        "note.context -> x.context",
        "l.index -> x.n",
        "x.response -> l.next",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    let last = received(&stage).pop().unwrap();
    assert_eq!((count(&last, "Note 11:"), count(&last, "Note 1:")), (1, 0), "{last:?}");
    // The one before all that was said counts as instructions.
    let is_first = |system: Option<&str>| {
        system.is_some_and(|text| text.starts_with("Note 0:") && !text.contains("Note 1"))
    };
    assert!(stage.provider.requests().iter().all(|request| is_first(request.system.as_deref())));
}

/// The window of the model is smaller than the bound of the loop.
#[test]
fn turns_that_do_not_fit_the_window_are_summed_up() {
    let stage = Stage::new();
    let long = |word: &str| format!("{word} {}", "word ".repeat(60));
    let replies: Vec<String> = (0..40).map(|at| long(&format!("Said{at}."))).collect();
    // The simulator answers in the order of the calls, so the script is as long as it can get.
    script(&stage, &replies.iter().map(String::as_str).collect::<Vec<_>>());
    let nodes = json!({
        "c": { "type": "contextStart" },
        "l": { "type": "loop", "config": {
            "kind": "times", "times": 20, "conversation": true, "history_management": { "strategy": "summarize" },
        } },
        "x": { "type": "chat", "parent": "l", "config": { "prompt": "Q{{n}}", "contextWindow": 900, "maxTokens": 200 } },
    });
    let edges =
        json!(
            ["c.context -> l.context", "l.context -> x.context", "l.index -> x.n", "x.response -> l.next",]
        );
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    let prompts: Vec<&Value> = events.iter().filter(|event| event["type"] == "prompt.rendered").collect();
    let summaries = prompts.iter().filter(|event| event["prompt"]["purpose"] == "historySummary").count();
    assert!((1..=12).contains(&summaries), "{summaries}");
    for prompt in prompts {
        let left_out = prompt["prompt"]["conversation"]["leftOut"].as_array().cloned().unwrap_or_default();
        assert!(left_out.iter().all(|turns| turns["reason"] == "summarized"), "{left_out:?}");
    }
}

/// One edge or several, one context or several: what is asked is one message.
#[test]
fn question_to_two_agents_in_one_context_is_sent_and_recorded_once() {
    for settings in [json!({}), memory()] {
        let stage = Stage::new();
        script(&stage, &["Alder.", "Birch.", "Cedar."]);
        let nodes = json!({
            "c": { "type": "contextStart" },
            "in": { "type": "manualInput", "config": { "text": "Why?" } },
            "one": { "type": "chat" },
            "two": { "type": "chat" },
            "three": { "type": "chat", "config": { "prompt": "So?" } },
        });
        let edges = json!([
            "c.context -> one.context",
            "one.context -> two.context",
            "two.context -> three.context",
            "in.value -> one.message",
            "in.value -> two.message",
        ]);
        stage.play(&nodes, &edges, &settings);
        let requests = received(&stage);
        for (request, times) in requests.iter().zip([1, 1, 1]) {
            assert_eq!(count(request, "Why?"), times, "{settings}: {request:?}");
        }
        let roles: Vec<&str> = requests[2].iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "assistant", "user"], "{settings}: {requests:?}");
    }
}

/// The words of the prompt are said by nobody else.
#[test]
fn prompt_around_the_reply_of_a_partner_enters_the_history_with_its_answer() {
    for settings in [json!({}), memory()] {
        let stage = Stage::new();
        script(&stage, &["Alder.", "Birch.", "Cedar."]);
        let nodes = json!({
            "c": { "type": "contextStart" },
            "in": { "type": "manualInput", "config": { "text": "Why?" } },
            "one": { "type": "chat" },
            "two": { "type": "chat", "config": { "prompt": "Shorten this: {{message}}" } },
            "three": { "type": "chat", "config": { "prompt": "So?" } },
        });
        let edges = json!([
            "c.context -> one.context",
            "one.context -> two.context",
            "two.context -> three.context",
            "in.value -> one.message",
        ]);
        stage.play(&nodes, &edges, &settings);
        let last = received(&stage).pop().unwrap();
        assert_eq!(count(&last, "Shorten this: Alder."), 1, "{settings}: {last:?}");
    }
}

/// The run goes on after a handled failure, and says what it leaves out.
#[test]
fn steps_after_a_handled_failure_say_why_they_are_skipped() {
    let stage = Stage::new();
    let nodes = json!({
        "c": { "type": "contextStart" },
        "in": { "type": "manualInput", "config": { "text": "Why?" } },
        "no": { "type": "switch", "config": { "cases": [{ "name": "never", "when": "false" }] } },
        "one": { "type": "chat", "config": { "contextWindow": 1 } },
        "two": { "type": "chat", "config": { "prompt": "So?" } },
        "three": { "type": "chat", "config": { "prompt": "And?" } },
        "other": { "type": "text", "config": { "template": "{{value}}" } },
        "caught": { "type": "text", "config": { "template": "{{error.code}}" } },
    });
    let edges = json!([
        "c.context -> one.context",
        "in.value -> one.message",
        "one.error -> caught.error",
        "one.context -> two.context",
        "two.context -> three.context",
        "in.value -> no.value",
        "no.never -> other.value",
    ]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    let skipped: Vec<(&str, &Value)> = events
        .iter()
        .filter(|event| event["type"] == "node.skipped")
        .map(|event| (event["node"].as_str().unwrap(), &event["failed"]["node"]))
        .collect();
    let one = json!("one");
    assert_eq!(skipped.iter().find(|(node, _)| *node == "other"), Some(&("other", &Value::Null)));
    assert_eq!(skipped.iter().filter(|(_, failed)| **failed == one).count(), 2, "{skipped:?}");
    // An older journal, which does not say it, is resumed.
    let older: Vec<_> = stage
        .entries()
        .iter()
        .map(|entry| {
            let mut value = serde_json::to_value(entry).unwrap();
            value.as_object_mut().unwrap().remove("failed");
            serde_json::from_value::<plait_journal::Entry>(value).unwrap()
        })
        .collect();
    let ended = older.len() - 1;
    let resumed = Stage::new();
    let setup = resumed.setup(&nodes, &edges, &json!({}), None);
    assert!(super::Driver::resume(setup, &older[..ended]).is_ok());
}
