//! Placeholders: `{{name}}`, or `{{name.field}}` for a part of an argument. Nothing else is special, so braces of JSON and of
//! other languages stay as they are.

use serde_json::Value;

/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// A part of a text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    Text(&'a str),
    /// The name of an argument, with fields behind dots.
    Placeholder(&'a str),
}

/// Splits a text. Put together again, its parts are the text.
pub fn parse(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest, mut from) = (Vec::new(), 0, 0);
    while let Some(open) = text[from..].find("{{").map(|at| from + at) {
        let inner = open + 2;
        // Names are short, so a text of nothing but braces takes no longer than any other.
        let near = &text[inner..text.floor_char_boundary(inner + MAX_NAME_BYTES + 10)];
        let name = near.find("}}").map(|close| (near[..close].trim(), inner + close + 2));
        match name.filter(|(name, _)| is_name(name)) {
            Some((name, end)) => {
                if open > rest {
                    parts.push(Part::Text(&text[rest..open]));
                }
                parts.push(Part::Placeholder(name));
                (rest, from) = (end, end);
            }
            None => from = open + 1,
        }
    }
    if rest < text.len() {
        parts.push(Part::Text(&text[rest..]));
    }
    parts
}

/// The argument that a text stands for, if it is one placeholder and nothing else.
pub fn whole(text: &str) -> Option<&str> {
    match parse(text.trim()).as_slice() {
        [Part::Placeholder(name)] => Some(name),
        _ => None,
    }
}

/// The value of a placeholder: an argument or a field of one. None if it is absent or null.
pub fn lookup<'v>(arguments: &'v Value, name: &str) -> Option<&'v Value> {
    let mut value = arguments;
    for segment in name.split('.') {
        value = value.get(segment)?;
    }
    (!value.is_null()).then_some(value)
}

/// The argument that a placeholder belongs to.
pub fn first_segment(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

pub(super) fn names_in(text: &str) -> Vec<String> {
    let placeholders = parse(text).into_iter().filter_map(|part| match part {
        Part::Placeholder(name) => Some(name.to_owned()),
        Part::Text(_) => None,
    });
    placeholders.collect()
}

pub(super) fn names_in_value(value: &Value) -> Vec<String> {
    // Configs nest 100 levels at most, but a list of values to look at needs no such bound.
    let (mut names, mut queue) = (Vec::new(), vec![value]);
    while let Some(value) = queue.pop() {
        match value {
            Value::String(text) => names.extend(names_in(text)),
            Value::Array(items) => queue.extend(items),
            Value::Object(fields) => queue.extend(fields.values()),
            _ => {}
        }
    }
    names
}

fn is_name(name: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    name.len() <= MAX_NAME_BYTES && name.split('.').all(is_segment)
}
