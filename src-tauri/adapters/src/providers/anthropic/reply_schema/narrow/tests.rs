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
        json!({}),
        json!({ "type": "array" }),
        json!({ "enum": [] }),
        json!({ "enum": [{}] }),
        json!({ "type": "string", "enum": [1] }),
        json!({ "oneOf": [{ "type": "null" }] }),
        json!({ "allOf": [{ "type": "null" }] }),
        json!({ "type": "string", "anyOf": [{ "type": "string" }] }),
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

#[test]
fn narrow_writes_several_types_and_constants_as_the_format_accepts_them() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": ["string", "null"], "maxLength": 9, "description": "If known." },
            "size": { "type": "string", "enum": ["s", "m", 7] },
            "kind": { "type": "string", "const": "a" },
            "day": { "type": "string", "format": "date", "default": "2026-01-01" },
        },
    });
    let expected = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "name": {
                "description": "If known.",
                "anyOf": [{ "type": "string", "description": "(maxLength: 9)" }, { "type": "null" }],
            },
            "size": { "enum": ["s", "m"] },
            "kind": { "const": "a" },
            "day": { "type": "string", "format": "date", "description": "(default: \"2026-01-01\")" },
        },
    });
    assert_eq!(narrow(&schema), Some(expected.clone()));
    assert_eq!(narrow(&expected), Some(expected));
}

#[test]
fn narrow_keeps_within_the_limits_of_the_format() {
    let object = |count: usize| {
        let properties: Map<String, Value> =
            (0..count).map(|number| (format!("p{number}"), json!({ "type": "null" }))).collect();
        json!({ "type": "object", "properties": properties })
    };
    assert!(narrow(&object(24)).is_some());
    assert_eq!(narrow(&object(25)), None);
    let unions = |count: usize| {
        let names: Vec<_> = (0..count).map(|number| format!("p{number}")).collect();
        let properties: Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({ "type": ["null", "string"] }))).collect();
        json!({ "type": "object", "properties": properties, "required": names })
    };
    assert!(narrow(&unions(16)).is_some());
    assert_eq!(narrow(&unions(17)), None);
}
