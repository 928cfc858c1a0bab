use std::collections::HashMap;
use std::convert::Infallible;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Extracts and expands again; gives what was stored.
fn round_trip(value: &Value) -> HashMap<ValueHash, (Vec<u8>, bool)> {
    let text = serde_json::to_vec(value).unwrap();
    let mut stored = HashMap::new();
    let (short, has_references) = extract(&text, |hash, text, nested| {
        stored.insert(hash, (text.to_vec(), nested));
    });
    assert_eq!(has_references, !stored.is_empty());
    let mut load = |hash: &ValueHash| Ok::<_, Infallible>(stored[hash].clone());
    let Ok(expanded) = expand(&short, &mut load);
    assert!(expanded == text, "the same text comes back");
    stored
}

#[test]
fn a_value_is_stored_once_wherever_it_stands() {
    let large = "wide \"quoted\" \\ ".repeat(1_000);
    let value = json!({ "a": { "out": large }, "b": [large, { "deep": { "text": large } }], "@": "@" });
    assert_eq!(round_trip(&value).len(), 1);
}

#[test]
fn a_list_of_short_values_is_one_large_value() {
    let list: Vec<usize> = (0..5_000).collect();
    let value = json!({ "x": list, "y": { "same": list } });
    assert_eq!(round_trip(&value).len(), 1);
}

#[test]
fn large_values_nest() {
    let large = |letter: &str| letter.repeat(5_000);
    let many: Vec<_> = (0..100).map(|_| json!({ "a": large("a"), "b": large("b") })).collect();
    let stored = round_trip(&json!({ "all": many }));
    // The two strings, and the list: each of its objects is small once its strings are references.
    assert_eq!(stored.len(), 3);
    assert_eq!(stored.values().filter(|(_, nested)| *nested).count(), 1);
}

#[test]
fn small_values_and_the_outermost_one_stay() {
    assert!(round_trip(&json!({ "a": "x".repeat(MAX_INLINE_BYTES - 2) })).is_empty());
    assert_eq!(round_trip(&json!({ "a": "x".repeat(MAX_INLINE_BYTES - 1) })).len(), 1);
    let wide: serde_json::Map<String, Value> =
        (0..1_000).map(|number| (number.to_string(), json!(number))).collect();
    assert!(round_trip(&Value::Object(wide)).is_empty());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        "[\"\\\\@]{0,9}".prop_map(Value::from),
        (4_000usize..9_000).prop_map(|length| "é@\"".repeat(length / 4).into()),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map("\\PC{0,8}", inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_comes_back(value in value()) {
        round_trip(&json!({ "v": value }));
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(prop_oneof![Just(b'"'), Just(b'\\'), Just(b'@'), Just(b'{'), Just(b'}'), any::<u8>()], 0..300)) {
        extract(&bytes, |_, _, _| ());
        let Ok(_) = expand(&bytes, &mut |_: &ValueHash| Ok::<_, Infallible>((Vec::new(), false)));
    }
}
