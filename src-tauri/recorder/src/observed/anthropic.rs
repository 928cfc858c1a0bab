//! Requests of the Messages API.

use plait_llm::context::{Role, ToolCall};
use serde_json::Value;

use super::{ObservedRequest, Said, add_system, limit, others, text_of, tool};

const READ: [&str; 7] = ["model", "messages", "system", "tools", "stream", "max_tokens", "temperature"];

pub(super) fn read(body: &Value) -> Option<ObservedRequest> {
    let mut request = ObservedRequest {
        model: body["model"].as_str()?.to_owned(),
        temperature: body["temperature"].as_f64(),
        max_tokens: limit(&body["max_tokens"]),
        options: others(body, &READ),
        ..ObservedRequest::default()
    };
    match &body["system"] {
        Value::Array(blocks) => {
            for block in blocks {
                add_system(&mut request.system, text_of(&block["text"]));
            }
        }
        system => add_system(&mut request.system, text_of(system)),
    }
    for message in body["messages"].as_array()? {
        let role = if message["role"] == "assistant" { Role::Assistant } else { Role::User };
        let Value::Array(blocks) = &message["content"] else {
            request.messages.push(Said::new(role, text_of(&message["content"])));
            continue;
        };
        let mut said = Said::new(role, "");
        let mut texts = Vec::new();
        for block in blocks {
            match block["type"].as_str() {
                Some("tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    request.messages.push(Said::result(id, text_of(&block["content"])));
                }
                Some("tool_use") => said.tool_calls.push(ToolCall {
                    id: block["id"].as_str().unwrap_or_default().to_owned(),
                    name: block["name"].as_str().unwrap_or_default().to_owned(),
                    arguments: block["input"].clone(),
                }),
                Some("thinking" | "redacted_thinking") => {}
                _ => texts.push(block.clone()),
            }
        }
        if !texts.is_empty() || !said.tool_calls.is_empty() {
            said.text = text_of(&Value::Array(texts));
            request.messages.push(said);
        }
    }
    let tools =
        body["tools"].as_array().into_iter().flatten().filter(|tool| tool.get("input_schema").is_some());
    let spec = |one: &Value| {
        let description = one["description"].as_str().unwrap_or_default();
        Some(tool(one["name"].as_str()?, description, one["input_schema"].clone()))
    };
    request.tools = tools.filter_map(spec).collect();
    Some(request)
}
