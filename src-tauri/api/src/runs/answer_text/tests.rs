use super::*;
use serde_json::json;

#[test]
fn answer_is_parsed_by_the_type_of_the_schema() {
    assert_eq!(parse_answer(&json!({"type": "string"}), "true"), json!("true"));
    assert_eq!(parse_answer(&json!({"type": "boolean"}), " Yes "), json!(true));
    assert_eq!(parse_answer(&json!({"type": "number"}), "4.5"), json!(4.5));
    assert_eq!(parse_answer(&json!({"enum": ["a", "b"]}), "b\n"), json!("b"));
    assert_eq!(parse_answer(&json!({"type": "object"}), "{\"a\": 1}"), json!({"a": 1}));
    assert_eq!(parse_answer(&json!({"type": "number"}), "four"), json!("four"));
}

#[test]
fn decision_is_parsed_as_yes_or_no_with_a_comment() {
    let schema = json!({
        "type": "object",
        "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } },
        "required": ["approved"],
        "additionalProperties": false,
    });
    assert_eq!(parse_answer(&schema, "yes"), json!({"approved": true}));
    assert_eq!(parse_answer(&schema, "no, too long"), json!({"approved": false, "comment": "too long"}));
    assert_eq!(parse_answer(&schema, "{\"approved\": true}"), json!({"approved": true}));
    assert_eq!(parse_answer(&schema, "perhaps"), json!("perhaps"));
    assert_eq!(answer_choices(&schema).unwrap(), ["yes", "no", "no, COMMENT"]);
}

/// The schema of the answer to a question of a tool.
fn question(content: &Value) -> Value {
    json!({
        "type": "object",
        "properties": { "accept": { "type": "boolean" }, "content": content },
        "required": ["accept"],
        "additionalProperties": false,
        "if": { "properties": { "accept": { "const": true } } },
        "then": { "required": ["content"] },
    })
}

#[test]
fn question_of_a_tool_takes_its_content_or_its_only_field() {
    let name = json!({ "name": { "type": "string" } });
    let one = question(&json!({ "type": "object", "properties": name, "required": ["name"] }));
    let ada = json!({ "accept": true, "content": { "name": "Ada" } });
    assert_eq!(parse_answer(&one, "Ada"), ada);
    assert_eq!(parse_answer(&one, "{\"name\": \"Ada\"}"), ada);
    assert_eq!(parse_answer(&one, &ada.to_string()), ada);
    assert_eq!(parse_answer(&one, "no"), json!({ "accept": false }));
    assert_eq!(answer_choices(&one).unwrap(), ["NAME", "no"]);

    let fields = json!({ "age": { "type": "integer" }, "name": { "type": "string" } });
    let two = question(&json!({ "type": "object", "properties": fields, "required": ["age"] }));
    assert_eq!(parse_answer(&two, "{\"age\": 36}"), json!({ "accept": true, "content": { "age": 36 } }));
    assert_eq!(parse_answer(&two, "Ada"), json!("Ada"), "which field is not said");
    assert_eq!(answer_choices(&two).unwrap(), ["{\"age\": …, \"name\": …}", "no"]);

    let nothing = question(&json!({ "type": "object", "properties": {} }));
    assert_eq!(parse_answer(&nothing, "yes"), json!({ "accept": true, "content": {} }));
    let plain = question(&json!({ "type": "string" }));
    assert_eq!(parse_answer(&plain, "Ada"), json!({ "accept": true, "content": "Ada" }));
}

#[test]
fn request_for_a_reply_takes_yes_or_no() {
    let schema = json!({
        "type": "object",
        "properties": { "accept": { "type": "boolean" } },
        "required": ["accept"],
        "additionalProperties": false,
    });
    assert_eq!(parse_answer(&schema, "yes"), json!({ "accept": true }));
    assert_eq!(parse_answer(&schema, "no"), json!({ "accept": false }));
    assert_eq!(answer_choices(&schema).unwrap(), ["yes", "no"]);
}

#[test]
fn decision_about_a_tool_call_is_exact() {
    let schema = json!({
        "type": "object",
        "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } },
        "required": ["approved"],
        "additionalProperties": false,
    });
    for (text, approved) in
        [("yes", true), (" Y\n", true), ("TRUE", true), ("no", false), ("N", false), ("False", false)]
    {
        assert_eq!(parse_decision(&schema, text, false), Some(json!({"approved": approved})), "{text}");
    }
    assert_eq!(parse_decision(&schema, "{\"approved\": true}", false), Some(json!({"approved": true})));
    for text in [
        "Yes, but do not send anything",
        "yes: later",
        "ok",
        "ok, tell me",
        "true story: once",
        "y tu?",
        "yes.",
        "",
        "1",
        "\"yes\"",
        "{\"approved\": \"yes\"}",
        "{\"approved\": true, \"more\": 1}",
        "no way",
        "no problem, do it",
    ] {
        assert_eq!(parse_decision(&schema, text, true), None, "{text}");
    }
    let refused = json!({"approved": false, "comment": "too long"});
    assert_eq!(parse_decision(&schema, "No, too long", true), Some(refused));
    assert_eq!(parse_decision(&schema, "No, too long", false), None);
    // What a tool asks for itself may be refused by a word, and accepted only with what it asks for.
    let schema = json!({
        "type": "object",
        "properties": { "accept": { "type": "boolean" }, "content": { "type": "object" } },
        "required": ["accept"],
        "if": { "properties": { "accept": { "const": true } } },
        "then": { "required": ["content"] },
    });
    assert_eq!(parse_decision(&schema, "no", false), Some(json!({"accept": false})));
    let accepted = json!({"accept": true, "content": {"name": "Ada"}});
    assert_eq!(parse_decision(&schema, &accepted.to_string(), false), Some(accepted));
    let content = |content: Value| {
        let mut schema = schema.clone();
        schema["properties"]["content"] = content;
        schema
    };
    let named = content(json!({
        "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
    }));
    let accepted = json!({"accept": true, "content": {"name": "Ada"}});
    assert_eq!(parse_decision(&named, "{\"name\": \"Ada\"}", false), Some(accepted));
    for text in ["yes", "Ada", "{\"name\": 5}", "Yes, but do not send anything"] {
        assert_eq!(parse_decision(&named, text, false), None, "{text}");
    }
    let confirmed = content(json!({
        "type": "object", "properties": { "sure": { "type": "boolean" } }, "required": ["sure"],
    }));
    let accepted = json!({"accept": true, "content": {"sure": true}});
    assert_eq!(parse_decision(&confirmed, "Yes", false), Some(accepted));
    assert_eq!(parse_decision(&confirmed, "no", false), Some(json!({"accept": false})));
}

#[test]
fn schema_references_are_not_resolved() {
    // Remote and file references are not followed, so the schema accepts nothing and the text stays text.
    let schema = json!({"$ref": "http://127.0.0.1:9/schema.json"});
    assert_eq!(parse_answer(&schema, "7"), json!("7"));
}

#[test]
fn schema_that_doubles_at_each_level_of_the_answer_is_not_validated() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } },
    });
    let nested = |depth| (0..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(parse_answer(&schema, &nested(3).to_string()), nested(3));
    // Validating this one would take 2⁶⁰ steps.
    let text = nested(60).to_string();
    assert_eq!(parse_answer(&schema, &text), json!(text));
}
