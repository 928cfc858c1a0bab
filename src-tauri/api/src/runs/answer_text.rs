//! What a line of text means as the answer to a pause.

use serde_json::{Map, Value};

/// What a person means by a line of text, given the schema of the pause: the text itself where text fits; yes and no
/// where a boolean, or an object around one, is asked for; else the JSON it is. Text that fits in no way is given back as it is, so that the run
/// can refuse it and say why.
pub fn from_text(schema: &Value, text: &str) -> Value {
    let as_text = Value::String(text.to_owned());
    let Ok(validator) = jsonschema::validator_for(schema) else { return as_text };
    let trimmed = text.trim();
    let readings = [
        Some(as_text.clone()),
        Some(Value::String(trimmed.to_owned())),
        yes_or_no(trimmed).map(Value::Bool),
        decision(schema, trimmed),
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
    if schema["type"] == "boolean" {
        return Some(vec!["yes".to_owned(), "no".to_owned()]);
    }
    decided(schema).map(|(_, remark)| match remark {
        Some(remark) => vec!["yes".to_owned(), "no".to_owned(), format!("no, {}", remark.to_uppercase())],
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

/// `yes`, or `no, too long`, where an object is asked for whose one required part is a boolean: that decision, and the
/// rest as the remark.
fn decision(schema: &Value, text: &str) -> Option<Value> {
    let (decided, remark) = decided(schema)?;
    let (word, rest) = text.split_once([',', ':', ' ']).unwrap_or((text, ""));
    let mut answer = Map::from_iter([(decided.to_owned(), Value::Bool(yes_or_no(word)?))]);
    match (remark, rest.trim()) {
        (_, "") => {}
        (Some(remark), rest) => {
            answer.insert(remark.to_owned(), rest.into());
        }
        (None, _) => return None,
    }
    Some(Value::Object(answer))
}

/// The names of the one required boolean and of the one optional text of an object that is asked for.
fn decided(schema: &Value) -> Option<(&str, Option<&str>)> {
    let properties = schema["properties"].as_object()?;
    let [required] = schema["required"].as_array()?.as_slice() else { return None };
    let required =
        required.as_str().filter(|name| properties.get(*name).is_some_and(|one| one["type"] == "boolean"))?;
    let remark = properties.iter().find(|(_, one)| one["type"] == "string").map(|(name, _)| name.as_str());
    Some((required, remark))
}

#[cfg(test)]
mod tests;
