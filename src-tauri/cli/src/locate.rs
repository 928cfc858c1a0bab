//! From a JSON pointer to the place in the text it means. Never fails: where the exact place is not in the text, the
//! nearest one above it is.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A text parsed once, to look up any number of pointers in it.
pub(crate) struct Located<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
}

impl<'a> Located<'a> {
    /// Parses the text. One that is not JSON has no places but its start.
    pub(crate) fn new(text: &'a str) -> Self {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        Self { text, root: parsed.ok().and_then(|parsed| parsed.value) }
    }

    /// The bytes that a pointer means: the key and the head of what stands there for an object or list, the whole value
    /// for anything smaller.
    pub(crate) fn span(&self, pointer: &str) -> Range<usize> {
        let Some(root) = &self.root else { return 0..0 };
        let mut value = root;
        let mut key: Option<Range<usize>> = None;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let Some((found, at)) = child(value, &step) else { break };
            value = found;
            key = at;
        }
        match (value, key) {
            // Underlining a whole node would bury the message: its key says which one it is.
            (Value::Object(_) | Value::Array(_), Some(key)) => key,
            (Value::Object(_) | Value::Array(_), None) => value.start()..value.start() + 1,
            (scalar, _) => scalar.start()..scalar.end(),
        }
    }

    /// The byte at a line and column, both from 1, as `serde_json` counts them (columns in bytes).
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let before: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let offset = (before + column.saturating_sub(1)).min(self.text.len());
        self.text.floor_char_boundary(offset)
    }
}

type Child<'a, 'b> = (&'b Value<'a>, Option<Range<usize>>);

fn child<'a, 'b>(value: &'b Value<'a>, step: &str) -> Option<Child<'a, 'b>> {
    match value {
        // The last of several equal keys: that is the one too many, and the one that JSON parsers take.
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
