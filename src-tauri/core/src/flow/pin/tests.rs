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
fn iteration_that_is_not_listed_gets_the_values_of_all() {
    let mixed = json!({ "outputs": { "text": "all" }, "iterations": { "0": { "text": "first" }, "1.0": { "text": "inner" }, "10": { "text": "later" } } });
    let read = pin(mixed.clone());
    let at = |path: &[u32]| read.outputs_at(&Epoch::from(path))[&PortName::from("text")].clone();
    let expected = [
        (&[][..], "all"),
        (&[0], "first"),
        (&[1], "all"),
        (&[10], "later"),
        (&[0, 0], "all"),
        (&[1, 0], "inner"),
        (&[1, 1], "all"),
    ];
    for (path, expected) in expected {
        assert_eq!(*at(path), json!(expected), "{path:?}");
    }
    assert_eq!(read.all_outputs().count(), 4);
    assert_eq!(serde_json::to_value(&read).unwrap(), mixed);
    // A pin without iterations writes none.
    let plain = pin(json!({ "outputs": { "text": "all" } }));
    assert_eq!(serde_json::to_value(&plain).unwrap(), json!({ "outputs": { "text": "all" } }));
}

#[test]
fn path_of_an_iteration_is_numbers_with_dots() {
    for path in ["", "-1", "1.", "1..2", "one", "1/2"] {
        let read = serde_json::from_value::<Pin>(json!({ "outputs": {}, "iterations": { path: {} } }));
        assert!(read.unwrap_err().to_string().contains("no path of an iteration"), "{path:?}");
    }
}
