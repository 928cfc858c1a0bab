//! Where parts of a value stand in its text. The text of a string is the string itself; of other values, compact JSON.

use std::ops::Range;

use plait_core::expression::as_text;
use serde_json::Value;

/// Two ranges of bytes with the same content: in the text of a whole value, and in the text of a part of it. They differ in length where
/// JSON escapes a character.
pub(super) type Pair = (Range<usize>, Range<usize>);

/// The part of a value at a path.
pub(super) fn part<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        Value::Object(members) => members.get(name),
        _ => None,
    })
}

/// Where the text of the part at `path` stands in the text of the whole value. Empty if there is no such part or if it has no text.
pub(super) fn pairs(value: &Value, path: &[String]) -> Vec<Pair> {
    let Some(part) = part(value, path) else { return Vec::new() };
    let text = as_text(part);
    if path.is_empty() {
        return if text.is_empty() { Vec::new() } else { vec![(0..text.len(), 0..text.len())] };
    }
    let Some(start) = offset(value, path) else { return Vec::new() };
    match part {
        Value::Null => Vec::new(),
        Value::String(text) => {
            runs(text).into_iter().map(|(raw, json)| (shift(&json, start + 1), raw)).collect()
        }
        _ => vec![(start..start + text.len(), 0..text.len())],
    }
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Where the JSON of the part at `path` begins in the JSON of the whole value.
fn offset(value: &Value, path: &[String]) -> Option<usize> {
    let Some((name, rest)) = path.split_first() else { return Some(0) };
    let (before, inner) = match value {
        Value::Array(items) => {
            let index = name.parse::<usize>().ok()?;
            let before: usize = items.get(..index)?.iter().map(|item| item.to_string().len() + 1).sum();
            (1 + before, items.get(index)?)
        }
        Value::Object(members) => {
            let key = |name: &str| Value::from(name).to_string().len() + 1;
            let earlier = members.iter().take_while(|(other, _)| *other != name);
            let before: usize = earlier.map(|(name, value)| key(name) + value.to_string().len() + 1).sum();
            (1 + before + key(name), members.get(name)?)
        }
        _ => return None,
    };
    Some(before + offset(inner, rest)?)
}

/// The stretches of a string that JSON writes as they are, and each character that it escapes: in the string, and between the quotes.
fn runs(text: &str) -> Vec<Pair> {
    let mut runs: Vec<Pair> = Vec::new();
    let (mut plain, mut json) = (0, 0);
    for (at, char) in text.char_indices() {
        let escaped = escaped_length(char);
        if escaped == char.len_utf8() {
            continue;
        }
        if plain < at {
            runs.push((plain..at, json..json + at - plain));
            json += at - plain;
        }
        plain = at + char.len_utf8();
        runs.push((at..plain, json..json + escaped));
        json += escaped;
    }
    if plain < text.len() {
        runs.push((plain..text.len(), json..json + text.len() - plain));
    }
    runs
}

fn escaped_length(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        char if char < ' ' => 6,
        char => char.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use plait_core::expression::as_text;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::pairs;

    proptest! {
        #[test]
        fn pairs_hold_the_same_text(texts in prop::collection::vec("[a-c\"\\\\\\n\\té😀\u{1}]{0,6}", 1..4), at in 0..3_usize) {
            let value = json!({ "n": [1, 2.5, null], "li\"st": texts, "t": true });
            let index = at % texts.len();
            let path = ["li\"st".to_owned(), index.to_string()];
            let whole = as_text(&value);
            let mut seen = String::new();
            for (outer, inner) in pairs(&value, &path) {
                let json = Value::from(&texts[index][inner.clone()]).to_string();
                prop_assert_eq!(&whole[outer], &json[1..json.len() - 1]);
                seen.push_str(&texts[index][inner]);
            }
            prop_assert_eq!(&seen, &texts[index]);
        }
    }
}
