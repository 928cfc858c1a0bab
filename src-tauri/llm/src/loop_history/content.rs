//! What an output is as the content of a turn.

use serde_json::Value;

/// The content of a turn: a text as it is, anything else as compact JSON. Nothing for what says nothing: null, and blank text.
pub fn turn_content(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.trim().is_empty()).then(|| text.clone()),
        other => Some(other.to_string()),
    }
}
