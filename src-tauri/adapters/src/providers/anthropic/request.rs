//! The body of a request, exactly. Owns how instructions, tools and bounds are written on this wire; what is said is
//! [`messages`]'s, how a schema is asked for [`schema`]'s.

use plait_engine::error::Fault;
use plait_engine::provider::ModelRequest;
use plait_engine::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::schema::{self, Structured};
use super::{cache, messages};
use crate::providers::http::add_options;
use crate::providers::instructions::instructions;

/// What Plait itself decides; options may not change it.
const RESERVED: [&str; 5] = ["model", "messages", "system", "tools", "stream"];

/// The most tokens of reply where the request does not say, since this wire wants a number: as much as is kept free for a
/// reply in a large window.
const MAX_TOKENS: u32 = 16_384;

/// Models that give less, by the beginning of their names.
const SMALLER: [(&str, u32); 5] = [
    ("claude-3-5-", 8_192),
    ("claude-3-7-", MAX_TOKENS),
    ("claude-3-", 4_096),
    ("claude-2", 4_096),
    ("claude-instant", 4_096),
];

/// What is sent, and what to expect of it.
pub(super) struct Sent {
    pub(super) body: Value,
    /// The name of the tool whose call is the answer, where the answer is asked for so.
    pub(super) answer_tool: Option<String>,
}

/// The request on this wire. Fault `provider.bad_options`.
pub(super) fn request(request: &ModelRequest) -> Result<Sent, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let structured = schema::structured(request);
    put("model", json!(request.model));
    put("max_tokens", json!(request.max_tokens.unwrap_or_else(|| max_tokens(&request.model))));
    put("stream", json!(true));
    let mut system: Vec<Value> =
        instructions(request).map(|text| json!({ "type": "text", "text": text })).collect();
    if cache::mark_last(&mut system) {
        put("system", json!(system));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    let mut answer_tool = None;
    match structured {
        None => {}
        Some(Structured::Format(schema)) => {
            put("output_config", json!({ "format": { "type": "json_schema", "schema": schema } }));
        }
        Some(Structured::Tool { name, tool, choice }) => {
            tools.push(tool);
            answer_tool = Some(name);
            if let Some(choice) = choice {
                put("tool_choice", choice);
            }
        }
    }
    if cache::mark_last(&mut tools) {
        put("tools", json!(tools));
    }
    put("messages", json!(messages::messages(&request.messages)));
    if let Some(temperature) = request.temperature {
        put("temperature", json!(temperature));
    }
    // Beside the format stands the effort, for example.
    add_options(&mut body, &request.options, &RESERVED, "output_config")?;
    Ok(Sent { body: Value::Object(body), answer_tool })
}

fn max_tokens(model: &str) -> u32 {
    SMALLER.iter().find(|(name, _)| model.starts_with(name)).map_or(MAX_TOKENS, |(_, most)| *most)
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}
