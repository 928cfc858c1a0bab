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
    let referring = json!({ "type": "array", "items": { "$ref": "#/$defs/n" }, "$defs": { "n": {} } });
    assert_eq!(ReplySchema::new(&referring).requested(), &referring);
}
