//! How a request asks a Gemini model for a reply that follows a schema.

use plait_engine::provider::ModelRequest;
use serde_json::Value;

use super::models::short_name;
use crate::providers::protocol::instructions::schema_instruction;

/// Prefixes of the models that accept either a reply schema or functions, not both.
const SCHEMA_OR_FUNCTIONS: [&str; 3] = ["gemini-1", "gemini-2", "gemma-"];

/// How the request asks for a reply that follows its schema: as a format, or as an instruction for models that do not
/// accept a format together with functions, and for a schema that is no object (`true`). The engine validates the reply either way.
pub(in crate::providers) fn reply_format(request: &ModelRequest) -> (Option<Value>, Option<String>) {
    let Some(schema) = &request.response_schema else { return (None, None) };
    let accepts_both =
        !SCHEMA_OR_FUNCTIONS.iter().any(|name| short_name(&request.model).starts_with(name));
    if schema.is_object() && (request.tools.is_empty() || accepts_both) {
        return (Some(without_dialect(schema)), None);
    }
    (None, Some(schema_instruction(schema)))
}

/// A schema without its `$schema` key, which this protocol rejects.
pub(in crate::providers) fn without_dialect(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
    }
    schema
}
