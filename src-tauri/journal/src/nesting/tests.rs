use serde_json::json;

use super::*;

#[test]
fn lists_and_objects_count_alike() {
    let nested = |depth: usize| {
        (0..depth).fold(json!(0), |inside, at| {
            if at % 2 == 0 { json!([1, inside]) } else { json!({ "a": inside, "b": [] }) }
        })
    };
    assert!(!is_too_deep(&json!("flat")));
    assert!(!is_too_deep(&nested(MAX_NESTING_DEPTH)));
    assert!(is_too_deep(&nested(MAX_NESTING_DEPTH + 1)));
}
