use plait_core::diagnostic::Severity;
use plait_nodes::registry;
use plait_run::plan::check;

fn errors_of(nodes: &str) -> Vec<(String, String)> {
    let flow = plait_core::flow::read(&format!(r#"{{"version": 1, "nodes": {nodes}}}"#)).unwrap();
    let diagnostics = check(&flow, &registry()).diagnostics.into_iter();
    let errors = diagnostics.filter(|found| found.severity == Severity::Error);
    errors.map(|found| (found.code.to_string(), found.pointer)).collect()
}

#[test]
fn contexts_of_same_name_are_refused() {
    let twice = r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart"}}"#;
    assert_eq!(errors_of(twice), [("context.duplicate".into(), "/nodes/b/config/contextId".into())]);
    let named =
        r#"{"a": {"type": "contextStart"}, "b": {"type": "contextStart", "config": {"contextId": "side"}}}"#;
    assert_eq!(errors_of(named), []);
    let taken =
        r#"{"a": {"type": "newContext"}, "b": {"type": "contextStart", "config": {"contextId": "a"}}}"#;
    assert_eq!(errors_of(taken).len(), 1);
}

#[test]
fn unknown_context_name_is_refused() {
    let inject = |id: &str| {
        let config = format!(r#"{{"contextId": "{id}", "messages": []}}"#);
        format!(r#"{{"n": {{"type": "newContext"}}, "i": {{"type": "injectMessages", "config": {config}}}}}"#)
    };
    assert_eq!(errors_of(&inject("n")), []);
    assert_eq!(errors_of(&inject("x")), [("context.unknown".into(), "/nodes/i/config/contextId".into())]);
}

/// The errors of a flow with a `newContext` node `nc` behind a chat cycle, and one more node.
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
    errors_of(&format!(r#"{{{nodes}, {more}}}, "edges": {{{edges}}}"#))
}

#[test]
fn context_made_per_iteration_cannot_be_named() {
    let inject = |id: &str| {
        behind_a_cycle(&format!(
            r#""i": {{"type": "injectMessages", "config": {{"contextId": "{id}", "messages": []}}}}"#
        ))
    };
    assert_eq!(inject("main"), []);
    assert_eq!(inject("nc"), [("context.unknown".into(), "/nodes/i/config/contextId".into())]);
}

#[test]
fn context_name_of_an_iteration_is_refused() {
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
fn context_of_invalid_node_is_not_reported_as_unknown() {
    let inject = r#""i": {"type": "injectMessages", "config": {"contextId": "n", "messages": []}}"#;
    let beside = |node: &str| errors_of(&format!("{{{node}, {inject}}}"));
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
fn invalid_node_is_not_reported_as_missing() {
    let config = r#"{"file": "x.flow.json", "inputSource": "nodeOutput", "sourceNodeId": "n"}"#;
    let call = format!(r#""s": {{"type": "subflow", "config": {config}}}"#);
    let missing = ("config.unknown_source".to_owned(), "/nodes/s/config/sourceNodeId".to_owned());
    assert_eq!(errors_of(&format!("{{{call}}}")), [missing]);
    let wrong = ("config.invalid".to_owned(), "/nodes/n/config/ms".to_owned());
    assert_eq!(
        errors_of(&format!(r#"{{{call}, "n": {{"type": "delay", "config": {{"ms": "x"}}}}}}"#)),
        [wrong]
    );
}

#[test]
fn node_without_any_context_is_refused() {
    let nodes = |more: &str| errors_of(&format!(r#"{{"n": {{"type": "newContext"}}, {more}}}"#));
    let none = |id: &str| [("context.none".to_owned(), format!("/nodes/{id}"))];
    assert_eq!(nodes(r#""i": {"type": "injectMessages"}"#), none("i"));
    assert_eq!(nodes(r#""s": {"type": "setContext", "config": {"resetHistory": true}}"#), none("s"));
    let unknown = r#""s": {"type": "setContext", "config": {"resetHistory": true, "contextId": "x"}}"#;
    assert_eq!(nodes(unknown), [("context.unknown".to_owned(), "/nodes/s/config/contextId".to_owned())]);
    assert_eq!(nodes(&unknown.replace("\"x\"", "\"n\"")), []);
}

#[test]
fn set_context_that_sets_nothing_is_incomplete() {
    let nodes = r#"{"n": {"type": "newContext"}, "s": {"type": "setContext", "config": {"contextId": "n"}}}"#;
    assert_eq!(errors_of(nodes), [("config.incomplete".to_owned(), "/nodes/s/config".to_owned())]);
}

/// The errors of a `setContext` in the body of a loop of this kind, whose context this node makes.
fn changed_in_loop(kind: &str, maker_parent: &str) -> Vec<String> {
    let nodes = format!(
        r#"{{"version": 1, "nodes": {{
            "items": {{"type": "value", "config": {{"value": [1, 2]}}}},
            "l": {{"type": "loop", "config": {kind}}},
            "n": {{"type": "newContext"{maker_parent}}},
            "s": {{"type": "setContext", "parent": "l", "config": {{"resetHistory": true}}}}
        }}, "edges": {{
            "1": {{"source": "items", "sourceOutput": "value", "target": "l", "targetInput": "items"}},
            "2": {{"source": "n", "sourceOutput": "context", "target": "s", "targetInput": "context"}},
            "3": {{"source": "s", "sourceOutput": "contextId", "target": "l", "targetInput": "next"}}
        }}}}"#
    );
    let flow = plait_core::flow::read(&nodes).unwrap();
    let found = check(&flow, &registry()).diagnostics.into_iter();
    let errors = found.filter(|found| found.severity == Severity::Error);
    errors.map(|found| found.code.to_string()).collect()
}

#[test]
fn context_that_items_share_cannot_be_changed_in_their_loop() {
    let for_each = r#"{"kind": "forEach"}"#;
    assert_eq!(changed_in_loop(for_each, ""), ["loop.context_changed"]);
    assert_eq!(changed_in_loop(for_each, r#", "parent": "l""#), [""; 0]);
}
