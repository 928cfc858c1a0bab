//! Reads YAML into a tree in which every value knows its place in the text. Values are those of JSON, by the core schema of
//! YAML 1.2: `no` is a text, `012` is a text too. Refuses what would make a place ambiguous or a small file large: anchors,
//! aliases, tags, several documents, keys used twice.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::{Map, Number, Value};

use super::problem::Problem;
use crate::codes;
use plait_core::diagnostic::escape;
use plait_core::exact_json;

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

#[derive(Default)]
struct Builder {
    stack: Vec<Open>,
    root: Option<Yaml>,
    documents: usize,
    values: usize,
}

impl Builder {
    fn add(&mut self, text: &str, event: Event<'_>, span: &Span) -> Result<(), Problem> {
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

/// A plain scalar by the core schema.
fn plain_value(source: &str, range: &Range<usize>) -> Result<Value, Problem> {
    Ok(match source {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(source) {
            None => Value::String(source.to_owned()),
            Some(Some(number)) => Value::Number(number),
            Some(None) => {
                let message = format!("The number {} cannot be held exactly.", exact_json::shorten(source));
                return Err(unsupported(range.clone(), message).hint("Write it as text, in quotes."));
            }
        },
    })
}

/// The number that a text is, if it is one; `Some(None)` of one that JSON cannot hold.
#[expect(clippy::option_option, reason = "no number, a number that JSON can't hold, a number")]
fn number(source: &str) -> Option<Option<Number>> {
    let (sign, digits) = match source.as_bytes().first()? {
        b'-' => ("-", &source[1..]),
        b'+' => ("", &source[1..]),
        _ => ("", source),
    };
    if let Some(hexadecimal) = source.strip_prefix("0x") {
        let valid = !hexadecimal.is_empty() && hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        return valid.then(|| u64::from_str_radix(hexadecimal, 16).ok().map(Number::from));
    }
    if let Some(octal) = source.strip_prefix("0o") {
        let valid = !octal.is_empty() && octal.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        return valid.then(|| u64::from_str_radix(octal, 8).ok().map(Number::from));
    }
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(source, ".nan" | ".NaN" | ".NAN") {
        return Some(None);
    }
    // A leading zero marks a text: a postal code, an id.
    if digits.len() > 1 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.starts_with('0') {
        return None;
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let text = format!("{sign}{digits}");
        let number = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        return Some(number.ok());
    }
    if !is_decimal(digits) {
        return None;
    }
    Some(format!("{sign}{digits}").parse::<f64>().ok().and_then(Number::from_f64))
}

/// Whether a text is `1.5`, `.5`, `1e3` and the like.
fn is_decimal(digits: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (digits, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && all_digits(exponent))
}

fn refuse_anchor(anchor: usize, range: &Range<usize>) -> Result<(), Problem> {
    if anchor == 0 { Ok(()) } else { Err(anchor_problem(range.clone())) }
}

fn anchor_problem(range: Range<usize>) -> Problem {
    Problem::new(codes::PIPELINE_ANCHOR, range, "Anchors (`&name`) and aliases (`*name`) are not supported.")
        .hint("Write the value out. Settings that several steps share belong into an agent under `agents`.")
}

fn tag_problem(span: &Span, range: Range<usize>) -> Problem {
    let place = span.tag_span().and_then(|tag| tag.byte_range()).unwrap_or(range);
    unsupported(place, "Tags (`!name`) are not supported.")
        .hint("Remove the tag. Quotes make a text of a number.")
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

/// Whether a text means itself without quotes, anywhere.
pub(super) fn is_plain_text(text: &str) -> bool {
    let starts_like_a_word = text.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    let is_word = |character: char| character.is_alphanumeric() || " _-./()+=<>?!;$^~%'".contains(character);
    starts_like_a_word
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        && matches!(plain_value(text, &(0..0)), Ok(Value::String(_)))
        // Readers of older versions take these for booleans.
        && !["yes", "no", "on", "off"].contains(&text.to_lowercase().as_str())
        && !text.bytes().all(|byte| byte.is_ascii_digit() || b"_:.".contains(&byte))
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
