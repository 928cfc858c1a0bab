use serde_json::{Value, json};

use crate::context::Role;
use crate::journal::{CallEvent, Event};
use crate::models::TokenUsage;
use crate::provider::{ModelReply, StopReason};
use crate::testing::{NodeHarness, Scripted};

fn config() -> Value {
    json!({ "classes": [{ "name": "refund", "description": "Wants money back" }, { "name": "Delivery" }] })
}

fn main() -> Value {
    json!({ "contextId": "main" })
}

#[test]
fn the_model_sees_the_classes_and_the_last_message_and_no_history() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Earlier."))]);
    let before = harness.context("main");
    harness.provider.script([Scripted::text("{\"class\": \"refund\", \"reason\": \"money\"}")]);
    let ran = harness.run("classify", config(), &[("context", main()), ("message", json!("My money!"))]);
    assert_eq!(ran.output("refund"), Some(&json!("My money!")));
    assert_eq!((ran.output("class"), ran.output("reason")), (Some(&json!("refund")), Some(&json!("money"))));
    assert_eq!((ran.output("Delivery"), ran.output("other")), (None, None));
    assert_eq!(ran.output("context"), Some(&main()));
    let request = harness.provider.requests().pop().unwrap();
    let sent: Vec<_> =
        request.messages.iter().map(|message| (message.role, message.content.text())).collect();
    assert_eq!(sent, [(Role::User, "My money!".to_owned())]);
    let system = request.system.unwrap();
    assert!(system.contains("- refund: Wants money back\n- Delivery\n- other:"), "{system}");
    let schema = request.response_schema.unwrap();
    assert_eq!(schema["properties"]["class"]["enum"], json!(["refund", "Delivery", "other"]));
    assert_eq!(harness.context("main"), before, "the conversation is left as it was");
    assert_eq!(ran.event_names(), ["prompt.rendered", "model.replied"]);
}

#[test]
fn what_is_said_along_the_context_edge_keeps_its_message() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Where is it?"));
    let asked = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    harness.answer = None;
    harness.provider.script([Scripted::text("Delivery")]);
    let ran = harness.run("classify", config(), &[("context", asked.output("context").unwrap().clone())]);
    assert_eq!(ran.output("Delivery"), Some(&json!("Where is it?")));
    assert_eq!(ran.message("Delivery"), asked.message("message"));
    assert!(ran.message("Delivery").is_some());
}

#[test]
fn replies_are_read_as_models_write_them() {
    for (reply, class) in [
        ("{\"class\": \"refund\", \"reason\": \"\"}", "refund"),
        ("```json\n{\"class\": \"REFUND\"}\n```", "refund"),
        (" delivery ", "Delivery"),
        ("\"refund\"", "refund"),
        ("{\"class\": \"other\"}", "other"),
    ] {
        let mut harness = NodeHarness::new();
        harness.provider.script([Scripted::text(reply)]);
        let ran = harness.run("classify", config(), &[("message", json!("Hi"))]);
        assert_eq!(ran.output("class"), Some(&json!(class)), "{reply}");
        assert_eq!(ran.output(class), Some(&json!("Hi")), "{reply}");
    }
}

#[test]
fn an_unreadable_reply_is_asked_for_once_more() {
    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::text("I would say it depends."), Scripted::text("refund")]);
    let ran = harness.run("classify", config(), &[("message", json!("Hi"))]);
    assert_eq!(ran.output("class"), Some(&json!("refund")));
    let requests = harness.provider.requests();
    let said: Vec<_> = requests[1].messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(&said[..2], ["Hi", "I would say it depends."]);
    assert!(said[2].contains("refund, Delivery, other"), "{}", said[2]);
    assert_eq!(ran.result.as_ref().unwrap().extra["modelCalls"], json!(2));

    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::text("hm"), Scripted::text("hm again"), Scripted::text("refund")]);
    let ran = harness.run("classify", config(), &[("message", json!("Hi"))]);
    assert_eq!((ran.code(), harness.provider.requests().len()), ("classify.unreadable", 2));
    assert_eq!(ran.result.unwrap_err().details["reply"], json!("hm again"));
}

#[test]
fn without_other_the_model_has_to_choose() {
    let mut harness = NodeHarness::new();
    let mut config = config();
    config["other"] = json!(false);
    harness.provider.script([Scripted::text("other"), Scripted::text("other")]);
    let ran = harness.run("classify", config, &[("message", json!("Hi"))]);
    assert_eq!(ran.code(), "classify.unreadable");
    assert!(!harness.provider.requests()[0].system.as_ref().unwrap().contains("other"));
}

#[test]
fn nothing_bought_is_bought_again() {
    let usage = Some(TokenUsage::new(30, 5));
    let reply =
        |text: &str| Scripted::Reply(ModelReply { text: text.to_owned(), usage, ..ModelReply::default() });
    let mut whole = NodeHarness::new();
    whole.provider.script([reply("hm"), reply("refund")]);
    let inputs = [("message", json!("Hi"))];
    let undisturbed = whole.run("classify", config(), &inputs);
    let bought: Vec<Event> = undisturbed
        .events
        .iter()
        .filter(|event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. })))
        .cloned()
        .collect();
    let mut again = NodeHarness::new();
    again.recorded = bought[..1].to_vec();
    again.provider.script([reply("refund")]);
    let ran = again.run("classify", config(), &inputs);
    assert_eq!((ran.result, again.provider.requests().len()), (undisturbed.result, 1));
}

#[test]
fn history_is_written_only_when_configured() {
    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::text("refund")]);
    let mut config = config();
    config["addToHistory"] = json!(true);
    let ran = harness.run("classify", config.clone(), &[("context", main()), ("message", json!("Hi"))]);
    let message = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    assert_eq!(harness.history("main"), [message("user", "Hi"), message("assistant", "refund")]);
    assert_eq!(ran.event_names(), ["turn.started", "prompt.rendered", "model.replied"]);
    harness.provider.script([Scripted::text("hm"), Scripted::text("hm")]);
    let ran = harness.run("classify", config, &[("context", main()), ("message", json!("Hi"))]);
    assert_eq!(ran.event_names().last().map(String::as_str), Some("turn.discarded"));
    assert_eq!(harness.history("main").len(), 2);
}

#[test]
fn what_cannot_be_asked_is_a_fault() {
    let mut harness = NodeHarness::new();
    assert_eq!(harness.run("classify", config(), &[("context", main())]).code(), "chat.no_message");
    assert_eq!(harness.run("classify", config(), &[("message", json!(" "))]).code(), "chat.no_message");
    let withheld = ModelReply { stop_reason: StopReason::ContentFilter, ..ModelReply::default() };
    harness.provider.script([Scripted::Reply(withheld)]);
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
