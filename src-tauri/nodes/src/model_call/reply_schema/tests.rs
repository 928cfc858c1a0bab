use super::*;

#[test]
fn object_schema_is_sent_unchanged() {
    let wanted = json!({ "type": "object", "required": ["n"] });
    let schema = ReplySchema::new(&wanted);
    assert_eq!(schema.requested(), &wanted);
    assert_eq!(schema.parse_reply("```json\n{\"n\": 1}\n```"), Ok(json!({ "n": 1 })));
    assert!(schema.parse_reply("{}").unwrap_err().contains("\"n\""));
    assert!(schema.parse_reply("n").unwrap_err().starts_with("it is not JSON"));
}

#[test]
fn other_schema_is_wrapped_in_an_object() {
    let wanted = json!({ "type": "array", "items": { "type": "integer" } });
    let schema = ReplySchema::new(&wanted);
    assert_eq!(schema.requested()["properties"]["value"], wanted);
    assert_eq!(schema.parse_reply("{\"value\": [1, 2]}"), Ok(json!([1, 2])));
    assert_eq!(schema.parse_reply("[1, 2]"), Ok(json!([1, 2])), "a reply without the wrapper is accepted");
    assert!(schema.parse_reply("{\"value\": [\"x\"]}").is_err());
}

#[test]
fn schema_of_any_value_is_wrapped() {
    for wanted in [json!(true), json!({}), json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] })] {
        let schema = ReplySchema::new(&wanted);
        assert_eq!(schema.requested()["type"], "object", "{wanted}");
        assert!(schema.requested()["properties"]["value"].is_object(), "{wanted}");
        assert_eq!(schema.parse_reply("{\"value\": null}"), Ok(Value::Null), "{wanted}");
    }
    let untyped = json!({ "properties": { "a": true } });
    assert_eq!(ReplySchema::new(&untyped).requested(), &untyped);
}

#[test]
fn definitions_move_to_the_wrapper() {
    let referring =
        json!({ "type": "array", "items": { "$ref": "#/$defs/n" }, "$defs": { "n": { "type": "integer" } } });
    let schema = ReplySchema::new(&referring);
    assert_eq!(schema.requested()["$defs"]["n"]["type"], "integer");
    assert_eq!(
        schema.requested()["properties"]["value"],
        json!({ "type": "array", "items": { "$ref": "#/$defs/n" } })
    );
    assert_eq!(schema.parse_reply("{\"value\": [1]}"), Ok(json!([1])));
    // A reference to the root would lead to the wrapper.
    let own = json!({ "type": "array", "items": { "$ref": "#" } });
    assert_eq!(ReplySchema::new(&own).requested(), &own);
}

#[test]
fn fences_and_prose_around_json_are_left_out() {
    let wanted = json!({ "type": "object", "required": ["n"] });
    let schema = ReplySchema::new(&wanted);
    for reply in [
        "```JSON\n{\"n\": 1}\n```",
        "```\r\n{\"n\": 1}\r\n```",
        "```json{\"n\": 1}```",
        "Here it is:\n\n```Json\n{\"n\": 1}\n```\n\nAnything else?",
        "The answer is {\"n\": 1}. Anything else?",
        "{\"n\": 1}\n\nIt has one member.",
        "For example ```json\n{\"m\": 0}\n``` has no n, but\n```json\n{\"n\": 1}\n```",
    ] {
        assert_eq!(schema.parse_reply(reply), Ok(json!({ "n": 1 })), "{reply}");
    }
    let within = "{\"n\": \"```json\\n{}\\n```\"}";
    assert_eq!(
        schema.parse_reply(within),
        Ok(serde_json::from_str(within).unwrap()),
        "a fence in a text is part of it"
    );
}

#[test]
fn several_answers_in_a_reply_are_refused() {
    let wanted = json!({ "type": "object", "required": ["n"] });
    let twice = "```json\n{\"n\": 1}\n```\nor\n```json\n{\"n\": 2}\n```";
    assert_eq!(
        ReplySchema::new(&wanted).parse_reply(twice).unwrap_err(),
        "it holds 2 different values that follow the schema"
    );
}
