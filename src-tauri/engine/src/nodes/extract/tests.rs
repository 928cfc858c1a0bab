use serde_json::{Value, json};

use crate::provider::{ModelReply, StopReason};
use crate::testing::{NodeHarness, Scripted};

fn config() -> Value {
    json!({
        "schema": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
        "instructions": "Numbers are whole.",
    })
}

fn main() -> Value {
    json!({ "contextId": "main" })
}

#[test]
fn the_value_is_checked_and_the_conversation_left_alone() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Earlier."))]);
    let before = harness.context("main");
    harness.provider.script([Scripted::text("{\"n\": 3}")]);
    let ran = harness.run("extract", config(), &[("context", main()), ("text", json!("Three."))]);
    assert_eq!(ran.outputs(), json!({ "context": main(), "value": { "n": 3 } }));
    assert_eq!(harness.context("main"), before);
    let request = harness.provider.requests().pop().unwrap();
    assert_eq!(request.messages.len(), 1, "no history");
    assert_eq!(request.response_schema.as_ref(), Some(&config()["schema"]));
    let system = request.system.unwrap();
    assert!(system.starts_with("Numbers are whole.\n\n") && system.contains("\"integer\""), "{system}");
}

#[test]
fn with_history_the_model_sees_what_was_said() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("It was three."))]);
    harness.provider.script([Scripted::text("{\"n\": 3}")]);
    let mut config = config();
    config["withHistory"] = json!(true);
    harness.run("extract", config, &[("context", main()), ("text", json!("How many?"))]);
    let request = harness.provider.requests().pop().unwrap();
    let said: Vec<_> = request.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(said, ["It was three.", "It was three.", "How many?"]);
}

#[test]
fn invalid_reply_is_repaired_with_the_reason() {
    let mut harness = NodeHarness::new();
    harness.provider.script([
        Scripted::text("Three, I think."),
        Scripted::text("{\"n\": \"three\"}"),
        Scripted::text("{\"n\": 3}"),
    ]);
    let ran = harness.run("extract", config(), &[("text", json!("Three."))]);
    assert_eq!(ran.output("value"), Some(&json!({ "n": 3 })));
    assert_eq!(ran.result.as_ref().unwrap().extra["modelCalls"], json!(3));
    let last = harness.provider.requests().pop().unwrap();
    let said: Vec<_> = last.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(said.len(), 5);
    assert!(said[2].contains("it is not JSON"), "{}", said[2]);
    assert!(said[4].contains("at /n"), "{}", said[4]);
}

#[test]
fn repairs_are_bounded() {
    for repairs in [0, 1, 4] {
        let mut harness = NodeHarness::new();
        harness.provider.script(vec![Scripted::text("nothing"); 9]);
        let mut config = config();
        config["maxRepairs"] = json!(repairs);
        let ran = harness.run("extract", config, &[("text", json!("Three."))]);
        assert_eq!((ran.code(), harness.provider.requests().len()), ("extract.invalid", repairs + 1));
        assert_eq!(ran.result.unwrap_err().details["reply"], json!("nothing"));
    }
    let mut harness = NodeHarness::new();
    let cut =
        ModelReply { text: "{\"n\"".into(), stop_reason: StopReason::MaxTokens, ..ModelReply::default() };
    harness.provider.script([Scripted::Reply(cut)]);
    let mut config = config();
    config["maxRepairs"] = json!(0);
    let fault = harness.run("extract", config, &[("text", json!("Three."))]).result.unwrap_err();
    assert!(fault.hint.unwrap().contains("maxTokens"));
}

#[test]
fn history_is_written_only_when_configured() {
    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::text("three"), Scripted::text("{\"n\": 3}")]);
    let mut config = config();
    config["addToHistory"] = json!(true);
    harness.run("extract", config, &[("context", main()), ("text", json!("Three."))]);
    let message = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    assert_eq!(harness.history("main"), [message("user", "Three."), message("assistant", "{\"n\": 3}")]);
}

#[test]
fn a_text_that_does_not_fit_is_refused_before_anybody_is_asked() {
    let mut harness = NodeHarness::new();
    let mut config = config();
    config["contextWindow"] = json!(60);
    let ran = harness.run("extract", config, &[("text", json!("word ".repeat(200)))]);
    assert_eq!((ran.code(), harness.provider.requests().len()), ("context.too_large", 0));
}

#[test]
fn wrong_settings_are_named() {
    let mut harness = NodeHarness::new();
    for wrong in [
        json!({ "schema": { "type": "objekt" } }),
        json!({ "schema": "text" }),
        json!({ "maxRepairs": 11 }),
        json!({ "maxRepairs": -1 }),
        json!({ "contextWindow": 0 }),
    ] {
        assert_eq!(
            harness.run("extract", wrong.clone(), &[("text", json!("x"))]).code(),
            "config.invalid",
            "{wrong}"
        );
    }
}
