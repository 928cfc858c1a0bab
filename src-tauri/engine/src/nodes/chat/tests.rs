mod estimates;
mod tool_rounds;

use serde_json::{Value, json};

use crate::context::{ContextChange, ContextRecord, ContextType, Role};
use crate::error::{ErrorCode, Fault};
use crate::journal::{ContextEvent, Event};
use crate::models::TokenUsage;
use crate::node::Datum;
use crate::provider::{ModelReply, StopReason};
use crate::testing::{NodeHarness, Ran, Scripted};

fn main() -> Value {
    json!({ "contextId": "main" })
}

fn say(harness: &mut NodeHarness, config: Value, text: &str) -> Ran {
    harness.run("chat", config, &[("context", main()), ("message", json!(text))])
}

fn pairs(messages: &[(&str, &str)]) -> Vec<(String, String)> {
    messages.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

/// Role and text of each message the provider was sent in call `index`.
fn sent(harness: &NodeHarness, index: usize) -> Vec<(String, String)> {
    let request = &harness.provider.requests()[index];
    let messages = request
        .messages
        .iter()
        .map(|message| (format!("{:?}", message.role).to_lowercase(), message.content.text()));
    messages.collect()
}

#[test]
fn a_turn_enters_the_history_whole_and_the_next_one_sees_it() {
    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::text("Hello Ada."), Scripted::text("Four.")]);
    let ran = say(&mut harness, json!({}), "I am Ada.");
    assert_eq!(ran.output("response"), Some(&json!("Hello Ada.")));
    assert_eq!(ran.streamed, "Hello Ada.");
    assert_eq!(ran.message("response").unwrap().as_str(), "chat/1");
    assert_eq!(ran.event_names(), ["turn.started", "prompt.rendered", "model.replied"]);
    assert!(matches!(&ran.changes[..], [(_, ContextChange::Turn { messages, .. })] if messages.len() == 2));
    say(&mut harness, json!({}), "Two and two?");
    assert_eq!(
        sent(&harness, 1),
        pairs(&[("user", "I am Ada."), ("assistant", "Hello Ada."), ("user", "Two and two?")])
    );
    let all = [
        ("user", "I am Ada."),
        ("assistant", "Hello Ada."),
        ("user", "Two and two?"),
        ("assistant", "Four."),
    ];
    assert_eq!(harness.history("main"), pairs(&all));
    assert!(harness.context("main").message_history.iter().all(|message| message.tokens > 0));
}

#[test]
fn system_instructions_are_sent_once_in_every_call() {
    let mut harness = NodeHarness::new();
    let mut record = ContextRecord::new("main".into(), ContextType::Main, "offline", "echo");
    record.system_instructions = Some("Be brief.".to_owned());
    harness.contexts.create(record);
    say(&mut harness, json!({}), "One");
    say(&mut harness, json!({}), "Two");
    for request in harness.provider.requests() {
        assert_eq!(request.system.as_deref(), Some("Be brief."));
        assert!(request.messages.iter().all(|message| message.role != Role::System));
    }
}

#[test]
fn what_is_said_comes_from_message_then_data_then_the_context_edge() {
    let mut harness = NodeHarness::new();
    let handle = json!({ "contextId": "main", "currentOutput": "edge" });
    let run = |harness: &mut NodeHarness, inputs: &[(&str, Value)]| {
        harness.run("chat", json!({ "skipHistory": true }), inputs).output("response").cloned()
    };
    let context = ("context", handle.clone());
    assert_eq!(
        run(&mut harness, &[context.clone(), ("message", json!("m")), ("data", json!("d"))]),
        Some(json!("m"))
    );
    assert_eq!(run(&mut harness, &[context.clone(), ("data", json!({ "k": 1 }))]), Some(json!("{\"k\":1}")));
    assert_eq!(run(&mut harness, &[context]), Some(json!("edge")));
    for inputs in [vec![("context", main())], vec![("context", main()), ("message", json!("  "))]] {
        assert_eq!(harness.run("chat", json!({}), &inputs).code(), "chat.no_message");
    }
    assert_eq!(harness.run("chat", json!({}), &[("message", json!("m"))]).code(), "context.none");
    assert_eq!(
        harness.run("chat", json!({}), &[("context", json!({ "contextId": "x" }))]).code(),
        "context.unknown"
    );
}

#[test]
fn a_prompt_is_written_from_its_variables() {
    let mut harness = NodeHarness::new();
    let config = json!({ "prompt": "{{formattedData}} {{message}}" });
    let inputs = [("context", main()), ("formattedData", json!({ "n": 1 })), ("message", json!("Hello"))];
    let ran = harness.run("chat", config.clone(), &inputs);
    assert_eq!(sent(&harness, 0), pairs(&[("user", "{\"n\":1} Hello")]));
    assert_eq!(ran.output("response"), Some(&json!("{\"n\":1} Hello")));
    let along = json!({ "contextId": "main", "currentOutput": "edge" });
    let ran = harness.run("chat", config.clone(), &[("context", along), ("formattedData", json!("d"))]);
    assert_eq!(ran.output("response"), Some(&json!("d edge")));
    assert_eq!(
        harness.run("chat", config, &[("context", main()), ("formattedData", json!("d"))]).code(),
        "chat.no_message"
    );
    let reserved = harness.run("chat", json!({ "prompt": "{{tools}}" }), &[("context", main())]);
    assert_eq!(reserved.code(), "config.invalid");
}

#[test]
fn a_message_that_is_already_the_last_of_the_history_is_not_added_twice() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Hello"));
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    assert_eq!(harness.history("main"), pairs(&[("user", "Hello")]));
    // Along the context edge alone.
    let handle = asked.output("context").unwrap().clone();
    harness.run("chat", json!({}), &[("context", handle)]);
    assert_eq!(sent(&harness, 0), pairs(&[("user", "Hello")]));
    assert_eq!(harness.history("main"), pairs(&[("user", "Hello"), ("assistant", "Hello")]));
    // Along a data edge, by the message's id.
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    let message = Datum { message: asked.message("message").cloned(), ..json!("Hello").into() };
    assert!(message.message.is_some());
    harness.run_data("chat", json!({}), vec![("context", main().into()), ("message", message)]);
    assert_eq!(harness.history("main").len(), 4);
    // The same words said again are another message.
    say(&mut harness, json!({}), "Hello");
    assert_eq!(harness.history("main").len(), 6);
}

#[test]
fn skip_history_sees_the_conversation_and_leaves_it() {
    let mut harness = NodeHarness::new();
    say(&mut harness, json!({}), "One");
    let before = harness.context("main");
    let ran = say(&mut harness, json!({ "skipHistory": true }), "Two");
    assert_eq!(sent(&harness, 1), pairs(&[("user", "One"), ("assistant", "One"), ("user", "Two")]));
    assert_eq!(harness.context("main"), before);
    assert!(ran.changes.is_empty());
    assert_eq!(ran.message("response"), None);
    assert_eq!(ran.event_names(), ["prompt.rendered", "model.replied"]);
}

#[test]
fn a_failed_call_leaves_the_history_and_says_what_had_come() {
    let mut harness = NodeHarness::new();
    say(&mut harness, json!({}), "One");
    let fault = Fault::new(ErrorCode::from_wire("provider.cut"), "The stream ended early.").retryable();
    harness.provider.script([Scripted::Fails { after: "Well, I".to_owned(), fault: fault.clone() }]);
    let ran = say(&mut harness, json!({}), "Two");
    assert_eq!(ran.result, Err(fault));
    assert_eq!(harness.history("main").len(), 2);
    assert_eq!(ran.event_names(), ["turn.started", "prompt.rendered", "turn.discarded"]);
    assert!(
        matches!(ran.events.last(), Some(Event::Context(_, ContextEvent::TurnDiscarded { partial, .. })) if partial == "Well, I")
    );
    assert_eq!(
        say(&mut harness, json!({ "overrideProvider": "nobody", "overrideModel": "x" }), "Hi").code(),
        "provider.unknown"
    );
}

#[test]
fn overrides_hold_for_one_call_only() {
    let mut harness = NodeHarness::new();
    let config = json!({ "overrideModel": "gpt-4o", "overrideProvider": "openai", "temperature": 0.5, "maxTokens": 77, "options": { "seed": 1 } });
    let ran = say(&mut harness, config, "One");
    say(&mut harness, json!({}), "Two");
    let requests = harness.provider.requests();
    assert_eq!(
        (requests[0].model.as_str(), requests[0].temperature, requests[0].max_tokens),
        ("gpt-4o", Some(0.5), Some(77))
    );
    assert_eq!(requests[0].options, json!({ "seed": 1 }));
    assert_eq!(
        (requests[1].model.as_str(), requests[1].temperature, requests[1].max_tokens),
        ("echo", None, None)
    );
    assert_eq!(
        (harness.context("main").provider.as_str(), harness.context("main").model.as_str()),
        ("offline", "echo")
    );
    let extra = &ran.result.unwrap().extra;
    assert_eq!(
        (&extra["provider"], &extra["model"], &extra["stopReason"]),
        (&json!("openai"), &json!("gpt-4o"), &json!("end"))
    );
}

#[test]
fn a_structured_reply_is_read_and_held_to_its_schema() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let config = json!({ "responseSchema": schema });
    for (reply, expected) in [
        ("{\"n\": 1}", Some(1)),
        ("```json\n{\"n\": 2}\n```", Some(2)),
        ("{\"n\": \"x\"}", None),
        ("{}", None),
        ("one", None),
    ] {
        let mut harness = NodeHarness::new();
        harness.provider.script([Scripted::text(reply)]);
        let ran = say(&mut harness, config.clone(), "Count.");
        assert_eq!(harness.provider.requests()[0].response_schema.as_ref(), Some(&schema));
        if let Some(n) = expected {
            assert_eq!(
                (ran.output("structured"), ran.output("response")),
                (Some(&json!({ "n": n })), Some(&json!(reply)))
            );
        } else {
            assert_eq!(ran.code(), "chat.not_structured", "{reply}");
            assert!(harness.history("main").is_empty());
        }
    }
    let wrong = NodeHarness::new().run(
        "chat",
        json!({ "responseSchema": { "type": "objekt" } }),
        &[("context", main())],
    );
    assert_eq!(wrong.code(), "config.invalid");
}

#[test]
fn a_structured_reply_that_is_no_object_is_asked_for_inside_of_one() {
    let config = json!({ "responseSchema": { "type": "array", "items": { "type": "integer" } } });
    for reply in ["{\"value\": [1, 2]}", "[1, 2]"] {
        let mut harness = NodeHarness::new();
        harness.provider.script([Scripted::text(reply)]);
        let ran = say(&mut harness, config.clone(), "Count.");
        let asked = harness.provider.requests()[0].response_schema.clone().unwrap();
        assert_eq!((&asked["type"], &asked["required"]), (&json!("object"), &json!(["value"])));
        assert_eq!(ran.output("structured"), Some(&json!([1, 2])), "{reply}");
    }
}

#[test]
fn replies_that_are_no_answer_are_faults() {
    for (stop_reason, text, code) in [
        (StopReason::ContentFilter, "I", "chat.content_filtered"),
        (StopReason::End, " ", "chat.empty_reply"),
        (StopReason::MaxTokens, "", "chat.empty_reply"),
    ] {
        let mut harness = NodeHarness::new();
        harness.provider.script([Scripted::Reply(ModelReply {
            text: text.to_owned(),
            stop_reason,
            ..ModelReply::default()
        })]);
        assert_eq!(say(&mut harness, json!({}), "Hi").code(), code);
        assert!(harness.history("main").is_empty());
    }
}

#[test]
fn reported_usage_is_summed_and_unreported_is_counted() {
    let mut harness = NodeHarness::new();
    let reported =
        ModelReply { text: "Hi".to_owned(), usage: Some(TokenUsage::new(100, 5)), ..ModelReply::default() };
    harness.provider.script([Scripted::Reply(reported), Scripted::text("hello world")]);
    assert_eq!(say(&mut harness, json!({}), "Hi").result.unwrap().token_usage, Some(TokenUsage::new(100, 5)));
    let counted = say(&mut harness, json!({}), "Hi").result.unwrap().token_usage.unwrap();
    assert_eq!(counted.output, 2);
    assert!(counted.input >= 12, "{counted:?}");
}

#[test]
fn reasoning_stays_with_the_answer() {
    let mut harness = NodeHarness::new();
    let reply =
        ModelReply { text: "Four.".to_owned(), reasoning: Some("2 + 2".to_owned()), ..ModelReply::default() };
    harness.provider.script([Scripted::Reply(reply)]);
    say(&mut harness, json!({}), "Two and two?");
    assert_eq!(harness.context("main").message_history[1].reasoning.as_deref(), Some("2 + 2"));
}

#[test]
fn a_long_history_is_trimmed_and_too_large_a_question_refused() {
    let mut harness = NodeHarness::new();
    for _ in 0..10 {
        say(&mut harness, json!({}), "word word word word");
    }
    let ran = say(&mut harness, json!({ "contextWindow": 60, "maxTokens": 10 }), "word word word word");
    assert!(ran.result.is_ok(), "{:?}", ran.result);
    let request = harness.provider.requests().pop().unwrap();
    assert!(request.messages.len() < 10 && request.messages[0].role == Role::User);
    assert_eq!(harness.history("main").len(), 22, "the history itself keeps everything");
    let ran = say(&mut harness, json!({ "contextWindow": 20, "maxTokens": 10 }), &"word ".repeat(20));
    assert_eq!(ran.code(), "context.too_large");
    assert_eq!(harness.provider.requests().len(), 11, "nobody is asked");
}
