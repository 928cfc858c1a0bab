//! Integers of 64 bits keep all digits, through nodes, expressions and the journal.

use serde_json::{Value, json};

use super::{Stage, of};
use plait_journal::Entry;

#[test]
fn integers_keep_all_digits() {
    for (number, text) in [
        (json!(u64::MAX), "18446744073709551615"),
        (json!(i64::MIN), "-9223372036854775808"),
        (json!(9_007_199_254_740_993_u64), "9007199254740993"),
    ] {
        let stage = Stage::new();
        let nodes = json!({
            "v": { "type": "value", "config": { "value": number } },
            "query": { "type": "json", "config": { "query": "{ same: ., text: tostring, back: (tojson | fromjson) }" } },
            "text": { "type": "text", "config": { "template": "{{in}}" } },
            "branch": { "type": "switch", "config": { "cases": [{ "name": "same", "equals": number }] } },
        });
        let edges = json!(["v.value -> query.value", "v.value -> text.in", "v.value -> branch.value"]);
        let (driver, _handle) = stage.start(&nodes, &edges, &json!({}));
        futures::executor::block_on(driver.drive()).unwrap();
        let events = stage.events();
        let output = |node: &str, port: &str| of(node, &events)[0]["outputs"][port].clone();
        assert_eq!(output("query", "result"), json!({ "same": number, "text": text, "back": number }));
        assert_eq!(output("text", "text"), text);
        assert_eq!(output("branch", "same"), number);
        for entry in stage.entries() {
            let line = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&line).unwrap(), entry, "{line}");
        }
    }
}

#[test]
fn query_result_of_more_than_64_bits_is_an_error() {
    let stage = Stage::new();
    let nodes = json!({
        "v": { "type": "value", "config": { "value": u64::MAX } },
        "query": { "type": "json", "config": { "query": ". * 10" } },
        "caught": { "type": "output" },
    });
    let edges = json!(["v.value -> query.value", "query.error -> caught.value"]);
    let (driver, _handle) = stage.start(&nodes, &edges, &json!({}));
    futures::executor::block_on(driver.drive()).unwrap();
    let caught: Value = of("caught", &stage.events())[0]["outputs"]["value"].clone();
    assert!(caught["message"].as_str().unwrap().contains("more than 64 bits"), "{caught}");
}

#[test]
fn large_integer_and_float_next_to_it_differ() {
    let stage = Stage::new();
    let cases = json!([{ "name": "same", "equals": 9_007_199_254_740_992.0 }]);
    let nodes = json!({
        "v": { "type": "value", "config": { "value": 9_007_199_254_740_993_u64 } },
        "branch": { "type": "switch", "config": { "cases": cases } },
    });
    let events = stage.play(&nodes, &json!(["v.value -> branch.value"]), &json!({}));
    assert_eq!(of("branch", &events)[0]["outputs"], json!({ "default": 9_007_199_254_740_993_u64 }));
}
