use super::*;

#[test]
fn object_schema_has_a_typed_root_without_combinations() {
    let typed = json!({"type": "object", "properties": {"a": true}});
    assert_eq!(object_schema(&typed).as_deref(), Some(&typed));
    let untyped = json!({"properties": {"a": true}});
    assert_eq!(object_schema(&untyped).as_deref(), Some(&typed));
    for other in [
        json!(true),
        json!({}),
        json!({"type": "array"}),
        json!({"type": ["object", "null"]}),
        json!({"anyOf": [typed]}),
        json!({"type": "object", "anyOf": [typed]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": typed}}),
    ] {
        assert_eq!(object_schema(&other), None, "{other}");
    }
}
