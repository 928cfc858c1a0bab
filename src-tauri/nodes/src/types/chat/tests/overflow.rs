//! Histories that are larger than the window of a model without a public tokenizer.

use serde_json::json;

use super::send;
use crate::codes;
use crate::testing::{NodeHarness, NodeRun};
use plait_core::error::Fault;
use plait_journal::{CallEvent, Event};
use plait_llm::context::{ContextRecord, ContextType};
use plait_llm::prompt_record::PromptRecord;
use plait_testing::ScriptedReply;

const WINDOW: u64 = 4_000;

/// A long history with a model of this provider.
fn harness(provider: &str, model: &str) -> NodeHarness {
    let mut harness = NodeHarness::new();
    harness.contexts.create(ContextRecord::new("main".into(), ContextType::Main, provider, model));
    for _ in 0..40 {
        harness.provider.push_replies([ScriptedReply::text(&"word ".repeat(50))]);
        send(&mut harness, json!({}), &"word ".repeat(50));
    }
    harness
}

fn prompts(run: &NodeRun) -> Vec<PromptRecord> {
    let rendered = run.events.iter().filter_map(|event| match event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some(PromptRecord::clone(prompt)),
        _ => None,
    });
    rendered.collect()
}

fn refusal(tokens: u64, limit: u64) -> ScriptedReply {
    let fault = Fault::new(codes::PROVIDER_CONTEXT_EXCEEDED, "The prompt is too long.")
        .details(json!({ "tokens": tokens, "limit": limit }));
    ScriptedReply::Failure { partial: String::new(), fault }
}

#[test]
fn tokenizer_that_counts_thirty_percent_more_overflows_nothing() {
    let mut harness = harness("vllm", "some-model");
    let run = send(&mut harness, json!({ "contextWindow": WINDOW, "maxTokens": 500 }), "And now?");
    let prompt = &prompts(&run)[0];
    assert!(prompt.omitted.is_some(), "the history was trimmed");
    assert_eq!(prompt.caution, Some(1_300), "and the record says how cautiously");
    assert!(prompt.counted() * 13 / 10 + 500 <= WINDOW, "{} tokens", prompt.counted());
    assert!(
        prompt.counted() * 15 / 10 + 500 > WINDOW,
        "no more than that was left out: {}",
        prompt.counted()
    );
}

#[test]
fn refused_prompt_is_trimmed_once_more() {
    let mut harness = harness("vllm", "some-model");
    // Its tokenizer counts 1.6 times as much, and its window is smaller than it was thought to be.
    let config = json!({ "contextWindow": WINDOW, "maxTokens": 500 });
    let first = prompts(&send(
        &mut harness,
        json!({ "contextWindow": WINDOW, "maxTokens": 500, "skipHistory": true }),
        "Now?",
    ));
    let real = first[0].counted() * 16 / 10;
    harness.provider.push_replies([refusal(real, 3_000), ScriptedReply::text("Yes.")]);
    let run = send(&mut harness, config.clone(), "Now?");
    assert_eq!(run.output("response"), Some(&json!("Yes.")));
    let prompts = prompts(&run);
    assert_eq!(prompts.len(), 2);
    let refused = prompts[1].refused.as_ref().expect("the record says why");
    assert_eq!((refused.tokens, refused.limit), (Some(real), Some(3_000)));
    assert!(refused.message.contains("too long"));
    assert_eq!(prompts[0].refused, None);
    assert!(prompts[1].counted() * 16 / 10 + 500 <= 3_000, "{} tokens", prompts[1].counted());
    assert_eq!(prompts[1].window, 3_000);
    let learned = harness.context("main").corrections["vllm/some-model"];
    assert!(learned.reported * 10 > learned.counted * 14, "later turns start from it: {learned:?}");
}

#[test]
fn refused_prompt_costs_nothing() {
    let mut harness = harness("openai", "gpt-4o");
    let config = json!({ "contextWindow": WINDOW, "maxTokens": 500 });
    let counted =
        prompts(&send(&mut harness, json!({ "contextWindow": WINDOW, "skipHistory": true }), "Now?"))[0]
            .counted();
    harness.provider.push_replies([refusal(counted * 2, 3_000), ScriptedReply::text("Yes.")]);
    let run = send(&mut harness, config, "Now?");
    assert_eq!(run.output("response"), Some(&json!("Yes.")));
    let failures = run.event_names().iter().filter(|name| *name == "model.failed").count();
    assert_eq!(failures, 0, "the provider refused it before a model saw it");
    let replied = run.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { account, .. }) => account.clone(),
        _ => None,
    });
    assert!(replied.unwrap().cost_nano_usd.is_some(), "the model has a price");
}

#[test]
fn prompt_is_trimmed_once_and_not_again() {
    let mut harness = harness("vllm", "some-model");
    let before = harness.history("main").len();
    harness.provider.push_replies([
        refusal(5_000, 3_900),
        refusal(5_000, 3_800),
        ScriptedReply::text("Yes."),
    ]);
    let run = send(&mut harness, json!({ "contextWindow": WINDOW, "maxTokens": 500 }), "Now?");
    assert_eq!((run.code(), prompts(&run).len()), ("provider.context_exceeded", 2));
    assert_eq!(harness.history("main").len(), before);
}

#[test]
fn refusal_that_leaves_no_room_names_what_is_large() {
    let mut harness = harness("vllm", "some-model");
    harness.provider.push_replies([refusal(9_000, 600)]);
    let fault =
        send(&mut harness, json!({ "contextWindow": WINDOW }), &"word ".repeat(1_000)).result.unwrap_err();
    assert_eq!(fault.code, "context.too_large");
    assert!(fault.message.contains("The largest part is the message"), "{fault}");
    assert_eq!(fault.details["largest"]["what"], json!("the message"));
    let mut harness = NodeHarness::new();
    let tool = |name: &str, words: usize| json!({ "name": name, "description": "word ".repeat(words), "parameters": { "type": "object" }, "source": "native" });
    let tools = json!([[tool("small", 5), tool("big", 900)]]);
    let inputs = [("context", super::main()), ("message", json!("Hi")), ("tools", tools)];
    let fault = harness.run("chat", json!({ "contextWindow": 800 }), &inputs).result.unwrap_err();
    assert!(fault.message.contains("The largest part is the tool `big`"), "{fault}");
}
