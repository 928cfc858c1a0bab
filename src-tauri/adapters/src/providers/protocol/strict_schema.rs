//! Which JSON Schemas OpenAI's strict mode accepts.

use serde_json::{Map, Value, json};

/// Whether strict mode accepts a schema: every object is closed, and all of its properties are required. Strict mode
/// rejects a request with any other schema.
pub(in crate::providers) fn is_strict(schema: &Value) -> bool {
    let is_closed = |object: &Map<String, Value>| {
        let Some(properties) = object.get("properties").and_then(Value::as_object) else {
            return object.get("type") != Some(&json!("object"));
        };
        let required = object.get("required").and_then(Value::as_array);
        object.get("additionalProperties") == Some(&Value::Bool(false))
            && required.is_some_and(|required| properties.keys().all(|name| required.contains(&json!(name))))
    };
    match schema {
        Value::Object(object) => is_closed(object) && object.values().all(is_strict),
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
