//! Reads YAML into a tree in which every value knows its place in the text. Values are those of JSON, by the core schema of
//! YAML 1.2: `no` is a text, `012` is a text too. Refuses what would make a place ambiguous or a small file large: anchors,
//! aliases, tags, several documents, keys used twice.

mod builder;
mod scalar;

use std::ops::Range;

use granit_parser::{ErrorKind, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Value};

use super::problem::Problem;
use crate::codes;
use builder::Builder;
use plait_core::diagnostic::escape;

pub(super) use scalar::is_plain_text;

/// The maximum size of a pipeline, in bytes. Pipelines that people write have some kilobytes.
const MAX_BYTES: usize = 4 << 20;
/// The maximum number of values in a pipeline.
const MAX_VALUES: usize = 200_000;
/// How deep values may be nested. A step in ten nested loops is 41 levels deep.
const MAX_NESTING_DEPTH: usize = 120;

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Yaml {
    pub(super) kind: Kind,
    /// Its bytes: of a scalar all of it, with quotes or the `|`; of a collection from its first to its last value.
    pub(super) range: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Scalar {
        value: Value,
        /// The text after quotes and escapes are resolved.
        text: String,
        style: ScalarStyle,
    },
    Sequence {
        items: Vec<Yaml>,
        /// Whether it is written as `[a, b]`.
        inline: bool,
    },
    Mapping {
        entries: Vec<MappingEntry>,
        /// Whether it is written as `{a: b}`.
        inline: bool,
    },
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct MappingEntry {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    pub(super) value: Yaml,
}

impl Yaml {
    /// The entries of a mapping; none of anything else.
    pub(super) fn entries(&self) -> &[MappingEntry] {
        match &self.kind {
            Kind::Mapping { entries, .. } => entries,
            _ => &[],
        }
    }

    /// The items of a sequence; none of anything else.
    pub(super) fn items(&self) -> &[Yaml] {
        match &self.kind {
            Kind::Sequence { items, .. } => items,
            _ => &[],
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&MappingEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Yaml> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(super) fn is_mapping(&self) -> bool {
        matches!(self.kind, Kind::Mapping { .. })
    }

    pub(super) fn is_sequence(&self) -> bool {
        matches!(self.kind, Kind::Sequence { .. })
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { value: Value::Null, .. })
    }

    /// The text of a scalar as it is written, without quotes.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The same as JSON.
    pub(super) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { value, .. } => value.clone(),
            Kind::Sequence { items, .. } => items.iter().map(Self::to_json).collect(),
            Kind::Mapping { entries, .. } => Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The bytes of a value with its key. None if it is missing.
    pub(super) fn extent(&self, pointer: &str) -> Option<Range<usize>> {
        let (mut value, mut start) = (self, self.range.start);
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            (value, start) = match &value.kind {
                Kind::Mapping { .. } => {
                    let entry = value.entry(&step)?;
                    (&entry.value, entry.key_range.start)
                }
                Kind::Sequence { items, .. } => {
                    let item = items.get(step.parse::<usize>().ok()?)?;
                    (item, item.entries().first().map_or(item.range.start, |first| first.key_range.start))
                }
                Kind::Scalar { .. } => return None,
            };
        }
        Some(start..value.last_byte().max(start))
    }

    /// Where the last of its values ends.
    fn last_byte(&self) -> usize {
        let last = match &self.kind {
            Kind::Scalar { .. } => None,
            Kind::Sequence { items, .. } => items.last(),
            Kind::Mapping { entries, .. } => entries.last().map(|entry| &entry.value),
        };
        last.map_or(self.range.end, Self::last_byte)
    }

    /// The bytes to underline for a JSON pointer: a key where there is one, else the value. Of a pointer to something
    /// missing, those of the nearest parent.
    pub(super) fn place(&self, pointer: &str) -> Range<usize> {
        let (mut value, mut key) = (self, None);
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            match &value.kind {
                Kind::Mapping { entries, .. } => {
                    let Some(entry) = entries.iter().find(|entry| entry.key == step) else { break };
                    (value, key) = (&entry.value, Some(entry.key_range.clone()));
                }
                Kind::Sequence { items, .. } => {
                    let Some(item) = step.parse::<usize>().ok().and_then(|index| items.get(index)) else {
                        break;
                    };
                    (value, key) = (item, None);
                }
                Kind::Scalar { .. } => break,
            }
        }
        match (&value.kind, key) {
            (Kind::Scalar { .. }, _) if !value.range.is_empty() => value.range.clone(),
            (_, Some(key)) => key,
            // Underlining a whole step would hide the message; its first key is enough.
            (Kind::Mapping { entries, .. }, None) if pointer.len() > 1 && !std::ptr::eq(value, self) => {
                entries
                    .iter()
                    .find(|entry| entry.key == "name")
                    .map_or(value.range.start..value.range.start, |name| name.value.range.clone())
            }
            (_, None) => value.range.start..value.range.start,
        }
    }
}

/// Reads a text of one document: a pipeline.
pub(super) fn parse(text: &str) -> Result<Yaml, Problem> {
    if text.len() > MAX_BYTES {
        let message =
            format!("The pipeline has {} MB; the limit is {} MB.", text.len() >> 20, MAX_BYTES >> 20);
        return Err(Problem::new(codes::FLOW_TOO_LARGE, 0..0, message));
    }
    parse_document(text)
}

/// Reads a text of one document, of any size that the caller takes.
pub(super) fn parse_document(text: &str) -> Result<Yaml, Problem> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_NESTING_DEPTH,
        block_nesting_limit: MAX_NESTING_DEPTH,
        disallow_directives: true,
    };
    let mut builder = Builder::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| syntax_problem(text, &error))?;
        builder.add(text, event, &span)?;
    }
    builder.root.ok_or_else(|| {
        Problem::new(codes::PIPELINE_EMPTY, 0..0, "The pipeline is empty.")
            .hint("Begin with `version: \"0.1\"` and `steps:`. `plait new my.yaml` writes one to start from.")
    })
}

fn anchor_problem(range: Range<usize>) -> Problem {
    Problem::new(codes::PIPELINE_ANCHOR, range, "Anchors (`&name`) and aliases (`*name`) are not supported.")
        .hint("Write the value out. Settings that several steps share belong into an agent under `agents`.")
}

/// How to write a text that begins with `{{`.
fn quote_hint(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end();
    let quoted = line.replace('\\', "\\\\").replace('"', "\\\"");
    format!("Put the whole text in quotes: `\"{}\"`.", shorten(&quoted))
}

fn unsupported(range: Range<usize>, message: impl Into<String>) -> Problem {
    Problem::new(codes::PIPELINE_UNSUPPORTED, range, message)
}

fn syntax_problem(text: &str, error: &ScanError) -> Problem {
    let mark = error.marker();
    let at = mark.byte_offset().unwrap_or_else(|| line_start(text, mark.line()));
    let at = text.floor_char_boundary(at.min(text.len()));
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let is_tab = matches!(error.kind(), ErrorKind::TabInBlockIndentation) || indentation.contains('\t');
    if is_tab {
        return Problem::new(codes::PIPELINE_TAB, at..at, "YAML is not indented with tabs.")
            .hint("Replace the tabs at the start of the line with spaces.");
    }
    if matches!(error.kind(), ErrorKind::UnknownAnchor) {
        return anchor_problem(at..at);
    }
    let problem = error.info();
    // The text of a key or of an item that begins with a variable.
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    let value = value.trim_start().trim_start_matches("- ").trim_start();
    if value.starts_with("{{") {
        let message = "Without quotes, `{{` begins a mapping in YAML, not a variable.";
        return Problem::new(codes::PIPELINE_NOT_YAML, at..at, message).hint(quote_hint(value));
    }
    Problem::new(codes::PIPELINE_NOT_YAML, at..at, format!("This is not valid YAML: {problem}."))
        .hint("Look at the indentation and at quotes and brackets on this line and the one before.")
}

fn line_start(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
}

/// A key as messages show it.
pub fn shorten(key: &str) -> String {
    const MAX_CHARS: usize = 60;
    match key.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// A pointer one level below another.
pub(super) fn below(pointer: &str, key: impl std::fmt::Display) -> String {
    format!("{pointer}/{}", escape(&key.to_string()))
}
