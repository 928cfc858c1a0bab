//! Tools and their calls, as several protocols write them. Owns what becomes of arguments that are no JSON: they stay that
//! text, both ways. No schema takes text for an object, so the model is told and can mend it.

use plait_engine::context::ToolCall;
use plait_engine::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// A tool on offer, as chat completions have it and others after them.
pub(super) fn function(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}

/// The arguments of a call as text.
pub(super) fn arguments_text(call: &ToolCall) -> String {
    match &call.arguments {
        Value::String(text) => text.clone(),
        parsed => parsed.to_string(),
    }
}

/// The arguments of a call where only an object can stand. Any others, which the model gave against the rules, go back
/// within one, as its `key`.
pub(super) fn arguments_object(call: &ToolCall, key: &str) -> Value {
    match &call.arguments {
        object @ Value::Object(_) => object.clone(),
        other => json!({ key: other }),
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
