#![expect(clippy::needless_pass_by_value, reason = "values are written in place")]

use serde_json::{Value, json};

use crate::testing::NodeHarness;

fn taken(cases: Value, value: Value) -> String {
    let ran = NodeHarness::new().run("switch", json!({ "cases": cases }), &[("value", value.clone())]);
    match &ran.result {
        Ok(output) => {
            assert_eq!(output.outputs.len(), 1, "exactly one way is taken");
            let (port, given) = output.outputs.iter().next().unwrap();
            assert_eq!(**given, value, "the value goes on unchanged");
            port.to_string()
        }
        Err(fault) => fault.code.to_string(),
    }
}

fn when(condition: &str, value: Value) -> String {
    taken(json!([{ "name": "yes", "when": condition }]), value)
}

#[test]
fn the_first_case_that_holds_takes_the_value() {
    let cases = json!([
        { "name": "a", "when": "value > 10" },
        { "name": "b", "when": "value > 5" },
        { "name": "c", "equals": 1 },
    ]);
    for (value, expected) in [(11, "a"), (6, "b"), (1, "c"), (2, "default")] {
        assert_eq!(taken(cases.clone(), json!(value)), expected);
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
        assert_eq!(when(condition, value.clone()), "yes", "{condition} for {value}");
    }
}

#[test]
fn null_can_be_met() {
    let cases = json!([{ "name": "none", "equals": null }]);
    assert_eq!(taken(cases.clone(), Value::Null), "none");
    assert_eq!(taken(cases, json!(0)), "default");
}

#[test]
fn numbers_are_equal_however_they_are_written() {
    let whole = json!([{ "name": "yes", "equals": { "n": [2] } }]);
    assert_eq!(taken(whole.clone(), json!({ "n": [2.0] })), "yes");
    assert_eq!(taken(whole.clone(), json!({ "n": [2.5] })), "default");
    assert_eq!(taken(whole.clone(), json!({ "n": [2, 2] })), "default");
    assert_eq!(taken(whole.clone(), json!({ "m": [2] })), "default");
    assert_eq!(taken(whole, json!({ "n": ["2"] })), "default");
    let large = json!([{ "name": "yes", "equals": 9_007_199_254_740_993_u64 }]);
    assert_eq!(taken(large, json!(9_007_199_254_740_992_u64)), "default");
}

#[test]
fn what_cannot_be_decided_is_a_fault_that_names_the_case() {
    assert_eq!(when("value.missing > 1", json!({})), "switch.condition");
    assert_eq!(when("value > 1", json!("text")), "switch.condition");
    assert_eq!(when("value", json!("text")), "switch.condition");
    assert_eq!(when("value / 0 > 1", json!(1)), "switch.condition");
    let config = json!({ "cases": [{ "name": "big", "when": "value.size > 1" }] });
    let ran = NodeHarness::new().run("switch", config, &[("value", json!({}))]);
    assert!(ran.result.unwrap_err().message.contains("`big`"));
}

#[test]
fn a_case_that_holds_keeps_later_ones_from_failing() {
    let cases =
        json!([{ "name": "text", "when": "type(value) == string" }, { "name": "big", "when": "value > 1" }]);
    assert_eq!(taken(cases, json!("x")), "text");
}

#[test]
fn wrong_cases_are_found_before_a_run() {
    let problems = |cases: Value| {
        let ran = NodeHarness::new().run("switch", json!({ "cases": cases }), &[]);
        ran.result.unwrap_err().message
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
    assert_eq!(when("value.all(a, a >= 0)", large.clone()), "yes");
    assert_eq!(when("value.all(a, value.all(b, a + b >= 0))", large.clone()), "switch.too_much");
    assert_eq!(when("value.all(a, {\"k\": value.all(b, a + b >= 0)}.k)", large), "switch.too_much");
    assert_eq!(when("value.all(a, value.all(b, a + b >= 0))", json!([1, 2, 3])), "yes");
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
        // Whatever it comes to, it comes to something.
        when(&condition, json!({}));
    }
}
