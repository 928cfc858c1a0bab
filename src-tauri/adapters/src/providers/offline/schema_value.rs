//! The reply of `echo` to a request with a JSON Schema: a value of that shape, derived from the user message.
//!
//! | schema | value |
//! |---|---|
//! | enum | the first value that the message mentions, else the first |
//! | string | the message |
//! | number | the first number in the message, within the bounds, else the minimum |
//! | boolean | whether the message has the word `yes` or `true` |
//! | array | one item, or `minItems` |
//! | object | all properties |
//!
//! The same message always gives the same value. Patterns, formats and conditions are ignored; use a script for those.

use std::cell::Cell;

use serde_json::{Map, Number, Value};

/// Deeper values are null, because a recursive schema has no end.
const MAX_NESTING_DEPTH: usize = 12;
/// The maximum number of values in a reply.
const MAX_VALUES: usize = 2_000;

/// A value of the schema's shape, as JSON.
pub(super) fn generate(schema: &Value, text: &str) -> String {
    Generator { root: schema, text, lower: text.to_lowercase(), remaining: Cell::new(MAX_VALUES) }
        .value(schema, 0)
        .to_string()
}

struct Generator<'a> {
    root: &'a Value,
    text: &'a str,
    lower: String,
    /// How many more values may be created.
    remaining: Cell<usize>,
}

impl Generator<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        // Values that are too deep count as well: otherwise a long list of them would not end.
        let Some(remaining) = self.remaining.get().checked_sub(1) else { return Value::Null };
        self.remaining.set(remaining);
        if depth > MAX_NESTING_DEPTH {
            return Value::Null;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or(Value::Null, |target| self.value(target, depth + 1));
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(some) = schema["enum"].as_array() {
            return self.one_of(some);
        }
        if let Some(first) = ["anyOf", "oneOf", "allOf"].iter().find_map(|any| schema[any].get(0)) {
            return self.value(first, depth + 1);
        }
        match kind(schema) {
            "object" => self.object(schema, depth),
            "array" => self.list(schema, depth),
            "integer" => self.number(schema, true),
            "number" => self.number(schema, false),
            "boolean" => Value::Bool(self.words().any(|word| word == "yes" || word == "true")),
            "null" => Value::Null,
            _ => Value::String(self.text(schema)),
        }
    }

    fn one_of(&self, some: &[Value]) -> Value {
        let named = some.iter().find(|value| {
            let name = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
            !name.is_empty() && self.lower.contains(&name)
        });
        named.or(some.first()).cloned().unwrap_or_default()
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let properties = schema["properties"].as_object();
        let values: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), self.value(schema, depth + 1)))
            .collect();
        Value::Object(values)
    }

    fn list(&self, schema: &Value, depth: usize) -> Value {
        let min = schema["minItems"].as_u64().unwrap_or(1).max(1);
        let wanted = min.min(schema["maxItems"].as_u64().unwrap_or(u64::MAX));
        let items = (0..wanted).take_while(|_| self.remaining.get() > 0);
        Value::Array(items.map(|_| self.value(&schema["items"], depth + 1)).collect())
    }

    fn number(&self, schema: &Value, whole: bool) -> Value {
        let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        let number =
            self.words().find_map(|word| word.parse::<f64>().ok().filter(|number| number.is_finite()));
        let number = number.or(min).unwrap_or_default();
        let number = number.max(min.unwrap_or(f64::MIN)).min(max.unwrap_or(f64::MAX));
        if whole {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number that large is cut to the largest there is"
            )]
            return Value::from(number.round() as i64);
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    fn text(&self, schema: &Value) -> String {
        let max =
            schema["maxLength"].as_u64().and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        self.text.chars().take(max).collect()
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let edge = |char: char| !char.is_alphanumeric() && char != '-';
        self.lower.split_whitespace().map(move |word| word.trim_matches(edge))
    }
}

/// The type of a schema; of several, the first that is not null.
fn kind(schema: &Value) -> &str {
    let kind = match &schema["type"] {
        Value::String(one) => Some(one.as_str()),
        Value::Array(some) => some.iter().filter_map(Value::as_str).find(|one| *one != "null"),
        _ => None,
    };
    kind.unwrap_or(if schema["properties"].is_object() { "object" } else { "string" })
}

#[cfg(test)]
mod tests;
