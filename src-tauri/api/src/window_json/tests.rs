use serde_json::json;

use super::*;

#[test]
fn integers_survive_the_way_to_the_page_and_back() {
    let value = json!({
        "small": 9_007_199_254_740_991_u64,
        "large": 9_007_199_254_740_993_u64,
        "list": [i64::MIN, u64::MAX, -9_007_199_254_740_992_i64, 1.5, "9007199254740993"],
    });
    let text = to_window_json(&value).unwrap();
    assert_eq!(
        text,
        r#"{"large":{"$int":"9007199254740993"},"list":[{"$int":"-9223372036854775808"},{"$int":"18446744073709551615"},{"$int":"-9007199254740992"},1.5,"9007199254740993"],"small":9007199254740991}"#
    );
    assert_eq!(from_window_json(serde_json::from_str(&text).unwrap()), value);
}

#[test]
fn objects_that_stand_for_no_large_integer_stay_objects() {
    for value in [
        json!({ "$int": "5" }),
        json!({ "$int": "many" }),
        json!({ "$int": "09007199254740993" }),
        json!({ "$int": 9 }),
        json!({ "$int": "9007199254740993", "unit": "s" }),
    ] {
        assert_eq!(from_window_json(value.clone()), value);
    }
}
