//! Encodes a request: how this protocol writes instructions, tools and limits. [`contents`] encodes the conversation.

use plait_core::error::Fault;
use plait_llm::provider::ModelRequest;
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::contents;
use super::reply_format::{reply_format, without_dialect};
use crate::providers::http::add_options;
use crate::providers::protocol::instructions::instructions;

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 8] = [
    "model",
    "contents",
    "systemInstruction",
    "tools",
    "generationConfig.maxOutputTokens",
    // The protocol takes these names as well.
    "system_instruction",
    "generation_config",
    "generationConfig.max_output_tokens",
];

/// The body. Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let (format, instruction) = reply_format(request);
    let parts: Vec<Value> =
        instructions(request).chain(instruction).map(|text| json!({ "text": text })).collect();
    if !parts.is_empty() {
        put("systemInstruction", json!({ "parts": parts }));
    }
    put("contents", json!(contents::contents(&request.messages)));
    if !request.tools.is_empty() {
        let functions: Vec<Value> = request.tools.iter().map(function).collect();
        put("tools", json!([{ "functionDeclarations": functions }]));
    }
    let mut config = Map::new();
    if let Some(temperature) = request.temperature {
        config.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        config.insert("maxOutputTokens".to_owned(), json!(max_tokens));
    }
    if let Some(schema) = format {
        config.insert("responseMimeType".to_owned(), json!("application/json"));
        config.insert("responseJsonSchema".to_owned(), schema);
    }
    if !config.is_empty() {
        put("generationConfig", Value::Object(config));
    }
    // Most options go into `generationConfig`, merged with what Plait sets there.
    add_options(&mut body, &request.options, &RESERVED, "generationConfig")?;
    Ok(Value::Object(body))
}

fn function(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": without_dialect(&tool.parameters),
    })
}
