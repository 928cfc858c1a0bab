use serde_json::json;

use crate::testing::NodeHarness;
use plait_core::origin::{Origin, Origins};
use plait_llm::retriever::KnowledgeRef;

#[test]
fn passages_come_with_source_and_score() {
    let mut harness = NodeHarness::new();
    let run = harness.run("retrieve", json!({ "bases": ["handbook"] }), &[("query", json!("Trains?"))]);
    assert_eq!(
        run.output("chunks"),
        Some(&json!([{
            "base": "handbook", "source": "travel.md", "offset": 0, "length": 32, "line": 1, "score": 1.0,
            "matched": "words", "tokens": 22, "text": "Trains are booked by the office.",
        }]))
    );
    assert!(
        run.output("text").unwrap().as_str().unwrap().ends_with("line 1\n  Trains are booked by the office.")
    );
    assert_eq!(run.output("leftOut"), Some(&json!([])));
    let request = &harness.retriever.requests()[0];
    assert_eq!((request.query.as_str(), request.max_tokens), ("Trains?", 2000));
    assert_eq!(request.bases, [KnowledgeRef::Base("handbook".to_owned())]);
}

#[test]
fn last_output_on_the_context_edge_is_the_query() {
    let mut harness = NodeHarness::new();
    let config = json!({ "folder": "docs", "bases": ["handbook"], "maxTokens": 300 });
    let context = json!({ "contextId": "main", "currentOutput": "Which train?" });
    let run = harness.run("retrieve", config, &[("context", context)]);
    // The fake has no folders.
    assert_eq!(run.code(), "knowledge.unknown");
    let request = &harness.retriever.requests()[0];
    assert_eq!((request.query.as_str(), request.max_tokens), ("Which train?", 300));
    assert_eq!(request.bases.len(), 2);
}

#[test]
fn cap_leaves_out_with_its_reason() {
    let mut harness = NodeHarness::new();
    harness.retriever.set_passages(vec![("long.md", "word ".repeat(400)), ("short.md", "Short.".to_owned())]);
    let config = json!({ "bases": ["handbook"], "maxTokens": 60 });
    let run = harness.run("retrieve", config, &[("query", json!("Trains?"))]);
    let left_out = &run.output("leftOut").unwrap()[0];
    assert_eq!(left_out["source"], "long.md");
    assert_eq!(left_out["reason"]["kind"], "cap");
    assert!(left_out.get("text").is_none());
    assert_eq!(run.output("chunks").unwrap()[0]["source"], "short.md");
}

/// File names and headings are what others wrote, too.
#[test]
fn what_was_left_out_has_its_label() {
    let mut harness = NodeHarness::new();
    harness.retriever.set_passages(vec![("long.md", "word ".repeat(400))]);
    let config = json!({ "bases": ["handbook"], "maxTokens": 60 });
    let run = harness.run("retrieve", config, &[("query", json!("Trains?"))]);
    assert_eq!(run.output("chunks"), Some(&json!([])));
    assert_eq!(run.origins, Origins::of(Origin::Knowledge("handbook".into())));
}

#[test]
fn query_is_required() {
    let mut harness = NodeHarness::new();
    let run = harness.run("retrieve", json!({ "bases": ["handbook"] }), &[("query", json!("  "))]);
    assert_eq!(run.code(), "knowledge.no_query");
    let run = harness.run("retrieve", json!({}), &[("query", json!("Trains?"))]);
    assert_eq!(run.code(), "knowledge.unknown");
    assert!(harness.retriever.requests().is_empty());
}
