//! `contextStart` in a conversation: what it remembers, and how it has the rest summed up.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::context::conversation::{
    Conversation, ConversationReader, ConversationRef, Summary, SummaryRef, message_id,
};
use crate::context::{Message, Role, SharedMessage};
use crate::error::Fault;
use crate::id::{Activation, Epoch};
use crate::journal::{CallEvent, Event};
use crate::models::TokenUsage;
use crate::provider::{ModelReply, StopReason};
use crate::testing::{NodeHarness, Scripted};

/// A conversation of so many messages: `0`, `1` and so on, of 10 tokens each.
struct Numbered(u64);

impl ConversationReader for Numbered {
    fn message(&self, place: u64) -> Result<SharedMessage, Fault> {
        assert!(place < self.0, "beyond what there was when the run began");
        let role = if place.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let author = Activation { node: "chat".into(), epoch: Epoch::root() };
        Ok(Arc::new(Message::plain(message_id(place), role, place.to_string(), author, 10)))
    }

    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault> {
        Ok(Summary { text: format!("Of {} messages.", summary.places), tokens: 8 })
    }
}

fn harness(messages: u64, summarized: Option<u64>) -> NodeHarness {
    let summary = summarized.map(|places| SummaryRef { places, run: "earlier".into() });
    let at = Arc::new(ConversationRef { id: "talk".into(), thread: "thread".into(), messages, summary });
    NodeHarness {
        conversation: Some(Conversation { at, past: Arc::new(Numbered(messages)) }),
        ..NodeHarness::default()
    }
}

fn config(conversation: &Value) -> Value {
    json!({ "systemInstructions": "Be brief.", "conversation": conversation })
}

fn texts(harness: &NodeHarness) -> Vec<String> {
    harness.history("main").into_iter().map(|(_, text)| text).collect()
}

#[test]
fn it_remembers_twenty_messages_from_a_question_on() {
    let mut harness = harness(31, None);
    harness.run("contextStart", config(&json!({})), &[]).result.unwrap();
    // The newest message is a question that nobody answered; the twentieth from the end is an answer.
    assert_eq!(texts(&harness), (12..31).map(|place| place.to_string()).collect::<Vec<_>>());
    assert_eq!(harness.context("main").session_id, "thread");
}

#[test]
fn another_context_than_main_remembers_nothing() {
    let mut harness = harness(4, None);
    harness.run("contextStart", json!({ "contextId": "side" }), &[]).result.unwrap();
    assert_eq!(harness.history("side"), []);
}

#[test]
fn what_fits_behind_a_summary_is_remembered_with_it_and_nobody_is_asked() {
    let mut harness = harness(10, Some(4));
    harness
        .run(
            "contextStart",
            config(&json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 })),
            &[],
        )
        .result
        .unwrap();
    assert_eq!(texts(&harness), ["Of 4 messages.", "4", "5", "6", "7", "8", "9"]);
    assert_eq!(harness.provider.requests().len(), 0);
}

#[test]
fn what_does_not_fit_is_summed_up_from_the_summary_before_and_journaled_like_any_reply() {
    let mut harness = harness(12, Some(4));
    harness.provider.script([Scripted::text(" They counted to nine. ")]);
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 3, "model": "small" });
    let ran = harness.run("contextStart", config(&memory), &[]);
    assert!(ran.result.unwrap().token_usage.is_some());
    let summary = "Summary of the conversation before the messages below:\nThey counted to nine.";
    // Three are to stay; the third from the end is an answer.
    assert_eq!(texts(&harness), [summary, "10", "11"]);
    let [request] = &harness.provider.requests()[..] else { panic!("one call") };
    assert_eq!(request.model, "small");
    let asked = request.messages[0].content.text();
    assert!(asked.starts_with("Summary so far:\nOf 4 messages.\n\nMessages:\n\nUser: 4\n"), "{asked}");
    assert!(asked.ends_with("\nAssistant: 9\n"), "{asked}");
    let kinds: Vec<_> =
        ran.events.iter().map(|event| serde_json::to_value(event).unwrap()["type"].clone()).collect();
    assert_eq!(kinds, ["prompt.rendered", "model.replied"]);
    let prompt = serde_json::to_string(&ran.events[0]).unwrap();
    assert!(
        prompt.contains("conversation:4") && !prompt.contains("User: 4"),
        "referred to, not copied: {prompt}"
    );
}

#[test]
fn summary_recorded_before_a_crash_is_reused() {
    let mut harness = harness(12, None);
    let reply = ModelReply {
        text: "Recorded before.".into(),
        usage: Some(TokenUsage::new(5, 2)),
        ..ModelReply::default()
    };
    harness.recorded = vec![Event::Call(
        Activation { node: "contextStart".into(), epoch: Epoch::root() },
        CallEvent::ModelReplied { step: 0, reply, account: None },
    )];
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
    harness.run("contextStart", config(&memory), &[]).result.unwrap();
    assert_eq!(harness.provider.requests().len(), 0);
    assert!(texts(&harness)[0].ends_with("\nRecorded before."));
}

#[test]
fn a_summary_survives_the_trim_and_is_sent_with_the_instructions() {
    let mut harness = harness(12, Some(8));
    let memory = json!({ "strategy": "summarize", "maxMessages": 6 , "keepRecent": 2});
    harness.run("contextStart", config(&memory), &[]).result.unwrap();
    // A window with room for the question and a little more.
    let chat = json!({ "contextWindow": 70, "maxTokens": 30 });
    harness
        .run("chat", chat, &[("context", json!({ "contextId": "main" })), ("message", json!("And now?"))])
        .result
        .unwrap();
    let [request] = &harness.provider.requests()[..] else { panic!("one call") };
    assert_eq!(request.system.as_deref(), Some("Be brief.\n\nOf 8 messages."));
    let sent: Vec<_> = request.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(sent.last().map(String::as_str), Some("And now?"));
    assert!(sent.len() < 5, "something had to go: {sent:?}");
}

#[test]
fn a_model_that_sums_up_nothing_is_a_fault_and_no_context_is_made() {
    let mut harness = harness(12, None);
    harness.provider.script([Scripted::text("  ")]);
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
    let fault = harness.run("contextStart", config(&memory), &[]).result.unwrap_err();
    assert_eq!(fault.code, "conversation.no_summary");
    assert!(harness.contexts.get(&"main".into()).is_none());
}

#[test]
fn a_summary_that_was_cut_short_is_a_fault() {
    let mut harness = harness(12, None);
    let stop_reason = StopReason::MaxTokens;
    harness.provider.script([Scripted::Reply(ModelReply {
        text: "They counted, and then".into(),
        stop_reason,
        ..ModelReply::default()
    })]);
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
    let fault = harness.run("contextStart", config(&memory), &[]).result.unwrap_err();
    assert_eq!(fault.code, "conversation.no_summary");
    assert!(fault.message.contains("2,000"), "{}", fault.message);
}

#[test]
fn what_a_summary_took_to_think_is_counted_where_nobody_reports_it() {
    let used = |reasoning: Option<&str>| {
        let mut harness = harness(12, None);
        let reasoning = reasoning.map(str::to_owned);
        harness.provider.script([Scripted::Reply(ModelReply {
            text: "They counted.".into(),
            reasoning,
            ..ModelReply::default()
        })]);
        let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
        harness.run("contextStart", config(&memory), &[]).result.unwrap().token_usage.unwrap()
    };
    assert!(used(Some("Let me see what they said.")).output > used(None).output);
}

#[test]
fn a_long_past_is_summed_up_in_portions_that_fit_the_models_window() {
    let mut harness = harness(2_000, None);
    harness.provider.script((0..40).map(|step| Scripted::text(&format!("Part {step}."))));
    let memory = json!({ "strategy": "summarize", "keepRecent": 2 });
    harness.run("contextStart", config(&memory), &[]).result.unwrap();
    let requests = harness.provider.requests();
    assert!(requests.len() > 2, "20,000 tokens are more than the simulator's window of 8,192 takes at once");
    assert!(requests.iter().all(|request| request.messages[0].tokens < 8_192));
    assert!(requests[1].messages[0].content.text().starts_with("Summary so far:\nPart 0.\n"));
    assert_eq!(texts(&harness)[1..], ["1998", "1999"]);
}
