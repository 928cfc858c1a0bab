use super::*;

#[test]
fn is_strict_requires_closed_objects_with_all_properties_required() {
    let closed = json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "string"}}});
    let mut open = closed.clone();
    open["additionalProperties"] = json!(true);
    let mut optional = closed.clone();
    optional["required"] = json!([]);
    assert!(is_strict(&closed));
    assert!(is_strict(&json!({"type": "array", "items": closed})));
    for schema in [json!({"type": "object"}), open.clone(), optional, json!({"type": "array", "items": open})]
    {
        assert!(!is_strict(&schema), "{schema}");
    }
}
