//! What a line of text means as the answer to a pause.

use serde_json::Value;

/// What a person means by a line of text, given the schema of the pause: the text itself where text fits; yes and no
/// where a boolean is asked for; else the JSON it is. Text that fits in no way is given back as it is, so that the run
/// can refuse it and say why.
pub fn from_text(schema: &Value, text: &str) -> Value {
    let as_text = Value::String(text.to_owned());
    let Ok(validator) = jsonschema::validator_for(schema) else { return as_text };
    let trimmed = text.trim();
    let yes_or_no = match trimmed.to_lowercase().as_str() {
        "y" | "yes" | "true" | "ok" => Some(Value::Bool(true)),
        "n" | "no" | "false" => Some(Value::Bool(false)),
        _ => None,
    };
    let readings = [
        Some(as_text.clone()),
        Some(Value::String(trimmed.to_owned())),
        yes_or_no,
        serde_json::from_str(trimmed).ok(),
    ];
    readings.into_iter().flatten().find(|reading| validator.is_valid(reading)).unwrap_or(as_text)
}

/// The few answers there are, where the schema names them.
pub fn choices(schema: &Value) -> Option<Vec<String>> {
    if let Some(values) = schema["enum"].as_array() {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return Some(values.iter().map(text).collect());
    }
    (schema["type"] == "boolean").then(|| vec!["yes".to_owned(), "no".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_is_read_as_what_was_asked_for() {
        assert_eq!(from_text(&json!({"type": "string"}), "true"), json!("true"));
        assert_eq!(from_text(&json!({"type": "boolean"}), " Yes "), json!(true));
        assert_eq!(from_text(&json!({"type": "number"}), "4.5"), json!(4.5));
        assert_eq!(from_text(&json!({"enum": ["a", "b"]}), "b\n"), json!("b"));
        assert_eq!(from_text(&json!({"type": "object"}), "{\"a\": 1}"), json!({"a": 1}));
        assert_eq!(from_text(&json!({"type": "number"}), "four"), json!("four"));
    }

    #[test]
    fn a_schema_cannot_reach_out() {
        // References to the network or to files are not followed: the text stays text.
        let schema = json!({"$ref": "http://127.0.0.1:9/schema.json"});
        assert_eq!(from_text(&schema, "7"), json!("7"));
    }
}
