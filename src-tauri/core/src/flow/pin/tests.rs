use serde_json::json;

use super::{MAX_PIN_BYTES, Pin};
use crate::id::{Epoch, PortName};
use crate::origin::{Origin, Origins};

fn pin(value: serde_json::Value) -> Pin {
    serde_json::from_value(value).unwrap()
}

#[test]
fn typed_values_come_from_a_person_and_taken_ones_from_where_they_came() {
    assert_eq!(pin(json!({ "outputs": { "text": "typed" } })).value_origins(), Origins::of(Origin::Person));
    let taken = pin(json!({ "outputs": { "text": "x" }, "run": "r", "origins": ["host:a.example"] }));
    assert_eq!(taken.value_origins(), Origins::of(Origin::Host("a.example".into())));
    // An edit of a taken value does not launder it.
    let edited = pin(json!({ "outputs": { "text": "y" }, "origins": ["host:a.example"] }));
    let both = [Origin::Person, Origin::Host("a.example".into())].into_iter().collect::<Origins>();
    assert_eq!(edited.value_origins(), both);
}

#[test]
fn size_counts_as_json() {
    let of = |length: usize| pin(json!({ "outputs": { "text": "x".repeat(length) } }));
    let frame = r#"{"text":""}"#.len();
    assert!(!of(MAX_PIN_BYTES - frame).is_too_large());
    assert!(of(MAX_PIN_BYTES - frame + 1).is_too_large());
}

#[test]
fn iteration_without_values_of_its_own_gets_those_of_all() {
    let mixed = pin(json!({ "outputs": { "text": "all" }, "iterations": [{ "text": "first" }, null] }));
    let at = |path: &[u32]| mixed.outputs_at(&Epoch::from(path))[&PortName::from("text")].clone();
    for (path, expected) in
        [(&[][..], "all"), (&[0], "first"), (&[1], "all"), (&[2], "all"), (&[1, 0], "first")]
    {
        assert_eq!(*at(path), json!(expected), "{path:?}");
    }
    assert_eq!(mixed.all_outputs().count(), 2);
    // A pin of an earlier file has none, and none are written.
    let plain = pin(json!({ "outputs": { "text": "all" } }));
    assert_eq!(serde_json::to_value(&plain).unwrap(), json!({ "outputs": { "text": "all" } }));
}
