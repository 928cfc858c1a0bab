//! What nodes bring in, and where it comes from.

use serde_json::json;

use crate::testing::{NodeHarness, NodeRun};

fn texts(run: &NodeRun) -> Vec<String> {
    assert!(run.result.is_ok(), "{:?}", run.result);
    run.origins.iter().map(ToString::to_string).collect()
}

#[test]
fn file_is_where_a_text_comes_from() {
    let run = NodeHarness::new().run("readFile", json!({ "path": "notes.md" }), &[]);
    assert_eq!(texts(&run), ["file:notes.md"]);
}

#[test]
fn person_is_where_inputs_and_answers_come_from() {
    let mut harness = NodeHarness::new();
    let config = json!({ "text": "Fixed." });
    assert_eq!(texts(&harness.run("manualInput", config.clone(), &[])), [""; 0], "the flow's own text");
    harness.input = Some("Hello.".to_owned());
    assert_eq!(texts(&harness.run("manualInput", config, &[])), ["person"]);
    harness.answer = Some(json!("Hello"));
    assert_eq!(texts(&harness.run("userInput", json!({}), &[])), ["person"]);
}

#[test]
fn constants_come_from_the_flow() {
    let run = NodeHarness::new().run("text", json!({ "template": "Hello" }), &[]);
    assert_eq!(texts(&run), [""; 0]);
}
