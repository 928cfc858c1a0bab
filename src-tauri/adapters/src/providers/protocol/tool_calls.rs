//! Tools and their calls, as several protocols write them. Arguments that cannot be read exactly as JSON stay text in both
//! directions. No schema accepts text in place of an object, so the model gets an error and can correct the call.

use plait_core::exact_json;
use plait_llm::context::ToolCall;
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// A tool's definition in the format of chat completions, which other protocols share.
pub(in crate::providers) fn function(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}

pub(in crate::providers) fn arguments_text(call: &ToolCall) -> String {
    match &call.arguments {
        Value::String(text) => text.clone(),
        parsed => parsed.to_string(),
    }
}

/// The arguments of a call for protocols that accept only an object. Other values, which the model sent against its
/// schema, are wrapped in an object under `key`.
pub(in crate::providers) fn arguments_object(call: &ToolCall, key: &str) -> Value {
    match &call.arguments {
        object @ Value::Object(_) => object.clone(),
        other => json!({ key: other }),
    }
}

/// Parses arguments; an empty text is an empty object.
pub(in crate::providers) fn parse_arguments(text: &str) -> Value {
    match text.trim() {
        "" => Value::Object(Map::new()),
        trimmed => exact_json::parse(trimmed).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// A received call. Without an id, it gets one from its `number` in the reply. Some servers write null for no arguments.
pub(in crate::providers) fn received_call(
    number: usize,
    id: String,
    name: String,
    arguments: Value,
) -> ToolCall {
    let id = if id.is_empty() { format!("call_{number}") } else { id };
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    ToolCall { id, name, arguments }
}
