//! The body of a request, exactly. Owns how instructions, tools and bounds are written on this wire; what is said is
//! [`contents`]'s.

use plait_engine::error::Fault;
use plait_engine::provider::ModelRequest;
use plait_engine::tool::ToolSpec;
use serde_json::{Map, Value, json};

use super::contents;
use crate::providers::http::add_options;
use crate::providers::instructions::instructions;

/// What Plait itself decides; options may not change it.
const RESERVED: [&str; 4] = ["model", "contents", "systemInstruction", "tools"];

/// Models that take a schema for the reply or functions to call, not both, by the beginning of their names.
const ONE_OF_BOTH: [&str; 3] = ["gemini-1", "gemini-2", "gemma-"];

/// The body. Fault `provider.bad_options`.
pub(super) fn body(request: &ModelRequest) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let (format, in_words) = asked_for(request);
    let parts: Vec<Value> =
        instructions(request).chain(in_words).map(|text| json!({ "text": text })).collect();
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
    // Most of what can be set stands there, beside what Plait set.
    add_options(&mut body, &request.options, &RESERVED, "generationConfig")?;
    Ok(Value::Object(body))
}

/// How a reply by the request's schema is asked for: as a format, or in words where the model takes no format beside
/// functions. The engine holds the reply against the schema either way.
fn asked_for(request: &ModelRequest) -> (Option<Value>, Option<String>) {
    let Some(schema) = &request.response_schema else { return (None, None) };
    let takes_both = !ONE_OF_BOTH.iter().any(|name| contents::own_name(&request.model).starts_with(name));
    if request.tools.is_empty() || takes_both {
        return (Some(without_dialect(schema)), None);
    }
    let words = format!("Give your final answer as JSON alone, by this JSON Schema:\n{schema}");
    (None, Some(words))
}

fn function(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": without_dialect(&tool.parameters),
    })
}

/// A schema without the key that names its dialect, which this wire does not know.
fn without_dialect(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
    }
    schema
}
