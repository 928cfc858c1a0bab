use super::*;
use serde_json::json;

#[test]
fn text_is_read_as_what_was_asked_for() {
    assert_eq!(from_text(&json!({"type": "string"}), "true"), json!("true"));
    assert_eq!(from_text(&json!({"type": "boolean"}), " Yes "), json!(true));
    assert_eq!(from_text(&json!({"type": "number"}), "4.5"), json!(4.5));
    assert_eq!(from_text(&json!({"enum": ["a", "b"]}), "b\n"), json!("b"));
    assert_eq!(from_text(&json!({"type": "object"}), "{\"a\": 1}"), json!({"a": 1}));
    assert_eq!(from_text(&json!({"type": "number"}), "four"), json!("four"));
}

#[test]
fn a_decision_is_a_word_and_perhaps_a_remark() {
    let schema = json!({
        "type": "object",
        "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } },
        "required": ["approved"],
        "additionalProperties": false,
    });
    assert_eq!(from_text(&schema, "yes"), json!({"approved": true}));
    assert_eq!(from_text(&schema, "no, too long"), json!({"approved": false, "comment": "too long"}));
    assert_eq!(from_text(&schema, "{\"approved\": true}"), json!({"approved": true}));
    assert_eq!(from_text(&schema, "perhaps"), json!("perhaps"));
    assert_eq!(choices(&schema).unwrap(), ["yes", "no", "no, COMMENT"]);
}

#[test]
fn a_schema_cannot_reach_out() {
    // References to the network or to files are not followed: the text stays text.
    let schema = json!({"$ref": "http://127.0.0.1:9/schema.json"});
    assert_eq!(from_text(&schema, "7"), json!("7"));
}
