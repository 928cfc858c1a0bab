use super::*;
use serde_json::json;

#[test]
fn token_count_rejects_implausible_values() {
    for (reported, expected) in [
        (json!(0), Some(0)),
        (json!(7), Some(7)),
        (json!(7.0), Some(7)),
        (json!(u32::MAX), Some(MAX_TOKENS)),
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
        assert_eq!(token_count(Some(&reported)), expected, "{reported}");
    }
    assert_eq!(token_count(None), None);
}

#[test]
fn breakdown_is_bounded_by_its_totals() {
    let usage_with_parts = with_breakdown(TokenUsage::new(10, 5), Some(8), Some(9), Some(6));
    assert_eq!(
        usage_with_parts,
        TokenUsage { input: 10, output: 5, cached_input: 8, cache_write: 2, reasoning: 5 }
    );
    assert_eq!(with_breakdown(TokenUsage::new(10, 5), None, None, None), TokenUsage::new(10, 5));
    assert_eq!(usage(Some(0), Some(0)), None);
    assert_eq!(usage(Some(1), None), None);
}
