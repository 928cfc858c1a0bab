use super::*;
use serde_json::json;

#[test]
fn only_counts_are_counts() {
    for (said, expected) in [
        (json!(0), Some(0)),
        (json!(7), Some(7)),
        (json!(7.0), Some(7)),
        (json!(u32::MAX), Some(MOST)),
        (json!(7.5), None),
        (json!(-1), None),
        (json!(-1.0), None),
        (json!(u64::MAX), None),
        (json!(1e300), None),
        (json!("7"), None),
        (json!(null), None),
        (json!([7]), None),
        (json!({"n": 7}), None),
    ] {
        assert_eq!(count(Some(&said)), expected, "{said}");
    }
    assert_eq!(count(None), None);
}

#[test]
fn parts_are_no_larger_than_the_whole() {
    let parts = with_parts(TokenUsage::new(10, 5), Some(8), Some(9), Some(6));
    assert_eq!(parts, TokenUsage { input: 10, output: 5, cached_input: 8, cache_write: 2, reasoning: 5 });
    assert_eq!(with_parts(TokenUsage::new(10, 5), None, None, None), TokenUsage::new(10, 5));
    assert_eq!(usage(Some(0), Some(0)), None);
    assert_eq!(usage(Some(1), None), None);
}
