//! Reads a line of text as the answer to a pause.

use plait_engine::exact_json;
use plait_engine::expression::schema;
use serde_json::{Map, Value};

/// Reads text as a value that matches the schema of a pause: the text itself if the schema accepts text; yes or no for a
/// boolean, or for an object with a single required boolean; otherwise JSON. Text that matches in no way is returned
/// unchanged, so that the run rejects it with a reason.
pub fn parse_answer(schema: &Value, text: &str) -> Value {
    let as_text = Value::String(text.to_owned());
    let trimmed = text.trim();
    let candidates = [
        Some(as_text.clone()),
        Some(Value::String(trimmed.to_owned())),
        yes_or_no(trimmed).map(Value::Bool),
        decision(schema, trimmed),
        exact_json::parse(trimmed).ok(),
    ];
    candidates.into_iter().flatten().find(|candidate| schema::accepts(schema, candidate)).unwrap_or(as_text)
}

/// The possible answers, if the schema lists them.
pub fn answer_choices(schema: &Value) -> Option<Vec<String>> {
    if let Some(values) = schema["enum"].as_array() {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return Some(values.iter().map(text).collect());
    }
    if schema["type"] == "boolean" {
        return Some(vec!["yes".to_owned(), "no".to_owned()]);
    }
    decision_properties(schema).map(|(_, comment)| match comment {
        Some(comment) => vec!["yes".to_owned(), "no".to_owned(), format!("no, {}", comment.to_uppercase())],
        None => vec!["yes".to_owned(), "no".to_owned()],
    })
}

fn yes_or_no(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "y" | "yes" | "true" | "ok" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// Reads `yes` or `no, too long` as an object with a required boolean and an optional comment.
fn decision(schema: &Value, text: &str) -> Option<Value> {
    let (decision, comment) = decision_properties(schema)?;
    let (word, rest) = text.split_once([',', ':', ' ']).unwrap_or((text, ""));
    let mut answer = Map::from_iter([(decision.to_owned(), Value::Bool(yes_or_no(word)?))]);
    match (comment, rest.trim()) {
        (_, "") => {}
        (Some(comment), rest) => {
            answer.insert(comment.to_owned(), rest.into());
        }
        (None, _) => return None,
    }
    Some(Value::Object(answer))
}

/// The names of the single required boolean and of the optional string of an object schema.
fn decision_properties(schema: &Value) -> Option<(&str, Option<&str>)> {
    let properties = schema["properties"].as_object()?;
    let [required] = schema["required"].as_array()?.as_slice() else { return None };
    let required = required
        .as_str()
        .filter(|name| properties.get(*name).is_some_and(|property| property["type"] == "boolean"))?;
    let comment =
        properties.iter().find(|(_, property)| property["type"] == "string").map(|(name, _)| name.as_str());
    Some((required, comment))
}

#[cfg(test)]
mod tests;
