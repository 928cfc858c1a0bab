//! `contextStart` in a conversation: what it recalls, and how older messages are summarized.

use plait_core::origin::Origins;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::testing::NodeHarness;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_journal::{CallEvent, Event, NodeEvent};
use plait_llm::context::conversation::{
    Conversation, ConversationReader, ConversationRef, Summary, SummaryRef, message_id,
};
use plait_llm::context::{Message, Role, SharedMessage};
use plait_llm::models::TokenUsage;
use plait_llm::provider::{ModelReply, StopReason};
use plait_run::codes;
use plait_testing::ScriptedReply;

/// A conversation with this many messages: `0`, `1` and so on, of 10 tokens each.
struct NumberedMessages(u64);

impl ConversationReader for NumberedMessages {
    fn message(&self, position: u64) -> Result<SharedMessage, Fault> {
        assert!(position < self.0, "read beyond the start of the run");
        let role = if position.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let author = Activation { node: "chat".into(), epoch: Epoch::root() };
        Ok(Arc::new(Message::plain(message_id(position), role, position.to_string(), author, 10)))
    }

    fn summary(&self, summary: &SummaryRef) -> Result<Summary, Fault> {
        Ok(Summary { origins: Origins::NONE, text: format!("Of {} messages.", summary.places), tokens: 8 })
    }
}

fn harness(messages: u64, summarized: Option<u64>) -> NodeHarness {
    let summary = summarized.map(|places| SummaryRef { places, run: "earlier".into() });
    let at = Arc::new(ConversationRef {
        id: "talk".into(),
        thread: "thread".into(),
        messages,
        summary,
        memory: None,
    });
    NodeHarness {
        conversation: Some(Conversation { at, past: Arc::new(NumberedMessages(messages)) }),
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
fn recall_starts_at_a_user_message_within_twenty_messages() {
    let mut harness = harness(31, None);
    harness.run("contextStart", config(&json!({})), &[]).result.unwrap();
    // The newest message is from the user; the twentieth from the end is not.
    assert_eq!(texts(&harness), (12..31).map(|position| position.to_string()).collect::<Vec<_>>());
    assert_eq!(&*harness.context("main").session_id, "thread");
}

#[test]
fn contexts_other_than_main_recall_nothing() {
    let mut harness = harness(4, None);
    harness.run("contextStart", json!({ "contextId": "side" }), &[]).result.unwrap();
    assert_eq!(harness.history("side"), []);
}

#[test]
fn fitting_messages_reuse_the_existing_summary() {
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
fn new_summary_extends_the_previous_one_and_is_journaled() {
    let mut harness = harness(12, Some(4));
    harness.provider.push_replies([ScriptedReply::text(" They counted to nine. ")]);
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 3, "model": "small" });
    let run = harness.run("contextStart", config(&memory), &[]);
    assert!(run.result.unwrap().token_usage.is_some());
    let summary = "Summary of the conversation before the messages below:\n  They counted to nine.";
    // Three may stay, but the third from the end is not from the user.
    assert_eq!(texts(&harness), [summary, "10", "11"]);
    let [request] = &harness.provider.requests()[..] else { panic!("one call") };
    assert_eq!(request.model, "small");
    let asked = request.messages[0].content.text();
    assert!(
        asked.starts_with("Summary so far:\n  Of 4 messages.\n\nTurns after it:\n\nuser: 4\n"),
        "{asked}"
    );
    assert!(asked.ends_with("\nassistant: 9\n"), "{asked}");
    let kinds: Vec<_> =
        run.events.iter().map(|event| serde_json::to_value(event).unwrap()["type"].clone()).collect();
    assert_eq!(kinds, ["prompt.rendered", "model.replied"]);
    let prompt = serde_json::to_string(&run.events[0]).unwrap();
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
        CallEvent::ModelReplied {
            origins: Origins::NONE,
            step: 0,
            reply: Box::new(reply),
            account: None,
            key: None,
            sampling: None,
            reused: None,
            bought: None,
        },
    )];
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
    harness.run("contextStart", config(&memory), &[]).result.unwrap();
    assert_eq!(harness.provider.requests().len(), 0);
    assert!(texts(&harness)[0].ends_with("\n  Recorded before."));
}

#[test]
fn summary_is_never_trimmed() {
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
    assert!(sent.len() < 5, "something was trimmed: {sent:?}");
}

/// What the context recalls if the summary is this reply, with a summary of the first four messages from an earlier run, and the code
/// of the notice.
fn without_summary(reply: ScriptedReply) -> (Vec<String>, String) {
    let mut harness = harness(12, Some(4));
    harness.provider.push_replies([reply]);
    let memory = json!({ "strategy": "summarize", "maxMessages": 6, "keepRecent": 2 });
    let run = harness.run("contextStart", config(&memory), &[]);
    run.result.unwrap();
    let notice = run.events.iter().find_map(|event| match event {
        Event::Node(_, NodeEvent::Noticed { notice }) => Some(notice),
        _ => None,
    });
    let code = notice.unwrap().code.to_string();
    assert!(!harness.provider.requests().is_empty());
    (texts(&harness), code)
}

/// A conversation of which no summary can be had would otherwise never run again.
#[test]
fn conversation_goes_on_without_a_summary_that_cannot_be_had() {
    let truncated = ModelReply {
        text: "They counted, and then".into(),
        stop_reason: StopReason::MaxTokens,
        ..ModelReply::default()
    };
    let fault = Fault::new(codes::PROVIDER_UNKNOWN, "No.");
    let replies = [
        (ScriptedReply::text("  "), "conversation.no_summary"),
        (ScriptedReply::Reply(truncated), "conversation.no_summary"),
        (ScriptedReply::Failure { partial: String::new(), fault }, "provider.unknown"),
    ];
    for (reply, code) in replies {
        let (recalled, notice) = without_summary(reply);
        assert_eq!(recalled, ["Of 4 messages.", "6", "7", "8", "9", "10", "11"]);
        assert_eq!(notice, code);
    }
}

#[test]
fn unreported_reasoning_of_a_summary_is_counted() {
    let used = |reasoning: Option<&str>| {
        let mut harness = harness(12, None);
        let reasoning = reasoning.map(str::to_owned);
        harness.provider.push_replies([ScriptedReply::Reply(ModelReply {
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
fn long_history_is_summarized_in_batches_that_fit() {
    let mut harness = harness(2_000, None);
    harness.provider.push_replies((0..40).map(|step| ScriptedReply::text(&format!("Part {step}."))));
    let memory = json!({ "strategy": "summarize", "keepRecent": 2 });
    harness.run("contextStart", config(&memory), &[]).result.unwrap();
    let requests = harness.provider.requests();
    assert!(requests.len() > 2, "20,000 tokens are more than the simulator's window of 8,192 takes at once");
    assert!(requests.iter().all(|request| request.messages[0].tokens < 8_192));
    assert!(requests[1].messages[0].content.text().starts_with("Summary so far:\n  Part 0.\n"));
    assert_eq!(texts(&harness)[1..], ["1998", "1999"]);
}
