//! The body of a request, exactly. Owns how messages, tools and bounds are written on this wire.

use plait_engine::context::{Content, Message, Part, Role, ToolCall};
use plait_engine::error::Fault;
use plait_engine::provider::ModelRequest;
use plait_engine::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// What Plait itself decides; options may not change it.
const RESERVED: [&str; 5] = ["model", "messages", "stream", "stream_options", "n"];

/// The body. `is_openai` says that the server is OpenAI's own, whose newer models take the bound of the reply only under
/// its newer name, which others do not know. Fault `provider.bad_options`.
pub(super) fn body(request: &ModelRequest, is_openai: bool) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(request.model));
    put("messages", messages(request));
    put("stream", json!(true));
    put("stream_options", json!({ "include_usage": true }));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(tool).collect());
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
    for (key, value) in options(&request.options)? {
        put(key, value.clone());
    }
    Ok(Value::Object(body))
}

fn options(options: &Value) -> Result<impl Iterator<Item = (&String, &Value)>, Fault> {
    let bad = |why: String| {
        Fault::new("provider.bad_options", format!("The options of this call are wrong: {why}."))
            .hint("They are added to the request as they are, for example {\"top_p\": 0.9}.")
    };
    let given = match options {
        Value::Null => None,
        Value::Object(given) => Some(given),
        _ => return Err(bad("they must be an object".to_owned())),
    };
    if let Some(key) = given.and_then(|given| RESERVED.into_iter().find(|key| given.contains_key(*key))) {
        return Err(bad(format!("`{key}` is decided by Plait")));
    }
    Ok(given.into_iter().flatten())
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

/// Arguments travel as text. Those that were no JSON when the model gave them are kept as that text and go back as it.
fn tool_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        parsed => parsed.to_string(),
    };
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}

fn response_format(schema: &Value) -> Value {
    let mut format = json!({ "name": "reply", "schema": schema });
    if is_strict(schema) {
        format["strict"] = json!(true);
    }
    json!({ "type": "json_schema", "json_schema": format })
}

/// Whether a schema is one that strict mode takes: every object closed, and all of its properties required. Asked for
/// with any other, strict mode refuses the request.
fn is_strict(schema: &Value) -> bool {
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
mod tests {
    use super::*;

    #[test]
    fn strict_mode_is_asked_for_only_where_it_can_be() {
        let closed = json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "string"}}});
        let mut open = closed.clone();
        open["additionalProperties"] = json!(true);
        let mut optional = closed.clone();
        optional["required"] = json!([]);
        assert!(is_strict(&closed));
        assert!(is_strict(&json!({"type": "array", "items": closed})));
        for schema in
            [json!({"type": "object"}), open.clone(), optional, json!({"type": "array", "items": open})]
        {
            assert!(!is_strict(&schema), "{schema}");
        }
    }
}
