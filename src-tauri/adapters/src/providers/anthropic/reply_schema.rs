//! How a request asks for a reply that follows a JSON Schema: with the protocol's own format where it accepts the schema,
//! otherwise with a tool whose arguments are the reply.
//!
//! The protocol's format (`output_config.format`) accepts a subset of JSON Schema, requires every object to be closed, and is
//! not available for older models. A schema is narrowed to that subset if every reply that follows the narrowed schema also
//! follows the original one, except for bounds, which move into the description. The engine validates every reply against
//! the original schema in either case.

use plait_engine::provider::ModelRequest;
use serde_json::{Map, Value, json};

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
}

/// None if the request has no reply schema.
pub(super) fn structured_output(request: &ModelRequest) -> Option<StructuredOutput> {
    let schema = request.response_schema.as_ref()?;
    let lacks_format = MODELS_WITHOUT_FORMAT.iter().any(|name| request.model.starts_with(name));
    if let Some(narrowed) = narrow(schema).filter(|_| !lacks_format) {
        return Some(StructuredOutput::Format(narrowed));
    }
    let mut name = REPLY_TOOL.to_owned();
    while request.tools.iter().any(|tool| tool.name == name) {
        name.push('_');
    }
    let tool = json!({
        "name": name,
        "description": "Gives the final reply. Call it once, when nothing else is left to do.",
        "input_schema": schema,
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

/// Keywords that the protocol's format accepts unchanged.
const ACCEPTED_KEYWORDS: [&str; 7] = ["type", "title", "description", "enum", "const", "default", "required"];
/// Keywords that only bound a value: moved into the description.
const BOUND_KEYWORDS: [&str; 15] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "format",
    "examples",
];

/// The schema narrowed to what the protocol's format accepts; None if that would change its meaning.
fn narrow(schema: &Value) -> Option<Value> {
    let schema = schema.as_object()?;
    let mut out = Map::new();
    let mut bounds = Vec::new();
    for (key, value) in schema {
        let value = match key.as_str() {
            key if ACCEPTED_KEYWORDS.contains(&key) => value.clone(),
            "properties" => narrow_properties(value.as_object()?)?,
            "items" => narrow(value)?,
            "anyOf" | "allOf" => value.as_array()?.iter().map(narrow).collect::<Option<_>>()?,
            "additionalProperties" if *value == json!(false) => continue,
            "$schema" | "$id" | "$comment" => continue,
            key if BOUND_KEYWORDS.contains(&key) => {
                bounds.push(format!("{key}: {value}"));
                continue;
            }
            _ => return None,
        };
        out.insert(key.clone(), value);
    }
    if is_object(schema) {
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required").and_then(Value::as_array);
        let known = |name: &Value| name.as_str().is_some_and(|name| properties.contains_key(name));
        if !required.is_none_or(|required| required.iter().all(known)) {
            return None;
        }
        out.insert("additionalProperties".to_owned(), json!(false));
    }
    if !bounds.is_empty() {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("{description} ({})", bounds.join(", "));
        out.insert("description".to_owned(), json!(description.trim_start()));
    }
    Some(Value::Object(out))
}

fn narrow_properties(properties: &Map<String, Value>) -> Option<Value> {
    let narrow_one = |(name, schema): (&String, &Value)| Some((name.clone(), narrow(schema)?));
    properties.iter().map(narrow_one).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// Whether a schema allows objects.
fn is_object(schema: &Map<String, Value>) -> bool {
    let is = |kind: &Value| kind == "object";
    schema.contains_key("properties")
        || schema
            .get("type")
            .is_some_and(|kind| is(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is)))
}

#[cfg(test)]
mod tests;
