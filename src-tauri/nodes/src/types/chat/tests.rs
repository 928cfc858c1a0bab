mod attachments;
mod blocks;
mod estimates;
mod loop_turns;
mod memory;
mod origins;
mod overflow;
mod reply_keys;
mod sampling;
mod stop_reasons;
mod tool_calls;
mod tool_rounds;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::testing::{NodeHarness, NodeRun};
use plait_core::error::{ErrorCode, Fault};
use plait_journal::{CallEvent, ContextEvent, Event};
use plait_llm::context::{ContextChange, ContextRecord, ContextType, Role};
use plait_llm::models::TokenUsage;
use plait_llm::prompt_record::PromptRecord;
use plait_llm::provider::{ModelReply, StopReason};
use plait_run::node::Datum;
use plait_testing::ScriptedReply;

fn main() -> Value {
    json!({ "contextId": "main" })
}

fn send(harness: &mut NodeHarness, config: Value, text: &str) -> NodeRun {
    harness.run("chat", config, &[("context", main()), ("message", json!(text))])
}

fn pairs(messages: &[(&str, &str)]) -> Vec<(String, String)> {
    messages.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

/// Role and text of each message in request `index`.
fn sent_messages(harness: &NodeHarness, index: usize) -> Vec<(String, String)> {
    let request = &harness.provider.requests()[index];
    let messages = request
        .messages
        .iter()
        .map(|message| (format!("{:?}", message.role).to_lowercase(), message.content.text()));
    messages.collect()
}

/// The record of the prompt of a run's first model call.
fn prompt(run: &NodeRun) -> Arc<PromptRecord> {
    let prompts = run.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::PromptRendered { prompt, .. }) => Some(Arc::clone(prompt)),
        _ => None,
    });
    prompts.unwrap()
}

/// The inputs that the user message of a run's first model call is made of.
fn message_inputs(run: &NodeRun) -> Vec<String> {
    prompt(run).message_inputs.iter().map(ToString::to_string).collect()
}

#[test]
fn turn_is_committed_and_sent_with_the_next_call() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::text("Hello Ada."), ScriptedReply::text("Four.")]);
    let run = send(&mut harness, json!({}), "I am Ada.");
    assert_eq!(run.output("response"), Some(&json!("Hello Ada.")));
    assert_eq!(run.streamed, "Hello Ada.");
    assert_eq!(run.message("response").unwrap().as_str(), "chat/1");
    assert_eq!(run.event_names(), ["turn.started", "prompt.rendered", "model.replied"]);
    assert!(matches!(&run.changes[..], [(_, ContextChange::Turn { messages, .. })] if messages.len() == 2));
    send(&mut harness, json!({}), "Two and two?");
    assert_eq!(
        sent_messages(&harness, 1),
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
fn every_call_has_the_instructions_once() {
    let mut harness = NodeHarness::new();
    let mut record = ContextRecord::new("main".into(), ContextType::Main, "offline", "echo");
    record.system_instructions = Some("Be brief.".to_owned());
    harness.contexts.create(record);
    send(&mut harness, json!({}), "One");
    send(&mut harness, json!({}), "Two");
    for request in harness.provider.requests() {
        assert_eq!(request.system.as_deref(), Some("Be brief."));
        assert!(request.messages.iter().all(|message| message.role != Role::System));
    }
}

#[test]
fn user_message_precedence_is_message_data_context_edge() {
    let mut harness = NodeHarness::new();
    let handle = json!({ "contextId": "main", "currentOutput": "edge" });
    let mut check = |inputs: &[(&str, Value)], port: &str, reply: &str| {
        let run = harness.run("chat", json!({ "skipHistory": true }), inputs);
        assert_eq!(
            (message_inputs(&run), run.output("response")),
            (vec![port.to_owned()], Some(&json!(reply)))
        );
    };
    let context = ("context", handle.clone());
    check(&[context.clone(), ("message", json!("m")), ("data", json!("d"))], "message", "m");
    check(&[context.clone(), ("data", json!({ "k": 1 }))], "data", "{\"k\":1}");
    check(&[context], "context", "edge");
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
fn prompt_template_renders_the_inputs() {
    let mut harness = NodeHarness::new();
    let config = json!({ "prompt": "{{formattedData}} {{message}}" });
    let inputs = [("context", main()), ("formattedData", json!({ "n": 1 })), ("message", json!("Hello"))];
    let run = harness.run("chat", config.clone(), &inputs);
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "{\"n\":1} Hello")]));
    assert_eq!(run.output("response"), Some(&json!("{\"n\":1} Hello")));
    assert_eq!(message_inputs(&run), ["formattedData", "message"]);
    let context = json!({ "contextId": "main", "currentOutput": "edge" });
    let run = harness.run("chat", config.clone(), &[("context", context), ("formattedData", json!("d"))]);
    assert_eq!(run.output("response"), Some(&json!("d edge")));
    assert_eq!(message_inputs(&run), ["formattedData", "context"]);
    assert_eq!(
        harness.run("chat", config, &[("context", main()), ("formattedData", json!("d"))]).code(),
        "chat.no_message"
    );
    let reserved = harness.run("chat", json!({ "prompt": "{{tools}}" }), &[("context", main())]);
    assert_eq!(reserved.code(), "config.invalid");
}

#[test]
fn stored_user_message_is_not_added_twice() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Hello"));
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    assert_eq!(harness.history("main"), pairs(&[("user", "Hello")]));
    // By the context edge only.
    let handle = asked.output("context").unwrap().clone();
    harness.run("chat", json!({}), &[("context", handle)]);
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "Hello")]));
    assert_eq!(harness.history("main"), pairs(&[("user", "Hello"), ("assistant", "Hello")]));
    // By a data edge, with the message's id.
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    let message = Datum { message: asked.message("message").cloned(), ..json!("Hello").into() };
    assert!(message.message.is_some());
    harness.run_data("chat", json!({}), vec![("context", main().into()), ("message", message)]);
    assert_eq!(harness.history("main").len(), 4);
    // The same text again is another message.
    send(&mut harness, json!({}), "Hello");
    assert_eq!(harness.history("main").len(), 6);
}

#[test]
fn skip_history_reads_but_does_not_write() {
    let mut harness = NodeHarness::new();
    send(&mut harness, json!({}), "One");
    let before = harness.context("main");
    let run = send(&mut harness, json!({ "skipHistory": true }), "Two");
    assert_eq!(sent_messages(&harness, 1), pairs(&[("user", "One"), ("assistant", "One"), ("user", "Two")]));
    assert_eq!(harness.context("main"), before);
    assert!(run.changes.is_empty());
    assert_eq!(
        run.message("response").unwrap().as_str(),
        "chat/1",
        "it is the same message wherever it goes"
    );
    assert_eq!(run.event_names(), ["prompt.rendered", "model.replied"]);
}

#[test]
fn failed_call_leaves_history_and_reports_partial_text() {
    let mut harness = NodeHarness::new();
    send(&mut harness, json!({}), "One");
    let fault = Fault::new(ErrorCode::from_wire("provider.cut"), "The stream ended early.").retryable();
    harness
        .provider
        .push_replies([ScriptedReply::Failure { partial: "Well, I".to_owned(), fault: fault.clone() }]);
    let run = send(&mut harness, json!({}), "Two");
    assert_eq!(run.result, Err(fault));
    assert_eq!(harness.history("main").len(), 2);
    assert_eq!(run.event_names(), ["turn.started", "prompt.rendered", "turn.discarded"]);
    assert!(
        matches!(run.events.last(), Some(Event::Context(_, ContextEvent::TurnDiscarded { partial, .. })) if partial == "Well, I")
    );
    assert_eq!(
        send(&mut harness, json!({ "overrideProvider": "nobody", "overrideModel": "x" }), "Hi").code(),
        "provider.unknown"
    );
}

#[test]
fn parameters_that_the_model_refuses_are_not_sent_and_recorded() {
    let mut harness = NodeHarness::new();
    let options = json!({ "top_p": 0.9, "top_k": 5, "seed": 1 });
    for (model, refuses) in [("claude-opus-4-7", true), ("claude-opus-4-6", false)] {
        let config = json!({ "overrideProvider": "anthropic", "overrideModel": model, "temperature": 0.5, "options": options });
        let run = send(&mut harness, config, "Hi");
        let request = harness.provider.requests().last().cloned().unwrap();
        let settings = prompt(&run).settings.clone();
        if refuses {
            assert_eq!((request.temperature, request.options), (None, json!({ "seed": 1 })));
            assert_eq!(settings.refused_parameters, ["temperature", "top_p", "top_k"]);
        } else {
            assert_eq!((request.temperature, request.options), (Some(0.5), options.clone()));
            assert!(settings.refused_parameters.is_empty());
        }
        assert_eq!(settings.temperature, request.temperature);
    }
}

#[test]
fn overrides_apply_to_one_call_only() {
    let mut harness = NodeHarness::new();
    let config = json!({ "overrideModel": "gpt-4o", "overrideProvider": "openai", "temperature": 0.5, "maxTokens": 77, "options": { "seed": 1 } });
    let run = send(&mut harness, config, "One");
    send(&mut harness, json!({}), "Two");
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
    assert_eq!((&*harness.context("main").provider, &*harness.context("main").model), ("offline", "echo"));
    let extra = &run.result.unwrap().extra;
    assert_eq!(
        (&extra["provider"], &extra["model"], &extra["stopReason"]),
        (&json!("openai"), &json!("gpt-4o"), &json!("end"))
    );
}

#[test]
fn structured_reply_must_match_its_schema() {
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
        harness.provider.push_replies([ScriptedReply::text(reply)]);
        let run = send(&mut harness, config.clone(), "Count.");
        assert_eq!(harness.provider.requests()[0].response_schema.as_ref(), Some(&schema));
        if let Some(n) = expected {
            assert_eq!(
                (run.output("structured"), run.output("response")),
                (Some(&json!({ "n": n })), Some(&json!(reply)))
            );
        } else {
            assert_eq!(run.code(), "chat.not_structured", "{reply}");
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
fn non_object_schema_is_wrapped() {
    let config = json!({ "responseSchema": { "type": "array", "items": { "type": "integer" } } });
    for reply in ["{\"value\": [1, 2]}", "[1, 2]"] {
        let mut harness = NodeHarness::new();
        harness.provider.push_replies([ScriptedReply::text(reply)]);
        let run = send(&mut harness, config.clone(), "Count.");
        let asked = harness.provider.requests()[0].response_schema.clone().unwrap();
        assert_eq!((&asked["type"], &asked["required"]), (&json!("object"), &json!(["value"])));
        assert_eq!(run.output("structured"), Some(&json!([1, 2])), "{reply}");
    }
}

#[test]
fn empty_reply_is_a_fault() {
    for (stop_reason, text, code) in
        [(StopReason::End, " ", "chat.empty_reply"), (StopReason::MaxTokens, "", "chat.empty_reply")]
    {
        let mut harness = NodeHarness::new();
        harness.provider.push_replies([ScriptedReply::Reply(ModelReply {
            text: text.to_owned(),
            stop_reason,
            ..ModelReply::default()
        })]);
        assert_eq!(send(&mut harness, json!({}), "Hi").code(), code);
        assert!(harness.history("main").is_empty());
    }
}

#[test]
fn usage_falls_back_to_counted_tokens() {
    let mut harness = NodeHarness::new();
    let reported =
        ModelReply { text: "Hi".to_owned(), usage: Some(TokenUsage::new(100, 5)), ..ModelReply::default() };
    harness.provider.push_replies([ScriptedReply::Reply(reported), ScriptedReply::text("hello world")]);
    assert_eq!(
        send(&mut harness, json!({}), "Hi").result.unwrap().token_usage,
        Some(TokenUsage::new(100, 5))
    );
    let counted = send(&mut harness, json!({}), "Hi").result.unwrap().token_usage.unwrap();
    assert_eq!(counted.output, 2);
    assert!(counted.input >= 12, "{counted:?}");
}

#[test]
fn reasoning_is_stored_with_the_reply() {
    let mut harness = NodeHarness::new();
    let reply =
        ModelReply { text: "Four.".to_owned(), reasoning: Some("2 + 2".to_owned()), ..ModelReply::default() };
    harness.provider.push_replies([ScriptedReply::Reply(reply)]);
    send(&mut harness, json!({}), "Two and two?");
    assert_eq!(harness.context("main").message_history[1].reasoning.as_deref(), Some("2 + 2"));
}

#[test]
fn long_history_is_trimmed_and_oversized_message_refused() {
    let mut harness = NodeHarness::new();
    for _ in 0..10 {
        send(&mut harness, json!({}), "word word word word");
    }
    let run = send(&mut harness, json!({ "contextWindow": 60, "maxTokens": 10 }), "word word word word");
    assert!(run.result.is_ok(), "{:?}", run.result);
    let request = harness.provider.requests().pop().unwrap();
    assert!(request.messages.len() < 10 && request.messages[0].role == Role::User);
    assert_eq!(harness.history("main").len(), 22, "the history itself keeps everything");
    let run = send(&mut harness, json!({ "contextWindow": 20, "maxTokens": 10 }), &"word ".repeat(20));
    assert_eq!(run.code(), "context.too_large");
    assert_eq!(harness.provider.requests().len(), 11, "no request is sent");
}
