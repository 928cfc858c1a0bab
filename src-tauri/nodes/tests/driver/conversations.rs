//! Conversational loops: the exact messages that models receive, iteration by iteration, and what of it survives a restart.

use serde_json::{Value, json};

use super::{Driver, Stage};
use plait_core::error::Fault;
use plait_nodes::codes;
use plait_testing::ScriptedReply;

pub(super) type Messages = Vec<(String, String)>;

/// Role and text of the messages of each request.
pub(super) fn received(stage: &Stage) -> Vec<Messages> {
    let message = |message: &plait_llm::context::SharedMessage| {
        (format!("{:?}", message.role).to_lowercase(), message.content.text())
    };
    stage.provider.requests().iter().map(|request| request.messages.iter().map(message).collect()).collect()
}

/// `["user: Hi.", "assistant: Yes."]`
pub(super) fn messages(lines: &[&str]) -> Messages {
    let split = |line: &&str| {
        let (role, text) = line.split_once(": ").unwrap();
        (role.to_owned(), text.to_owned())
    };
    lines.iter().map(split).collect()
}

pub(super) fn assert_received(stage: &Stage, expected: &[&[&str]]) {
    let expected: Vec<Messages> = expected.iter().map(|lines| messages(lines)).collect();
    assert_eq!(received(stage), expected);
}

pub(super) fn script(stage: &Stage, replies: &[&str]) {
    stage.provider.push_replies(replies.iter().map(|reply| ScriptedReply::text(reply)));
}

pub(super) fn chat(parent: &str) -> Value {
    json!({ "type": "chat", "parent": parent })
}

/// A loop in which `b` answers what `a` says, with this config.
fn two_agents(config: &Value) -> (Value, Value) {
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "config": config },
        "a": chat("l"),
        "b": chat("l"),
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> a.context",
        "l.previous -> a.message",
        "a.context -> b.context",
        "a.response -> b.message",
        "b.response -> l.next",
    ]);
    (nodes, edges)
}

fn play_two_agents(mut config: Value) -> Stage {
    let stage = Stage::new();
    config["kind"] = json!("times");
    config["times"] = json!(3);
    let (nodes, edges) = two_agents(&config);
    script(&stage, &["A1", "B1", "A2", "B2", "A3", "B3"]);
    stage.play(&nodes, &edges, &json!({}));
    stage
}

#[test]
fn last_agent_is_the_assistant() {
    let stage = play_two_agents(json!({ "conversation": true }));
    assert_received(
        &stage,
        &[
            &["user: Plan."],
            &["user: Plan.", "user: A1"],
            &["user: Plan.", "user: B1"],
            &["user: Plan.", "assistant: B1", "user: A2"],
            &["user: Plan.", "assistant: B1", "user: B2"],
            &["user: Plan.", "assistant: B1", "assistant: B2", "user: A3"],
        ],
    );
}

#[test]
fn all_agents_are_the_assistant() {
    let stage = play_two_agents(json!({ "conversation": true, "ai_turn_source": "all_agents" }));
    assert_received(
        &stage,
        &[
            &["user: Plan."],
            &["user: Plan.", "user: A1"],
            &["user: Plan.", "assistant: A1", "user: B1"],
            &["user: Plan.", "assistant: A1", "assistant: B1", "user: A2"],
            &["user: Plan.", "assistant: A1", "assistant: B1", "assistant: A2", "user: B2"],
            &["user: Plan.", "assistant: A1", "assistant: B1", "assistant: A2", "assistant: B2", "user: A3"],
        ],
    );
}

#[test]
fn named_steps_are_the_assistant() {
    let config = json!({ "conversation": true, "ai_turn_source": "named_steps", "named_steps": ["a"] });
    let stage = play_two_agents(config);
    assert_received(
        &stage,
        &[
            &["user: Plan."],
            &["user: Plan.", "user: A1"],
            &["user: Plan.", "assistant: A1", "user: B1"],
            &["user: Plan.", "assistant: A1", "user: A2"],
            &["user: Plan.", "assistant: A1", "assistant: A2", "user: B2"],
            &["user: Plan.", "assistant: A1", "assistant: A2", "user: A3"],
        ],
    );
}

#[test]
fn node_without_use_history_gets_its_message_alone() {
    let stage = Stage::new();
    let (mut nodes, edges) = two_agents(&json!({ "kind": "times", "times": 2, "conversation": true }));
    nodes["b"]["config"] = json!({ "use_history": false });
    script(&stage, &["A1", "B1", "A2", "B2"]);
    stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Plan."], &["user: A1"], &["user: Plan.", "user: B1"], &["user: A2"]]);
}

#[test]
fn strategies_bound_the_turns_of_a_running_loop() {
    let bounded = |management: Value| {
        let config =
            json!({ "conversation": true, "ai_turn_source": "all_agents", "history_management": management });
        received(&play_two_agents(config)).pop().unwrap()
    };
    let whole = messages(&[
        "user: Plan.",
        "assistant: A1",
        "assistant: B1",
        "assistant: A2",
        "assistant: B2",
        "user: A3",
    ]);
    let turns = |max_turns: u32| bounded(json!({ "strategy": "truncate_turns", "max_turns": max_turns }));
    assert_eq!((turns(6), turns(5), turns(4)), (whole.clone(), whole.clone(), whole[1..].to_vec()));
    let sizes =
        whole[..5].iter().map(|(_, text)| plait_llm::tokens::count_message("", &text.as_str().into()));
    let size: u32 = sizes.sum();
    let tokens = |max_tokens: u32| bounded(json!({ "max_tokens": max_tokens }));
    assert_eq!(
        (tokens(size + 1), tokens(size), tokens(size - 1)),
        (whole.clone(), whole.clone(), whole[1..].to_vec())
    );
}

#[test]
fn loop_without_conversation_sends_the_context_as_before() {
    let stage = play_two_agents(json!({}));
    let last = received(&stage).pop().unwrap();
    assert_eq!(last.len(), 6, "the first message, and each reply once: {last:?}");
}

/// A loop in which a person and `chat` speak.
fn person_and_agent(config: &Value) -> (Value, Value) {
    let reply = json!({ "overrideModel": "script", "options": { "replies": [{ "text": "Yes." }] } });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "l": { "type": "loop", "config": config },
        "ask": { "type": "userInput", "parent": "l" },
        "chat": { "type": "chat", "parent": "l", "config": reply },
        "echo": { "type": "chat", "parent": "l", "config": reply },
    });
    let edges = json!([
        "start.context -> l.context",
        "l.context -> ask.context",
        "ask.context -> chat.context",
        "chat.context -> echo.context",
        "chat.response -> echo.message",
        "echo.response -> l.next",
    ]);
    (nodes, edges)
}

#[test]
fn person_is_the_user_and_history_survives_a_restart_at_any_point() {
    let stage = Stage::new();
    let (nodes, edges) = person_and_agent(&json!({ "kind": "times", "times": 3, "conversation": true }));
    let settings = json!({});
    let answer = |open: &[plait_core::id::Activation]| {
        let at = open.first()?.clone();
        let text = format!("U{}", at.epoch.0[0]);
        Some((at, Some(json!(text))))
    };
    let events = stage.play_answering(&nodes, &edges, &settings, answer);
    assert_received(
        &stage,
        &[
            &["user: U0"],
            &["user: U0", "user: Yes."],
            &["user: U0", "assistant: Yes.", "user: U1"],
            &["user: U0", "assistant: Yes.", "user: U1", "user: Yes."],
            &["user: U0", "assistant: Yes.", "user: U1", "assistant: Yes.", "user: U2"],
            &["user: U0", "assistant: Yes.", "user: U1", "assistant: Yes.", "user: U2", "user: Yes."],
        ],
    );
    let prompts = |events: &[Value]| -> Vec<Value> {
        let rendered = events.iter().filter(|event| event["type"] == "prompt.rendered");
        let mut prompts: Vec<Value> =
            rendered.map(|event| json!([event["node"], event["epoch"], event["prompt"]])).collect();
        prompts.dedup();
        prompts
    };
    let (all, entries) = (prompts(&events), stage.entries());
    assert_eq!(all.len(), 6);
    for length in 1..entries.len() {
        *stage.kept.0.lock().unwrap() = entries[..length].to_vec();
        let setup = stage.setup(&nodes, &edges, &settings, None);
        let (driver, handle) = Driver::resume(setup, &entries[..length]).unwrap();
        let resumed = stage.drive_answering(driver, &handle, answer);
        assert_eq!(prompts(&resumed), all, "resumed from {length} of {} entries", entries.len());
        assert_eq!(resumed.last(), events.last());
    }
}

#[test]
fn output_of_a_last_node_that_is_no_agent_is_no_turn() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "config": { "kind": "times", "times": 2, "conversation": true } },
        "a": chat("l"),
        "text": { "type": "text", "parent": "l", "config": { "template": "<{{reply}}>" } },
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> a.context",
        "l.previous -> a.message",
        "a.response -> text.reply",
        "text.text -> l.next",
    ]);
    script(&stage, &["A1", "A2"]);
    stage.play(&nodes, &edges, &json!({}));
    assert_received(&stage, &[&["user: Plan."], &["user: Plan.", "user: <A1>"]]);
}

#[test]
fn nested_conversations_do_not_leak() {
    let stage = Stage::new();
    let twice = json!({ "kind": "times", "times": 2, "conversation": true });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "config": twice },
        "o": chat("l"),
        "i": { "type": "loop", "parent": "l", "config": twice },
        "n": chat("i"),
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> o.context",
        "l.previous -> o.message",
        "o.context -> i.context",
        "o.response -> i.input",
        "i.context -> n.context",
        "i.previous -> n.message",
        "n.response -> i.next",
        "i.result -> l.next",
    ]);
    script(&stage, &["O1", "N1", "N2", "O2", "N3", "N4"]);
    stage.play(&nodes, &edges, &json!({}));
    assert_received(
        &stage,
        &[
            &["user: Plan."],
            &["user: O1"],
            &["user: O1", "user: N1"],
            &["user: Plan.", "user: N2"],
            &["user: O2"],
            &["user: O2", "user: N3"],
        ],
    );
}

#[test]
fn parallel_branches_read_the_same_history_and_add_to_it_in_order() {
    let stage = Stage::new();
    let config = json!({ "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "all_agents" });
    let nodes = json!({
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "config": config },
        "one": { "type": "newContext", "parent": "l" },
        "two": { "type": "newContext", "parent": "l" },
        "a": chat("l"),
        "b": chat("l"),
        "both": { "type": "text", "parent": "l", "config": { "template": "{{a}}+{{b}}" } },
    });
    let edges = json!([
        "goal.value -> l.input",
        "one.context -> a.context",
        "two.context -> b.context",
        "l.previous -> a.message",
        "l.previous -> b.message",
        "a.response -> both.a",
        "b.response -> both.b",
        "both.text -> l.next",
    ]);
    script(&stage, &["A1", "B1", "A2", "B2"]);
    stage.play(&nodes, &edges, &json!({}));
    let second = ["user: Plan.", "assistant: A1", "assistant: B1", "user: A1+B1"];
    assert_received(&stage, &[&["user: Plan."], &["user: Plan."], &second, &second]);
}

#[test]
fn failed_call_leaves_no_turn() {
    let stage = Stage::new();
    let config = json!({ "kind": "forEach", "on_error": "continue", "conversation": true });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "items": { "type": "value", "config": { "value": ["One", "Two", "Three"] } },
        "l": { "type": "loop", "config": config },
        "a": chat("l"),
    });
    let edges = json!([
        "start.context -> l.context",
        "items.value -> l.items",
        "l.context -> a.context",
        "l.item -> a.message",
        "a.response -> l.next",
    ]);
    let fault = Fault::new(codes::PROVIDER_UNREACHABLE, "Gone.");
    stage.provider.push_replies([
        ScriptedReply::text("First."),
        ScriptedReply::Failure { partial: "Half a re".to_owned(), fault },
        ScriptedReply::text("Third."),
    ]);
    stage.play(&nodes, &edges, &json!({}));
    assert_received(
        &stage,
        &[&["user: One"], &["assistant: First.", "user: Two"], &["assistant: First.", "user: Three"]],
    );
}

/// Four iterations of one agent that says long things, summarized by `sum`.
fn summarizing(stage: &Stage, agent: &Value) -> Vec<Value> {
    let management = json!({ "strategy": "summarize", "max_tokens": 60, "summarizer_agent": "sum" });
    let config =
        json!({ "kind": "times", "times": 4, "conversation": true, "history_management": management });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "goal": { "type": "value", "config": { "value": "Plan." } },
        "l": { "type": "loop", "config": config },
        "a": { "type": "chat", "parent": "l", "config": { "prompt": "Go on." } },
        "sum": { "type": "chat", "config": agent },
    });
    let edges = json!([
        "start.context -> l.context",
        "goal.value -> l.input",
        "l.context -> a.context",
        "a.response -> l.next",
    ]);
    stage.play(&nodes, &edges, &json!({}))
}

fn long(name: &str) -> String {
    format!("{name} {}", "word ".repeat(25)).trim_end().to_owned()
}

#[test]
fn older_turns_are_summarized_by_the_agent_and_the_summary_is_kept() {
    let stage = Stage::new();
    let (one, two, three) = (long("One"), long("Two"), long("Three"));
    script(&stage, &[&one, &two, "They planned.", &three, "They planned more.", "Done."]);
    let events = summarizing(&stage, &json!({ "prompt": "Condense it." }));
    let requests = received(&stage);
    assert_eq!(requests[0], messages(&["user: Plan.", "user: Go on."]));
    assert_eq!(requests[1], messages(&["user: Plan.", &format!("assistant: {one}"), "user: Go on."]));
    let asked = format!("Turns:\n\nuser: Plan.\n\nassistant: {one}\n");
    assert_eq!(requests[2], [("user".to_owned(), asked)]);
    assert_eq!(stage.provider.requests()[2].system.as_deref(), Some("Condense it."));
    assert_eq!(
        requests[3],
        messages(&["assistant: They planned.", &format!("assistant: {two}"), "user: Go on."])
    );
    assert!(
        requests[4][0].1.starts_with("Summary so far:\n  They planned.\n\nTurns after it:\n"),
        "{:?}",
        requests[4]
    );
    assert_eq!(
        requests[5],
        messages(&["assistant: They planned more.", &format!("assistant: {three}"), "user: Go on."])
    );
    assert_eq!(requests.len(), 6, "one summary each time the bound is exceeded");
    let purposes = events.iter().filter(|event| event["prompt"]["purpose"] == "historySummary");
    assert_eq!(purposes.map(|event| event["epoch"].clone()).collect::<Vec<_>>(), [json!([2]), json!([3])]);
}

#[test]
fn turns_are_left_out_where_no_summary_could_be_written() {
    let gone = Fault::new(codes::PROVIDER_UNREACHABLE, "Gone.");
    for summary in [
        ScriptedReply::Failure { partial: "They".to_owned(), fault: gone },
        ScriptedReply::text(" "),
        ScriptedReply::text(&"longer ".repeat(200)),
    ] {
        let stage = Stage::new();
        let (one, two) = (long("One"), long("Two"));
        script(&stage, &[&one, &two]);
        stage.provider.push_replies([summary]);
        script(&stage, &["Three.", "Four."]);
        let events = summarizing(&stage, &json!({}));
        let requests = received(&stage);
        let newest = [format!("assistant: {one}"), format!("assistant: {two}")];
        assert_eq!(requests[3], messages(&[&newest[0], &newest[1], "user: Go on."]));
        let mut records =
            events.iter().filter(|event| event["type"] == "prompt.rendered" && event["node"] == "a");
        let record = records.nth(2).unwrap();
        let conversation = &record["prompt"]["conversation"];
        assert_eq!(conversation["leftOut"], json!([{ "reason": "maxTokens", "first": 0, "count": 1 }]));
        assert!(conversation["notices"][0]["code"].is_string(), "{conversation}");
        let noticed: Vec<_> = events.iter().filter(|event| event["type"] == "node.noticed").collect();
        assert_eq!(noticed.len(), 1, "{noticed:?}");
        assert_eq!(noticed[0]["notice"]["code"], conversation["notices"][0]["code"]);
        assert_eq!(requests.len(), 5, "the next attempt waits");
        assert_eq!(events.last().unwrap()["type"], "run.finished");
    }
}

#[test]
fn turns_are_in_the_journal_once() {
    let stage = play_two_agents(json!({ "conversation": true, "ai_turn_source": "all_agents" }));
    let events = stage.events();
    let appended = events.iter().filter(|event| event["type"] == "history.appended");
    let texts: Vec<Vec<&str>> = appended
        .map(|event| {
            assert_eq!((&event["node"], &event["epoch"]), (&json!("l"), &json!([])));
            let turns = event["turns"].as_array().unwrap();
            turns.iter().map(|turn| turn["content"].as_str().unwrap()).collect()
        })
        .collect();
    assert_eq!(texts, [vec!["Plan."], vec!["A1", "B1"], vec!["A2", "B2"], vec!["A3", "B3"]]);
}
