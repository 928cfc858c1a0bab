use super::*;
use serde_json::json;

#[test]
fn answer_is_parsed_by_the_type_of_the_schema() {
    assert_eq!(parse_answer(&json!({"type": "string"}), "true"), json!("true"));
    assert_eq!(parse_answer(&json!({"type": "boolean"}), " Yes "), json!(true));
    assert_eq!(parse_answer(&json!({"type": "number"}), "4.5"), json!(4.5));
    assert_eq!(parse_answer(&json!({"enum": ["a", "b"]}), "b\n"), json!("b"));
    assert_eq!(parse_answer(&json!({"type": "object"}), "{\"a\": 1}"), json!({"a": 1}));
    assert_eq!(parse_answer(&json!({"type": "number"}), "four"), json!("four"));
}

#[test]
fn decision_is_parsed_as_yes_or_no_with_a_comment() {
    let schema = json!({
        "type": "object",
        "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } },
        "required": ["approved"],
        "additionalProperties": false,
    });
    assert_eq!(parse_answer(&schema, "yes"), json!({"approved": true}));
    assert_eq!(parse_answer(&schema, "no, too long"), json!({"approved": false, "comment": "too long"}));
    assert_eq!(parse_answer(&schema, "{\"approved\": true}"), json!({"approved": true}));
    assert_eq!(parse_answer(&schema, "perhaps"), json!("perhaps"));
    assert_eq!(answer_choices(&schema).unwrap(), ["yes", "no", "no, COMMENT"]);
}

#[test]
fn schema_references_are_not_resolved() {
    // Remote and file references are not followed, so the schema accepts nothing and the text stays text.
    let schema = json!({"$ref": "http://127.0.0.1:9/schema.json"});
    assert_eq!(parse_answer(&schema, "7"), json!("7"));
}

#[test]
fn schema_that_doubles_at_each_level_of_the_answer_is_not_validated() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } },
    });
    let nested = |depth| (0..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(parse_answer(&schema, &nested(3).to_string()), nested(3));
    // Validating this one would take 2⁶⁰ steps.
    let text = nested(60).to_string();
    assert_eq!(parse_answer(&schema, &text), json!(text));
}
