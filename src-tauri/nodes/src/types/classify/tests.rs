use serde_json::{Value, json};

use crate::testing::NodeHarness;
use plait_journal::{CallEvent, Event};
use plait_llm::context::Role;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{ModelReply, StopReason};
use plait_testing::ScriptedReply;

fn config() -> Value {
    json!({ "classes": [{ "name": "refund", "description": "Wants money back" }, { "name": "Delivery" }] })
}

fn main() -> Value {
    json!({ "contextId": "main" })
}

#[test]
fn model_gets_the_classes_and_the_message_without_history() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Earlier."))]);
    let before = harness.context("main");
    harness.provider.push_replies([ScriptedReply::text("{\"class\": \"refund\", \"reason\": \"money\"}")]);
    let run = harness.run("classify", config(), &[("context", main()), ("message", json!("My money!"))]);
    assert_eq!(run.output("refund"), Some(&json!("My money!")));
    assert_eq!((run.output("class"), run.output("reason")), (Some(&json!("refund")), Some(&json!("money"))));
    assert_eq!((run.output("Delivery"), run.output("other")), (None, None));
    assert_eq!(run.output("context"), Some(&main()));
    let request = harness.provider.requests().pop().unwrap();
    let sent: Vec<_> =
        request.messages.iter().map(|message| (message.role, message.content.text())).collect();
    assert_eq!(sent, [(Role::User, "My money!".to_owned())]);
    let system = request.system.unwrap();
    assert!(system.contains("- refund: Wants money back\n- Delivery\n- other:"), "{system}");
    let schema = request.response_schema.unwrap();
    assert_eq!(schema["properties"]["class"]["enum"], json!(["refund", "Delivery", "other"]));
    assert_eq!(harness.context("main"), before, "the conversation is unchanged");
    assert_eq!(run.event_names(), ["prompt.rendered", "model.replied"]);
}

#[test]
fn output_of_the_context_edge_keeps_its_message_id() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Where is it?"));
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    harness.answer = None;
    harness.provider.push_replies([ScriptedReply::text("Delivery")]);
    let run = harness.run("classify", config(), &[("context", asked.output("context").unwrap().clone())]);
    assert_eq!(run.output("Delivery"), Some(&json!("Where is it?")));
    assert_eq!(run.message("Delivery"), asked.message("message"));
    assert!(run.message("Delivery").is_some());
}

#[test]
fn choice_is_parsed_from_json_or_plain_text() {
    for (reply, class) in [
        ("{\"class\": \"refund\", \"reason\": \"\"}", "refund"),
        ("```json\n{\"class\": \"REFUND\"}\n```", "refund"),
        (" delivery ", "Delivery"),
        ("\"refund\"", "refund"),
        ("{\"class\": \"other\"}", "other"),
    ] {
        let mut harness = NodeHarness::new();
        harness.provider.push_replies([ScriptedReply::text(reply)]);
        let run = harness.run("classify", config(), &[("message", json!("Hi"))]);
        assert_eq!(run.output("class"), Some(&json!(class)), "{reply}");
        assert_eq!(run.output(class), Some(&json!("Hi")), "{reply}");
    }
}

#[test]
fn unreadable_reply_is_retried_once() {
    let mut harness = NodeHarness::new();
    harness
        .provider
        .push_replies([ScriptedReply::text("I would say it depends."), ScriptedReply::text("refund")]);
    let run = harness.run("classify", config(), &[("message", json!("Hi"))]);
    assert_eq!(run.output("class"), Some(&json!("refund")));
    let requests = harness.provider.requests();
    let texts: Vec<_> = requests[1].messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(&texts[..2], ["Hi", "I would say it depends."]);
    assert!(texts[2].contains("refund, Delivery, other"), "{}", texts[2]);
    assert_eq!(run.result.as_ref().unwrap().extra["modelCalls"], json!(2));

    let mut harness = NodeHarness::new();
    harness.provider.push_replies([
        ScriptedReply::text("hm"),
        ScriptedReply::text("hm again"),
        ScriptedReply::text("refund"),
    ]);
    let run = harness.run("classify", config(), &[("message", json!("Hi"))]);
    assert_eq!((run.code(), harness.provider.requests().len()), ("classify.unreadable", 2));
    assert_eq!(run.result.unwrap_err().details["reply"], json!("hm again"));
}

#[test]
fn other_is_not_offered_if_turned_off() {
    let mut harness = NodeHarness::new();
    let mut config = config();
    config["other"] = json!(false);
    harness.provider.push_replies([ScriptedReply::text("other"), ScriptedReply::text("other")]);
    let run = harness.run("classify", config, &[("message", json!("Hi"))]);
    assert_eq!(run.code(), "classify.unreadable");
    assert!(!harness.provider.requests()[0].system.as_ref().unwrap().contains("other"));
}

#[test]
fn recorded_reply_is_reused() {
    let usage = Some(TokenUsage::new(30, 5));
    let reply = |text: &str| {
        ScriptedReply::Reply(ModelReply { text: text.to_owned(), usage, ..ModelReply::default() })
    };
    let mut whole = NodeHarness::new();
    whole.provider.push_replies([reply("hm"), reply("refund")]);
    let inputs = [("message", json!("Hi"))];
    let expected = whole.run("classify", config(), &inputs);
    let recorded: Vec<Event> = expected
        .events
        .iter()
        .filter(|event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. })))
        .cloned()
        .collect();
    let mut resumed = NodeHarness::new();
    resumed.recorded = recorded[..1].to_vec();
    resumed.provider.push_replies([reply("refund")]);
    let run = resumed.run("classify", config(), &inputs);
    assert_eq!((run.result, resumed.provider.requests().len()), (expected.result, 1));
}

#[test]
fn history_is_written_only_when_configured() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::text("refund")]);
    let mut config = config();
    config["addToHistory"] = json!(true);
    let run = harness.run("classify", config.clone(), &[("context", main()), ("message", json!("Hi"))]);
    let message = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    assert_eq!(harness.history("main"), [message("user", "Hi"), message("assistant", "refund")]);
    assert_eq!(run.event_names(), ["turn.started", "prompt.rendered", "model.replied"]);
    harness.provider.push_replies([ScriptedReply::text("hm"), ScriptedReply::text("hm")]);
    let run = harness.run("classify", config, &[("context", main()), ("message", json!("Hi"))]);
    assert_eq!(run.event_names().last().map(String::as_str), Some("turn.discarded"));
    assert_eq!(harness.history("main").len(), 2);
}

#[test]
fn invalid_input_or_config_is_a_fault() {
    let mut harness = NodeHarness::new();
    assert_eq!(harness.run("classify", config(), &[("context", main())]).code(), "chat.no_message");
    assert_eq!(harness.run("classify", config(), &[("message", json!(" "))]).code(), "chat.no_message");
    let withheld = ModelReply { stop_reason: StopReason::ContentFilter, ..ModelReply::default() };
    harness.provider.push_replies([ScriptedReply::Reply(withheld)]);
    assert_eq!(
        harness.run("classify", config(), &[("message", json!("Hi"))]).code(),
        "chat.content_filtered"
    );
    for classes in [
        json!([]),
        json!([{ "name": "" }]),
        json!([{ "name": "a" }, { "name": "a" }]),
        json!([{ "name": "error" }]),
        json!([{ "name": "other" }]),
    ] {
        assert_eq!(
            harness.run("classify", json!({ "classes": classes }), &[]).code(),
            "config.invalid",
            "{classes}"
        );
    }
}

#[test]
fn passages_stand_before_the_message_and_are_journaled() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::text("{\"class\": \"question\", \"reason\": \"asks\"}")]);
    let config = json!({ "knowledge": { "bases": ["handbook"] } });
    let run = harness.run("classify", config, &[("message", json!("Which train?"))]);
    assert_eq!(run.event_names()[0], "knowledge.retrieved", "before the prompt");
    let requests = harness.provider.requests();
    let sent = requests[0].messages[0].content.text();
    assert!(sent.contains("travel.md, line 1\n  Trains are booked by the office.\n\nWhich train?"), "{sent}");
    // Resumed after the search: the bases may have changed.
    let mut resumed = NodeHarness::new();
    resumed.provider.push_replies([ScriptedReply::text("{\"class\": \"question\", \"reason\": \"asks\"}")]);
    resumed.retriever.set_passages(vec![("other.md", "Another text.".to_owned())]);
    resumed.recorded = run.events[..1].to_vec();
    let config = json!({ "knowledge": { "bases": ["handbook"] } });
    resumed.run("classify", config, &[("message", json!("Which train?"))]);
    assert!(resumed.retriever.requests().is_empty());
    assert_eq!(resumed.provider.requests()[0].messages[0].content.text(), sent);
}
