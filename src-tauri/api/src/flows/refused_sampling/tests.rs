use plait_core::flow;
use serde_json::{Value, json};

use super::*;
use crate::codes;

fn places(nodes: &Value) -> Vec<String> {
    let document = json!({
        "formatVersion": 1, "id": "0190b1a0-0000-7000-8000-000000000001", "name": "x", "nodes": nodes, "edges": {},
    });
    let found = refused_sampling(&flow::read(&document.to_string()).unwrap());
    assert!(found.iter().all(|one| one.code == codes::MODEL_NO_SAMPLING && one.hint.is_some()), "{found:?}");
    found.into_iter().map(|one| one.pointer).collect()
}

#[test]
fn parameters_of_a_model_that_refuses_them_are_named() {
    let start =
        json!({ "type": "contextStart", "config": { "provider": "anthropic", "model": "claude-opus-4-7" } });
    let chat =
        json!({ "type": "chat", "config": { "temperature": 0, "options": { "top_k": 3, "seed": 1 } } });
    let other = json!({ "type": "chat", "config": { "temperature": 0, "overrideProvider": "openai", "overrideModel": "gpt-4o" } });
    let own = json!({ "type": "chat", "config": { "temperature": 0.5, "overrideModel": "o3" } });
    assert_eq!(
        places(&json!({ "start": start, "a": chat, "b": other, "c": own })),
        ["/nodes/a/config/temperature", "/nodes/a/config/options/top_k", "/nodes/c/config/temperature"]
    );
}

#[test]
fn parameters_stay_where_some_model_takes_them() {
    let start =
        |model: &str| json!({ "type": "contextStart", "config": { "provider": "p", "model": model } });
    let chat = json!({ "type": "chat", "config": { "temperature": 0 } });
    assert!(places(&json!({ "s": start("gpt-5"), "t": start("gpt-4o"), "a": chat })).is_empty());
    assert!(places(&json!({ "a": chat })).is_empty());
    assert_eq!(places(&json!({ "s": start("gpt-5"), "t": start("o1"), "a": chat })).len(), 1);
}
