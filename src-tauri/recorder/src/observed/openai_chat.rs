//! Requests of chat completions.

use plait_llm::context::{Role, ToolCall};
use serde_json::Value;

use super::{ObservedRequest, Said, add_system, arguments, limit, others, text_of, tool};

const READ: [&str; 10] = [
    "model",
    "messages",
    "tools",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "stream",
    "stream_options",
    "n",
];

pub(super) fn read(body: &Value) -> Option<ObservedRequest> {
    let mut request = ObservedRequest {
        model: body["model"].as_str()?.to_owned(),
        temperature: body["temperature"].as_f64(),
        max_tokens: limit(&body["max_completion_tokens"]).or_else(|| limit(&body["max_tokens"])),
        options: others(body, &READ),
        ..ObservedRequest::default()
    };
    match body["response_format"]["json_schema"]["schema"].clone() {
        Value::Null if body["response_format"]["type"] == "json_object" => {
            request.options.insert("response_format".to_owned(), body["response_format"].clone());
        }
        Value::Null => {}
        schema => request.response_schema = Some(schema),
    }
    for message in body["messages"].as_array()? {
        let text = text_of(&message["content"]);
        match message["role"].as_str()? {
            // Instructions that follow messages stay where they are.
            "system" | "developer" if request.messages.is_empty() => add_system(&mut request.system, text),
            "system" | "developer" => request.messages.push(Said::new(Role::System, text)),
            "assistant" => {
                let calls = message["tool_calls"].as_array().into_iter().flatten();
                let tool_calls = calls.map(tool_call).collect();
                request.messages.push(Said { tool_calls, ..Said::new(Role::Assistant, text) });
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                request.messages.push(Said::result(id, text));
            }
            _ => request.messages.push(Said::new(Role::User, text)),
        }
    }
    request.tools = functions(&body["tools"]);
    Some(request)
}

pub(super) fn functions(tools: &Value) -> Vec<plait_llm::tool::ToolSpec> {
    let functions = tools.as_array().into_iter().flatten().filter_map(|tool| tool.get("function"));
    let spec = |function: &Value| {
        let description = function["description"].as_str().unwrap_or_default();
        Some(tool(function["name"].as_str()?, description, function["parameters"].clone()))
    };
    functions.filter_map(spec).collect()
}

pub(super) fn tool_call(call: &Value) -> ToolCall {
    ToolCall {
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        name: call["function"]["name"].as_str().unwrap_or_default().to_owned(),
        arguments: arguments(&call["function"]["arguments"]),
    }
}
