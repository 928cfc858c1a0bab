//! The tree from the parser's events, and what of YAML pipelines do not take.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, ScalarStyle, Span, StructureStyle};
use serde_json::Value;

use super::scalar::plain_value;
use super::{Kind, MAX_VALUES, MappingEntry, Yaml, anchor_problem, quote_hint, shorten, unsupported};
use crate::codes;
use crate::pipeline::problem::Problem;

/// A collection that has begun.
enum Open {
    Sequence {
        items: Vec<Yaml>,
        inline: bool,
        start: usize,
    },
    Mapping {
        entries: Vec<MappingEntry>,
        known: HashMap<String, usize>,
        key: Option<(String, Range<usize>)>,
        inline: bool,
        start: usize,
    },
}

/// Makes the tree of what the parser reports.
#[derive(Default)]
pub(super) struct Builder {
    stack: Vec<Open>,
    pub(super) root: Option<Yaml>,
    documents: usize,
    values: usize,
}

impl Builder {
    pub(super) fn add(&mut self, text: &str, event: Event<'_>, span: &Span) -> Result<(), Problem> {
        let range = span.byte_range().unwrap_or_default();
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(unsupported(
                        range,
                        "The file is one YAML document; this is the start of another.",
                    ));
                }
            }
            Event::Scalar(value, style, anchor, tag) => {
                self.count(&range)?;
                refuse_anchor(anchor, &range)?;
                if tag.is_some() {
                    return Err(tag_problem(span, range));
                }
                let range = self.whole_scalar(text, style, range);
                // The parser writes an empty value as `~`.
                let source = if range.is_empty() { "" } else { value.as_ref() };
                self.scalar(source, style, range)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.count(&range)?;
                refuse_anchor(anchor, &range)?;
                if tag.is_some() {
                    return Err(tag_problem(span, range));
                }
                self.refuse_key(text, &range)?;
                self.stack.push(Open::Sequence {
                    items: Vec::new(),
                    inline: style == StructureStyle::Flow,
                    start: range.start,
                });
            }
            Event::MappingStart(style, anchor, tag) => {
                self.count(&range)?;
                refuse_anchor(anchor, &range)?;
                if tag.is_some() {
                    return Err(tag_problem(span, range));
                }
                self.refuse_key(text, &range)?;
                self.stack.push(Open::Mapping {
                    entries: Vec::new(),
                    known: HashMap::new(),
                    key: None,
                    inline: style == StructureStyle::Flow,
                    start: range.start,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range.end),
            Event::Alias(_) => return Err(anchor_problem(range)),
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, range: &Range<usize>) -> Result<(), Problem> {
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("The file has more than {MAX_VALUES} values.");
            return Err(Problem::new(codes::FLOW_TOO_LARGE, range.clone(), message));
        }
        Ok(())
    }

    /// The range of a block scalar with its `|` or `>`, without the blank lines after it.
    fn whole_scalar(&self, text: &str, style: ScalarStyle, range: Range<usize>) -> Range<usize> {
        let indicator = match style {
            ScalarStyle::Literal => '|',
            ScalarStyle::Folded => '>',
            _ => return range,
        };
        let before = match self.stack.last() {
            Some(Open::Mapping { key: Some((_, key)), .. }) => key.end,
            Some(Open::Sequence { items, start, .. }) => items.last().map_or(*start, |item| item.range.end),
            _ => 0,
        };
        // The indicator ends the last line before the text, but for digits, signs and a comment.
        let header = text.get(before..range.start).unwrap_or_default().trim_end();
        let header = &header[header.rfind('\n').map_or(0, |newline| newline + 1)..];
        let line_start = text[..range.start].trim_end().len() - header.len();
        let is_indicator = |at: &usize| {
            let rest = header[at + 1..]
                .trim_start_matches(|next: char| next.is_ascii_digit() || "+-".contains(next));
            rest.is_empty() || rest.starts_with(char::is_whitespace)
        };
        let found = header.match_indices(indicator).map(|(at, _)| at).find(is_indicator);
        let start = found.map_or(range.start, |at| line_start + at);
        let end = start + text[start..range.end].trim_end().len();
        start..end
    }

    fn scalar(&mut self, source: &str, style: ScalarStyle, range: Range<usize>) -> Result<(), Problem> {
        if let Some(Open::Mapping { key, known, entries, .. }) = self.stack.last_mut()
            && key.is_none()
        {
            if known.insert(source.to_owned(), entries.len()).is_some() {
                let message = format!("The key `{}` is used twice.", shorten(source));
                return Err(Problem::new(codes::PIPELINE_DUPLICATE_KEY, range, message)
                    .hint("Remove one of the two, or rename it."));
            }
            *key = Some((source.to_owned(), range));
            return Ok(());
        }
        let value = match style {
            ScalarStyle::Plain => plain_value(source, &range)?,
            _ => Value::String(source.to_owned()),
        };
        self.put(Yaml { kind: Kind::Scalar { value, text: source.to_owned(), style }, range });
        Ok(())
    }

    /// A collection cannot be a key.
    fn refuse_key(&self, text: &str, range: &Range<usize>) -> Result<(), Problem> {
        match self.stack.last() {
            Some(Open::Mapping { key: None, inline: true, start, .. })
                if text[*start..].starts_with("{{") && range.start == start + 1 =>
            {
                let message = "Without quotes, `{{` begins a mapping in YAML, not a variable.";
                Err(unsupported(*start..range.end, message).hint(quote_hint(&text[*start..])))
            }
            Some(Open::Mapping { key: None, .. }) => {
                Err(unsupported(range.clone(), "A list or a mapping cannot be a key."))
            }
            _ => Ok(()),
        }
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.stack.pop() else { return };
        let value = match open {
            Open::Sequence { items, inline, start } => {
                let last = items.last().map_or(start, |item| item.range.end);
                let range = start..if inline { end } else { last };
                Yaml { kind: Kind::Sequence { items, inline }, range }
            }
            Open::Mapping { entries, inline, start, .. } => {
                let last =
                    entries.last().map_or(start, |entry| entry.value.range.end.max(entry.key_range.end));
                let range = start..if inline { end } else { last };
                Yaml { kind: Kind::Mapping { entries, inline }, range }
            }
        };
        self.put(value);
    }

    fn put(&mut self, value: Yaml) {
        match self.stack.last_mut() {
            Some(Open::Sequence { items, .. }) => items.push(value),
            Some(Open::Mapping { entries, key, .. }) => {
                if let Some((key, key_range)) = key.take() {
                    entries.push(MappingEntry { key, key_range, value });
                }
            }
            None => self.root = Some(value),
        }
    }
}

fn refuse_anchor(anchor: usize, range: &Range<usize>) -> Result<(), Problem> {
    if anchor == 0 { Ok(()) } else { Err(anchor_problem(range.clone())) }
}

fn tag_problem(span: &Span, range: Range<usize>) -> Problem {
    let place = span.tag_span().and_then(|tag| tag.byte_range()).unwrap_or(range);
    unsupported(place, "Tags (`!name`) are not supported.")
        .hint("Remove the tag. Quotes make a text of a number.")
}
