//! Requests of Ollama's own protocol.

use plait_llm::context::{Role, ToolCall};
use serde_json::{Map, Value};

use super::openai_chat::functions;
use super::{ObservedRequest, Said, add_system, arguments, limit, others, text_of};

const READ: [&str; 6] = ["model", "messages", "tools", "stream", "format", "options"];

pub(super) fn read(body: &Value) -> Option<ObservedRequest> {
    let mut request = ObservedRequest {
        model: body["model"].as_str()?.to_owned(),
        temperature: body["options"]["temperature"].as_f64(),
        max_tokens: limit(&body["options"]["num_predict"]),
        response_schema: Some(body["format"].clone()).filter(Value::is_object),
        tools: functions(&body["tools"]),
        options: others(body, &READ),
        ..ObservedRequest::default()
    };
    let options: Map<String, Value> = others(&body["options"], &["temperature", "num_predict"]);
    if !options.is_empty() {
        request.options.insert("options".to_owned(), options.into());
    }
    // The id of a call is new in the protocol. Without ids, results follow their calls in order.
    let mut open: Vec<String> = Vec::new();
    for (at, message) in body["messages"].as_array()?.iter().enumerate() {
        let text = text_of(&message["content"]);
        match message["role"].as_str()? {
            "system" if request.messages.is_empty() => add_system(&mut request.system, text),
            "system" => request.messages.push(Said::new(Role::System, text)),
            "assistant" => {
                let calls = message["tool_calls"].as_array().into_iter().flatten().enumerate();
                let tool_calls: Vec<ToolCall> =
                    calls.map(|(index, call)| tool_call(call, at, index)).collect();
                open.extend(tool_calls.iter().map(|call| call.id.clone()));
                request.messages.push(Said { tool_calls, ..Said::new(Role::Assistant, text) });
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().map(str::to_owned);
                let id = id.or_else(|| (!open.is_empty()).then(|| open.remove(0))).unwrap_or_default();
                request.messages.push(Said::result(&id, text));
            }
            _ => request.messages.push(Said::new(Role::User, text)),
        }
    }
    Some(request)
}

fn tool_call(call: &Value, at: usize, index: usize) -> ToolCall {
    ToolCall {
        id: call["id"].as_str().map_or_else(|| format!("call_{at}_{index}"), str::to_owned),
        name: call["function"]["name"].as_str().unwrap_or_default().to_owned(),
        arguments: arguments(&call["function"]["arguments"]),
    }
}
