//! How a request asks for a reply that follows a JSON Schema: with the protocol's own format where it accepts the schema,
//! otherwise with a tool whose arguments are the reply, or in words where no tool accepts the schema either.
//!
//! The protocol's format (`output_config.format`) accepts a subset of JSON Schema, requires every object to be closed, and is
//! not available for older models. A schema is narrowed to that subset if every reply that follows the narrowed schema also
//! follows the original one, except for bounds, which move into the description. The engine validates every reply against
//! the original schema in either case.

mod narrow;

use plait_llm::provider::{ModelRequest, SchemaForm};
use serde_json::{Value, json};

use crate::providers::protocol::instructions::schema_instruction;
use crate::providers::protocol::object_schema::object_schema;
use narrow::narrow;

/// The name of the reply tool; on the wire, so it stays the same.
const REPLY_TOOL: &str = "give_reply";

/// Prefixes of the models without the protocol's own format.
const MODELS_WITHOUT_FORMAT: [&str; 9] = [
    "claude-2",
    "claude-3",
    "claude-instant",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "claude-4-",
];

/// How a request asks for structured output.
pub(super) enum StructuredOutput {
    /// With the protocol's own format.
    Format(Value),
    /// As a call of the reply tool.
    Tool { name: String, tool: Value, choice: Option<Value> },
    /// In words.
    Instruction(String),
}

/// What [`structured_output`] comes to.
pub(super) fn schema_form(request: &ModelRequest) -> Option<SchemaForm> {
    Some(match structured_output(request)? {
        StructuredOutput::Format(narrowed) if request.response_schema.as_ref() == Some(&narrowed) => {
            SchemaForm::Enforced
        }
        StructuredOutput::Format(_) => SchemaForm::Narrowed,
        StructuredOutput::Tool { .. } => SchemaForm::Tool,
        StructuredOutput::Instruction(_) => SchemaForm::Words,
    })
}

/// None if the request has no reply schema.
pub(super) fn structured_output(request: &ModelRequest) -> Option<StructuredOutput> {
    let schema = request.response_schema.as_ref()?;
    let lacks_format = MODELS_WITHOUT_FORMAT.iter().any(|name| request.model.starts_with(name));
    if let Some(narrowed) = narrow(schema).filter(|_| !lacks_format) {
        return Some(StructuredOutput::Format(narrowed));
    }
    // The input of a tool is an object.
    let Some(input) = object_schema(schema) else {
        return Some(StructuredOutput::Instruction(schema_instruction(schema)));
    };
    let mut name = REPLY_TOOL.to_owned();
    while request.tools.iter().any(|tool| tool.name == name) {
        name.push('_');
    }
    let tool = json!({
        "name": name,
        "description": "Gives the final reply. Call it once, when nothing else is left to do.",
        "input_schema": input,
    });
    // A model that thinks can't be forced to call a tool, only offered it.
    let thinks = request.options.get("thinking").is_some_and(|thinking| thinking["type"] != "disabled");
    let choice = match (thinks, request.tools.is_empty()) {
        (true, _) => None,
        (false, true) => Some(json!({ "type": "tool", "name": name })),
        (false, false) => Some(json!({ "type": "any" })),
    };
    Some(StructuredOutput::Tool { name, tool, choice })
}
