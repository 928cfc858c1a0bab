use super::*;
use serde_json::json;

#[test]
fn a_figure_is_the_median_for_each_thing() {
    let benchmark =
        json!({ "group_id": "chain", "function_id": "engine", "throughput": { "Elements": 1000 } });
    let read = figure(&benchmark, &json!({ "median": { "point_estimate": 5_000_000.0 } })).unwrap();
    assert_eq!((read.group.as_str(), read.by.as_str(), read.things), ("chain", "engine", 1000));
    assert!((read.each() - 5.0).abs() < 1e-9);
    assert_eq!(figure(&benchmark, &json!({})), None);
}
