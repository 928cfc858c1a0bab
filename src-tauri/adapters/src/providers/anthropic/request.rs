//! Encodes a request: how this protocol writes instructions, tools and limits. [`messages`] encodes the conversation,
//! [`reply_schema`] asks for structured output.

use plait_core::error::Fault;
use plait_llm::provider::ModelRequest;
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::reply_schema::{self, StructuredOutput};
use super::{messages, prompt_cache};
use crate::providers::http::add_options;
use crate::providers::protocol::instructions::instructions;

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 6] = ["model", "messages", "system", "tools", "stream", "max_tokens"];

/// The token limit of a reply if the request has none; the protocol requires one. It equals what is reserved for a reply in
/// a large window.
const DEFAULT_MAX_TOKENS: u32 = 16_384;

/// Lower limits of older models, by prefix of their names.
const OLDER_MODEL_LIMITS: [(&str, u32); 5] = [
    ("claude-3-5-", 8_192),
    ("claude-3-7-", DEFAULT_MAX_TOKENS),
    ("claude-3-", 4_096),
    ("claude-2", 4_096),
    ("claude-instant", 4_096),
];

/// The body, and how to decode the response to it.
pub(super) struct EncodedRequest {
    pub(super) body: Value,
    /// The name of the tool whose call is the reply, if one is used for structured output.
    pub(super) reply_tool: Option<String>,
}

/// Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest) -> Result<EncodedRequest, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let structured = reply_schema::structured_output(request);
    put("model", json!(request.model));
    put("max_tokens", json!(request.max_tokens.unwrap_or_else(|| max_tokens(&request.model))));
    put("stream", json!(true));
    let instruction = match &structured {
        Some(StructuredOutput::Instruction(text)) => Some(text.clone()),
        _ => None,
    };
    let mut system: Vec<Value> = instructions(request)
        .chain(instruction)
        .map(|text| json!({ "type": "text", "text": text }))
        .collect();
    if prompt_cache::mark_last(&mut system) {
        put("system", json!(system));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    let mut reply_tool = None;
    match structured {
        None | Some(StructuredOutput::Instruction(_)) => {}
        Some(StructuredOutput::Format(schema)) => {
            put("output_config", json!({ "format": { "type": "json_schema", "schema": schema } }));
        }
        Some(StructuredOutput::Tool { name, tool, choice }) => {
            tools.push(tool);
            reply_tool = Some(name);
            if let Some(choice) = choice {
                put("tool_choice", choice);
            }
        }
    }
    if prompt_cache::mark_last(&mut tools) {
        put("tools", json!(tools));
    }
    put("messages", json!(messages::messages(&request.messages)));
    if let Some(temperature) = request.temperature {
        put("temperature", json!(temperature));
    }
    // For example, the effort is merged with the format.
    add_options(&mut body, &request.options, &RESERVED, "output_config")?;
    Ok(EncodedRequest { body: Value::Object(body), reply_tool })
}

fn max_tokens(model: &str) -> u32 {
    OLDER_MODEL_LIMITS
        .iter()
        .find(|(name, _)| model.starts_with(name))
        .map_or(DEFAULT_MAX_TOKENS, |(_, limit)| *limit)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}
