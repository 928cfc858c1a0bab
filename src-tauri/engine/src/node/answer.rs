//! Values that must follow a JSON Schema: a person's answer to a pause, a model's structured reply.
//!
//! Nothing is fetched: a schema that refers to another document is refused.

use serde_json::{Value, json};

use crate::error::Fault;

/// Whether `answer` follows the schema of the pause it answers; else a fault `answer.invalid` that says where it does not.
pub fn check_answer(schema: &Value, answer: &Value) -> Result<(), Fault> {
    let wrong = violations(schema, answer).map_err(|message| Fault::new("answer.schema", message))?;
    if wrong.is_empty() {
        return Ok(());
    }
    let message = format!("This answer is not what was asked for: {}.", wrong.join("; "));
    Err(Fault::new("answer.invalid", message)
        .hint("Answer again with a value that follows the schema of the question.")
        .details(json!({ "schema": schema })))
}

/// What is wrong with a schema itself, if anything.
pub fn check_schema(schema: &Value) -> Option<String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Some("A JSON Schema is an object, for example `{\"type\": \"string\"}`.".to_owned());
    }
    jsonschema::validator_for(schema).err().map(|error| format!("This is not a JSON Schema: {error}."))
}

/// At most this many violations are told.
const TOLD: usize = 3;

/// Where `value` does not follow `schema`, in words; an error if that is no schema.
pub(crate) fn violations(schema: &Value, value: &Value) -> Result<Vec<String>, String> {
    let validator =
        jsonschema::validator_for(schema).map_err(|error| format!("This is not a JSON Schema: {error}."))?;
    let told = validator.iter_errors(value).take(TOLD).map(|error| {
        let place = error.instance_path().to_string();
        if place.is_empty() { error.to_string() } else { format!("{error} (at {place})") }
    });
    Ok(told.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(schema: &Value, answer: &Value) -> String {
        check_answer(schema, answer).map_or_else(|fault| fault.code, |()| "ok".to_owned())
    }

    #[test]
    fn answers_are_held_to_their_schema_and_told_where_they_differ() {
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
        assert_eq!(
            check_schema(&json!({ "$ref": "#/$defs/n", "$defs": { "n": { "type": "integer" } } })),
            None
        );
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
}
