//! Values of a known size, in place of what nobody knows before a run: replies, answers, results.

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const MAX_DEPTH: usize = 12;
/// How many values a schema makes at most. Schemas may refer to themselves.
const MAX_VALUES: usize = 500;
/// The most items of a list that a schema demands.
const MAX_ITEMS: u64 = 8;
/// How many of the first words differ from text to text.
const SERIAL_WORDS: u64 = 4;
/// Each is one token.
const DIGITS: &[u8; 10] = b"0123456789";
/// The words. Each is one token, alone and after a space.
const WORDS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// A text of so many tokens, at least 1. Texts with other serial numbers differ in their first words, so that nothing takes one
/// for another. It begins and ends with a digit, which is a token of its own beside a space or a letter: in a prompt around it, the text
/// takes no fewer tokens than any other one of this size does.
pub(super) fn text(tokens: u64, serial: u64) -> String {
    let length = usize::try_from(tokens.saturating_mul(2)).unwrap_or_default();
    let mut text = String::with_capacity(length);
    let mut serial = serial;
    let mut next = |of: u64| {
        let value = serial % of;
        serial /= of;
        usize::try_from(value).unwrap_or_default()
    };
    text.push(char::from(DIGITS[next(10)]));
    let words = tokens.max(1) - 1 - u64::from(tokens > 2);
    for at in 0..words {
        if at > 0 {
            text.push(' ');
        }
        let word = if at < SERIAL_WORDS { next(26) } else { 0 };
        text.push(char::from(WORDS[word]));
    }
    if tokens > 2 {
        text.push('0');
    }
    text
}

/// A value that matches a schema, as far as that is easily found, with one text of so many tokens.
pub(super) fn instance(schema: &Value, tokens: u64, serial: u64) -> Value {
    let mut long = Some(text(tokens, serial));
    Instances { root: schema, long: &mut long, left: MAX_VALUES }.of(schema, 0)
}

struct Instances<'a> {
    root: &'a Value,
    /// The text, until a string of the value has it.
    long: &'a mut Option<String>,
    /// How many more values are made.
    left: usize,
}

impl Instances<'_> {
    fn of(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.left == 0 {
            return Value::Null;
        }
        self.left -= 1;
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(value) = schema.get("enum").and_then(|values| values.get(0)) {
            return value.clone();
        }
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'))
        {
            return self
                .root
                .pointer(pointer)
                .cloned()
                .map_or(Value::Null, |found| self.of(&found, depth + 1));
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            if let Some(first) = schema.get(key).and_then(|choices| choices.get(0)) {
                return self.of(first, depth + 1);
            }
        }
        let kind = schema.get("type");
        let first_kind = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
        let kind = first_kind.unwrap_or(match schema {
            _ if schema.get("properties").is_some() => "object",
            _ if schema.get("items").is_some() => "array",
            _ => "string",
        });
        match kind {
            "object" => self.object(schema, depth),
            "array" => {
                let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, MAX_ITEMS);
                let items = schema.get("items").unwrap_or(&Value::Null).clone();
                (0..count).map(|_| self.of(&items, depth + 1)).collect()
            }
            "integer" | "number" => {
                schema.get("minimum").or_else(|| schema.get("maximum")).cloned().unwrap_or_else(|| json!(1))
            }
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => Value::String(self.long.take().unwrap_or_else(|| "a".to_owned())),
        }
    }

    /// An object with the properties that are required, or with all if none is.
    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Value::Object(object);
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        for (name, property) in properties {
            if required.is_empty() || required.contains(&name.as_str()) {
                object.insert(name.clone(), self.of(property, depth + 1));
            }
        }
        Value::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{instance, text};
    use plait_core::expression::schema::accepts;
    use plait_llm::tokens::count;

    #[test]
    fn text_has_the_tokens_asked_for_in_both_tokenizers() {
        for tokens in [1, 2, 3, 4, 5, 20, 99, 500, 2_000] {
            for serial in [0, 25, 26, 700, 456_975] {
                let text = text(tokens, serial);
                assert_eq!(count("gpt-4o", &text), tokens, "{tokens} {serial}");
                assert_eq!(count("gpt-4", &text), tokens, "{tokens} {serial}");
            }
        }
        assert_ne!(text(5, 1), text(5, 2));
    }

    #[test]
    fn instance_matches_its_schema() {
        let schemas = [
            json!({ "type": "string" }),
            json!({ "type": "object", "properties": { "a": { "type": "integer", "minimum": 3 }, "b": { "enum": ["x"] } },
                    "required": ["a", "b"], "additionalProperties": false }),
            json!({ "type": "array", "minItems": 2, "items": { "type": ["string", "null"] } }),
            json!({ "$defs": { "n": { "type": "number" } }, "anyOf": [{ "$ref": "#/$defs/n" }] }),
            json!({ "type": "boolean" }),
        ];
        for schema in schemas {
            let value = instance(&schema, 7, 0);
            assert!(accepts(&schema, &value), "{schema}: {value}");
        }
        assert_eq!(instance(&json!({ "$ref": "#" }), 1, 0), json!(null), "a schema that contains itself");
    }
}
