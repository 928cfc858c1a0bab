//! Token estimates of prompts, and their correction by the usage that providers report.

use serde_json::json;

use super::send;
use crate::testing::{NodeHarness, NodeRun};
use plait_journal::{CallEvent, Event};
use plait_llm::context::{ContextRecord, ContextType};
use plait_llm::models::TokenUsage;
use plait_llm::provider::ModelReply;
use plait_testing::ScriptedReply;

/// Replies that report this usage: input and output tokens.
fn replies_with_usage(reports: &[(u64, u64)]) -> Vec<ScriptedReply> {
    let reply = |(input, output): &(u64, u64)| {
        let usage = Some(TokenUsage::new(*input, *output));
        ScriptedReply::Reply(ModelReply { text: "Hello.".to_owned(), usage, ..ModelReply::default() })
    };
    reports.iter().map(reply).collect()
}

fn estimates(run: &NodeRun) -> Vec<(u64, u64)> {
    let rendered = run.events.iter().filter_map(|event| match event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some((prompt.counted(), prompt.tokens)),
        _ => None,
    });
    rendered.collect()
}

fn use_claude(harness: &mut NodeHarness) {
    harness.contexts.create(ContextRecord::new(
        "main".into(),
        ContextType::Main,
        "anthropic",
        "claude-opus-5",
    ));
}

#[test]
fn reported_usage_corrects_later_estimates() {
    let mut harness = NodeHarness::new();
    use_claude(&mut harness);
    let long = "word ".repeat(2_000);
    harness.provider.push_replies(replies_with_usage(&[(3_000, 2), (6_000, 2), (9_000, 2)]));
    let first = send(&mut harness, json!({}), &long);
    let (counted, tokens) = estimates(&first)[0];
    assert_eq!(counted, tokens, "there is no correction yet");
    let Some(Event::Call(_, CallEvent::ModelReplied { account: Some(account), reply, .. })) =
        first.events.last()
    else {
        panic!()
    };
    assert_eq!((account.counted, reply.usage), (counted, Some(TokenUsage::new(3_000, 2))));
    assert_eq!(account.context_id.as_str(), "main");
    assert!(account.cost_nano_usd.is_some() && !account.estimated);
    let second = send(&mut harness, json!({}), &long);
    let (counted, tokens) = estimates(&second)[0];
    let permille = harness.context("main").corrections["anthropic/claude-opus-5"].permille();
    assert!(tokens > counted * 13 / 10, "{tokens} of {counted}");
    assert!(permille > 1_300, "{permille}");
    // A call outside of the history does not calibrate the context.
    harness.provider.push_replies([]);
    let before = harness.context("main");
    harness.provider.push_replies([ScriptedReply::text("x")]);
    send(&mut harness, json!({ "skipHistory": true }), "Hi");
    assert_eq!(harness.context("main").corrections, before.corrections);
}

#[test]
fn exact_tokenizer_is_not_corrected() {
    let mut harness = NodeHarness::new();
    harness.contexts.create(ContextRecord::new("main".into(), ContextType::Main, "openai", "gpt-4o"));
    harness.provider.push_replies(replies_with_usage(&[(5_000, 2)]));
    send(&mut harness, json!({}), &"word ".repeat(2_000));
    assert!(harness.context("main").corrections.is_empty());
}

#[test]
fn implausible_usage_is_ignored() {
    let mut harness = NodeHarness::new();
    use_claude(&mut harness);
    let long = "word ".repeat(2_000);
    harness.provider.push_replies(replies_with_usage(&[(0, 0), (u64::MAX, 2), (3, 2), (2_000_000_000, 2)]));
    for _ in 0..4 {
        let run = send(&mut harness, json!({}), &long);
        let used = run.result.as_ref().unwrap().token_usage.unwrap();
        assert!(used.input < 1_000_000, "{used:?}");
        let (counted, tokens) = estimates(&run)[0];
        assert_eq!(counted, tokens);
    }
    assert!(harness.context("main").corrections.is_empty());
}

#[test]
fn turn_recalibrates_after_each_step_and_after_a_crash() {
    let run = |recorded: Vec<Event>, script: Vec<ScriptedReply>| {
        let mut harness = NodeHarness::new();
        use_claude(&mut harness);
        harness.recorded = recorded;
        harness.provider.push_replies(script);
        let tools = json!([[{ "name": "x", "description": "", "parameters": { "type": "object" }, "source": "native" }]]);
        let inputs =
            [("context", super::main()), ("message", json!("word ".repeat(2_000))), ("tools", tools)];
        let run = harness.run("chat", json!({}), &inputs);
        (run, harness.context("main"))
    };
    let call = ScriptedReply::Reply(ModelReply {
        tool_calls: vec![plait_llm::context::ToolCall {
            id: "1".into(),
            name: "x".into(),
            arguments: json!({}),
        }],
        usage: Some(TokenUsage::new(4_000, 9)),
        ..ModelReply::default()
    });
    let answer = replies_with_usage(&[(4_050, 2)]).remove(0);
    let (whole, context) = run(Vec::new(), vec![call, answer.clone()]);
    let (counted, tokens) = estimates(&whole)[1];
    assert!(tokens > counted * 3 / 2, "the first call corrects the second");
    let recorded_events: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| {
            matches!(event, Event::Call(_, CallEvent::ModelReplied { .. } | CallEvent::ToolFinished { .. }))
        })
        .take(2)
        .cloned()
        .collect();
    let (resumed, same) = run(recorded_events, vec![answer]);
    assert_eq!(estimates(&resumed)[0], (counted, tokens), "the same prompt as without the crash");
    assert_eq!(same, context);
}

#[test]
fn configured_window_applies_to_calls() {
    let mut harness = NodeHarness::new();
    harness.flow_window = Some(60);
    assert_eq!(send(&mut harness, json!({}), &"word ".repeat(100)).code(), "context.too_large");
    assert!(send(&mut harness, json!({ "contextWindow": 8_000 }), &"word ".repeat(100)).result.is_ok());
    harness.flow_window = None;
    let note = plait_llm::models::ModelOverride {
        context_window: std::num::NonZeroU32::new(60),
        ..Default::default()
    };
    harness.models.notes.insert("echo".to_owned(), note);
    assert_eq!(
        send(&mut harness, json!({ "skipHistory": true }), &"word ".repeat(100)).code(),
        "context.too_large"
    );
    for wrong in [json!(0), json!(-5), json!("many"), json!(1.5), json!(99_999_999_999_u64)] {
        let run = send(&mut harness, json!({ "contextWindow": wrong }), "Hi");
        assert_eq!(run.code(), "config.invalid", "{wrong}");
    }
}
