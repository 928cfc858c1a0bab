//! Tool calls whose arguments travel as text. Owns what becomes of arguments that are no JSON: they stay that text, both
//! ways. No schema takes text for an object, so the model is told and can mend it.

use plait_engine::context::ToolCall;
use serde_json::{Map, Value};

/// The arguments of a call as text.
pub(super) fn arguments_text(call: &ToolCall) -> String {
    match &call.arguments {
        Value::String(text) => text.clone(),
        parsed => parsed.to_string(),
    }
}

/// The arguments a text holds; none at all are an empty object.
pub(super) fn arguments(text: &str) -> Value {
    match text.trim() {
        "" => Value::Object(Map::new()),
        trimmed => serde_json::from_str(trimmed).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// A call as it came; the `number` makes an id where it came without.
pub(super) fn whole_call(number: usize, id: String, name: String, arguments: Value) -> ToolCall {
    let id = if id.is_empty() { format!("call_{number}") } else { id };
    ToolCall { id, name, arguments }
}
