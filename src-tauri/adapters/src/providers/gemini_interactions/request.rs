//! Encodes a request: how this protocol writes instructions, tools and limits. [`steps`](super::steps) encodes the conversation.
//!
//! A request that continues a stored conversation repeats everything but its steps: instructions, tools and configuration hold for
//! one interaction only (<https://ai.google.dev/gemini-api/docs/interactions>).

use plait_engine::error::Fault;
use plait_engine::provider::ModelRequest;
use plait_engine::tool::ToolSpec;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::steps::steps;
use crate::providers::gemini::models::short_name;
use crate::providers::gemini::reply_format::{reply_format, without_dialect};
use crate::providers::http::add_options;
use crate::providers::protocol::instructions::instructions;

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

/// A request before it is decided how much of the conversation it carries.
pub(super) struct RequestDraft {
    /// Everything but the conversation.
    body: Map<String, Value>,
    /// The conversation.
    pub(super) steps: Vec<Value>,
}

impl RequestDraft {
    /// Fault `provider.bad_options`.
    pub(super) fn new(request: &ModelRequest) -> Result<Self, Fault> {
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
        Ok(Self { body, steps: steps(&request.messages) })
    }

    /// The fields other than the conversation that determine the reply.
    pub(super) fn fixed_fields(&self) -> [Option<&Value>; 3] {
        ["model", "system_instruction", "tools"].map(|key| self.body.get(key))
    }

    /// The body with the whole conversation.
    pub(super) fn full_body(&self, store: bool) -> Body<'_> {
        Body { rest: &self.body, store, previous_interaction_id: None, input: &self.steps }
    }

    /// The body that continues from a stored interaction, with the steps after it.
    pub(super) fn continuation<'a>(&'a self, interaction_id: &'a str, from: usize) -> Body<'a> {
        let input = self.steps.get(from..).unwrap_or_default();
        Body { rest: &self.body, store: true, previous_interaction_id: Some(interaction_id), input }
    }
}

/// The body as it is sent.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    #[serde(flatten)]
    rest: &'a Map<String, Value>,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_interaction_id: Option<&'a str>,
    input: &'a [Value],
}

fn function(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": without_dialect(&tool.parameters),
    })
}
