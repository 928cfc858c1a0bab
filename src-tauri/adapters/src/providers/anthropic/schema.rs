//! How a reply by a JSON Schema is asked for. Owns which schemas the protocol's own way takes, and the other way for the
//! rest: a tool made for the answer, whose arguments are the reply.
//!
//! The protocol's way (`output_config.format`) takes a part of JSON Schema, wants every object closed, and is not there for
//! older models. A schema is narrowed to that part where any reply to the narrowed one is a reply to the whole one but for
//! bounds, which stay as words in the description. The engine holds every reply against the whole schema, either way.

use plait_engine::provider::ModelRequest;
use serde_json::{Map, Value, json};

/// The tool for the answer.
const ANSWER: &str = "give_reply";

/// Models without the protocol's own way, by the beginning of their names.
const OLDER: [&str; 9] = [
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

/// How it is asked for.
pub(super) enum Structured {
    /// In the protocol's own way.
    Format(Value),
    /// As a call of this tool.
    Tool { name: String, tool: Value, choice: Option<Value> },
}

/// How the request's schema is asked for, where it has one.
pub(super) fn structured(request: &ModelRequest) -> Option<Structured> {
    let schema = request.response_schema.as_ref()?;
    let is_older = OLDER.iter().any(|name| request.model.starts_with(name));
    if let Some(narrowed) = narrowed(schema).filter(|_| !is_older) {
        return Some(Structured::Format(narrowed));
    }
    let mut name = ANSWER.to_owned();
    while request.tools.iter().any(|tool| tool.name == name) {
        name.push('_');
    }
    let tool = json!({
        "name": name,
        "description": "Gives the final reply. Call it once, when nothing else is left to do.",
        "input_schema": schema,
    });
    // One that thinks can't be made to call a tool; it is told of it and may.
    let thinks = request.options.get("thinking").is_some_and(|thinking| thinking["type"] != "disabled");
    let choice = match (thinks, request.tools.is_empty()) {
        (true, _) => None,
        (false, true) => Some(json!({ "type": "tool", "name": name })),
        (false, false) => Some(json!({ "type": "any" })),
    };
    Some(Structured::Tool { name, tool, choice })
}

/// What the protocol's way knows and takes as it is.
const TAKEN: [&str; 7] = ["type", "title", "description", "enum", "const", "default", "required"];
/// What only bounds a value: kept as words.
const BOUNDS: [&str; 15] = [
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

/// The schema within what the protocol's way takes; nothing where it says more than that.
fn narrowed(schema: &Value) -> Option<Value> {
    let schema = schema.as_object()?;
    let mut out = Map::new();
    let mut bounds = Vec::new();
    for (key, value) in schema {
        let kept = match key.as_str() {
            key if TAKEN.contains(&key) => value.clone(),
            "properties" => each(value.as_object()?)?,
            "items" => narrowed(value)?,
            "anyOf" | "allOf" => value.as_array()?.iter().map(narrowed).collect::<Option<_>>()?,
            "additionalProperties" if *value == json!(false) => continue,
            "$schema" | "$id" | "$comment" => continue,
            key if BOUNDS.contains(&key) => {
                bounds.push(format!("{key}: {value}"));
                continue;
            }
            _ => return None,
        };
        out.insert(key.clone(), kept);
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
        let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = format!("{said} ({})", bounds.join(", "));
        out.insert("description".to_owned(), json!(words.trim_start()));
    }
    Some(Value::Object(out))
}

fn each(properties: &Map<String, Value>) -> Option<Value> {
    let narrow = |(name, schema): (&String, &Value)| Some((name.clone(), narrowed(schema)?));
    properties.iter().map(narrow).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// Whether a schema is (also) one of objects.
fn is_object(schema: &Map<String, Value>) -> bool {
    let is = |kind: &Value| kind == "object";
    schema.contains_key("properties")
        || schema
            .get("type")
            .is_some_and(|kind| is(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is)))
}

#[cfg(test)]
mod tests;
