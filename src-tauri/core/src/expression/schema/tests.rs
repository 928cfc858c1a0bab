use super::*;

fn code(schema: &Value, answer: &Value) -> String {
    check_answer(schema, answer).map_or_else(|fault| fault.code.to_string(), |()| "ok".to_owned())
}

#[test]
fn invalid_answer_names_the_path() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 3 } }, "required": ["n"] });
    assert_eq!(code(&schema, &json!({ "n": 3 })), "ok");
    let fault = check_answer(&schema, &json!({ "n": 4 })).unwrap_err();
    assert_eq!(fault.code, "answer.invalid");
    assert!(fault.message.contains("(at /n)"), "{}", fault.message);
    assert_eq!(code(&schema, &json!([])), "answer.invalid");
    assert_eq!(code(&json!({ "type": "strange" }), &json!(1)), "answer.schema");
}

#[test]
fn external_references_are_refused() {
    for reference in ["http://127.0.0.1:9/schema.json", "file:///etc/passwd", "other.json"] {
        assert!(check_schema(&json!({ "$ref": reference })).is_some(), "{reference}");
    }
    assert_eq!(check_schema(&json!({ "$ref": "#/$defs/n", "$defs": { "n": { "type": "integer" } } })), None);
    assert!(check_schema(&json!("string")).is_some());
}

#[test]
fn recursive_schemas_do_not_overflow_the_stack() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "properties": { "a": { "$ref": "#" } } }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "pattern": "^(a+)+$" }),
    ] {
        // Any result is fine, as long as there is one.
        check_schema(&schema);
        code(&schema, &json!({ "a": { "a": 1 } }));
        code(&schema, &json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"));
    }
}

/// `levels` definitions. Each refers to the one before it twice.
fn doubling(levels: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    definitions.insert("0".to_owned(), json!({ "type": "integer" }));
    for level in 1..=levels {
        let below = json!({ "$ref": format!("#/$defs/{}", level - 1) });
        definitions.insert(level.to_string(), json!({ "allOf": [below, below] }));
    }
    json!({ "$defs": definitions, "$ref": format!("#/$defs/{levels}") })
}

#[test]
fn forty_doubling_levels_are_refused() {
    assert!(find_violations(&doubling(8), &json!(1)).unwrap().is_empty());
    let error = find_violations(&doubling(40), &json!(1)).unwrap_err();
    assert!(error.contains("too many steps"), "{error}");
    assert!(check_schema(&doubling(40)).is_some());
}

#[test]
fn doubling_at_each_level_of_the_value_is_refused() {
    let schema = json!({ "properties": { "a": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } } });
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert!(find_violations(&schema, &nested(5)).unwrap().is_empty());
    assert!(find_violations(&schema, &nested(60)).unwrap_err().contains("too many steps"));
}

#[test]
fn recursive_schemas_of_trees_are_accepted() {
    let tree = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } },
        "required": ["name"],
    });
    let leaf = || json!({ "name": "leaf" });
    let level = |items: Vec<Value>| json!({ "name": "node", "children": items });
    let value = level((0..20).map(|_| level((0..20).map(|_| leaf()).collect())).collect());
    assert!(find_violations(&tree, &value).unwrap().is_empty());
    assert_eq!(find_violations(&tree, &level(vec![json!({ "name": 1 })])).unwrap().len(), 1);
}

#[test]
fn references_in_a_circle_are_refused() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "$anchor": "here", "not": { "$ref": "#here" } }),
    ] {
        assert!(check_schema(&schema).unwrap().contains("without end"), "{schema}");
    }
}

#[test]
fn patterns_are_bounded_in_number_size_and_steps() {
    let many: serde_json::Map<_, _> =
        (0..5_000).map(|n| (format!("p{n}"), json!({ "pattern": format!("^x{{{n}}}y") }))).collect();
    assert!(check_schema(&json!({ "properties": many })).unwrap().contains("5000 patterns"));
    assert!(check_schema(&json!({ "pattern": "((a{100}){100}){100}" })).is_some());
    let backtracking = json!({ "pattern": "^(?=(a+)+$)b" });
    assert_eq!(check_schema(&backtracking), None);
    assert_eq!(find_violations(&backtracking, &json!("a".repeat(200) + "!")).unwrap().len(), 1);
    assert_eq!(find_violations(&json!({ "pattern": "^\\S+$" }), &json!("word")).unwrap().len(), 0);
}

#[test]
fn large_values_of_plain_schemas_are_accepted() {
    let schema = json!({ "type": "array", "items": { "type": "object", "properties": { "n": { "type": "integer" } } } });
    let value = Value::Array((0..20_000).map(|n| json!({ "n": n })).collect());
    assert!(find_violations(&schema, &value).unwrap().is_empty());
}
