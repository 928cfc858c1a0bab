//! Templates of texts and plain `{{name}}`, which most are: read and rendered without the engine, in a few bytes for each part.
//!
//! Owns the part of Handlebars in which a text is written as it stands. What it does not read, and what it cannot render, is left to
//! the engine, which alone says what is wrong.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};
use smallvec::SmallVec;

use super::limits::MAX_OUTPUT_BYTES;
use super::variables::Variable;
use super::{MAX_SOURCE_BYTES, pieces};
use crate::expression::as_text;

/// Names that mean something else in a tag.
const RESERVED: [&str; 5] = ["as", "false", "null", "this", "true"];
/// The parser reads a tag that begins with it as a branch.
const BRANCH: &str = "else";

/// A template of texts and plain variables.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTemplate {
    parts: Box<[Part]>,
}

/// A text of the source, and what is written behind it.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    /// In bytes of the source.
    text: Range<u32>,
    /// Its index among the variables; nothing behind the last text and before a comment.
    variable: Option<u32>,
}

impl PlainTemplate {
    /// Reads a template, with its variables in order of first use. `None` for one that has more than texts, plain variables and comments
    /// within a line, or an error.
    pub(super) fn read(source: &str) -> Option<(Self, Vec<Variable>)> {
        if source.len() > MAX_SOURCE_BYTES || source.contains('\\') {
            return None;
        }
        let mut parts = Vec::new();
        let mut variables: Vec<Variable> = Vec::new();
        let mut at = 0;
        while let Some(length) = source[at..].find("{{") {
            let text = at..at + length;
            let tag = &source[text.end + 2..];
            let end = tag.find("}}")?;
            at = text.end + 2 + end + 2;
            let (inside, after) = (&tag[..end], source[at..].chars().next());
            if source[text.clone()].contains("}}") || after == Some('}') {
                return None;
            }
            let variable = if let Some(comment) = inside.strip_prefix("!--") {
                // One that ends its line takes the line with it.
                if !comment.ends_with("--") || after.is_none_or(char::is_whitespace) {
                    return None;
                }
                None
            } else {
                let name = inside.trim_matches([' ', '\t', '\r', '\n']);
                if !is_plain_name(name) {
                    return None;
                }
                let known = variables.iter().position(|variable| variable.name == name);
                Some(known.unwrap_or_else(|| {
                    variables.push(Variable { name: name.to_owned(), optional: false });
                    variables.len() - 1
                }))
            };
            parts.push(Part::new(text, variable)?);
        }
        if source[at..].contains("}}") {
            return None;
        }
        if at < source.len() {
            parts.push(Part::new(at..source.len(), None)?);
        }
        variables.shrink_to_fit();
        Some((Self { parts: parts.into() }, variables))
    }

    /// Renders it. `None` if a value is missing or the text is too long.
    pub(super) fn render(
        &self,
        source: &str,
        variables: &[Variable],
        values: &Map<String, Value>,
    ) -> Option<String> {
        // All are there before the first is written: the engine renders again what fails here.
        let text = |variable: &Variable| values.get(&variable.name).map(text_of);
        let texts: SmallVec<[Cow<'_, str>; 4]> = variables.iter().map(text).collect::<Option<_>>()?;
        let written = |part: &Part| part.text.len() + part.variable.map_or(0, |at| texts[at as usize].len());
        let length: usize = self.parts.iter().map(written).sum();
        if length > MAX_OUTPUT_BYTES {
            return None;
        }
        let mut text = String::with_capacity(length);
        for part in &self.parts {
            let literal = &source[part.text.start as usize..part.text.end as usize];
            text.push_str(literal);
            pieces::note_written(literal.len());
            if let Some(at) = part.variable {
                text.push_str(&texts[at as usize]);
                pieces::note_copy(&variables[at as usize].name, texts[at as usize].len());
            }
        }
        Some(text)
    }
}

impl Part {
    fn new(text: Range<usize>, variable: Option<usize>) -> Option<Self> {
        let text = u32::try_from(text.start).ok()?..u32::try_from(text.end).ok()?;
        let variable = variable.map(u32::try_from).transpose().ok()?;
        Some(Self { text, variable })
    }
}

fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        other => as_text(other).into(),
    }
}

/// Whether a tag with this name alone is a variable.
fn is_plain_name(name: &str) -> bool {
    let is_first = |char: char| char.is_ascii_alphabetic() || char == '_';
    name.starts_with(is_first)
        && name.chars().all(|char| is_first(char) || char.is_ascii_digit())
        && !name.starts_with(BRANCH)
        && !RESERVED.contains(&name)
}

#[cfg(test)]
mod tests;
