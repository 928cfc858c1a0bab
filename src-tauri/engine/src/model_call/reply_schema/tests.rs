use super::*;

#[test]
fn objects_are_asked_for_as_they_are() {
    let wanted = json!({ "type": "object", "required": ["n"] });
    let schema = Schema::new(&wanted);
    assert_eq!(schema.asked(), &wanted);
    assert_eq!(schema.read("```json\n{\"n\": 1}\n```"), Ok(json!({ "n": 1 })));
    assert!(schema.read("{}").unwrap_err().contains("\"n\""));
    assert!(schema.read("n").unwrap_err().starts_with("it is not JSON"));
}

#[test]
fn anything_else_is_asked_for_inside_of_one() {
    let wanted = json!({ "type": "array", "items": { "type": "integer" } });
    let schema = Schema::new(&wanted);
    assert_eq!(schema.asked()["properties"]["value"], wanted);
    assert_eq!(schema.read("{\"value\": [1, 2]}"), Ok(json!([1, 2])));
    assert_eq!(schema.read("[1, 2]"), Ok(json!([1, 2])), "a model that leaves the object away is understood");
    assert!(schema.read("{\"value\": [\"x\"]}").is_err());
    let referring = json!({ "type": "array", "items": { "$ref": "#/$defs/n" }, "$defs": { "n": {} } });
    assert_eq!(Schema::new(&referring).asked(), &referring);
}
