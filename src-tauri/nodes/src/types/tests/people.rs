//! `userInput`, `manualInput`, `approval`: questions, answers and their outputs.

use serde_json::{Value, json};

use crate::testing::{NodeHarness, NodeRun};
use plait_core::attachment;
use plait_core::attachment::{Attachment, inspect};
use plait_llm::context::Content;
use plait_run::node::Pause;
use plait_testing::PIXEL;

fn main() -> Value {
    json!({ "contextId": "main" })
}

fn pause(run: &NodeRun) -> Pause {
    *run.result.as_ref().unwrap().pause.clone().unwrap()
}

#[test]
fn pause_has_the_rendered_prompt_and_the_schema() {
    let mut harness = NodeHarness::new();
    let config = json!({ "prompt": "**{{name}}**: {{in}}?", "placeholder": "A name" });
    let run = harness.run("userInput", config, &[("in", json!("who")), ("name", json!("Ada"))]);
    let asked = pause(&run);
    assert_eq!(asked.prompt, "**Ada**: who?");
    assert_eq!(
        asked.schema,
        json!({ "type": "string", "minLength": 1, "pattern": "\\S", "examples": ["A name"] })
    );
    assert!(run.changes.is_empty());

    let schema = json!({ "type": "integer", "examples": [3] });
    let run = harness.run("userInput", json!({ "schema": schema, "placeholder": "x" }), &[]);
    assert_eq!(pause(&run).schema, schema);
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
fn answer_outside_the_schema_is_refused() {
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
        let run = harness.run("userInput", config, &[]);
        assert_eq!(run.code(), "answer.invalid");
        assert!(run.result.unwrap_err().details["schema"].is_object());
    }
}

#[test]
fn answer_enters_the_history_only_if_configured() {
    let mut harness = NodeHarness::new();
    harness.answer = Some(json!("Hello"));
    let run = harness.run("userInput", json!({}), &[("context", main())]);
    let expected = json!({ "contextId": "main", "currentOutput": "Hello", "messageId": "userInput/0" });
    assert_eq!(run.output("context"), Some(&expected));
    assert_eq!(run.message("message").unwrap().as_str(), "userInput/0");
    assert!(harness.history("main").is_empty());

    let run = harness.run("userInput", json!({ "addToHistory": true }), &[("context", main())]);
    assert_eq!(run.output("context"), Some(&expected));
    assert_eq!(run.message("message").unwrap().as_str(), "userInput/0");
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
fn manual_input_outputs_its_text_or_the_runs() {
    let mut harness = NodeHarness::new();
    let config = json!({ "text": "typed", "addToHistory": true });
    assert_eq!(
        harness.run("manualInput", json!({ "text": "typed" }), &[]).output("value"),
        Some(&json!("typed"))
    );
    harness.input = Some("given".to_owned());
    let run = harness.run("manualInput", config.clone(), &[("context", main())]);
    assert_eq!(run.output("value"), Some(&json!("given")));
    assert_eq!(harness.history("main"), [("user".to_owned(), "given".to_owned())]);
    let handle = run.output("context").unwrap().clone();
    harness.run("chat", json!({}), &[("context", handle)]).result.unwrap();
    assert_eq!(harness.history("main").len(), 2, "a chat after it does not add the message again");
    assert_eq!(harness.run("manualInput", config, &[]).code(), "context.none");
}

#[test]
fn approval_passes_the_value_on_or_rejects() {
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
    let handle = json!({ "contextId": "main", "currentOutput": "before" });
    let on = harness.run("approval", json!({}), &[("context", handle.clone())]);
    assert_eq!(on.output("context"), Some(&handle), "without a value the handle is unchanged");

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

#[test]
fn answer_with_attachments_outputs_them_and_enters_the_history_with_them() {
    let mut harness = NodeHarness::new();
    let config = json!({ "attachments": true, "addToHistory": true });
    let run = harness.run("userInput", config.clone(), &[("context", main())]);
    assert_eq!(pause(&run).schema["x-attachments"], true);
    assert!(pause(&harness.run("userInput", json!({}), &[])).schema.get("x-attachments").is_none());

    let photo = Attachment { data: None, ..inspect("photo.png", PIXEL.into()).unwrap() };
    harness.answer = Some(json!("Look"));
    harness.answer_attachments = vec![photo.clone()];
    let run = harness.run("userInput", config.clone(), &[("context", main())]);
    assert_eq!(run.output("attachments"), Some(&attachment::to_values(std::slice::from_ref(&photo))));
    assert_eq!(run.output("message"), Some(&json!("Look")));
    let origins: Vec<_> = run.origins.iter().map(ToString::to_string).collect();
    assert_eq!(origins, ["person", "attachment:photo.png"], "others may have made the photo");
    let last = harness.context("main").message_history.last().unwrap().content.clone();
    assert_eq!(last, Content::with_attachments("Look".to_owned(), [photo]));

    harness.answer_attachments = Vec::new();
    let run = harness.run("userInput", config, &[("context", main())]);
    assert_eq!(run.output("attachments"), Some(&json!([])));
    assert!(run.origins.untrusted().is_empty());
}
