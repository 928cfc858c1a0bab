use super::*;

fn object_with(property: &Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": property}})
}

#[test]
fn strict_form_requires_closed_objects_with_all_properties_required() {
    let closed = object_with(&json!({"type": "string"}));
    let mut open = closed.clone();
    open["additionalProperties"] = json!(true);
    let mut optional = closed.clone();
    optional["required"] = json!([]);
    assert_eq!(strict_form(&closed), Some(closed.clone()));
    let nested = object_with(&json!({"type": "array", "items": closed}));
    assert_eq!(strict_form(&nested), Some(nested.clone()));
    for schema in [json!({"type": "object"}), open.clone(), optional, object_with(&open)] {
        assert_eq!(strict_form(&schema), None, "{schema}");
    }
}

#[test]
fn strict_form_rejects_what_strict_mode_does_not_know() {
    for schema in [json!(true), json!({}), json!({"type": "array", "items": {"type": "null"}})] {
        assert_eq!(strict_form(&schema), None, "the root: {schema}");
    }
    let mut root = object_with(&json!({"type": "null"}));
    root["anyOf"] = json!([{"type": "object"}]);
    assert_eq!(strict_form(&root), None);
    for property in [
        json!(true),
        json!({}),
        json!({"description": "Anything."}),
        json!({"type": "array"}),
        json!({"type": "string", "minLength": 1}),
        json!({"type": "string", "format": "uri"}),
        json!({"type": "string", "minimum": 1}),
        json!({"enum": []}),
        json!({"enum": [{"a": 1}]}),
        json!({"type": "string", "enum": [1]}),
        json!({"anyOf": []}),
        json!({"type": "string", "anyOf": [{"type": "string"}]}),
        json!({"oneOf": [{"type": "string"}]}),
        json!({"allOf": [{"type": "string"}]}),
        json!({"not": {"type": "string"}}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"$ref": "#", "description": "The same again."}),
        json!({"type": "object", "properties": {}, "additionalProperties": false, "patternProperties": {}}),
    ] {
        assert_eq!(strict_form(&object_with(&property)), None, "{property}");
    }
}

#[test]
fn strict_form_drops_defaults_and_names_the_types_of_values() {
    let schema =
        object_with(&json!({"type": "string", "default": "x", "examples": ["y"], "description": "Text."}));
    assert_eq!(strict_form(&schema), Some(object_with(&json!({"type": "string", "description": "Text."}))));
    let schema = object_with(&json!({"enum": ["a", null]}));
    assert_eq!(
        strict_form(&schema),
        Some(object_with(&json!({"type": ["string", "null"], "enum": ["a", null]})))
    );
    let schema = object_with(&json!({"type": "string", "enum": ["a", 1]}));
    assert_eq!(strict_form(&schema), Some(object_with(&json!({"type": "string", "enum": ["a"]}))));
    let schema = object_with(&json!({"const": 7}));
    assert_eq!(strict_form(&schema), Some(object_with(&json!({"type": "integer", "const": 7}))));
}

#[test]
fn strict_form_keeps_definitions_and_recursion() {
    let mut schema = object_with(&json!({"anyOf": [{"type": "null"}, {"$ref": "#"}, {"$ref": "#/$defs/b"}]}));
    schema["$defs"] = json!({"b": {"type": "string"}});
    assert_eq!(strict_form(&schema), Some(schema.clone()));
    schema["$defs"] = json!({"b": {"type": "object"}});
    assert_eq!(strict_form(&schema), None);
}

#[test]
fn strict_form_keeps_within_the_limits_of_strict_mode() {
    let nested =
        |depth: usize| (1..depth).fold(object_with(&json!({"type": "null"})), |inner, _| object_with(&inner));
    assert!(strict_form(&nested(10)).is_some());
    assert_eq!(strict_form(&nested(11)), None);
    let values =
        |count: usize| object_with(&json!({"type": "integer", "enum": (0..count).collect::<Vec<_>>()}));
    assert!(strict_form(&values(1_000)).is_some());
    assert_eq!(strict_form(&values(1_001)), None);
}
