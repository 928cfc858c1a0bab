//! Replies that must match a JSON Schema: the schema sent to the provider, and parsing of the reply.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use plait_core::exact_json;
use plait_core::exact_json::ExactJsonError;
use plait_core::expression::schema::find_violations;

pub(crate) struct ReplySchema<'a> {
    schema: &'a Value,
    /// Providers require a plain object at the root. Anything else is wrapped in one.
    wrapper: Option<Value>,
}

/// The wrapper's only property.
const WRAPPED: &str = "value";
/// Keywords at the root that providers reject there.
const COMBINATIONS: [&str; 8] = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"];
/// Where a schema keeps what it refers to.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

impl<'a> ReplySchema<'a> {
    pub(crate) fn new(schema: &'a Value) -> Self {
        let wrapper = if is_plain_object(schema) { None } else { wrap(schema) };
        Self { schema, wrapper }
    }

    /// The schema to send to the provider.
    pub(crate) fn requested(&self) -> &Value {
        self.wrapper.as_ref().unwrap_or(self.schema)
    }

    /// The value in a reply. The error is worded for the model.
    pub(crate) fn parse_reply(&self, text: &str) -> Result<Value, String> {
        let mut values: Vec<Value> = Vec::new();
        let mut refusals = Vec::new();
        for candidate in json_candidates(text) {
            match self.parse_json(candidate) {
                Ok(value) if !values.contains(&value) => values.push(value),
                Ok(_) => {}
                Err(refusal) => refusals.push(refusal),
            }
        }
        match values.len() {
            1 => Ok(values.remove(0)),
            0 => Err(refusals.swap_remove(0)),
            count => Err(format!("it holds {count} different values that follow the schema")),
        }
    }

    /// The value of a text that is JSON and nothing else.
    fn parse_json(&self, text: &str) -> Result<Value, String> {
        let mut value = exact_json::parse(text).map_err(|error| match error {
            ExactJsonError::Syntax(error) => format!("it is not JSON: {error}"),
            error @ ExactJsonError::LargeInteger(_) => error.to_string(),
        })?;
        if self.wrapper.is_some()
            && let Some(object) = value.as_object_mut().filter(|object| object.len() == 1)
            && let Some(inner) = object.get_mut(WRAPPED)
        {
            value = inner.take();
        }
        let violations = find_violations(self.schema, &value)?;
        if violations.is_empty() { Ok(value) } else { Err(violations.join("; ")) }
    }
}

/// Whether all values that follow a schema are objects, by the keywords of its root alone.
fn is_plain_object(schema: &Value) -> bool {
    let Some(root) = schema.as_object() else { return false };
    let is_typed = match root.get("type") {
        Some(kind) => kind == "object",
        None => root.contains_key("properties") || root.contains_key("required"),
    };
    is_typed && !COMBINATIONS.iter().any(|key| root.contains_key(*key))
}

/// An object with one property that follows `schema`. None if the schema refers to its own root: references are
/// relative to the root of the document. Definitions move to the new root.
fn wrap(schema: &Value) -> Option<Value> {
    if !refers_to_definitions_only(schema) {
        return None;
    }
    // `true`, which any value follows, as an object: some vendors accept no other schema.
    let mut inner = if schema == &Value::Bool(true) { json!({}) } else { schema.clone() };
    let mut wrapper = json!({ "type": "object", "required": [WRAPPED], "additionalProperties": false });
    for key in DEFINITIONS {
        if let Some(definitions) = inner.as_object_mut().and_then(|root| root.remove(key)) {
            wrapper[key] = definitions;
        }
    }
    wrapper["properties"] = json!({ WRAPPED: inner });
    Some(wrapper)
}

/// Whether every `$ref` in a schema leads to a definition of its root.
fn refers_to_definitions_only(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.iter().all(|(key, value)| match value {
            Value::String(target) if key == "$ref" => DEFINITIONS.iter().any(|name| {
                target
                    .strip_prefix("#/")
                    .is_some_and(|path| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
            }),
            _ => refers_to_definitions_only(value),
        }),
        Value::Array(items) => items.iter().all(refers_to_definitions_only),
        _ => true,
    }
}

/// The parts of a reply that may be what was asked for: the whole text if it is JSON, else what stands in code fences, else what
/// reaches from the first bracket to the last, else the text. Models put fences and prose around JSON. Never empty.
pub(crate) fn json_candidates(text: &str) -> Vec<&str> {
    let text = text.trim();
    if serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return vec![text];
    }
    // Every second part stands within a fence.
    let fenced: Vec<_> =
        text.split("```").skip(1).step_by(2).take(MAX_FENCES).map(without_language).collect();
    if fenced.is_empty() { vec![in_brackets(text).unwrap_or(text)] } else { fenced }
}

/// More fences than a reply with one answer has.
const MAX_FENCES: usize = 16;

/// What is in a fence, without the name of the language after its opening.
fn without_language(fenced: &str) -> &str {
    let rest = fenced.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    if rest.starts_with([' ', '\r', '\n', '{', '[']) { rest.trim() } else { fenced.trim() }
}

fn in_brackets(text: &str) -> Option<&str> {
    let start = text.find(['{', '['])?;
    let end = text.rfind(['}', ']'])?;
    text.get(start..=end)
}

#[cfg(test)]
mod tests;
