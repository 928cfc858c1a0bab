use crate::diagnostic::Severity;
use crate::nodes::registry;
use crate::plan::check;

fn found(nodes: &str) -> Vec<(String, String)> {
    let flow = crate::flow::read(&format!(r#"{{"version": 1, "nodes": {nodes}}}"#)).unwrap();
    let told = check(&flow, &registry()).diagnostics;
    let told = told.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    told.map(|diagnostic| (diagnostic.code.to_string(), diagnostic.pointer)).collect()
}

#[test]
fn two_starts_need_two_names() {
    let twice = r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart"}}"#;
    assert_eq!(found(twice), [("context.duplicate".into(), "/nodes/b/config/contextId".into())]);
    let named =
        r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart", "config": {"contextId": "side"}}}"#;
    assert_eq!(found(named), []);
    let taken =
        r#"{"a": {"type": "newContext"}, "b": {"type": "contextStart", "config": {"contextId": "a"}}}"#;
    assert_eq!(found(taken).len(), 1);
}

#[test]
fn a_name_that_nobody_makes_is_told() {
    let inject = |id: &str| {
        let config = format!(r#"{{"contextId": "{id}", "messages": []}}"#);
        format!(r#"{{"n": {{"type": "newContext"}}, "i": {{"type": "injectMessages", "config": {config}}}}}"#)
    };
    assert_eq!(found(&inject("n")), []);
    assert_eq!(found(&inject("x")), [("context.unknown".into(), "/nodes/i/config/contextId".into())]);
}

/// A newContext `nc` behind a cycle of a question and its answer, and one more node.
fn behind_a_cycle(more: &str) -> Vec<(String, String)> {
    let nodes = r#""start": {"type": "contextStart"}, "ask": {"type": "userInput"}, "chat": {"type": "chat"},
        "nc": {"type": "newContext"}"#;
    let edge = |from: &str, to: &str| {
        format!(
            r#""{from}-{to}": {{"source": "{from}", "sourceOutput": "context", "target": "{to}", "targetInput": "context"}}"#
        )
    };
    let edges = [("start", "ask"), ("ask", "chat"), ("chat", "ask"), ("chat", "nc")];
    let edges = edges.map(|(from, to)| edge(from, to)).join(",");
    found(&format!(r#"{{{nodes}, {more}}}, "edges": {{{edges}}}"#))
}

#[test]
fn what_is_made_in_every_round_has_no_name_beforehand() {
    let inject = |id: &str| {
        behind_a_cycle(&format!(
            r#""i": {{"type": "injectMessages", "config": {{"contextId": "{id}", "messages": []}}}}"#
        ))
    };
    assert_eq!(inject("main"), []);
    assert_eq!(inject("nc"), [("context.unknown".into(), "/nodes/i/config/contextId".into())]);
}

#[test]
fn a_name_may_not_be_that_of_a_round() {
    let start = |id: &str| {
        behind_a_cycle(&format!(r#""s": {{"type": "contextStart", "config": {{"contextId": "{id}"}}}}"#))
    };
    for id in ["nc", "nc#", "nc#x", "ask#0", "other#0"] {
        assert_eq!(start(id), [], "{id}");
    }
    for id in ["nc#0", "nc#12", "nc#1.0"] {
        assert_eq!(start(id), [("context.duplicate".into(), "/nodes/s/config/contextId".into())], "{id}");
    }
}

#[test]
fn what_a_node_that_is_wrong_would_have_made_is_not_missed() {
    let inject = r#""i": {"type": "injectMessages", "config": {"contextId": "n", "messages": []}}"#;
    let beside = |node: &str| found(&format!("{{{node}, {inject}}}"));
    let at = |code: &str, pointer: &str| (code.to_owned(), pointer.to_owned());
    let wrong = at("config.invalid", "/nodes/n/config/provider");
    assert_eq!(beside(r#""n": {"type": "newContext", "config": {"provider": 7}}"#), [wrong]);
    let unknown = at("node.unknown_type", "/nodes/x/type");
    assert_eq!(beside(r#""x": {"type": "quantumOracle"}"#), [unknown]);
    let missing = at("context.unknown", "/nodes/i/config/contextId");
    let wait = at("config.invalid", "/nodes/w/config/ms");
    assert_eq!(beside(r#""w": {"type": "delay", "config": {"ms": "x"}}"#), [wait, missing]);
}

#[test]
fn a_node_that_is_wrong_is_there_all_the_same() {
    let config = r#"{"file": "x.flow.json", "inputSource": "nodeOutput", "sourceNodeId": "n"}"#;
    let call = format!(r#""s": {{"type": "subflow", "config": {config}}}"#);
    let missing = ("config.unknown_source".to_owned(), "/nodes/s/config/sourceNodeId".to_owned());
    assert_eq!(found(&format!("{{{call}}}")), [missing]);
    let wrong = ("config.invalid".to_owned(), "/nodes/n/config/ms".to_owned());
    assert_eq!(found(&format!(r#"{{{call}, "n": {{"type": "delay", "config": {{"ms": "x"}}}}}}"#)), [wrong]);
}
