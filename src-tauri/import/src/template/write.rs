//! Writes templates: in the language of templates, and as the placeholders of requests.

use std::fmt::Write as _;

use super::{Expression, InputNames, Part, TemplateText};
use crate::output::Output;
use plait_llm::http_tool::placeholder;

impl TemplateText {
    /// The template in Plait's language.
    pub(crate) fn source(&self) -> String {
        self.write(&mut InputNames::default())
    }

    /// Its variables, and what feeds them.
    pub(crate) fn inputs(&self) -> Vec<(String, Output)> {
        let mut names = InputNames::default();
        self.write(&mut names);
        names.inputs().to_vec()
    }

    /// The template in Plait's language, as one of several of a node, which share their inputs.
    pub(crate) fn write(&self, names: &mut InputNames) -> String {
        let mut source = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => write_text(&mut source, text),
                Part::Value(expression) => {
                    let expression = write_expression(expression, names);
                    write_tag(&mut source, &expression);
                }
                Part::Require(expression) => {
                    let expression = in_parentheses(write_expression(expression, names));
                    write_tag(&mut source, &format!("#with {expression}"));
                    write_tag(&mut source, "/with");
                }
            }
        }
        source
    }

    /// The text with placeholders as requests have them: names, with fields behind dots. None if it has more.
    pub(crate) fn write_request(&self, names: &mut InputNames) -> Option<String> {
        let mut source = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => write_request_text(&mut source, text),
                Part::Value(Expression { name, output, path }) if path.iter().all(|step| is_name(step)) => {
                    let name = names.name_of(name, output);
                    let _ = write!(source, "{{{{{name}");
                    for step in path {
                        let _ = write!(source, ".{step}");
                    }
                    source.push_str("}}");
                }
                _ => return None,
            }
        }
        Some(source)
    }
}

/// Writes literal text, with its braces escaped.
fn write_text(source: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        source.push_str(&rest[..at]);
        // A backslash before the braces would escape the escape.
        if source.ends_with('\\') {
            source.push(' ');
        }
        source.push_str("\\{{");
        rest = &rest[at + 2..];
        // Two more braces right after would belong to the escape.
        if rest.starts_with('{') {
            source.push(' ');
        }
    }
    source.push_str(rest);
}

/// Writes literal text of a request. Requests know no escapes, so braces that would be a placeholder are set apart.
fn write_request_text(source: &mut String, text: &str) {
    for part in placeholder::parse(text) {
        match part {
            placeholder::Part::Text(text) => source.push_str(text),
            placeholder::Part::Placeholder(name) => {
                let _ = write!(source, "{{ {{{name}}}}}");
            }
        }
    }
}

fn write_tag(source: &mut String, inner: &str) {
    // A brace or a backslash before the tag would change what it means.
    if source.ends_with(['{', '\\']) {
        source.push(' ');
    }
    let _ = write!(source, "{{{{{inner}}}}}");
}

fn write_expression(expression: &Expression, names: &mut InputNames) -> String {
    let subject = names.name_of(&expression.name, &expression.output);
    path_text(&subject, &expression.path).unwrap_or_else(|| lookup_text(&subject, &expression.path))
}

fn in_parentheses(written: String) -> String {
    if written.contains(' ') { format!("({written})") } else { written }
}

fn is_name(step: &str) -> bool {
    !step.is_empty()
        && step.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
        && !step.starts_with(|first: char| first.is_ascii_digit())
}

fn path_text(name: &str, path: &[String]) -> Option<String> {
    let mut text = name.to_owned();
    for step in path {
        let is_index = !step.is_empty() && step.len() < 10 && step.bytes().all(|one| one.is_ascii_digit());
        if is_name(step) {
            let _ = write!(text, ".{step}");
        } else if is_index {
            let _ = write!(text, ".[{step}]");
        } else {
            return None;
        }
    }
    Some(text)
}

/// A path with steps that are no plain names.
fn lookup_text(name: &str, path: &[String]) -> String {
    let mut text = "lookup (".repeat(path.len().saturating_sub(1));
    let _ = write!(text, "lookup {name}");
    for (index, step) in path.iter().enumerate() {
        let step: String = step.chars().filter(|one| !matches!(one, '"' | '\\' | '{' | '}')).collect();
        let close = if index + 1 < path.len() { ")" } else { "" };
        let _ = write!(text, " \"{step}\"{close}");
    }
    text
}
