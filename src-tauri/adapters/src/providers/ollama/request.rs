//! Encodes a request: how this protocol writes messages, tools and limits, and how large a window the model is loaded
//! with.

use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_llm::context::{Content, Message, Role, ToolCall};
use plait_llm::provider::{ModelRequest, SchemaForm};
use plait_llm::tokens;
use plait_llm::tokens::tool_tokens;
use serde_json::{Map, Value, json};

use crate::providers::http::options;
use crate::providers::protocol::tool_calls::{arguments_object, function};

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 5] = ["model", "messages", "stream", "num_predict", "options.num_predict"];
/// Options that are fields of the request. All others are model options and go into its `options` object.
const REQUEST_FIELDS: [&str; 9] =
    ["think", "keep_alive", "format", "options", "tools", "logprobs", "top_logprobs", "truncate", "shift"];

/// The window Ollama loads a model with by default.
const MIN_WINDOW_TOKENS: u64 = 4_096;
/// Reserved for a reply without a token limit.
const DEFAULT_REPLY_TOKENS: u64 = 4_096;
/// Adds 1/8 to the prompt's count, which comes from another tokenizer.
const MARGIN_DIVISOR: u64 = 8;

pub(super) fn schema_form(request: &ModelRequest) -> Option<SchemaForm> {
    let schema = request.response_schema.as_ref()?;
    Some(if schema.is_object() { SchemaForm::Enforced } else { SchemaForm::Hint })
}

/// The body. Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(request.model));
    put("messages", messages(request));
    put("stream", json!(true));
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function).collect());
    }
    if let Some(schema) = &request.response_schema {
        // A schema that any value follows: any JSON.
        put("format", if schema.is_object() { schema.clone() } else { json!("json") });
    }
    let mut model_options = Map::new();
    if let Some(temperature) = request.temperature {
        model_options.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        model_options.insert("num_predict".to_owned(), json!(max_tokens));
    }
    if let Some(window) = request.window {
        model_options.insert("num_ctx".to_owned(), json!(window_tokens(request, window)));
    }
    for (key, value) in options(&request.options, &RESERVED)? {
        match (key.as_str(), value) {
            ("options", Value::Object(fields)) => model_options.extend(fields.clone()),
            (key, value) if REQUEST_FIELDS.contains(&key) => put(key, value.clone()),
            (key, value) => drop(model_options.insert(key.to_owned(), value.clone())),
        }
    }
    if !model_options.is_empty() {
        put("options", Value::Object(model_options));
    }
    Ok(Value::Object(body))
}

/// Ollama allocates memory for the whole window, so this is not the model's maximum but what the request needs, rounded up
/// to a power of two: each new size reloads the model.
fn window_tokens(request: &ModelRequest, window: u64) -> u64 {
    let system = request.system.as_deref().map_or(0, |text| tokens::count(&request.model, text));
    let history: u64 = request.messages.iter().map(|message| u64::from(message.tokens)).sum();
    let prompt = system + history + tool_tokens(&request.model, &request.tools);
    let needed =
        prompt + prompt / MARGIN_DIVISOR + request.max_tokens.map_or(DEFAULT_REPLY_TOKENS, u64::from);
    needed.max(MIN_WINDOW_TOKENS).checked_next_power_of_two().unwrap_or(window).min(window)
}

fn messages(request: &ModelRequest) -> Value {
    let system = request.system.iter().map(|text| json!({ "role": "system", "content": text }));
    let all = &request.messages;
    let history =
        all.iter().enumerate().map(|(at, shared)| message(shared, all[..at].iter().map(|other| &**other)));
    system.chain(history).collect()
}

fn message<'a>(message: &Message, before: impl DoubleEndedIterator<Item = &'a Message>) -> Value {
    let text = message.content.text();
    match message.role {
        Role::System => json!({ "role": "system", "content": text }),
        Role::User => {
            let images = images(&message.content);
            let mut encoded = json!({ "role": "user", "content": text });
            if !images.is_empty() {
                encoded["images"] = json!(images);
            }
            encoded
        }
        Role::Assistant if message.tool_calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Role::Assistant => {
            let calls: Vec<_> = message.tool_calls.iter().map(tool_call).collect();
            let mut encoded = json!({ "role": "assistant", "content": text, "tool_calls": calls });
            // After tool results a model continues from its own reasoning.
            if let Some(reasoning) = &message.reasoning {
                encoded["thinking"] = json!(reasoning);
            }
            encoded
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

fn images(content: &Content) -> Vec<String> {
    content.attachments().map(Attachment::base64).collect()
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = arguments_object(call, "value");
    json!({ "id": call.id, "function": { "name": call.name, "arguments": arguments } })
}
