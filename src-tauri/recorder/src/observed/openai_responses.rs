//! Requests of the Responses API.

use plait_llm::context::{Role, ToolCall};
use serde_json::{Map, Value};

use super::{ObservedRequest, Said, add_system, arguments, limit, others, text_of, tool};

const READ: [&str; 13] = [
    "model",
    "input",
    "instructions",
    "tools",
    "temperature",
    "max_output_tokens",
    "text",
    "stream",
    "store",
    "previous_response_id",
    "conversation",
    "background",
    "include",
];

pub(super) fn read(body: &Value) -> Option<ObservedRequest> {
    let mut request = ObservedRequest {
        model: body["model"].as_str()?.to_owned(),
        system: body["instructions"].as_str().map(str::to_owned),
        temperature: body["temperature"].as_f64(),
        max_tokens: limit(&body["max_output_tokens"]),
        options: others(body, &READ),
        continues: body["previous_response_id"].as_str().map(str::to_owned),
        ..ObservedRequest::default()
    };
    if body["text"]["format"]["type"] == "json_schema" {
        request.response_schema = Some(body["text"]["format"]["schema"].clone());
    }
    let text: Map<String, Value> = others(&body["text"], &["format"]);
    if !text.is_empty() {
        request.options.insert("text".to_owned(), text.into());
    }
    match &body["input"] {
        Value::Array(items) => items.iter().for_each(|item| add(&mut request, item)),
        Value::String(text) => request.messages.push(Said::new(Role::User, text.clone())),
        _ => return None,
    }
    let tools = body["tools"].as_array().into_iter().flatten().filter(|tool| tool["type"] == "function");
    let spec = |function: &Value| {
        let description = function["description"].as_str().unwrap_or_default();
        Some(tool(function["name"].as_str()?, description, function["parameters"].clone()))
    };
    request.tools = tools.filter_map(spec).collect();
    Some(request)
}

fn add(request: &mut ObservedRequest, item: &Value) {
    match item["type"].as_str().unwrap_or("message") {
        "function_call" => {
            let call = ToolCall {
                id: item["call_id"].as_str().unwrap_or_default().to_owned(),
                name: item["name"].as_str().unwrap_or_default().to_owned(),
                arguments: arguments(&item["arguments"]),
            };
            // A message and the calls after it are one reply.
            match request.messages.last_mut() {
                Some(last) if last.role == Role::Assistant => last.tool_calls.push(call),
                _ => request.messages.push(Said { tool_calls: vec![call], ..Said::new(Role::Assistant, "") }),
            }
        }
        "function_call_output" => {
            let id = item["call_id"].as_str().unwrap_or_default();
            request.messages.push(Said::result(id, text_of(&item["output"])));
        }
        "message" => {
            let text = text_of(&item["content"]);
            match item["role"].as_str() {
                Some("assistant") => request.messages.push(Said::new(Role::Assistant, text)),
                Some("system" | "developer") if request.messages.is_empty() => {
                    add_system(&mut request.system, text);
                }
                Some("system" | "developer") => request.messages.push(Said::new(Role::System, text)),
                _ => request.messages.push(Said::new(Role::User, text)),
            }
        }
        // Reasoning and the items of the server's own tools belong to the reply that they came with.
        _ => {}
    }
}
