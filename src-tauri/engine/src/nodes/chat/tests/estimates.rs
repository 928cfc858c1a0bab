//! Estimates of what a prompt takes, beside what providers report, and what they learn from it.

use serde_json::json;

use super::say;
use crate::context::{ContextRecord, ContextType};
use crate::journal::{CallEvent, Event};
use crate::models::TokenUsage;
use crate::provider::ModelReply;
use crate::testing::{NodeHarness, Ran, Scripted};

/// Replies of a model without a public tokenizer that reports so many tokens for its prompts.
fn reporting(reports: &[(u64, u64)]) -> Vec<Scripted> {
    let reply = |(input, output): &(u64, u64)| {
        let usage = Some(TokenUsage::new(*input, *output));
        Scripted::Reply(ModelReply { text: "Hello.".to_owned(), usage, ..ModelReply::default() })
    };
    reports.iter().map(reply).collect()
}

fn estimates(ran: &Ran) -> Vec<(u64, u64)> {
    let rendered = ran.events.iter().filter_map(|event| match event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some((prompt.counted(), prompt.tokens)),
        _ => None,
    });
    rendered.collect()
}

fn claude(harness: &mut NodeHarness) {
    harness.contexts.create(ContextRecord::new(
        "main".into(),
        ContextType::Main,
        "anthropic",
        "claude-opus-5",
    ));
}

#[test]
fn estimates_learn_from_what_the_provider_reports() {
    let mut harness = NodeHarness::new();
    claude(&mut harness);
    let long = "word ".repeat(2_000);
    harness.provider.script(reporting(&[(3_000, 2), (6_000, 2), (9_000, 2)]));
    let first = say(&mut harness, json!({}), &long);
    let (counted, tokens) = estimates(&first)[0];
    assert_eq!(counted, tokens, "nothing is known at first");
    let Some(Event::Call(_, CallEvent::ModelReplied { account: Some(account), reply, .. })) =
        first.events.last()
    else {
        panic!()
    };
    assert_eq!((account.counted, reply.usage), (counted, Some(TokenUsage::new(3_000, 2))));
    assert_eq!(account.context_id.as_str(), "main");
    assert!(account.cost_nano_usd.is_some() && !account.estimated);
    let second = say(&mut harness, json!({}), &long);
    let (counted, tokens) = estimates(&second)[0];
    let permille = harness.context("main").corrections["anthropic/claude-opus-5"].permille();
    assert!(tokens > counted * 13 / 10, "{tokens} of {counted}");
    assert!(permille > 1_300, "{permille}");
    // A failed call teaches nothing, since nothing of it stays.
    harness.provider.script([]);
    let before = harness.context("main");
    harness.provider.script([Scripted::text("x")]);
    say(&mut harness, json!({ "skipHistory": true }), "Hi");
    assert_eq!(harness.context("main").corrections, before.corrections);
}

#[test]
fn an_exact_tokenizer_learns_nothing() {
    let mut harness = NodeHarness::new();
    harness.contexts.create(ContextRecord::new("main".into(), ContextType::Main, "openai", "gpt-4o"));
    harness.provider.script(reporting(&[(5_000, 2)]));
    say(&mut harness, json!({}), &"word ".repeat(2_000));
    assert!(harness.context("main").corrections.is_empty());
}

#[test]
fn nonsense_usage_is_not_believed_and_does_not_poison_the_estimate() {
    let mut harness = NodeHarness::new();
    claude(&mut harness);
    let long = "word ".repeat(2_000);
    harness.provider.script(reporting(&[(0, 0), (u64::MAX, 2), (3, 2), (2_000_000_000, 2)]));
    for _ in 0..4 {
        let ran = say(&mut harness, json!({}), &long);
        let used = ran.result.as_ref().unwrap().token_usage.unwrap();
        assert!(used.input < 1_000_000, "{used:?}");
        let (counted, tokens) = estimates(&ran)[0];
        assert_eq!(counted, tokens);
    }
    assert!(harness.context("main").corrections.is_empty());
}

#[test]
fn a_turn_learns_from_its_own_steps_and_again_after_a_crash() {
    let run = |recorded: Vec<Event>, script: Vec<Scripted>| {
        let mut harness = NodeHarness::new();
        claude(&mut harness);
        harness.recorded = recorded;
        harness.provider.script(script);
        let ran = say(&mut harness, json!({}), &"word ".repeat(2_000));
        (ran, harness.context("main"))
    };
    let call = Scripted::Reply(ModelReply {
        tool_calls: vec![crate::context::ToolCall { id: "1".into(), name: "x".into(), arguments: json!({}) }],
        usage: Some(TokenUsage::new(4_000, 9)),
        ..ModelReply::default()
    });
    let answer = reporting(&[(4_050, 2)]).remove(0);
    let (whole, context) = run(Vec::new(), vec![call, answer.clone()]);
    let (counted, tokens) = estimates(&whole)[1];
    assert!(tokens > counted * 3 / 2, "the second call is counted with what the first has taught");
    let bought: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| {
            matches!(event, Event::Call(_, CallEvent::ModelReplied { .. } | CallEvent::ToolFinished { .. }))
        })
        .take(2)
        .cloned()
        .collect();
    let (resumed, same) = run(bought, vec![answer]);
    assert_eq!(estimates(&resumed)[0], (counted, tokens), "the same prompt as without the crash");
    assert_eq!(same, context);
}

#[test]
fn what_is_set_of_a_model_holds_for_its_calls() {
    let mut harness = NodeHarness::new();
    harness.flow_window = Some(60);
    assert_eq!(say(&mut harness, json!({}), &"word ".repeat(100)).code(), "context.too_large");
    assert!(say(&mut harness, json!({ "contextWindow": 8_000 }), &"word ".repeat(100)).result.is_ok());
    harness.flow_window = None;
    let note = crate::models::ModelOverride { context_window: std::num::NonZeroU32::new(60), price: None };
    harness.models.notes.insert("echo".to_owned(), note);
    assert_eq!(
        say(&mut harness, json!({ "skipHistory": true }), &"word ".repeat(100)).code(),
        "context.too_large"
    );
    for wrong in [json!(0), json!(-5), json!("many"), json!(1.5), json!(99_999_999_999_u64)] {
        let ran = say(&mut harness, json!({ "contextWindow": wrong }), "Hi");
        assert_eq!(ran.code(), "config.invalid", "{wrong}");
    }
}
