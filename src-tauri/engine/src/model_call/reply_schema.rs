//! Replies that are to follow a JSON Schema: what is asked for, and reading what came.

use serde_json::{Value, json};

use crate::expression::schema::find_violations;

/// What a reply is to look like.
pub(crate) struct Schema<'a> {
    wanted: &'a Value,
    /// Providers want an object; anything else is asked for inside of one.
    asked: Option<Value>,
}

/// Where a value stands that is no object.
const INSIDE: &str = "value";

impl<'a> Schema<'a> {
    /// A reply that follows `wanted`.
    pub(crate) fn new(wanted: &'a Value) -> Self {
        let is_object = match &wanted["type"] {
            Value::String(one) => one == "object",
            Value::Null => true,
            _ => false,
        };
        // A reference is to the root of the document, which would be another one.
        let movable = !wanted.to_string().contains("\"$ref\"");
        let asked = (!is_object && movable).then(|| {
            json!({
                "type": "object",
                "properties": { INSIDE: wanted },
                "required": [INSIDE],
                "additionalProperties": false,
            })
        });
        Self { wanted, asked }
    }

    /// What the provider is given.
    pub(crate) fn asked(&self) -> &Value {
        self.asked.as_ref().unwrap_or(self.wanted)
    }

    /// The value in a reply; else what is wrong with it, in words that a model understands.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        let mut value: Value =
            serde_json::from_str(unfenced(text)).map_err(|error| format!("it is not JSON: {error}"))?;
        if self.asked.is_some()
            && let Some(inside) = value.as_object_mut().filter(|object| object.len() == 1)
            && let Some(inside) = inside.get_mut(INSIDE)
        {
            value = inside.take();
        }
        let violations = find_violations(self.wanted, &value)?;
        if violations.is_empty() { Ok(value) } else { Err(violations.join("; ")) }
    }
}

/// Without the code fence that models like to put around JSON.
pub(crate) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

#[cfg(test)]
mod tests;
