//! Templates in the syntax of Jinja, with the values written as Python writes them. Bounded like Handlebars: in steps, nesting and
//! output. A template reads only the values it gets; it loads no other template.

mod unknown_filters;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use minijinja::value::{Kwargs, Serde, Value as JinjaValue, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, Template as JinjaTemplate, UndefinedBehavior};
use serde_json::{Map, Value};

use super::super::deep_stack::block_on_deep_stack;
use super::guard::{MAX_NESTING_DEPTH, MAX_SOURCE_BYTES};
use super::limits::{MAX_ITERATIONS, MAX_OUTPUT_BYTES};
use super::{Problem, Variable};
use crate::codes;

/// How many instructions a template may take. An iteration takes several.
const MAX_INSTRUCTIONS: u64 = 20 * MAX_ITERATIONS as u64;

fn engine<'source>() -> Environment<'source> {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Lenient);
    engine.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    engine.add_filter("truncate", truncate);
    engine.add_filter("wordcount", |text: Cow<'_, str>| words(&text).count());
    engine.add_filter("striptags", minijinja_contrib::filters::striptags);
    engine.set_formatter(write_value);
    engine.set_fuel(Some(MAX_INSTRUCTIONS));
    engine.set_recursion_limit(MAX_NESTING_DEPTH);
    engine
}

/// The variables of a template, by their names.
pub(super) fn variables(source: &str) -> Result<Vec<Variable>, Problem> {
    on_deep_stack(|| variables_on_this_stack(&with_plain_line_ends(source)))
}

/// Renders a template.
pub(super) fn render(source: &str, values: Map<String, Value>) -> Result<String, Problem> {
    on_deep_stack(|| render_on_this_stack(&with_plain_line_ends(source), values))
}

/// The line ends of a template are those of Unix in Jinja. Those of values stay.
fn with_plain_line_ends(source: &str) -> Cow<'_, str> {
    if source.contains('\r') {
        source.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        source.into()
    }
}

/// Parsing, analyzing and dropping a template recurse as deep as its expressions nest, which the parser does not bound everywhere.
fn on_deep_stack<R: Send>(work: impl FnOnce() -> Result<R, Problem> + Send) -> Result<R, Problem> {
    block_on_deep_stack(work)
        .unwrap_or_else(|| Err(problem(codes::TEMPLATE_RENDER, 1, "there is no memory to read it.")))
}

fn variables_on_this_stack(source: &str) -> Result<Vec<Variable>, Problem> {
    let engine = engine();
    let template = compile(&engine, source)?;
    if let Some(problem) = unknown_filters::find(&engine, source) {
        return Err(problem);
    }
    // Such as `range`, which the engine itself has.
    let is_global = |name: &String| engine.globals().any(|(global, _)| global == name);
    let names = template.undeclared_variables(false).into_iter();
    let mut names: Vec<String> = names.filter(|name| !is_global(name)).collect();
    names.sort();
    let variable = |name: String| Variable { optional: tests_for_missing(source, &name), name };
    Ok(names.into_iter().map(variable).collect())
}

/// Whether a template says somewhere what stands in place of a variable that is missing.
fn tests_for_missing(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let is_whole = !source[..at].ends_with(|one: char| one.is_alphanumeric() || one == '_' || one == '.');
        let rest = source[at + name.len()..].trim_start();
        let word = match (rest.strip_prefix('|'), rest.strip_prefix("is ")) {
            (Some(filter), _) => words(filter).next(),
            (None, Some(test)) => words(test).find(|word| *word != "not"),
            (None, None) => None,
        };
        is_whole && word.is_some_and(|word| ["default", "d", "defined", "undefined"].contains(&word))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_alphanumeric() && one != '_').filter(|word| !word.is_empty())
}

/// Jinja's filter, which ends a long text at a word and takes its settings by position or by name.
#[expect(clippy::needless_pass_by_value, reason = "filters take their settings by value")]
fn truncate(
    text: Cow<'_, str>,
    length: Option<usize>,
    killwords: Option<bool>,
    end: Option<String>,
    settings: Kwargs,
) -> Result<String, Error> {
    let length = length.or(settings.get("length")?).unwrap_or(255);
    let killwords = killwords.or(settings.get("killwords")?).unwrap_or(false);
    let end = end.or(settings.get("end")?).unwrap_or_else(|| "...".to_owned());
    let leeway = settings.get::<Option<usize>>("leeway")?.unwrap_or(5);
    settings.assert_all_used()?;
    if text.chars().count() <= length.saturating_add(leeway) {
        return Ok(text.into_owned());
    }
    let cut: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let kept = if killwords { &*cut } else { cut.rsplit_once(' ').map_or(&*cut, |(kept, _)| kept) };
    Ok(format!("{kept}{end}"))
}

fn render_on_this_stack(source: &str, values: Map<String, Value>) -> Result<String, Problem> {
    let engine = engine();
    let template = compile(&engine, source)?;
    let mut out = BoundedOutput::default();
    match template.render_captured_to(Serde(values), &mut out) {
        Ok(_) => String::from_utf8(out.bytes)
            .map_err(|_| problem(codes::TEMPLATE_RENDER, 1, "its output is no text.")),
        Err(_) if out.is_full => {
            let message = format!("it writes more than {} MB.", MAX_OUTPUT_BYTES >> 20);
            Err(problem(codes::TEMPLATE_TOO_LARGE, 1, message))
        }
        Err(error) => Err(explain(&error)),
    }
}

fn compile<'engine, 'source>(
    engine: &'engine Environment<'source>,
    source: &'source str,
) -> Result<JinjaTemplate<'engine, 'source>, Problem> {
    if source.len() > MAX_SOURCE_BYTES {
        let message = format!("it is larger than {} KB.", MAX_SOURCE_BYTES >> 10);
        return Err(problem(codes::TEMPLATE_SOURCE_TOO_LARGE, 1, message));
    }
    engine.template_from_str(source).map_err(|error| explain(&error))
}

fn explain(error: &Error) -> Problem {
    let code = match error.kind() {
        ErrorKind::OutOfFuel => codes::TEMPLATE_TOO_MANY_STEPS,
        ErrorKind::SyntaxError => codes::TEMPLATE_SYNTAX,
        ErrorKind::UnknownFilter
        | ErrorKind::UnknownTest
        | ErrorKind::UnknownFunction
        | ErrorKind::UnknownMethod => codes::TEMPLATE_UNKNOWN_HELPER,
        _ => codes::TEMPLATE_RENDER,
    };
    let message = match error.detail() {
        Some(detail) => format!("{}: {detail}.", error.kind()),
        None => format!("{}.", error.kind()),
    };
    problem(code, error.line().unwrap_or(1), message)
}

fn problem(code: crate::error::ErrorCode, line: usize, message: impl Into<String>) -> Problem {
    Problem { code, message: message.into(), line, column: 1 }
}

/// Writes a value into the text: a string as it is, nothing for one that is missing, everything else as Python does.
fn write_value(out: &mut Output, _: &mut State, value: &JinjaValue) -> Result<(), Error> {
    let mut text = String::new();
    match (value.as_str(), value.is_undefined()) {
        (Some(string), _) => text.push_str(string),
        (None, true) => {}
        (None, false) => write_python(&mut text, value, 0),
    }
    out.write_str(&text).map_err(Error::from)
}

fn write_python(text: &mut String, value: &JinjaValue, depth: usize) {
    if text.len() > MAX_OUTPUT_BYTES {
        // It is refused as a whole. A list may hold another one many times over.
        return;
    }
    if depth > MAX_NESTING_DEPTH {
        text.push('…');
        return;
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => text.push_str("None"),
        ValueKind::Bool => text.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::String => write_quoted(text, value.as_str().unwrap_or_default()),
        ValueKind::Seq | ValueKind::Iterable => {
            text.push('[');
            for (index, item) in value.try_iter().into_iter().flatten().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write_python(text, &item, depth + 1);
            }
            text.push(']');
        }
        ValueKind::Map => {
            text.push('{');
            for (index, key) in value.try_iter().into_iter().flatten().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write_python(text, &key, depth + 1);
                text.push_str(": ");
                write_python(text, &value.get_item(&key).unwrap_or_default(), depth + 1);
            }
            text.push('}');
        }
        _ => {
            let _ = write!(text, "{value}");
        }
    }
}

/// A text in quotes, with the other quotes if it has these.
fn write_quoted(text: &mut String, content: &str) {
    let quote = if content.contains('\'') && !content.contains('"') { '"' } else { '\'' };
    text.push(quote);
    for one in content.chars() {
        match one {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\\' => text.push_str("\\\\"),
            _ if one == quote => {
                text.push('\\');
                text.push(one);
            }
            _ => text.push(one),
        }
    }
    text.push(quote);
}

#[derive(Default)]
struct BoundedOutput {
    bytes: Vec<u8>,
    is_full: bool,
}

impl io::Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT_BYTES {
            self.is_full = true;
            return Err(io::Error::other("the output is too large"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
