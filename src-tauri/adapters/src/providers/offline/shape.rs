//! What `echo` answers when a JSON Schema is asked for: a value of that shape, made from what was said.
//!
//! | asked for | answered |
//! |---|---|
//! | one of some values | the first of them that what was said names, else the first |
//! | text | what was said |
//! | a number | the first number in what was said, within bounds, else the lowest that is allowed |
//! | yes or no | whether what was said has the word `yes` or `true` |
//! | a list | one item, or as many as there must be |
//! | an object | each of its properties |
//!
//! The same words give the same value, always. It does not read patterns, formats or conditions: a schema that needs them
//! is what scripts are for.

use std::cell::Cell;

use serde_json::{Map, Number, Value};

/// Deeper schemas are answered with nothing from there on; one that refers to itself has no end.
const DEEPEST: usize = 12;
/// The most values an answer is made of.
const MOST_VALUES: usize = 2_000;

/// A value of that shape, as JSON.
pub(super) fn shaped(schema: &Value, said: &str) -> String {
    Shape { root: schema, said, lower: said.to_lowercase(), left: Cell::new(MOST_VALUES) }
        .value(schema, 0)
        .to_string()
}

struct Shape<'a> {
    root: &'a Value,
    said: &'a str,
    lower: String,
    /// How many values may still be made.
    left: Cell<usize>,
}

impl Shape<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        // What is too deep counts as well: a long list of such would not end otherwise.
        let Some(left) = self.left.get().checked_sub(1) else { return Value::Null };
        self.left.set(left);
        if depth > DEEPEST {
            return Value::Null;
        }
        if let Some(place) = schema["$ref"].as_str() {
            let meant = place.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return meant.map_or(Value::Null, |meant| self.value(meant, depth + 1));
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
        let made: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), self.value(schema, depth + 1)))
            .collect();
        Value::Object(made)
    }

    fn list(&self, schema: &Value, depth: usize) -> Value {
        let least = schema["minItems"].as_u64().unwrap_or(1).max(1);
        let wanted = least.min(schema["maxItems"].as_u64().unwrap_or(u64::MAX));
        let items = (0..wanted).take_while(|_| self.left.get() > 0);
        Value::Array(items.map(|_| self.value(&schema["items"], depth + 1)).collect())
    }

    fn number(&self, schema: &Value, whole: bool) -> Value {
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        let found =
            self.words().find_map(|word| word.parse::<f64>().ok().filter(|number| number.is_finite()));
        let number = found.or(least).unwrap_or_default();
        let number = number.max(least.unwrap_or(f64::MIN)).min(most.unwrap_or(f64::MAX));
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
        let most =
            schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        self.said.chars().take(most).collect()
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        let edge = |char: char| !char.is_alphanumeric() && char != '-';
        self.lower.split_whitespace().map(move |word| word.trim_matches(edge))
    }
}

/// The type a schema asks for; of several the first that is not null.
fn kind(schema: &Value) -> &str {
    let told = match &schema["type"] {
        Value::String(one) => Some(one.as_str()),
        Value::Array(some) => some.iter().filter_map(Value::as_str).find(|one| *one != "null"),
        _ => None,
    };
    told.unwrap_or(if schema["properties"].is_object() { "object" } else { "string" })
}

#[cfg(test)]
mod tests;
