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
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "version": 1,
  "nodes": {
    "a/b": { "type": "text", "config": { "template": "Grüß {{x}}" } },
    "list": [1, { "x": true }]
  }
}"#;

    fn at(pointer: &str) -> &'static str {
        &TEXT[Located::new(TEXT).span(pointer)]
    }

    #[test]
    fn pointers_find_their_place() {
        assert_eq!(at("/version"), "1");
        assert_eq!(at("/nodes/a~1b"), "\"a/b\"");
        assert_eq!(at("/nodes/a~1b/config/template"), "\"Grüß {{x}}\"");
        assert_eq!(at("/nodes/list/1/x"), "true");
        assert_eq!(at(""), "{");
    }

    #[test]
    fn what_is_not_there_is_placed_at_the_nearest_above() {
        assert_eq!(at("/nodes/a~1b/config/missing/deeper"), "\"config\"");
        assert_eq!(at("/edges/e1"), "{");
        assert_eq!(Located::new("{ not json").span("/nodes"), 0..0);
    }

    #[test]
    fn lines_and_columns_become_offsets() {
        let located = Located::new(TEXT);
        assert_eq!(located.offset(1, 1), 0);
        assert_eq!(located.offset(2, 3), 4);
        assert_eq!(located.offset(99, 99), TEXT.len());
        // A column inside a character falls back to its start.
        let letter = TEXT.find('ü').unwrap();
        let line = TEXT[..letter].matches('\n').count() + 1;
        let column = letter - TEXT[..letter].rfind('\n').unwrap();
        assert_eq!(located.offset(line, column + 1), letter);
    }
}
