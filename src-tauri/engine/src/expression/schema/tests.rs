use super::*;

fn code(schema: &Value, answer: &Value) -> String {
    check_answer(schema, answer).map_or_else(|fault| fault.code.to_string(), |()| "ok".to_owned())
}

#[test]
fn answers_that_differ_from_the_schema_name_the_place() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 3 } }, "required": ["n"] });
    assert_eq!(code(&schema, &json!({ "n": 3 })), "ok");
    let fault = check_answer(&schema, &json!({ "n": 4 })).unwrap_err();
    assert_eq!(fault.code, "answer.invalid");
    assert!(fault.message.contains("(at /n)"), "{}", fault.message);
    assert_eq!(code(&schema, &json!([])), "answer.invalid");
    assert_eq!(code(&json!({ "type": "strange" }), &json!(1)), "answer.schema");
}

#[test]
fn a_schema_fetches_nothing() {
    for reference in ["http://127.0.0.1:9/schema.json", "file:///etc/passwd", "other.json"] {
        assert!(check_schema(&json!({ "$ref": reference })).is_some(), "{reference}");
    }
    assert_eq!(check_schema(&json!({ "$ref": "#/$defs/n", "$defs": { "n": { "type": "integer" } } })), None);
    assert!(check_schema(&json!("string")).is_some());
}

#[test]
fn schemas_that_refer_to_themselves_do_not_end_the_process() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "properties": { "a": { "$ref": "#" } } }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "pattern": "^(a+)+$" }),
    ] {
        // Whatever it comes to, it comes to something.
        check_schema(&schema);
        code(&schema, &json!({ "a": { "a": 1 } }));
        code(&schema, &json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"));
    }
}
