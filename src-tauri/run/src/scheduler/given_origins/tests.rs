//! Which values a person's files are in.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::GivenOrigins;
use plait_core::origin::{Origin, Origins};

#[test]
fn attached_file_is_no_word_of_the_person() {
    let file = json!({ "type": "attachment", "hash": "0".repeat(64), "mediaType": "image/png", "name": "a.png", "bytes": 1 });
    let chat = BTreeMap::from([
        ("attach".into(), Arc::new(json!([file]))),
        ("message".into(), Arc::new(json!("What is this?"))),
    ]);
    let values = BTreeMap::from([("chat".into(), chat)]);
    let texts = |given: &GivenOrigins, port: &str| {
        let origins = given.of_port(&"chat".into(), &port.into());
        origins.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let person = Origins::of(Origin::Person);
    let given = GivenOrigins::new(&person, &values, true);
    assert_eq!(texts(&given, "attach"), ["person", "attachment:a.png"]);
    assert_eq!(texts(&given, "message"), ["person"]);
    // A run above knows better where its values come from: the image may be a model's.
    let given = GivenOrigins::new(&person, &values, false);
    assert_eq!(texts(&given, "attach"), ["person"]);
}
