//! Conditions: the operators of If, Filter and Switch, their options, and the outputs that items take.

use serde_json::{Value, json};

use super::{Case, item, ways};

/// A condition of version 2: left, type, operation, right.
fn typed(left: &str, kind: &str, operation: &str, right: &Value, options: &Value) -> Value {
    let condition = json!({ "leftValue": format!("={{{{ $json.{left} }}}}"), "rightValue": right, "operator": { "type": kind, "operation": operation } });
    json!({ "conditions": { "options": options, "conditions": [condition], "combinator": "and" } })
}

#[tokio::test]
async fn n8n_operators_with_types_hold_as_in_n8n() {
    let strict = json!({ "caseSensitive": true, "typeValidation": "strict", "version": 2 });
    let folded = json!({ "caseSensitive": false, "typeValidation": "strict", "version": 2 });
    let loose = json!({ "caseSensitive": true, "typeValidation": "loose", "version": 2 });
    let loose_old = json!({ "caseSensitive": true, "typeValidation": "loose", "version": 1 });
    let newest = json!({ "caseSensitive": true, "typeValidation": "loose", "version": 3 });
    let none = json!("");
    let table: Vec<(&str, &str, &str, Value, &Value, bool)> = vec![
        ("s", "string", "exists", none.clone(), &strict, true),
        ("null", "string", "exists", none.clone(), &strict, false),
        ("missing", "string", "notExists", none.clone(), &strict, true),
        ("blank", "string", "empty", none.clone(), &strict, true),
        ("missing", "string", "empty", none.clone(), &strict, true),
        ("missing", "string", "notEmpty", none.clone(), &strict, false),
        ("s", "string", "equals", json!("Hello"), &strict, true),
        ("s", "string", "equals", json!("hello"), &strict, false),
        ("s", "string", "equals", json!("hello"), &folded, true),
        ("missing", "string", "equals", json!("x"), &strict, false),
        ("missing", "string", "equals", json!(""), &strict, true),
        ("s", "string", "notEquals", json!("hello"), &strict, true),
        ("s", "string", "contains", json!("ell"), &strict, true),
        ("s", "string", "contains", json!("ELL"), &folded, true),
        ("s", "string", "notContains", json!("ell"), &strict, false),
        ("s", "string", "startsWith", json!("He"), &strict, true),
        ("s", "string", "notStartsWith", json!("He"), &strict, false),
        ("s", "string", "endsWith", json!("lo"), &strict, true),
        ("s", "string", "notEndsWith", json!("x"), &strict, true),
        ("s", "string", "regex", json!("^h"), &strict, false),
        ("s", "string", "regex", json!("/^h/i"), &strict, true),
        ("s", "string", "regex", json!("^h"), &folded, true),
        ("s", "string", "notRegex", json!("^H"), &strict, false),
        ("n", "string", "equals", json!("7"), &loose, true),
        ("n", "number", "equals", json!(7), &strict, true),
        ("n", "number", "notEquals", json!(7), &strict, false),
        ("n", "number", "gt", json!(6), &strict, true),
        ("n", "number", "gt", json!(7), &strict, false),
        ("n", "number", "gte", json!(7), &strict, true),
        ("n", "number", "lt", json!(7), &strict, false),
        ("n", "number", "lte", json!(7), &strict, true),
        ("zero", "number", "empty", none.clone(), &strict, false),
        ("missing", "number", "notEmpty", none.clone(), &strict, false),
        ("text7", "number", "gt", json!("3"), &loose, true),
        ("blank", "number", "equals", json!(0), &loose, true),
        ("blank", "number", "empty", none.clone(), &newest, true),
        ("d", "dateTime", "after", json!("2024-01-01T20:00:00Z"), &strict, false),
        ("d", "dateTime", "before", json!("2024-01-01T20:00:00Z"), &strict, true),
        ("d", "dateTime", "equals", json!("2024-01-01T15:00:00Z"), &strict, true),
        ("d", "dateTime", "notEquals", json!("2024-01-01T15:00:00Z"), &strict, false),
        ("day", "dateTime", "afterOrEquals", json!("2024-05-02"), &strict, true),
        ("day", "dateTime", "beforeOrEquals", json!("2024-05-01"), &strict, false),
        ("missing", "dateTime", "after", json!("2024-05-01"), &strict, false),
        ("yes", "boolean", "true", none.clone(), &strict, true),
        ("no", "boolean", "false", none.clone(), &strict, true),
        ("missing", "boolean", "false", none.clone(), &strict, true),
        ("yes", "boolean", "equals", json!(true), &strict, true),
        ("yes", "boolean", "notEquals", json!(true), &strict, false),
        ("missing", "boolean", "empty", none.clone(), &strict, true),
        ("s", "boolean", "true", none.clone(), &loose, true),
        ("text7", "boolean", "true", none.clone(), &loose_old, true),
        ("list", "array", "contains", json!("x"), &strict, true),
        ("list", "array", "contains", json!("y"), &strict, false),
        ("list", "array", "contains", json!("y"), &folded, true),
        ("list", "array", "notContains", json!("z"), &strict, true),
        ("list", "array", "lengthEquals", json!(3), &strict, true),
        ("list", "array", "lengthNotEquals", json!(3), &strict, false),
        ("list", "array", "lengthGt", json!(2), &strict, true),
        ("list", "array", "lengthGte", json!(3), &strict, true),
        ("list", "array", "lengthLt", json!(3), &strict, false),
        ("list", "array", "lengthLte", json!(3), &strict, true),
        ("none", "array", "empty", none.clone(), &strict, true),
        ("list", "array", "notEmpty", none.clone(), &strict, true),
        ("e", "object", "empty", none.clone(), &strict, true),
        ("o", "object", "notEmpty", none.clone(), &strict, true),
        ("null", "object", "exists", none.clone(), &strict, false),
        ("s", "string", "noSuchOperation", json!("x"), &strict, false),
    ];
    let cases: Vec<Case<'_>> = table
        .iter()
        .map(|(left, kind, operation, right, options, _)| {
            ("if", 2.2, typed(left, kind, operation, right, options))
        })
        .collect();
    let found = ways(&item(), &cases).await;
    for (row, found) in table.iter().zip(found) {
        assert_eq!(found, [usize::from(!row.5)], "{row:?}");
    }
}

#[tokio::test]
async fn n8n_options_of_conditions_have_the_defaults_of_their_version() {
    let condition = |left: &str, kind: &str, operation: &str, right: Value| json!({ "leftValue": format!("={{{{ {left} }}}}"), "rightValue": right, "operator": { "type": kind, "operation": operation } });
    let hello = || condition("$json.s", "string", "equals", json!("hello"));
    let big = || condition("$json.n", "number", "gt", json!(100));
    let table: Vec<(Case<'_>, Vec<usize>)> = vec![
        (("if", 2.0, json!({ "conditions": { "conditions": [hello()] } })), vec![1]),
        (
            (
                "if",
                2.0,
                json!({ "conditions": { "conditions": [hello()] }, "options": { "ignoreCase": true } }),
            ),
            vec![0],
        ),
        (
            (
                "if",
                2.2,
                json!({ "conditions": { "conditions": [hello(), big()], "combinator": "or" }, "options": { "ignoreCase": true } }),
            ),
            vec![0],
        ),
        (
            (
                "if",
                2.2,
                json!({ "conditions": { "conditions": [hello(), big()] }, "options": { "ignoreCase": true } }),
            ),
            vec![1],
        ),
        (
            (
                "if",
                2.1,
                json!({ "conditions": { "conditions": [condition("$json.text7", "number", "equals", json!(7))] }, "looseTypeValidation": true }),
            ),
            vec![0],
        ),
        (
            (
                "filter",
                2.2,
                json!({ "conditions": { "conditions": [condition("$json.n", "number", "equals", json!(7))] } }),
            ),
            vec![0],
        ),
        (("filter", 2.2, json!({ "conditions": { "conditions": [big()] } })), vec![]),
        (
            (
                "filter",
                1.0,
                json!({ "conditions": { "number": [{ "value1": "={{ $json.n }}", "operation": "larger", "value2": 100 }, { "value1": "={{ $json.n }}", "operation": "equal", "value2": 7 }] }, "combineConditions": "OR" }),
            ),
            vec![0],
        ),
        // An expression that is more than a field.
        (
            (
                "if",
                2.2,
                json!({ "conditions": { "conditions": [condition("$json.list.length + $('Make').item.json.n", "number", "equals", json!("={{ 5 * 2 }}"))] } }),
            ),
            vec![0],
        ),
    ];
    let cases: Vec<Case<'_>> = table.iter().map(|(case, _)| case.clone()).collect();
    let found = ways(&item(), &cases).await;
    for ((case, expected), found) in table.iter().zip(found) {
        assert_eq!(&found, expected, "{case:?}");
    }
}

#[tokio::test]
async fn n8n_first_conditions_hold_with_the_defaults_that_exports_leave_out() {
    let one = |kind: &str, entry: Value| json!({ "conditions": { kind: [entry] } });
    let value = |name: &str| format!("={{{{ $json.{name} }}}}");
    let table: Vec<(Value, bool)> = vec![
        (one("number", json!({ "value1": -1 })), true),
        (one("number", json!({ "value1": value("n") })), false),
        (one("number", json!({ "value1": value("n"), "operation": "smallerEqual", "value2": 7 })), true),
        (one("number", json!({ "value1": value("n"), "operation": "equal", "value2": 7 })), true),
        (one("number", json!({ "value1": value("n"), "operation": "notEqual", "value2": 7 })), false),
        (one("number", json!({ "value1": value("n"), "operation": "larger" })), true),
        (one("number", json!({ "value1": value("n"), "operation": "largerEqual", "value2": 7 })), true),
        (one("number", json!({ "value1": value("missing"), "operation": "isEmpty" })), true),
        (one("number", json!({ "value1": value("zero"), "operation": "isNotEmpty" })), true),
        (one("string", json!({ "value1": value("blank") })), true),
        (one("string", json!({ "value1": value("s"), "value2": "Hello" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "notEqual", "value2": "hello" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "contains", "value2": "ell" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "notContains", "value2": "ell" })), false),
        (one("string", json!({ "value1": value("s"), "operation": "startsWith", "value2": "He" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "notStartsWith", "value2": "He" })), false),
        (one("string", json!({ "value1": value("s"), "operation": "endsWith", "value2": "lo" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "notEndsWith", "value2": "x" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "regex", "value2": "/^h/i" })), true),
        (one("string", json!({ "value1": value("s"), "operation": "notRegex", "value2": "^h" })), true),
        (one("string", json!({ "value1": value("e"), "operation": "isEmpty" })), true),
        (one("boolean", json!({ "value1": value("no") })), true),
        (one("boolean", json!({ "value1": value("yes"), "operation": "notEqual" })), true),
        (one("dateTime", json!({ "value1": value("day"), "value2": "2024-05-01T00:00:00.000Z" })), true),
        (
            one(
                "dateTime",
                json!({ "value1": value("day"), "operation": "before", "value2": "2024-05-01T00:00:00.000Z" }),
            ),
            false,
        ),
        (
            json!({ "conditions": { "number": [{ "value1": 1 }], "string": [{ "value1": "a", "value2": "a" }] }, "combineOperation": "any" }),
            true,
        ),
        (
            json!({ "conditions": { "number": [{ "value1": 1 }], "string": [{ "value1": "a", "value2": "a" }] } }),
            false,
        ),
        (json!({ "conditions": {} }), true),
    ];
    let cases: Vec<Case<'_>> = table.iter().map(|(parameters, _)| ("if", 1.0, parameters.clone())).collect();
    let found = ways(&item(), &cases).await;
    for ((parameters, expected), found) in table.iter().zip(found) {
        assert_eq!(found, [usize::from(!expected)], "{parameters}");
    }
}

#[tokio::test]
async fn n8n_switch_sends_items_to_the_outputs_of_its_version() {
    let rule = |left: &str, operation: &str, right: i32| json!({ "conditions": { "conditions": [{ "leftValue": format!("={{{{ $json.{left} }}}}"), "rightValue": right, "operator": { "type": "number", "operation": operation } }] } });
    let two = || json!([rule("n", "gt", 5), rule("n", "lt", 100)]);
    let table: Vec<(f64, Value, Vec<usize>)> = vec![
        (1.0, json!({ "value1": "={{ $json.n }}", "rules": { "rules": [{ "value2": 9 }] } }), vec![0]),
        (1.0, json!({ "value1": "={{ $json.n }}", "rules": { "rules": [{ "value2": 5 }] } }), vec![]),
        (
            1.0,
            json!({ "value1": "={{ $json.n }}", "rules": { "rules": [{ "value2": 5 }] }, "fallbackOutput": 3 }),
            vec![3],
        ),
        (
            1.0,
            json!({ "dataType": "string", "value1": "={{ $json.s }}", "rules": { "rules": [{ "value2": "a", "output": 1 }, { "value2": "Hello" }] } }),
            vec![0],
        ),
        (
            1.0,
            json!({ "dataType": "boolean", "value1": "={{ $json.no }}", "rules": { "rules": [{ "output": 2 }] } }),
            vec![2],
        ),
        (
            1.0,
            json!({ "dataType": "dateTime", "value1": "={{ $json.day }}", "rules": { "rules": [{ "value2": "2024-01-01", "output": 1 }] } }),
            vec![1],
        ),
        (
            1.0,
            json!({ "dataType": "dateTime", "value1": "={{ $json.day }}", "rules": { "rules": [{ "output": 2 }] } }),
            vec![2],
        ),
        (1.0, json!({ "mode": "expression", "output": "={{ $json.n - 5 }}" }), vec![2]),
        (
            2.0,
            json!({ "dataType": "string", "value1": "={{ $json.s }}", "rules": { "rules": [{ "value2": "a" }, { "value2": "Hello", "outputKey": "hi" }] } }),
            vec![1],
        ),
        (
            2.0,
            json!({ "dataType": "string", "value1": "={{ $json.s }}", "rules": { "rules": [{ "value2": "a" }] }, "fallbackOutput": 0 }),
            vec![0],
        ),
        (3.0, json!({ "rules": { "values": two() } }), vec![0]),
        (3.2, json!({ "rules": { "values": two() }, "options": { "allMatchingOutputs": true } }), vec![0, 1]),
        (3.0, json!({ "rules": { "values": [rule("n", "gt", 50)] } }), vec![]),
        (
            3.0,
            json!({ "rules": { "values": [rule("n", "gt", 50)] }, "options": { "fallbackOutput": "extra" } }),
            vec![1],
        ),
        (
            3.2,
            json!({ "rules": { "values": [rule("n", "gt", 50), rule("n", "gt", 60)] }, "options": { "fallbackOutput": 1, "allMatchingOutputs": true } }),
            vec![1],
        ),
        (3.0, json!({ "mode": "expression", "numberOutputs": 9, "output": "={{ $json.n }}" }), vec![7]),
    ];
    let cases: Vec<Case<'_>> =
        table.iter().map(|(version, parameters, _)| ("switch", *version, parameters.clone())).collect();
    let found = ways(&item(), &cases).await;
    for ((version, parameters, expected), found) in table.iter().zip(found) {
        assert_eq!(&found, expected, "{version} {parameters}");
    }
}
