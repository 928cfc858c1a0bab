use proptest::prelude::*;

use super::*;
use crate::flow::{random_documents, read};

#[test]
fn whole_positions_are_written_without_fraction() {
    let text = r#"{"version": 1, "nodes": {}, "layout": {"n": {"x": 260, "y": -0.5}}}"#;
    let written = write(&read(text).unwrap()).unwrap();
    assert!(written.contains("\"x\": 260,") && written.contains("\"y\": -0.5"), "{written}");
}

#[test]
fn keys_are_sorted_and_unknown_keys_kept() {
    let text =
        r#"{"zeta": {"b": 1, "a": 2}, "version": 1, "nodes": {"n": {"type": "text", "mood": "calm"}}}"#;
    let flow = read(text).unwrap();
    let written = write(&flow).unwrap();
    assert!(written.find("\"a\": 2").unwrap() < written.find("\"b\": 1").unwrap());
    assert_eq!(read(&written).unwrap(), flow);
    assert!(written.contains("\"mood\": \"calm\""));
}

#[test]
fn unknown_keys_are_kept_at_every_level() {
    let text = r#"{
        "edges": {"e": {"hue": 1, "source": "n", "sourceOutput": "x", "target": "n", "targetInput": "y"}},
        "frames": {"f": {
            "color": "amber", "folded": true, "height": 200, "hue": 7, "main": "n", "nodes": ["n"], "title": "Intake", "width": 300.5, "x": -8, "y": 0
        }},
        "layout": {"n": {"color": "teal", "hue": 2, "x": 1.5, "y": 2}},
        "name": "",
        "nodes": {"n": {
            "limits": {"hue": 3, "timeoutMs": 5},
            "retry": {"attempts": 2, "backoffMs": 1, "hue": {"calm": [4]}, "jitter": 0.5, "maxBackoffMs": 9},
            "type": "text"
        }, "only": {"limits": {"hue": 6}, "type": "text"}},
        "routes": {"e": [{"hue": 8, "x": 40, "y": 2.5}, {"x": 80, "y": 0}]},
        "settings": {"hue": 5},
        "version": 1
    }"#;
    let written = write(&read(text).unwrap()).unwrap();
    let (before, after): (Value, Value) =
        (serde_json::from_str(text).unwrap(), serde_json::from_str(&written).unwrap());
    assert_eq!(before, after);
}

proptest! {
    #[test]
    fn text_is_that_of_the_whole_document(text in random_documents::document()) {
        let Ok(flow) = read(&text) else { return Ok(()) };
        let mut document = serde_json::to_value(&flow).unwrap();
        for section in ["layout", "frames", "routes"] {
            document.get_mut(section).into_iter().for_each(write_whole_numbers);
        }
        let expected = serde_json::to_string_pretty(&SortedKeys(&document)).unwrap() + "\n";
        prop_assert_eq!(write(&flow).unwrap(), expected);
    }
}
