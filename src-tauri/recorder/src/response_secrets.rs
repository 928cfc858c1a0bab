//! Removes secrets from a response as a whole: also one that the boundary of two chunks cuts, or that a stream spells out over several events.

use std::collections::BTreeMap;
use std::ops::Range;

use plait_adapters::Redaction;
use plait_core::diagnostic::escape;
use serde_json::Value;

/// A part of a text, and what takes its place.
type Edit = (Range<usize>, String);

/// Redacts the chunks of a response. What is no text stays as it is.
pub(crate) fn redact(redaction: &Redaction, chunks: &mut Vec<(u64, Vec<u8>)>) {
    // Events come first: a part of a secret may count as one, and what is left of it would not be found any more.
    let edits_of: [fn(&Redaction, &str) -> Vec<Edit>; 2] = [edits_of_events, Redaction::replacements];
    for edits_of in edits_of {
        let bytes: Vec<u8> = chunks.iter().flat_map(|(_, bytes)| bytes).copied().collect();
        let Ok(text) = std::str::from_utf8(&bytes) else { return };
        apply(chunks.iter_mut().map(|(_, bytes)| bytes), &edits_of(redaction, text));
    }
    chunks.retain(|(_, bytes)| !bytes.is_empty());
}

/// An event of a stream: a JSON object on a line of its own, by itself or behind `data:`.
struct StreamEvent {
    range: Range<usize>,
    value: Value,
    is_changed: bool,
}

/// The events in which a part of a secret is, without it. A secret's label stands in the event where it begins.
fn edits_of_events(redaction: &Redaction, text: &str) -> Vec<Edit> {
    let mut events = events_of(text);
    let mut texts: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        add_texts(&event.value, String::new(), &mut |pointer, text| {
            texts.entry(pointer).or_default().push((index, text.to_owned()));
        });
    }
    for (pointer, parts) in texts {
        // Ids and types are the same in each event: they spell out nothing.
        if parts.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            continue;
        }
        let joined: String = parts.iter().map(|(_, part)| part.as_str()).collect();
        let edits = redaction.replacements(&joined);
        if edits.is_empty() {
            continue;
        }
        let mut edited: Vec<Vec<u8>> = parts.iter().map(|(_, part)| part.clone().into_bytes()).collect();
        apply(edited.iter_mut(), &edits);
        for ((index, before), after) in parts.into_iter().zip(edited) {
            // Replaced are whole characters, so that the rest is a text.
            let after = String::from_utf8(after).unwrap_or_default();
            if after != before
                && let Some(event) = events.get_mut(index)
                && let Some(place) = event.value.pointer_mut(&pointer)
            {
                *place = Value::String(after);
                event.is_changed = true;
            }
        }
    }
    let changed = events.into_iter().filter(|event| event.is_changed);
    changed.map(|event| (event.range, event.value.to_string())).collect()
}

fn events_of(text: &str) -> Vec<StreamEvent> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let start = at;
        at += line.len();
        let payload = line.strip_prefix("data:").unwrap_or(line).trim();
        let value: Value = serde_json::from_str(payload).ok().filter(Value::is_object)?;
        let from = start + line.find(payload)?;
        Some(StreamEvent { range: from..from + payload.len(), value, is_changed: false })
    });
    lines.collect()
}

/// The texts in a value, with their places.
fn add_texts(value: &Value, pointer: String, add: &mut impl FnMut(String, &str)) {
    match value {
        Value::String(text) => add(pointer, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add_texts(item, format!("{pointer}/{index}"), add);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                add_texts(field, format!("{pointer}/{}", escape(key)), add);
            }
        }
        _ => {}
    }
}

/// Applies edits, which are in order, to a text in parts. What takes a part's place stands where the part begins.
fn apply<'p>(parts: impl Iterator<Item = &'p mut Vec<u8>>, edits: &[Edit]) {
    let mut start = 0;
    for part in parts {
        let end = start + part.len();
        let (mut edited, mut at) = (Vec::with_capacity(part.len()), start);
        for (range, text) in edits.iter().filter(|(range, _)| range.start < end && start < range.end) {
            if range.start >= start {
                edited.extend_from_slice(&part[at - start..range.start - start]);
                edited.extend_from_slice(text.as_bytes());
            }
            at = range.end.min(end);
        }
        edited.extend_from_slice(&part[at - start..]);
        (*part, start) = (edited, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "key-of-the-program-0123456789";

    fn redacted(chunks: &[&[u8]]) -> Vec<(u64, String)> {
        let redaction = Redaction::default();
        redaction.add_sent_key("openai", KEY);
        let mut chunks: Vec<(u64, Vec<u8>)> =
            (0..).zip(chunks).map(|(at, bytes)| (at, bytes.to_vec())).collect();
        redact(&redaction, &mut chunks);
        chunks.into_iter().map(|(at, bytes)| (at, String::from_utf8(bytes).unwrap())).collect()
    }

    #[test]
    fn secret_across_chunks_is_replaced_where_it_begins() {
        let text = format!("{{\"text\":\"My key is {KEY}, yes\"}}");
        for cut in 0..text.len() {
            let (before, after) = text.as_bytes().split_at(cut);
            let all: String = redacted(&[before, after]).into_iter().map(|(_, text)| text).collect();
            assert_eq!(all, "{\"text\":\"My key is [key of openai], yes\"}", "cut at {cut}");
        }
        let (first, rest) = text.as_bytes().split_at(25);
        let (second, third) = rest.split_at(5);
        let parts = redacted(&[first, second, third]);
        let expected = [(0, "{\"text\":\"My key is [key of openai]"), (2, ", yes\"}")];
        assert_eq!(
            parts,
            expected.map(|(at, text)| (at, text.to_owned())),
            "nothing is left of the second chunk"
        );
    }

    #[test]
    fn secret_across_events_is_replaced_where_it_begins() {
        let event = |text: &str| {
            format!("data: {{\"id\": \"1\", \"choices\": [{{\"delta\": {{\"content\": \"{text}\"}}}}]}}\n\n")
        };
        let (one, two) = KEY.split_at(12);
        let whole = ["It is ", one, two, ", yes", "äöü"].map(event);
        let stream = whole.concat() + "data: [DONE]\n\n";
        // Chunks and events have other boundaries.
        let chunks: Vec<&[u8]> = stream.as_bytes().chunks(37).collect();
        let all: String = redacted(&chunks).into_iter().map(|(_, text)| text).collect();
        assert!(!all.contains(one) && !all.contains(two), "{all}");
        let contents: Vec<String> = all
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .map(|event: Value| event["choices"][0]["delta"]["content"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(contents, ["It is ", "[key of openai]", "", ", yes", "äöü"]);
        assert!(
            all.starts_with(&whole[0]) && all.ends_with("data: [DONE]\n\n"),
            "the rest is as it was: {all}"
        );
    }

    #[test]
    fn response_without_secrets_stays_byte_for_byte() {
        let stream = "data: {\"a\":  \"ä\"}\r\n\r\n{\"a\": \"b\"}\nnot json {\n";
        let parts = redacted(&[&stream.as_bytes()[..14], &stream.as_bytes()[14..]].map(|part| part));
        assert_eq!(parts.into_iter().map(|(_, text)| text).collect::<String>(), stream);
        let redaction = Redaction::default();
        redaction.add_sent_key("openai", KEY);
        let mut binary = vec![(0, vec![0xff, 0xfe]), (1, vec![0])];
        redact(&redaction, &mut binary);
        assert_eq!(binary, [(0, vec![0xff, 0xfe]), (1, vec![0])]);
    }
}
