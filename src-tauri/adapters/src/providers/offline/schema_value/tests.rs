use super::*;
use serde_json::json;

fn generated(schema: &Value, text: &str) -> Value {
    serde_json::from_str(&generate(schema, text)).expect("JSON")
}

#[test]
fn values_are_derived_from_the_message() {
    let schema = json!({
        "type": "object",
        "properties": {
            "class": { "enum": ["delivery", "Refund"] },
            "text": { "type": "string" },
            "short": { "type": "string", "maxLength": 3 },
            "count": { "type": "integer", "maximum": 10 },
            "share": { "type": ["null", "number"], "minimum": 0.5 },
            "sure": { "type": "boolean" },
            "tags": { "type": "array", "items": { "const": "x" }, "minItems": 2 },
            "inner": { "$ref": "#/$defs/inner" },
        },
        "$defs": { "inner": { "anyOf": [{ "type": "integer" }] } },
    });
    assert_eq!(
        generated(&schema, "Yes, a refund of 23."),
        json!({
            "class": "Refund", "text": "Yes, a refund of 23.", "short": "Yes", "count": 10, "share": 23.0, "sure": true,
            "tags": ["x", "x"], "inner": 23,
        })
    );
}

#[test]
fn missing_values_have_defaults() {
    assert_eq!(generated(&json!({ "enum": ["a1", "b2"] }), "nothing of it"), json!("a1"));
    assert_eq!(generated(&json!({ "type": "integer", "minimum": 3 }), ""), json!(3));
    assert_eq!(generated(&json!({ "type": "number" }), ""), json!(0.0));
    assert_eq!(generated(&json!({ "type": "boolean" }), "no"), json!(false));
}

#[test]
fn recursive_and_large_schemas_are_bounded() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "type": "array", "items": { "$ref": "#" }, "minItems": 1 }),
        json!({ "$ref": "#/none" }),
        json!({ "type": "array", "items": { "$ref": "#" }, "minItems": 1_000_000 }),
        json!({ "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" }, "c": { "$ref": "#" } } }),
        json!({ "enum": [] }),
        json!(true),
    ] {
        generated(&schema, "x");
    }
}
