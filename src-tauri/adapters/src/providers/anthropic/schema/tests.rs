use super::*;

#[test]
fn bounds_become_words_and_objects_are_closed() {
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
    let narrow = json!({
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
    assert_eq!(narrowed(&schema), Some(narrow.clone()));
    assert_eq!(narrowed(&narrow), Some(narrow), "there is nothing left to narrow");
}

#[test]
fn what_closing_would_forbid_is_not_narrowed() {
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
        assert_eq!(narrowed(&schema), None, "{schema}");
    }
}
