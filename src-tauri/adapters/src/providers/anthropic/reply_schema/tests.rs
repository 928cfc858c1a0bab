use super::*;

#[test]
fn narrow_moves_bounds_into_descriptions_and_closes_objects() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["age"],
        "properties": {
            "age": { "type": "integer", "description": "In years.", "minimum": 0, "maximum": 150 },
            "tags": { "type": "array", "maxItems": 3, "items": { "enum": ["a", "b"] } },
            "home": { "anyOf": [{ "type": "null" }, { "type": "object", "properties": {} }] },
        },
    });
    let expected = json!({
        "type": "object",
        "required": ["age"],
        "additionalProperties": false,
        "properties": {
            "age": { "type": "integer", "description": "In years. (maximum: 150, minimum: 0)" },
            "tags": { "type": "array", "items": { "enum": ["a", "b"] }, "description": "(maxItems: 3)" },
            "home": { "anyOf": [
                { "type": "null" },
                { "type": "object", "properties": {}, "additionalProperties": false },
            ] },
        },
    });
    assert_eq!(narrow(&schema), Some(expected.clone()));
    assert_eq!(narrow(&expected), Some(expected), "narrowing is idempotent");
}

#[test]
fn narrow_rejects_schemas_whose_meaning_would_change() {
    for schema in [
        json!(true),
        json!({ "type": "object" }),
        json!({ "type": ["object", "null"] }),
        json!({ "type": "object", "properties": { "a": {} }, "required": ["b"] }),
        json!({ "type": "object", "properties": {}, "additionalProperties": true }),
        json!({ "type": "object", "properties": {}, "additionalProperties": { "type": "string" } }),
        json!({ "type": "array", "items": { "$ref": "#/$defs/node" } }),
        json!({ "properties": { "a": { "not": { "type": "string" } } } }),
        json!({ "anyOf": [{ "type": "object" }] }),
    ] {
        assert_eq!(narrow(&schema), None, "{schema}");
    }
}
