use plait_core::diagnostic::Severity;
use serde_json::json;

use super::*;

const KEY: &str = "sk-ant-api03-a1B2c3D4e5F6g7H8j9K0-a1B2c3D4e5F6g7H8j9K0";

fn flow_with(prompt: &str) -> Flow {
    let nodes =
        json!({ "ask": { "type": "chat", "config": { "prompt": prompt, "n": 9_007_199_254_740_993_u64 } } });
    serde_json::from_value(json!({ "version": 1, "name": "Test", "nodes": nodes })).expect("a flow")
}

#[test]
fn diagnostics_warn_of_each_key_at_its_place() {
    let found = diagnostics(&flow_with(&format!("Use\n{KEY}!")));
    let [warning] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((warning.code.as_str(), warning.severity), ("flow.holds_secret", Severity::Warning));
    assert_eq!(warning.pointer, "/nodes/ask/config/prompt");
    assert_eq!(warning.node.as_ref().map(plait_core::id::NodeId::as_str), Some("ask"));
    assert!(warning.message.contains("Anthropic key") && !format!("{warning:?}").contains(KEY));
    assert_eq!(diagnostics(&flow_with("Use no key.")), []);
}

#[test]
fn redact_replaces_the_key_and_nothing_else() {
    let mut flow = flow_with(&format!("Use\n{KEY}!"));
    redact(&mut flow, &Redaction::default()).expect("still a flow");
    assert_eq!(flow, flow_with("Use\n[Anthropic key]!"));
}
