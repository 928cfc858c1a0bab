//! Where the parts of a flow are in the text of its file, JSON or YAML.

use std::ops::Range;

use plait_core::flow::ReadError;

use crate::json_positions::JsonPositions;
use crate::pipeline::{Pipeline, Places};

/// The text of a flow's file, parsed to look up places.
pub struct Positions<'a>(Text<'a>);

enum Text<'a> {
    Flow {
        text: &'a str,
        json: JsonPositions<'a>,
    },
    /// None of a pipeline that cannot be read; its errors have their own lines and columns.
    Pipeline {
        text: &'a str,
        places: Option<Places>,
    },
}

impl<'a> Positions<'a> {
    /// The positions in a flow, in JSON.
    pub fn of_flow(text: &'a str) -> Self {
        Self(Text::Flow { text, json: JsonPositions::new(text) })
    }

    /// The positions in a pipeline.
    pub fn of_pipeline(text: &'a str) -> Self {
        Self(Text::Pipeline { text, places: Pipeline::read(text).ok().map(|pipeline| pipeline.places) })
    }

    /// The bytes to underline for a pointer into the flow.
    pub fn span(&self, pointer: &str) -> Range<usize> {
        match &self.0 {
            Text::Flow { json, .. } => json.span(pointer),
            Text::Pipeline { places, .. } => places.as_ref().map_or(0..0, |places| places.span(pointer)),
        }
    }

    /// The bytes of all of a part of the flow, with its key. None for a part that the file does not have, such as a node that a pipeline
    /// only implies.
    pub fn extent(&self, pointer: &str) -> Option<Range<usize>> {
        match &self.0 {
            Text::Flow { json, .. } => json.extent(pointer),
            Text::Pipeline { places, .. } => places.as_ref()?.extent(pointer),
        }
    }

    /// The bytes to underline for an error of reading.
    pub fn of_error(&self, error: &ReadError) -> Range<usize> {
        match &self.0 {
            Text::Flow { json, .. } if error.line == 0 => json.span(&error.diagnostic.pointer),
            Text::Flow { text, json } => span_around(text, json.offset(error.line, error.column)),
            Text::Pipeline { text, .. } => token_at(text, error.line, error.column),
        }
    }
}

/// What to underline at an offset: the string that ends there, or the character at the offset.
fn span_around(text: &str, offset: usize) -> Range<usize> {
    let string = text[..offset].strip_suffix('"').and_then(|before| before.rfind('"'));
    match string {
        Some(start) => start..offset,
        None => offset..(offset + text[offset..].chars().next().map_or(0, char::len_utf8)),
    }
}

/// The word at a line and a column in characters, both from 1.
fn token_at(text: &str, line: usize, column: usize) -> Range<usize> {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[line_start.min(text.len())..];
    let start = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
    let ends = |character: char| character.is_whitespace() || ":,[]{}".contains(character);
    let length = rest[start..].find(ends).filter(|length| *length > 0);
    let length = length.unwrap_or_else(|| rest[start..].chars().next().map_or(0, char::len_utf8));
    line_start + start..line_start + start + length
}
