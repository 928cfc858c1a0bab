use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::*;
use crate::flow::random_documents;

fn code(text: &str) -> (String, usize) {
    let error = read(text).unwrap_err();
    (error.diagnostic.code.to_string(), error.line)
}

#[test]
fn read_errors_have_a_code_and_a_line() {
    assert_eq!(code("{\"version\": 1,\n \"nodes\": {"), ("flow.truncated".into(), 2));
    assert_eq!(code("hello"), ("flow.not_json".into(), 1));
    assert_eq!(code("[]").0, "flow.wrong_shape");
    assert_eq!(code("{\"version\": 99}").0, "flow.newer_version");
    assert_eq!(
        code("{\"version\": 1,\n\"nodes\": {\"a\": {\"type\": \"text\"},\n\"a\": {\"type\": \"text\"}}}"),
        ("flow.duplicate_id".into(), 3)
    );
}

#[test]
fn invalid_node_or_edge_is_named() {
    let error = read(r#"{"version": 1, "nodes": {"ask": {"config": {}}}}"#).unwrap_err();
    assert_eq!(error.diagnostic.pointer, "/nodes/ask");
    assert_eq!(error.diagnostic.node, Some("ask".into()));
    let error = read(r#"{"version": 1, "edges": {"e": {"source": "a"}}}"#).unwrap_err();
    assert_eq!(error.diagnostic.edge, Some("e".into()));
    let error = read(r#"{"version": 1, "nodes": {}, "frames": {"f": {"title": "Intake"}}}"#).unwrap_err();
    assert_eq!(error.diagnostic.pointer, "/frames/f");
    let error = read(r#"{"version": 1, "nodes": {}, "routes": {"e": [{"x": 1}]}}"#).unwrap_err();
    assert_eq!(error.diagnostic.pointer, "/routes/e");
}

#[test]
fn deeply_nested_json_is_refused_without_overflow() {
    let deep = "[".repeat(200_000);
    assert_eq!(code(&deep).0, "flow.not_json");
}

#[test]
fn integer_of_more_than_64_bits_is_refused_with_its_place() {
    let text = "{\"version\": 1, \"nodes\": {\n  \"v\": {\"type\": \"value\", \"config\": {\"value\": 18446744073709551616}}}}";
    let error = super::read(text).unwrap_err();
    assert_eq!((error.diagnostic.code.as_str(), error.line, error.column), ("flow.integer_too_large", 2, 46));
    assert!(super::read(&text.replace("616}", "615}")).is_ok());
}

#[test]
fn document_without_nodes_is_refused() {
    for text in ["{}", r#"{"version": 1}"#, r#"{"a": {"nodes": {}}}"#] {
        let error = read(text).unwrap_err();
        assert_eq!(error.diagnostic.code.to_string(), "flow.wrong_shape", "{text}");
        assert!(error.diagnostic.message.contains("no `nodes`"), "{}", error.diagnostic.message);
    }
}

#[test]
fn file_of_another_program_is_no_flow() {
    for text in [
        r#"{"nodes": [{"id": "a", "name": "Start", "type": "start"}], "connections": {}}"#,
        r#"{"nodes": [{"id": "a", "type": "custom", "data": {}}], "edges": []}"#,
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.diagnostic.message, "This is not a flow, but a file of another program.");
    }
}

#[test]
fn flow_with_keys_of_other_formats_is_read() {
    let text = r#"{"version": 1, "nodes": {"a": {"type": "text"}}, "scripts": {}, "$schema": "x", "last_node_id": 3}"#;
    assert!(read(text).is_ok());
}

#[test]
fn exact_reader_and_document_reader_agree() {
    let exact = std::cell::Cell::new(0);
    let config = ProptestConfig { cases: 1_024, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let property = |text: String| {
        if serde_json::from_str::<UniqueKeys>(&text).is_err() || find_large_integer(&text).is_some() {
            return Ok(());
        }
        if let Some(flow) = read_exact(&text) {
            exact.set(exact.get() + 1);
            prop_assert_eq!(read_document(&text), Ok(flow), "{}", text);
        }
        Ok(())
    };
    runner.run(&random_documents::document(), property).unwrap();
    assert!(exact.get() > 100, "too few of the documents are flows of this version: {}", exact.get());
}

#[test]
fn key_used_twice_is_found_among_many_and_behind_escapes() {
    let keys: Vec<String> = (0..20).map(|at| format!("\"k{at}\": 0")).collect();
    for last in ["k3", "k17", "\\u006b17"] {
        let text = format!("{{{},\n\"{last}\": 1}}", keys.join(", "));
        assert_eq!(code(&text), ("flow.duplicate_id".into(), 2), "{last}");
    }
    assert_eq!(code(&format!("{{{}}}", keys.join(", "))).0, "flow.wrong_shape");
}
