//! The body of a request, exactly. Owns how messages, tools and bounds are written on this wire, and how large a window
//! the model is loaded with.

use plait_engine::context::{Content, Message, Part, Role, ToolCall};
use plait_engine::error::Fault;
use plait_engine::prompt::{tokens, tool_tokens};
use plait_engine::provider::ModelRequest;
use serde_json::{Map, Value, json};

use crate::providers::http::options;
use crate::providers::tool_calls::{arguments_object, function};

/// What Plait itself decides; options may not change it.
const RESERVED: [&str; 3] = ["model", "messages", "stream"];
/// The options that belong to the request. All others are the model's own and stand among its `options`.
const OF_THE_REQUEST: [&str; 9] =
    ["think", "keep_alive", "format", "options", "tools", "logprobs", "top_logprobs", "truncate", "shift"];

/// What Ollama itself would load a model with.
const LEAST_WINDOW: u64 = 4_096;
/// What is kept for a reply whose length nobody set.
const REPLY: u64 = 4_096;
/// One token in so many is added to what was counted: the counts are another tokenizer's.
const MARGIN: u64 = 8;

/// The body. Fault `provider.bad_options`.
pub(super) fn body(request: &ModelRequest) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(request.model));
    put("messages", messages(request));
    put("stream", json!(true));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function).collect());
    }
    if let Some(schema) = &request.response_schema {
        put("format", schema.clone());
    }
    let mut model_options = Map::new();
    if let Some(temperature) = request.temperature {
        model_options.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        model_options.insert("num_predict".to_owned(), json!(max_tokens));
    }
    if let Some(window) = request.window {
        model_options.insert("num_ctx".to_owned(), json!(window_to_load(request, window)));
    }
    for (key, value) in options(&request.options, &RESERVED)? {
        match (key.as_str(), value) {
            ("options", Value::Object(given)) => model_options.extend(given.clone()),
            (key, value) if OF_THE_REQUEST.contains(&key) => put(key, value.clone()),
            (key, value) => drop(model_options.insert(key.to_owned(), value.clone())),
        }
    }
    if !model_options.is_empty() {
        put("options", Value::Object(model_options));
    }
    Ok(Value::Object(body))
}

/// Memory is taken for all of a window, so not the largest there is but what the request needs, in doublings: each new
/// size loads the model anew.
fn window_to_load(request: &ModelRequest, window: u64) -> u64 {
    let system = request.system.as_deref().map_or(0, |text| tokens::count(&request.model, text));
    let said: u64 = request.messages.iter().map(|message| u64::from(message.tokens)).sum();
    let prompt = system + said + tool_tokens(&request.model, &request.tools);
    let needed = prompt + prompt / MARGIN + request.max_tokens.map_or(REPLY, u64::from);
    needed.max(LEAST_WINDOW).checked_next_power_of_two().unwrap_or(window).min(window)
}

fn messages(request: &ModelRequest) -> Value {
    let system = request.system.iter().map(|text| json!({ "role": "system", "content": text }));
    let all = &request.messages;
    let said =
        all.iter().enumerate().map(|(at, shared)| message(shared, all[..at].iter().map(|other| &**other)));
    system.chain(said).collect()
}

fn message<'a>(message: &Message, before: impl DoubleEndedIterator<Item = &'a Message>) -> Value {
    let text = message.content.text();
    match message.role {
        Role::System => json!({ "role": "system", "content": text }),
        Role::User => {
            let images = images(&message.content);
            let mut said = json!({ "role": "user", "content": text });
            if !images.is_empty() {
                said["images"] = json!(images);
            }
            said
        }
        Role::Assistant if message.tool_calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Role::Assistant => {
            let calls: Vec<_> = message.tool_calls.iter().map(tool_call).collect();
            let mut asked = json!({ "role": "assistant", "content": text, "tool_calls": calls });
            // In the rounds of its tools a model goes on from what it thought.
            if let Some(reasoning) = &message.reasoning {
                asked["thinking"] = json!(reasoning);
            }
            asked
        }
        Role::Tool => {
            let mut calls = before.rev().flat_map(|other| &other.tool_calls);
            let call = calls.find(|call| Some(&call.id) == message.tool_call_id.as_ref());
            json!({
                "role": "tool",
                "tool_name": call.map(|call| &call.name),
                "tool_call_id": message.tool_call_id,
                "content": text,
            })
        }
    }
}

fn images<'a>(content: &'a Content) -> Vec<&'a str> {
    let Content::Parts(parts) = content else { return Vec::new() };
    let image = |part: &'a Part| match part {
        Part::Image { data, .. } => Some(data.as_str()),
        Part::Text { .. } => None,
    };
    parts.iter().filter_map(image).collect()
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = arguments_object(call, "value");
    json!({ "id": call.id, "function": { "name": call.name, "arguments": arguments } })
}
