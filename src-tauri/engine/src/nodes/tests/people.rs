//! `userInput`, `manualInput`, `approval`: a person is asked, and what they say goes where it should.

use serde_json::{Value, json};

use crate::node::Pause;
use crate::testing::{NodeHarness, Ran};

fn main() -> Value {
    json!({ "contextId": "main" })
}

fn pause(ran: &Ran) -> Pause {
    ran.result.as_ref().unwrap().pause.clone().unwrap()
}

#[test]
fn a_question_is_written_from_its_variables_and_asked_with_its_schema() {
    let mut harness = NodeHarness::new();
    let config = json!({ "prompt": "**{{name}}**: {{in}}?", "placeholder": "A name" });
    let ran = harness.run("userInput", config, &[("in", json!("who")), ("name", json!("Ada"))]);
    let asked = pause(&ran);
    assert_eq!(asked.prompt, "**Ada**: who?");
    assert_eq!(
        asked.schema,
        json!({ "type": "string", "minLength": 1, "pattern": "\\S", "examples": ["A name"] })
    );
    assert!(ran.changes.is_empty());

    let schema = json!({ "type": "integer", "examples": [3] });
    let ran = harness.run("userInput", json!({ "schema": schema, "placeholder": "x" }), &[]);
    assert_eq!(pause(&ran).schema, schema);
    assert_eq!(
        harness.run("userInput", json!({ "prompt": "{{name}}" }), &[]).code(),
        "template.missing_value"
    );
    assert_eq!(harness.run("userInput", json!({ "prompt": "{{context}}" }), &[]).code(), "config.invalid");
    assert_eq!(harness.run("userInput", json!({ "schema": { "type": "x" } }), &[]).code(), "config.invalid");
    assert_eq!(
        harness.run("userInput", json!({ "schema": { "$ref": "http://127.0.0.1:9/s" } }), &[]).code(),
        "config.invalid"
    );
    assert_eq!(
        harness.run("userInput", json!({ "schema": { "$ref": "file:///etc/passwd" } }), &[]).code(),
        "config.invalid"
    );
}

#[test]
fn an_answer_that_was_not_asked_for_is_refused() {
    let mut harness = NodeHarness::new();
    for (schema, answer) in [
        (json!(null), json!("")),
        (json!(null), json!(" \n\u{2003}")),
        (json!(null), json!(3)),
        (json!({ "type": "integer" }), json!("3")),
        (json!({ "enum": ["a"] }), json!("b")),
    ] {
        harness.answer = Some(answer);
        let config = if schema.is_null() { json!({}) } else { json!({ "schema": schema }) };
        let ran = harness.run("userInput", config, &[]);
        assert_eq!(ran.code(), "answer.invalid");
        assert!(ran.result.unwrap_err().details["schema"].is_object());
    }
}

#[test]
fn an_answer_is_said_in_the_conversation_only_when_it_is_to_be() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Hello"));
    let ran = harness.run("userInput", json!({}), &[("context", main())]);
    assert_eq!(ran.output("context"), Some(&json!({ "contextId": "main", "currentOutput": "Hello" })));
    assert_eq!(ran.message("message"), None);
    assert!(harness.history("main").is_empty());

    let ran = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    let expected = json!({ "contextId": "main", "currentOutput": "Hello", "messageId": "userInput/0" });
    assert_eq!(ran.output("context"), Some(&expected));
    assert_eq!(ran.message("message").unwrap().as_str(), "userInput/0");
    assert_eq!(harness.history("main"), [("user".to_owned(), "Hello".to_owned())]);

    harness.answer = Some(json!({ "n": 1 }));
    let config = json!({ "addToHistory": true, "schema": { "type": "object" } });
    harness.run("userInput", config, &[("context", main())]).result.unwrap();
    assert_eq!(harness.history("main")[1].1, "{\"n\":1}");
    assert_eq!(
        harness.run("userInput", json!({ "addToHistory": true, "schema": {} }), &[]).code(),
        "context.none"
    );
    let nowhere = [("context", json!({ "contextId": "x" }))];
    assert_eq!(
        harness.run("userInput", json!({ "addToHistory": true, "schema": {} }), &nowhere).code(),
        "context.unknown"
    );
}

#[test]
fn a_manual_input_gives_its_text_or_the_runs() {
    let mut harness = NodeHarness::new();
    let config = json!({ "text": "typed", "addToHistory": true });
    assert_eq!(
        harness.run("manualInput", json!({ "text": "typed" }), &[]).output("value"),
        Some(&json!("typed"))
    );
    harness.input = Some("given".to_owned());
    let ran = harness.run("manualInput", config.clone(), &[("context", main())]);
    assert_eq!(ran.output("value"), Some(&json!("given")));
    assert_eq!(harness.history("main"), [("user".to_owned(), "given".to_owned())]);
    let handle = ran.output("context").unwrap().clone();
    harness.run("chat", json!({}), &[("context", handle)]).result.unwrap();
    assert_eq!(harness.history("main").len(), 2, "a chat behind it does not say it again");
    assert_eq!(harness.run("manualInput", config, &[]).code(), "context.none");
}

#[test]
fn an_approval_lets_through_or_nothing() {
    let mut harness = NodeHarness::new();
    let draft = [("in", json!({ "to": "Ada" })), ("context", main())];
    let asked = pause(&harness.run("approval", json!({}), &draft));
    assert_eq!(asked.prompt, "Do you approve?\n\n{\"to\":\"Ada\"}");
    assert_eq!(asked.schema["required"], json!(["approved"]));
    assert_eq!(pause(&harness.run("approval", json!({}), &[])).prompt, "Do you approve?");

    harness.answer = Some(json!({ "approved": true, "comment": "fine" }));
    let through = harness.run("approval", json!({}), &draft).outputs();
    let handle = json!({ "contextId": "main", "currentOutput": { "to": "Ada" } });
    assert_eq!(through, json!({ "approved": { "to": "Ada" }, "context": handle }));
    assert_eq!(harness.run("approval", json!({}), &[]).outputs(), json!({ "approved": true }));
    let said = json!({ "contextId": "main", "currentOutput": "before" });
    let on = harness.run("approval", json!({}), &[("context", said.clone())]);
    assert_eq!(on.output("context"), Some(&said), "without a value the conversation goes on as it was");

    harness.answer = Some(json!({ "approved": false }));
    assert_eq!(
        harness.run("approval", json!({}), &draft).outputs(),
        json!({ "rejected": { "comment": "" } })
    );
    for wrong in
        [json!(true), json!({}), json!({ "approved": "yes" }), json!({ "approved": true, "more": 1 })]
    {
        harness.answer = Some(wrong);
        assert_eq!(harness.run("approval", json!({}), &draft).code(), "answer.invalid");
    }
}
