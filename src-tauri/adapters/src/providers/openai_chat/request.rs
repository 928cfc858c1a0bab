//! Encodes a request: how this protocol writes messages, tools and limits.

use plait_engine::context::{Content, Message, Part, Role, ToolCall};
use plait_engine::error::Fault;
use plait_engine::provider::ModelRequest;
use serde_json::{Map, Value, json};

use crate::providers::http::options;
use crate::providers::protocol::strict_schema::is_strict;
use crate::providers::protocol::tool_calls::{arguments_text, function};

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 5] = ["model", "messages", "stream", "stream_options", "n"];

/// The body. `is_openai` is true for OpenAI's own API, whose newer models accept the token limit only under its newer
/// name, which other servers do not know. Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest, is_openai: bool) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(request.model));
    put("messages", messages(request));
    put("stream", json!(true));
    put("stream_options", json!({ "include_usage": true }));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function).collect());
    }
    if let Some(temperature) = request.temperature {
        put("temperature", json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        put(if is_openai { "max_completion_tokens" } else { "max_tokens" }, json!(max_tokens));
    }
    if let Some(schema) = &request.response_schema {
        put("response_format", response_format(schema));
    }
    for (key, value) in options(&request.options, &RESERVED)? {
        put(key, value.clone());
    }
    Ok(Value::Object(body))
}

fn messages(request: &ModelRequest) -> Value {
    let system = request.system.iter().map(|text| json!({ "role": "system", "content": text }));
    system.chain(request.messages.iter().map(|shared| message(shared))).collect()
}

fn message(message: &Message) -> Value {
    match message.role {
        Role::System => json!({ "role": "system", "content": message.content.text() }),
        Role::User => json!({ "role": "user", "content": content(&message.content) }),
        Role::Assistant if message.tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": message.content.text() })
        }
        Role::Assistant => {
            let text = message.content.text();
            let calls: Vec<_> = message.tool_calls.iter().map(tool_call).collect();
            let content = if text.is_empty() { Value::Null } else { Value::String(text) };
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Role::Tool => json!({
            "role": "tool",
            "tool_call_id": message.tool_call_id,
            "content": message.content.text(),
        }),
    }
}

fn content(content: &Content) -> Value {
    let Content::Parts(parts) = content else { return Value::String(content.text()) };
    let part = |part: &Part| match part {
        Part::Text { text } => json!({ "type": "text", "text": text }),
        Part::Image { media_type, data } => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{media_type};base64,{data}") } })
        }
    };
    parts.iter().map(part).collect()
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = arguments_text(call);
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

fn response_format(schema: &Value) -> Value {
    let mut format = json!({ "name": "reply", "schema": schema });
    if is_strict(schema) {
        format["strict"] = json!(true);
    }
    json!({ "type": "json_schema", "json_schema": format })
}
