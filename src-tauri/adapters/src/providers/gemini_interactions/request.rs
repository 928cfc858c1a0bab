//! Encodes a request: how this protocol writes instructions, tools and limits. [`steps`](super::steps) encodes the conversation.
//!
//! A request that continues a stored conversation repeats everything but its steps: instructions, tools and configuration hold for
//! one interaction only (<https://ai.google.dev/gemini-api/docs/interactions>).

use plait_core::error::Fault;
use plait_llm::provider::ModelRequest;
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::steps::steps;
use crate::providers::gemini::models::short_name;
use crate::providers::gemini::reply_format::{reply_format, without_dialect};
use crate::providers::http::add_options;
use crate::providers::protocol::instructions::instructions;
use crate::providers::protocol::stored_session::RequestDraft;

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 10] = [
    "model",
    "input",
    "system_instruction",
    "tools",
    "stream",
    "store",
    "previous_interaction_id",
    "background",
    "continuation_token",
    "generation_config.max_output_tokens",
];

/// Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest) -> Result<RequestDraft, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(short_name(&request.model)));
    put("stream", json!(true));
    let (format, instruction) = reply_format(request);
    let instructions: Vec<String> = instructions(request).chain(instruction).collect();
    if !instructions.is_empty() {
        put("system_instruction", json!(instructions.join("\n\n")));
    }
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function).collect());
    }
    let mut config = Map::new();
    if let Some(temperature) = request.temperature {
        config.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        config.insert("max_output_tokens".to_owned(), json!(max_tokens));
    }
    if !config.is_empty() {
        put("generation_config", Value::Object(config));
    }
    if let Some(schema) = format {
        let format = json!({ "type": "text", "mime_type": "application/json", "schema": schema });
        put("response_format", format);
    }
    // Most options go into `generation_config`, merged with what Plait sets there.
    add_options(&mut body, &request.options, &RESERVED, "generation_config")?;
    Ok(RequestDraft { body, items: steps(&request.messages) })
}

fn function(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": without_dialect(&tool.parameters),
    })
}
