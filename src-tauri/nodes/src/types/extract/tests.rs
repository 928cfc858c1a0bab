use serde_json::{Value, json};

use crate::testing::NodeHarness;
use plait_llm::provider::{ModelReply, StopReason};
use plait_testing::ScriptedReply;

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
fn value_is_validated_and_the_conversation_unchanged() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Earlier."))]);
    let before = harness.context("main");
    harness.provider.push_replies([ScriptedReply::text("{\"n\": 3}")]);
    let run = harness.run("extract", config(), &[("context", main()), ("text", json!("Three."))]);
    assert_eq!(run.outputs(), json!({ "context": main(), "value": { "n": 3 } }));
    assert_eq!(harness.context("main"), before);
    let request = harness.provider.requests().pop().unwrap();
    assert_eq!(request.messages.len(), 1, "no history");
    assert_eq!(request.response_schema.as_ref(), Some(&config()["schema"]));
    let system = request.system.unwrap();
    assert!(system.starts_with("Numbers are whole.\n\n") && system.contains("\"integer\""), "{system}");
}

#[test]
fn with_history_sends_the_history() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("It was three."))]);
    harness.provider.push_replies([ScriptedReply::text("{\"n\": 3}")]);
    let mut config = config();
    config["withHistory"] = json!(true);
    harness.run("extract", config, &[("context", main()), ("text", json!("How many?"))]);
    let request = harness.provider.requests().pop().unwrap();
    let texts: Vec<_> = request.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts, ["It was three.", "It was three.", "How many?"]);
}

#[test]
fn invalid_reply_is_repaired_with_the_reason() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([
        ScriptedReply::text("Three, I think."),
        ScriptedReply::text("{\"n\": \"three\"}"),
        ScriptedReply::text("{\"n\": 3}"),
    ]);
    let run = harness.run("extract", config(), &[("text", json!("Three."))]);
    assert_eq!(run.output("value"), Some(&json!({ "n": 3 })));
    assert_eq!(run.result.as_ref().unwrap().extra["modelCalls"], json!(3));
    let last = harness.provider.requests().pop().unwrap();
    let texts: Vec<_> = last.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts.len(), 5);
    assert!(texts[2].contains("it is not JSON"), "{}", texts[2]);
    assert!(texts[4].contains("at /n"), "{}", texts[4]);
}

#[test]
fn repairs_are_bounded() {
    for repairs in [0, 1, 4] {
        let mut harness = NodeHarness::new();
        harness.provider.push_replies(vec![ScriptedReply::text("nothing"); 9]);
        let mut config = config();
        config["maxRepairs"] = json!(repairs);
        let run = harness.run("extract", config, &[("text", json!("Three."))]);
        assert_eq!((run.code(), harness.provider.requests().len()), ("extract.invalid", repairs + 1));
        assert_eq!(run.result.unwrap_err().details["reply"], json!("nothing"));
    }
    let mut harness = NodeHarness::new();
    let cut =
        ModelReply { text: "{\"n\"".into(), stop_reason: StopReason::MaxTokens, ..ModelReply::default() };
    harness.provider.push_replies([ScriptedReply::Reply(cut)]);
    let fault = harness.run("extract", self::config(), &[("text", json!("Three."))]).result.unwrap_err();
    assert_eq!((fault.code.as_str(), harness.provider.requests().len()), ("chat.truncated", 1));
    assert!(fault.hint.unwrap().contains("maxTokens"));
}

#[test]
fn history_is_written_only_when_configured() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::text("three"), ScriptedReply::text("{\"n\": 3}")]);
    let mut config = config();
    config["addToHistory"] = json!(true);
    harness.run("extract", config, &[("context", main()), ("text", json!("Three."))]);
    let message = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    assert_eq!(harness.history("main"), [message("user", "Three."), message("assistant", "{\"n\": 3}")]);
}

#[test]
fn oversized_text_is_refused_without_a_request() {
    let mut harness = NodeHarness::new();
    let mut config = config();
    config["contextWindow"] = json!(60);
    let run = harness.run("extract", config, &[("text", json!("word ".repeat(200)))]);
    assert_eq!((run.code(), harness.provider.requests().len()), ("context.too_large", 0));
}

#[test]
fn invalid_settings_are_refused() {
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
