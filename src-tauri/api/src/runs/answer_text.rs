//! Reads a line of text as the answer to a pause.

use plait_core::exact_json;
use plait_core::expression::schema;
use serde_json::{Map, Value, json};

/// Reads text as a value that matches the schema of a pause: the text itself if the schema accepts text; yes or no for a
/// boolean, or for an object with a single required boolean; the content, or its only field, for a question of a tool;
/// otherwise JSON. Text that matches in no way is returned unchanged, so that the run rejects it with a reason.
pub fn parse_answer(schema: &Value, text: &str) -> Value {
    let as_text = Value::String(text.to_owned());
    let trimmed = text.trim();
    let candidates = [
        Some(as_text.clone()),
        Some(Value::String(trimmed.to_owned())),
        yes_or_no(trimmed).map(Value::Bool),
        decision(schema, trimmed),
        exact_json::parse(trimmed).ok(),
        content(schema, text),
    ];
    candidates.into_iter().flatten().find(|candidate| schema::accepts(schema, candidate)).unwrap_or(as_text)
}

/// Reads text as a person's decision about a tool call, which the `schema` of the pause describes. Only unambiguous
/// texts count, since the decision has effects: `yes` or `no` alone, or JSON that matches the schema. `takes_reason` is
/// whether a refusal may give its reason (`no, too long`), as in a text that is known to be about this call.
pub fn parse_decision(schema: &Value, text: &str, takes_reason: bool) -> Option<Value> {
    let text = text.trim();
    let word = |word: &str| yes_or_no(word).filter(|_| !word.eq_ignore_ascii_case("ok"));
    let refused = text
        .split_once([',', ':'])
        .filter(|(before, _)| takes_reason && word(before) == Some(false))
        .and_then(|_| decision(schema, text));
    let json = exact_json::parse(text).ok();
    let content = content_schema(schema).and_then(|content| match word(text) {
        Some(true) => Some(content_of_yes(content)),
        Some(false) => None,
        None => json.clone(),
    });
    let content = content.map(|content| json!({ "accept": true, "content": content }));
    let candidates = [word(text).and_then(|_| decision(schema, text)), refused, json, content];
    candidates.into_iter().flatten().find(|candidate| schema::accepts(schema, candidate))
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
    if let Some(content) = content_schema(schema) {
        let fields = content["properties"].as_object();
        let answer = match fields.map(|fields| fields.iter().collect::<Vec<_>>()).as_deref() {
            Some([]) => "yes".to_owned(),
            Some([(name, _)]) => name.to_uppercase(),
            Some(fields) => {
                let fields: Vec<_> = fields.iter().map(|(name, _)| format!("{name:?}: …")).collect();
                format!("{{{}}}", fields.join(", "))
            }
            None => "TEXT".to_owned(),
        };
        return Some(vec![answer, "no".to_owned()]);
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

/// Reads text as the content of an answer to a question of a tool: the content itself, or its only field.
fn content(schema: &Value, text: &str) -> Option<Value> {
    let content = content_schema(schema)?;
    let mut answer = parse_answer(content, text);
    if !schema::accepts(content, &answer) {
        let fields: Vec<_> = content["properties"].as_object()?.iter().collect();
        answer = match fields.as_slice() {
            [] if yes_or_no(text.trim()) == Some(true) => Value::Object(Map::new()),
            [(name, field)] => Value::Object(Map::from_iter([((*name).clone(), parse_answer(field, text))])),
            _ => return None,
        };
    }
    Some(Value::Object(Map::from_iter([("accept".to_owned(), true.into()), ("content".to_owned(), answer)])))
}

/// The content that a plain "yes" stands for: the only field, if it is a boolean, or nothing.
fn content_of_yes(content: &Value) -> Value {
    let fields = content["properties"].as_object().into_iter().flatten();
    match fields.collect::<Vec<_>>().as_slice() {
        [(name, field)] if field["type"] == "boolean" => json!({ (*name): true }),
        _ => json!({}),
    }
}

/// The schema of the content, if it is that of an answer to a question of a tool.
fn content_schema(schema: &Value) -> Option<&Value> {
    let properties = schema["properties"].as_object()?;
    let asks = properties.len() == 2 && properties.get("accept")?["type"] == "boolean";
    properties.get("content").filter(|_| asks)
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
