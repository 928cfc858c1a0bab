//! JSON Schemas of values that come from outside: a person's answer to a pause, a model's structured reply.
//!
//! Nothing is fetched: a schema that refers to another document is refused.

use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};

/// At most this many violations are reported.
const MAX_VIOLATIONS: usize = 3;

/// Checks an answer against the schema of its pause. The fault `answer.invalid` lists the violations.
pub fn check_answer(schema: &Value, answer: &Value) -> Result<(), Fault> {
    let violations =
        find_violations(schema, answer).map_err(|message| Fault::new(ErrorCode::AnswerSchema, message))?;
    if violations.is_empty() {
        return Ok(());
    }
    let message = format!("The answer does not match the schema: {}.", violations.join("; "));
    Err(Fault::new(ErrorCode::AnswerInvalid, message)
        .hint("Answer with a value that matches the schema of the question.")
        .details(json!({ "schema": schema })))
}

/// What is wrong with a schema itself, if anything.
pub fn check_schema(schema: &Value) -> Option<String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Some("A JSON Schema is an object, for example `{\"type\": \"string\"}`.".to_owned());
    }
    jsonschema::validator_for(schema).err().map(|error| format!("This is not a JSON Schema: {error}."))
}

/// Where `value` does not match `schema`, at most [`MAX_VIOLATIONS`] places. An error if `schema` is not a schema.
pub(crate) fn find_violations(schema: &Value, value: &Value) -> Result<Vec<String>, String> {
    let validator =
        jsonschema::validator_for(schema).map_err(|error| format!("This is not a JSON Schema: {error}."))?;
    let violations = validator.iter_errors(value).take(MAX_VIOLATIONS).map(|error| {
        let path = error.instance_path().to_string();
        if path.is_empty() { error.to_string() } else { format!("{error} (at {path})") }
    });
    Ok(violations.collect())
}

#[cfg(test)]
mod tests;
