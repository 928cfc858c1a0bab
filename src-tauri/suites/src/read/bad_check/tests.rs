use serde_json::json;

use super::*;

/// Where in a check a problem is.
fn place(check: Value) -> Option<&'static str> {
    problem(&serde_json::from_value(check).unwrap()).map(|(place, _)| place)
}

#[test]
fn checks_that_every_run_passes_are_refused() {
    for (check, at) in [
        (json!({ "contains": { "text": "" } }), "contains/text"),
        (json!({ "prompt": { "node": "chat", "contains": "" } }), "prompt/contains"),
        (json!({ "rubric": { "text": " ", "model": "offline/echo" } }), "rubric/text"),
        (json!({ "jsonPath": { "path": "$" } }), "jsonPath/path"),
        (json!({ "schema": { "schema": {} } }), "schema/schema"),
        (json!({ "schema": { "schema": { "title": "Anything", "$defs": { "a": {} } } } }), "schema/schema"),
        (json!({ "tool": { "name": "", "times": 0 } }), "tool/name"),
    ] {
        assert_eq!(place(check.clone()), Some(at), "{check}");
    }
}

#[test]
fn checks_that_a_run_may_fail_are_taken() {
    for check in [
        json!({ "contains": { "text": " " } }),
        json!({ "equals": { "value": "" } }),
        json!({ "jsonPath": { "path": "$.a" } }),
        json!({ "jsonPath": { "path": "$", "values": ["a"] } }),
        json!({ "jsonPath": { "path": "$.a", "values": [] } }),
        json!({ "schema": { "schema": { "type": "string" } } }),
        json!({ "condition": { "node": "a", "when": "true" } }),
        json!({ "tool": { "name": "delete", "times": 0 } }),
        json!({ "maxTokens": 0 }),
        json!({ "maxCost": 0.0 }),
    ] {
        assert_eq!(place(check.clone()), None, "{check}");
    }
}

#[test]
fn patterns_that_match_every_text_are_refused() {
    for pattern in ["", "a*", "^", "$", "^a?", "a?$", "(?m)^", "(a|)", "(^|b*)", "\\A"] {
        assert_eq!(place(json!({ "regex": { "pattern": pattern } })), Some("regex/pattern"), "{pattern}");
        assert!(
            ["", "\n", "x\ny"].iter().all(|text| Regex::new(pattern).unwrap().is_match(text)),
            "{pattern}"
        );
    }
    for pattern in ["a", "^$", "^.*$", "^[^a]*$", "\\b", "\\B", ".", "^a|b$"] {
        assert_eq!(place(json!({ "regex": { "pattern": pattern } })), None, "{pattern}");
        let fails =
            ["", "\n", "x\ny", "aa", "x"].iter().any(|text| !Regex::new(pattern).unwrap().is_match(text));
        assert!(fails, "{pattern}");
    }
}

#[test]
fn bounds_are_numbers_from_0_on() {
    for bad in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(
            problem(&Check::MaxCost(bad)).is_some() && problem(&Check::MaxSeconds(bad)).is_some(),
            "{bad}"
        );
    }
    assert_eq!(problem(&Check::MaxCost(0.0)), None);
}
