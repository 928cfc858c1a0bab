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
mod tests;
