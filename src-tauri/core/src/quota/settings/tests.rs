use serde_json::json;

use super::Quota;

fn problem(quota: serde_json::Value) -> Option<&'static str> {
    let quota: Quota = serde_json::from_value(quota).unwrap();
    quota.problem().map(|(key, _)| key)
}

#[test]
fn quota_that_allows_nothing_is_a_problem() {
    assert_eq!(problem(json!({ "tokens": 0 })), Some("tokens"));
    assert_eq!(problem(json!({ "usd": 0.0 })), Some("usd"));
    assert_eq!(problem(json!({ "usd": -1.0 })), Some("usd"));
    assert_eq!(problem(json!({ "tokens": 5, "usd": 1e-12 })), Some("usd"));
    assert_eq!(problem(json!({})), Some("tokens"));
    assert_eq!(problem(json!({ "tokens": 1 })), None);
    assert_eq!(problem(json!({ "usd": 0.01 })), None);
}

#[test]
fn fallback_needs_a_model_and_is_used_for_nothing_else() {
    assert_eq!(problem(json!({ "usd": 1.0, "onExceeded": "fallback" })), Some("fallback"));
    let blank = json!({ "usd": 1.0, "onExceeded": "fallback", "fallback": { "model": " " } });
    assert_eq!(problem(blank), Some("fallback"));
    let named = json!({ "usd": 1.0, "onExceeded": "fallback", "fallback": { "model": "small" } });
    assert_eq!(problem(named), None);
    assert_eq!(problem(json!({ "usd": 1.0, "fallback": { "model": "small" } })), Some("fallback"));
}
