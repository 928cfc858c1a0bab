//! Filters and tests that a template names and the engine does not have. The engine itself finds them where it renders.

use std::collections::HashSet;

use minijinja::{Environment, ErrorKind};

use super::{Problem, problem};
use crate::codes;

/// The first filter or test of a template that the engine does not have. The template can be read.
pub(super) fn find(engine: &Environment<'_>, source: &str) -> Option<Problem> {
    let mut known = HashSet::new();
    named(source).into_iter().filter(|(_, kind, name)| known.insert((*kind, *name))).find_map(
        |(at, kind, name)| {
            let (expression, unknown) = match kind {
                Kind::Filter => (format!("none|{name}"), ErrorKind::UnknownFilter),
                Kind::Test => (format!("none is {name}"), ErrorKind::UnknownTest),
            };
            let error = engine.compile_expression(&expression).and_then(|found| found.eval(())).err()?;
            if error.kind() != unknown {
                return None;
            }
            let line = source[..at].matches('\n').count() + 1;
            let message = match kind {
                Kind::Filter => format!("there is no filter `{name}`."),
                Kind::Test => format!("there is no test `{name}`."),
            };
            Some(problem(codes::TEMPLATE_UNKNOWN_HELPER, line, message))
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Filter,
    Test,
}

/// The filters and tests that a template names, each with its place.
fn named(source: &str) -> Vec<(usize, Kind, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((open, close)) = next_tag(source, at) {
        let inside = open + 2..close;
        let text = &source[inside.clone()];
        at = (close + 2).min(source.len());
        if source[open..].starts_with("{#") {
            continue;
        }
        let words: Vec<(usize, &str)> = tokens(text).collect();
        let is_statement = source[open..].starts_with("{%");
        let first = words.iter().find(|(_, word)| *word != "-" && *word != "+").map(|(_, word)| *word);
        if is_statement && first == Some("raw") {
            let end = source[at..].find("endraw").map_or(source.len(), |end| at + end);
            at = end;
            continue;
        }
        for (index, (_, before)) in words.iter().enumerate() {
            let kind = match *before {
                "|" => Kind::Filter,
                "filter" if is_statement && first == Some("filter") => Kind::Filter,
                "is" => Kind::Test,
                _ => continue,
            };
            let is_negated =
                kind == Kind::Test && words.get(index + 1).is_some_and(|(_, word)| *word == "not");
            let Some(&(place, word)) = words.get(index + 1 + usize::from(is_negated)) else { continue };
            if word.starts_with(|one: char| one.is_alphabetic() || one == '_') {
                found.push((inside.start + place, kind, word));
            }
        }
    }
    found
}

/// The next `{{`, `{%` or `{#` from a place, and where what closes it begins; a text in quotes closes nothing.
fn next_tag(source: &str, from: usize) -> Option<(usize, usize)> {
    let rest = source.get(from..)?;
    let opens = ["{{", "{%", "{#"].iter().filter_map(|open| Some((rest.find(open)?, *open))).min()?;
    let open = from + opens.0;
    let close = match opens.1 {
        "{{" => "}}",
        "{%" => "%}",
        _ => "#}",
    };
    let mut quote = None;
    let mut is_escaped = false;
    for (at, one) in source[open + 2..].char_indices() {
        let at = open + 2 + at;
        match quote {
            Some(_) if std::mem::take(&mut is_escaped) => {}
            Some(_) if one == '\\' => is_escaped = true,
            Some(known) if known == one => quote = None,
            None if source[at..].starts_with(close) => return Some((open, at)),
            None if close != "#}" && (one == '\'' || one == '"') => quote = Some(one),
            _ => {}
        }
    }
    None
}

/// The words and signs of an expression, without texts in quotes.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            let start = at;
            if first == '"' || first == '\'' {
                at += length_of_text(rest, first);
                return Some((start, &text[start..at]));
            }
            let is_word = |one: char| one.is_alphanumeric() || one == '_';
            let length = if is_word(first) {
                rest.find(|one| !is_word(one)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            at += length;
            if !first.is_whitespace() {
                return Some((start, &text[start..at]));
            }
        }
    })
}

/// How long the text in quotes is that something begins with, its quotes included.
fn length_of_text(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        if one == quote {
            return at + 1;
        }
        is_escaped = one == '\\';
    }
    text.len()
}
