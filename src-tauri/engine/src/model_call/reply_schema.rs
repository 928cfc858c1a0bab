//! Replies that must match a JSON Schema: the schema sent to the provider, and parsing of the reply.

use serde_json::{Value, json};

use crate::exact_json::{self, ExactJsonError};
use crate::expression::schema::find_violations;

/// The schema of a reply.
pub(crate) struct ReplySchema<'a> {
    schema: &'a Value,
    /// Providers require an object at the root. Any other type is wrapped in one.
    wrapper: Option<Value>,
}

/// The wrapper's only property.
const WRAPPED: &str = "value";

impl<'a> ReplySchema<'a> {
    /// A reply that matches `schema`.
    pub(crate) fn new(schema: &'a Value) -> Self {
        let is_object = match &schema["type"] {
            Value::String(name) => name == "object",
            Value::Null => true,
            _ => false,
        };
        // References are relative to the root of the document, which the wrapper would change.
        let can_wrap = !schema.to_string().contains("\"$ref\"");
        let wrapper = (!is_object && can_wrap).then(|| {
            json!({
                "type": "object",
                "properties": { WRAPPED: schema },
                "required": [WRAPPED],
                "additionalProperties": false,
            })
        });
        Self { schema, wrapper }
    }

    /// The schema to send to the provider.
    pub(crate) fn requested(&self) -> &Value {
        self.wrapper.as_ref().unwrap_or(self.schema)
    }

    /// The value in a reply. The error says what is wrong with it, worded for the model.
    pub(crate) fn parse_reply(&self, text: &str) -> Result<Value, String> {
        let mut value = exact_json::parse(strip_code_fence(text)).map_err(|error| match error {
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

/// Removes the code fence that models tend to put around JSON.
pub(crate) fn strip_code_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

#[cfg(test)]
mod tests;
