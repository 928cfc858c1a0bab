//! Writes templates: in the language of templates, and as the placeholders of requests.

use std::fmt::Write as _;

use super::{Block, Expression, InputNames, Part, Subject, TemplateText};
use crate::output::Output;
use plait_run::http_tool::placeholder;

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
        // A block for each item hides the variables behind its item.
        let mut depth = 0usize;
        for part in &self.parts {
            match part {
                Part::Text(text) => write_text(&mut source, text),
                Part::Value(expression) => {
                    let expression = write_expression(expression, names, depth > 0);
                    write_tag(&mut source, &expression);
                }
                Part::Open(block, expression) => {
                    let expression = write_argument(expression, names, depth > 0);
                    write_tag(&mut source, &format!("#{} {expression}", block.name()));
                }
                Part::Each(expression, item) => {
                    let expression = write_argument(expression, names, depth > 0);
                    write_tag(&mut source, &format!("#each {expression} as |{item}|"));
                    depth += 1;
                }
                Part::Else => write_tag(&mut source, "else"),
                Part::Close(block) => {
                    write_tag(&mut source, &format!("/{}", block.name()));
                    if *block == Block::Each {
                        depth = depth.saturating_sub(1);
                    }
                }
                Part::Require(expression) => {
                    let expression = write_argument(expression, names, depth > 0);
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
                Part::Value(Expression { subject: Subject::Output(name, output), path, calls })
                    if calls.is_empty() && path.iter().all(|step| is_name(step)) =>
                {
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

impl Block {
    fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Unless => "unless",
            Self::Each => "each",
        }
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

fn write_expression(expression: &Expression, names: &mut InputNames, is_inside: bool) -> String {
    let root = if is_inside { "@root." } else { "" };
    let subject = match &expression.subject {
        Subject::Output(name, output) => format!("{root}{}", names.name_of(name, output)),
        Subject::Item(name) => name.clone(),
        Subject::Index => "@index".to_owned(),
    };
    let mut written =
        path_text(&subject, &expression.path).unwrap_or_else(|| lookup_text(&subject, &expression.path));
    for call in &expression.calls {
        let argument = call.argument.as_ref().map(|text| format!(" \"{text}\"")).unwrap_or_default();
        written = format!("{} {}{argument}", call.helper, in_parentheses(written));
    }
    written
}

/// An expression as the argument of another one.
fn write_argument(expression: &Expression, names: &mut InputNames, is_inside: bool) -> String {
    in_parentheses(write_expression(expression, names, is_inside))
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
