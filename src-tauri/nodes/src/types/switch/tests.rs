#![expect(clippy::needless_pass_by_value, reason = "values are written in place")]

use serde_json::{Value, json};

use crate::testing::NodeHarness;

fn route(cases: Value, value: Value) -> String {
    let run = NodeHarness::new().run("switch", json!({ "cases": cases }), &[("value", value.clone())]);
    match &run.result {
        Ok(output) => {
            assert_eq!(output.outputs.len(), 1, "exactly one output is live");
            let (port, passed_on) = output.outputs.iter().next().unwrap();
            assert_eq!(**passed_on, value, "the value is unchanged");
            port.to_string()
        }
        Err(fault) => fault.code.to_string(),
    }
}

fn route_by(condition: &str, value: Value) -> String {
    route(json!([{ "name": "yes", "when": condition }]), value)
}

#[test]
fn first_matching_case_gets_the_value() {
    let cases = json!([
        { "name": "a", "when": "value > 10" },
        { "name": "b", "when": "value > 5" },
        { "name": "c", "equals": 1 },
    ]);
    for (value, expected) in [(11, "a"), (6, "b"), (1, "c"), (2, "default")] {
        assert_eq!(route(cases.clone(), json!(value)), expected);
    }
}

#[test]
fn conditions_read_all_kinds_of_values() {
    for (condition, value) in [
        ("value.score >= 0.5 && value.lang == \"en\"", json!({ "score": 0.5, "lang": "en" })),
        ("value.score > 0", json!({ "score": 0.5 })),
        ("value == 3.0", json!(3)),
        ("value < 18446744073709551615u", json!(1)),
        ("value == 5", json!(5.0)),
        ("value.contains(\"refund\")", json!("a refund, please")),
        ("value.startsWith(\"/\") && value.matches(\"^/[a-z]+$\")", json!("/help")),
        ("!has(value.error)", json!({ "ok": 1 })),
        ("size(value) > 2", json!([1, 2, 3])),
        ("value in [\"a\", \"b\"]", json!("b")),
        (
            "value.items.exists(item, item.price > 100)",
            json!({ "items": [{ "price": 5 }, { "price": 101 }] }),
        ),
        ("value == null", json!(null)),
        ("value", json!(true)),
        ("type(value) == string", json!("x")),
    ] {
        assert_eq!(route_by(condition, value.clone()), "yes", "{condition} for {value}");
    }
}

#[test]
fn null_can_be_matched() {
    let cases = json!([{ "name": "none", "equals": null }]);
    assert_eq!(route(cases.clone(), Value::Null), "none");
    assert_eq!(route(cases, json!(0)), "default");
}

#[test]
fn numbers_are_compared_by_value() {
    let whole = json!([{ "name": "yes", "equals": { "n": [2] } }]);
    assert_eq!(route(whole.clone(), json!({ "n": [2.0] })), "yes");
    assert_eq!(route(whole.clone(), json!({ "n": [2.5] })), "default");
    assert_eq!(route(whole.clone(), json!({ "n": [2, 2] })), "default");
    assert_eq!(route(whole.clone(), json!({ "m": [2] })), "default");
    assert_eq!(route(whole, json!({ "n": ["2"] })), "default");
    let large = json!([{ "name": "yes", "equals": 9_007_199_254_740_993_u64 }]);
    assert_eq!(route(large, json!(9_007_199_254_740_992_u64)), "default");
}

#[test]
fn condition_error_names_the_case() {
    assert_eq!(route_by("value.missing > 1", json!({})), "switch.condition");
    assert_eq!(route_by("value > 1", json!("text")), "switch.condition");
    assert_eq!(route_by("value", json!("text")), "switch.condition");
    assert_eq!(route_by("value / 0 > 1", json!(1)), "switch.condition");
    let config = json!({ "cases": [{ "name": "big", "when": "value.size > 1" }] });
    let run = NodeHarness::new().run("switch", config, &[("value", json!({}))]);
    assert!(run.result.unwrap_err().message.contains("`big`"));
}

#[test]
fn matching_case_skips_later_conditions() {
    let cases =
        json!([{ "name": "text", "when": "type(value) == string" }, { "name": "big", "when": "value > 1" }]);
    assert_eq!(route(cases, json!("x")), "text");
}

#[test]
fn invalid_cases_are_refused() {
    let problems = |cases: Value| {
        let run = NodeHarness::new().run("switch", json!({ "cases": cases }), &[]);
        run.result.unwrap_err().message
    };
    assert!(problems(json!([{ "name": "a", "when": "value >" }])).contains("/cases/0/when"));
    assert!(problems(json!([{ "name": "a", "when": "vaule > 1" }])).contains("Unknown name `vaule`"));
    assert!(problems(json!([{ "name": "a" }])).contains("neither"));
    assert!(problems(json!([{ "name": "a", "when": "true", "equals": 1 }])).contains("both"));
    assert!(problems(json!([{ "name": "default", "when": "true" }])).contains("already named `default`"));
    assert!(problems(json!([{ "name": "error", "when": "true" }])).contains("already named `error`"));
    assert!(
        problems(json!([{ "name": "a", "when": "true" }, { "name": "a", "when": "true" }]))
            .contains("/cases/1/name")
    );
    assert!(problems(json!([{ "name": " ", "when": "true" }])).contains("needs a name"));
}

#[test]
fn nested_loops_over_large_values_are_refused() {
    let large = json!((0..2_000).collect::<Vec<_>>());
    assert_eq!(route_by("value.all(a, a >= 0)", large.clone()), "yes");
    assert_eq!(route_by("value.all(a, value.all(b, a + b >= 0))", large.clone()), "switch.too_much");
    assert_eq!(route_by("value.all(a, {\"k\": value.all(b, a + b >= 0)}.k)", large), "switch.too_much");
    assert_eq!(route_by("value.all(a, value.all(b, a + b >= 0))", json!([1, 2, 3])), "yes");
}

#[test]
fn hostile_conditions_do_not_end_the_process() {
    for condition in [
        "!".repeat(4_000) + "true",
        "-".repeat(4_000) + "1",
        "(".repeat(2_000) + "1" + &")".repeat(2_000),
        "[".repeat(2_000) + &"]".repeat(2_000),
        "value".to_owned() + &".a".repeat(2_000),
        "value".to_owned() + &"[0]".repeat(1_300),
        "true ? true : ".repeat(290) + "true",
        "1".to_owned() + &"+1".repeat(2_000) + " > 0",
        "true".to_owned() + &"&&true".repeat(600),
        "true".to_owned() + &"==true".repeat(600),
        "value".to_owned() + &".map(x,x)".repeat(450),
        "{1:".repeat(1_300),
        "x".repeat(5_000),
    ] {
        // Any result is fine, as long as there is one.
        route_by(&condition, json!({}));
    }
}
