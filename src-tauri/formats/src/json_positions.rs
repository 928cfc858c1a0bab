//! Finds the position of a JSON pointer in a text. Never fails: a pointer to something missing leads to the nearest parent.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A parsed text for looking up pointers.
pub(crate) struct JsonPositions<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
}

impl<'a> JsonPositions<'a> {
    /// Parses the text. In invalid JSON every pointer leads to the start.
    pub(crate) fn new(text: &'a str) -> Self {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        Self { text, root: parsed.ok().and_then(|parsed| parsed.value) }
    }

    /// The bytes to underline for a pointer: the key of an object or array, or the whole value otherwise.
    pub(crate) fn span(&self, pointer: &str) -> Range<usize> {
        let Some(root) = &self.root else { return 0..0 };
        let mut value = root;
        let mut key: Option<Range<usize>> = None;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let Some((child, child_key)) = find_child(value, &step) else { break };
            value = child;
            key = child_key;
        }
        match (value, key) {
            // Underlining a whole node would hide the message. Its key is enough to identify it.
            (Value::Object(_) | Value::Array(_), Some(key)) => key,
            (Value::Object(_) | Value::Array(_), None) => value.start()..value.start() + 1,
            (scalar, _) => scalar.start()..scalar.end(),
        }
    }

    /// The bytes of a value with its key. None if it is missing.
    pub(crate) fn extent(&self, pointer: &str) -> Option<Range<usize>> {
        let mut value = self.root.as_ref()?;
        let mut start = value.start();
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let (child, key) = find_child(value, &step)?;
            value = child;
            start = key.map_or(child.start(), |key| key.start);
        }
        Some(start..value.end())
    }

    /// The byte offset of a line and a column, both from 1. Columns are counted in bytes, as `serde_json` does.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let line_start: usize =
            self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let offset = (line_start + column.saturating_sub(1)).min(self.text.len());
        self.text.floor_char_boundary(offset)
    }
}

type Child<'a, 'b> = (&'b Value<'a>, Option<Range<usize>>);

fn find_child<'a, 'b>(value: &'b Value<'a>, step: &str) -> Option<Child<'a, 'b>> {
    match value {
        // The last of duplicate keys, which is the one that parsers use and the one to remove.
        Value::Object(object) => object
            .properties
            .iter()
            .rev()
            .find(|property| property.name.as_str() == step)
            .map(|property| (&property.value, Some(property.name.start()..property.name.end()))),
        Value::Array(array) => Some((array.elements.get(step.parse::<usize>().ok()?)?, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
