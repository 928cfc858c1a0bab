//! Writes parts of a pipeline as YAML.

use std::fmt::Write as _;

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::tree::Tree;
use super::yaml::is_plain_text;

/// How much deeper each level is.
const INDENT: usize = 2;

/// What follows `key:` at this indentation: a scalar on the same line, or a collection on lines of its own. Without a line
/// break at the end.
pub(super) fn after_key(tree: &Tree, indent: usize) -> String {
    match tree {
        Tree::Leaf(value) => format!(" {}", leaf(value, ScalarStyle::Plain, indent + INDENT)),
        Tree::Map(entries) if entries.is_empty() => " {}".to_owned(),
        Tree::Map(entries) => format!("\n{}", map(entries, indent + INDENT)),
        Tree::Steps(steps) if steps.is_empty() => " []".to_owned(),
        Tree::Steps(steps) => {
            let items: Vec<String> = steps.iter().map(|item| step(item, indent + INDENT)).collect();
            format!("\n{}", items.join("\n"))
        }
    }
}

/// The entries of a mapping, a line or more for each.
pub(super) fn map(entries: &[(String, Tree)], indent: usize) -> String {
    let lines: Vec<String> = entries.iter().map(|(name, value)| entry(name, value, indent)).collect();
    lines.join("\n")
}

/// An entry of a mapping.
pub(super) fn entry(name: &str, value: &Tree, indent: usize) -> String {
    format!("{}{}:{}", " ".repeat(indent), key(name), after_key(value, indent))
}

/// A step of a list; `indent` is that of its dash.
pub(super) fn step(tree: &Tree, indent: usize) -> String {
    let body = map(tree.entries(), indent + INDENT);
    format!("{}- {}", " ".repeat(indent), body.trim_start_matches(' '))
}

pub(super) fn key(name: &str) -> String {
    if is_plain_text(name) { name.to_owned() } else { quoted(name) }
}

/// A value as a whole, in the style that it had. `indent` is that of further lines.
pub(super) fn leaf(value: &Value, style: ScalarStyle, indent: usize) -> String {
    match value {
        Value::String(text) => scalar(text, style, indent),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        other => inline(other),
    }
}

/// A value on lines of its own, each indented this far: mappings and lists as blocks. Without a line break at the end.
pub(super) fn value(value: &Value, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let lines = entries
                .iter()
                .map(|(name, value)| format!("{margin}{}:{}", key(name), behind(value, indent)));
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Array(items) if !items.is_empty() => {
            let lines = items.iter().map(|item| {
                let body = self::value(item, indent + INDENT);
                format!("{margin}- {}", body.trim_start_matches(' '))
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        scalar => format!("{margin}{}", leaf(scalar, ScalarStyle::Plain, indent)),
    }
}

/// What follows `key:` of a mapping with this indentation.
fn behind(value: &Value, indent: usize) -> String {
    match value {
        Value::Object(entries) if !entries.is_empty() => format!("\n{}", self::value(value, indent + INDENT)),
        Value::Array(items) if !items.is_empty() => format!("\n{}", self::value(value, indent + INDENT)),
        scalar => format!(" {}", leaf(scalar, ScalarStyle::Plain, indent + INDENT)),
    }
}

/// A value on one line, within brackets.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain_text(text) && !text.contains([',', '[', ']', '{', '}']) => {
            text.clone()
        }
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(name, value)| format!("{}: {}", quoted(name), inline(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

fn scalar(text: &str, style: ScalarStyle, indent: usize) -> String {
    if text.contains('\n') {
        return block(text, indent).unwrap_or_else(|| quoted(text));
    }
    match style {
        ScalarStyle::Literal if !text.is_empty() => block(text, indent).unwrap_or_else(|| quoted(text)),
        ScalarStyle::DoubleQuoted => quoted(text),
        ScalarStyle::SingleQuoted if text.chars().all(is_printable) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ if is_plain_text(text) => text.to_owned(),
        _ => quoted(text),
    }
}

/// A text as a block with `|`, if it can be written as one.
fn block(text: &str, indent: usize) -> Option<String> {
    let (body, chomping) = match text.strip_suffix('\n') {
        Some(body) => (body, ""),
        None => (text, "-"),
    };
    let fits_on_lines = |character: char| character == '\n' || is_printable(character);
    let fits = !body.is_empty()
        && !body.starts_with([' ', '\n'])
        && !body.ends_with('\n')
        && body.chars().all(fits_on_lines)
        && body.lines().all(|line| !line.ends_with(' ') || !line.trim().is_empty());
    if !fits {
        return None;
    }
    let mut written = format!("|{chomping}");
    for line in body.split('\n') {
        written.push('\n');
        if !line.is_empty() {
            written.push_str(&" ".repeat(indent));
            written.push_str(line);
        }
    }
    Some(written)
}

/// A text in double quotes. The escapes of JSON are those of YAML, which needs a few more.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let mut quoted = String::with_capacity(json.len());
    for character in json.chars() {
        if is_printable(character) {
            quoted.push(character);
        } else {
            let _ = write!(quoted, "\\u{:04x}", u32::from(character));
        }
    }
    quoted
}

/// Whether a character may stand in YAML as it is, on one line.
fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
