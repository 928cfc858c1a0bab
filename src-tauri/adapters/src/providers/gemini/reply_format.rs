//! How a request asks a Gemini model for a reply that follows a schema.

use plait_llm::provider::{ModelRequest, SchemaForm};
use serde_json::Value;

use super::models::short_name;
use crate::providers::protocol::instructions::schema_instruction;

/// Prefixes of the models that accept either a reply schema or functions, not both.
const SCHEMA_OR_FUNCTIONS: [&str; 3] = ["gemini-1", "gemini-2", "gemma-"];

/// How the request asks for a reply that follows its schema: as a format, or as an instruction for models that do not
/// accept a format together with functions, and for a schema that is no object (`true`). The engine validates the reply either way.
pub(in crate::providers) fn reply_format(request: &ModelRequest) -> (Option<Value>, Option<String>) {
    let Some(schema) = &request.response_schema else { return (None, None) };
    let accepts_both = !SCHEMA_OR_FUNCTIONS.iter().any(|name| short_name(&request.model).starts_with(name));
    if schema.is_object() && (request.tools.is_empty() || accepts_both) {
        return (Some(without_dialect(schema)), None);
    }
    (None, Some(schema_instruction(schema)))
}

/// Keywords that the API ignores (<https://ai.google.dev/gemini-api/docs/structured-output>).
const IGNORED: [&str; 8] = [
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
];

/// What [`reply_format`] comes to.
pub(in crate::providers) fn schema_form(request: &ModelRequest) -> Option<SchemaForm> {
    let schema = request.response_schema.as_ref()?;
    Some(match reply_format(request) {
        (_, Some(_)) => SchemaForm::Words,
        _ if has_ignored(schema) => SchemaForm::Narrowed,
        _ => SchemaForm::Enforced,
    })
}

fn has_ignored(schema: &Value) -> bool {
    let is_ignored = |(key, value): (&String, &Value)| match key.as_str() {
        // Names, not keywords.
        "properties" | "$defs" | "definitions" => {
            value.as_object().is_some_and(|named| named.values().any(has_ignored))
        }
        // Values, not schemas.
        "const" | "default" | "enum" | "examples" => false,
        key => IGNORED.contains(&key) || has_ignored(value),
    };
    match schema {
        Value::Object(keywords) => keywords.iter().any(is_ignored),
        Value::Array(schemas) => schemas.iter().any(has_ignored),
        _ => false,
    }
}

/// A schema without its `$schema` key, which this protocol rejects.
pub(in crate::providers) fn without_dialect(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
    }
    schema
}
