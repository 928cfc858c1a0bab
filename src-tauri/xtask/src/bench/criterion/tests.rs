use super::*;
use serde_json::json;

#[test]
fn estimate_is_the_median_per_element() {
    let benchmark =
        json!({ "group_id": "chain", "function_id": "engine", "throughput": { "Elements": 1000 } });
    let read = parse_estimate(&benchmark, &json!({ "median": { "point_estimate": 5_000_000.0 } })).unwrap();
    assert_eq!((read.group.as_str(), read.by.as_str(), read.elements), ("chain", "engine", 1000));
    assert!((read.micros_per_element() - 5.0).abs() < 1e-9);
    assert_eq!(parse_estimate(&benchmark, &json!({})), None);
}
