//! Replies that are not whole: the committed text, and the effect of the model's reason to stop.

use serde_json::{Value, json};

use super::{main, pairs, send};
use crate::testing::{NodeHarness, NodeRun};
use plait_journal::{CallEvent, Event};
use plait_llm::context::ToolCall;
use plait_llm::provider::{ModelReply, StopOutcome, StopReason};
use plait_testing::ScriptedReply;

fn stopped(text: &str, stop_reason: StopReason) -> ScriptedReply {
    ScriptedReply::Reply(ModelReply { text: text.to_owned(), stop_reason, ..ModelReply::default() })
}

fn harness(reply: ScriptedReply) -> NodeHarness {
    let harness = NodeHarness::new();
    harness.provider.push_replies([reply]);
    harness
}

/// A call of the calculator, as the reply of a model that stopped for this reason.
fn stopped_call(stop_reason: StopReason) -> ScriptedReply {
    let call = ToolCall { id: "1".into(), name: "calculator".into(), arguments: json!({}) };
    ScriptedReply::Reply(ModelReply { tool_calls: vec![call], stop_reason, ..ModelReply::default() })
}

fn send_with_calculator(harness: &mut NodeHarness, config: Value) -> NodeRun {
    let tools = json!([[{
        "name": "calculator", "description": "", "parameters": { "type": "object" }, "source": "native",
    }]]);
    harness.run("chat", config, &[("context", main()), ("message", json!("Hi")), ("tools", tools)])
}

#[test]
fn truncated_text_is_committed_and_marked() {
    for reason in [StopReason::MaxTokens, StopReason::WindowFull] {
        let mut harness = harness(stopped("The dose is 5", reason));
        let run = send(&mut harness, json!({}), "How much?");
        assert_eq!(run.output("response"), Some(&json!("The dose is 5")));
        assert!(run.result.unwrap().truncated);
        assert_eq!(harness.history("main"), pairs(&[("user", "How much?"), ("assistant", "The dose is 5")]));
        let marks: Vec<_> = harness.context("main").message_history.iter().map(|one| one.truncated).collect();
        assert_eq!(marks, [false, true]);
    }
    let mut harness = harness(stopped("Whole.", StopReason::End));
    assert!(!send(&mut harness, json!({}), "How much?").result.unwrap().truncated);
    assert!(!harness.context("main").message_history[1].truncated);
}

#[test]
fn reply_that_is_not_whole_is_never_committed() {
    for (reason, code, retryable) in [
        (StopReason::MalformedToolCall, "chat.incomplete", true),
        (StopReason::UnsupportedLanguage, "chat.incomplete", false),
        (StopReason::Paused, "chat.incomplete", false),
        (StopReason::Interrupted, "chat.incomplete", true),
        (StopReason::Other("OTHER".into()), "chat.incomplete", true),
        (StopReason::ContentFilter, "chat.content_filtered", false),
    ] {
        let mut harness = harness(stopped("The dose is 5", reason.clone()));
        let run = send(&mut harness, json!({}), "How much?");
        let replied = |event: &Event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. }));
        assert!(run.events.iter().any(replied), "the journal has what was paid for");
        let fault = run.result.unwrap_err();
        assert_eq!((fault.code.as_str(), fault.retryable), (code, retryable), "{reason:?}");
        assert!(fault.hint.is_some());
        assert!(harness.history("main").is_empty(), "{reason:?}");
        assert!(reason.problem().is_some() && !reason.is_truncated());
    }
    let refused = send(&mut harness(stopped("I can't.", StopReason::ContentFilter)), json!({}), "Hi");
    let message = refused.result.unwrap_err().message;
    assert!(message.ends_with("It says: I can't."), "{message}");
    let mut harness = harness(stopped("x", StopReason::Other("OTHER".into())));
    let fault = send(&mut harness, json!({}), "Hi").result.unwrap_err();
    assert!(fault.message.contains("`OTHER`"), "{fault}");
    assert_eq!(StopReason::Other("x".into()).outcome(), StopOutcome::Unusable);
}

#[test]
fn truncated_tool_call_is_a_fault_and_calls_nothing() {
    for reason in [StopReason::MaxTokens, StopReason::WindowFull] {
        let mut harness = harness(stopped_call(reason.clone()));
        let run = send_with_calculator(&mut harness, json!({ "maxTokens": 50 }));
        let fault = run.result.unwrap_err();
        assert_eq!(fault.code, "chat.truncated");
        assert!(fault.message.contains("`calculator`"), "{fault}");
        assert_eq!(fault.message.contains("50 tokens"), reason == StopReason::MaxTokens, "{fault}");
        assert!(harness.tools.calls().is_empty(), "no tool was called");
        assert!(harness.history("main").is_empty());
    }
    let mut harness = harness(stopped_call(StopReason::ToolCalls));
    assert!(send_with_calculator(&mut harness, json!({})).result.is_ok());
    assert_eq!(harness.tools.calls().len(), 1);
}

#[test]
fn truncated_structured_reply_is_a_fault() {
    // A number that was cut off is a number as well.
    let schema = json!({ "responseSchema": { "type": "integer" } });
    let mut harness = harness(stopped("{\"value\": 12}", StopReason::MaxTokens));
    let fault = send(&mut harness, schema, "How many?").result.unwrap_err();
    assert_eq!(fault.code, "chat.truncated");
    assert_eq!(fault.details["reply"], json!("{\"value\": 12}"));
    assert!(harness.history("main").is_empty());
}

#[test]
fn call_of_a_tool_that_was_not_offered_ends_at_once() {
    let mut harness = harness(stopped_call(StopReason::ToolCalls));
    let run = send(&mut harness, json!({}), "Hi");
    let fault = run.result.unwrap_err();
    assert_eq!(fault.code, "chat.no_tools");
    assert!(fault.message.contains("`calculator`"), "{fault}");
    assert_eq!(harness.provider.requests().len(), 1, "it was not asked again");
}

#[test]
fn failed_tool_call_is_sent_back_as_an_error() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([
        ScriptedReply::calls(&[("calculator", json!({})), ("rocket", json!({}))]),
        ScriptedReply::text("Done."),
    ]);
    send_with_calculator(&mut harness, json!({}));
    let sent = harness.provider.requests().pop().unwrap().messages;
    let marks: Vec<_> = sent.iter().map(|message| message.is_error).collect();
    assert_eq!(marks, [false, false, false, true]);
}

#[test]
fn recorded_reply_that_is_not_whole_is_asked_for_again() {
    let mut first = harness(stopped("The dose", StopReason::Interrupted));
    let run = send(&mut first, json!({}), "How much?");
    assert_eq!(run.code(), "chat.incomplete");
    let mut retried = harness(stopped("The dose is 500 mg.", StopReason::End));
    retried.recorded = run.events;
    let run = send(&mut retried, json!({}), "How much?");
    assert_eq!(run.output("response"), Some(&json!("The dose is 500 mg.")));
}
