//! Text of another tool as a template of Plait: literal text, and values of nodes as its variables.
//!
//! A template is kept as parts and written once, when the node that holds it is made: only then is known which names its
//! variables can have.

mod names;
mod write;

pub(super) use names::{InputNames, identifier};

use super::output::Output;

/// A text with values of nodes in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TemplateText {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Value(Expression),
    /// Makes the template wait for a value that it doesn't show.
    Require(Expression),
}

/// A value of an output.
#[derive(Clone, Debug, PartialEq)]
struct Expression {
    /// What its variable is called, as far as that is possible.
    name: String,
    output: Output,
    path: Vec<String>,
}

impl Expression {
    fn of(name: &str, output: &Output, path: &[String]) -> Self {
        Self { name: name.to_owned(), output: output.clone(), path: path.to_vec() }
    }
}

impl TemplateText {
    /// A template without variables.
    pub(super) fn constant(text: &str) -> Self {
        let mut template = Self::default();
        template.push_text(text);
        template
    }

    /// A template that is one value.
    pub(super) fn of(name: &str, output: &Output, path: &[String]) -> Self {
        let mut template = Self::default();
        template.push_value(name, output, path);
        template
    }

    /// Adds literal text.
    pub(super) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Texts are escaped as a whole: braces may be apart in the file and together here.
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    /// Adds a value. `name` is what the variable is called, as far as that is possible.
    pub(super) fn push_value(&mut self, name: &str, output: &Output, path: &[String]) {
        self.parts.push(Part::Value(Expression::of(name, output, path)));
    }

    /// Adds another template.
    pub(super) fn push(&mut self, other: &Self) {
        for part in &other.parts {
            match part {
                Part::Text(text) => self.push_text(text),
                part => self.parts.push(part.clone()),
            }
        }
    }

    /// Makes it require a value that it doesn't show.
    pub(super) fn require(&mut self, name: &str, output: &Output) {
        self.parts.insert(0, Part::Require(Expression::of(name, output, &[])));
    }

    /// Whether it reads no value.
    pub(super) fn is_constant(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    pub(super) fn is_blank(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.trim().is_empty()))
    }

    /// The text of a template without variables.
    pub(super) fn literal(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().map(text).collect()
    }

    /// What it begins with, if that is text.
    pub(super) fn leading_text(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// The output, if the template is nothing but one whole value.
    pub(super) fn single_output(&self) -> Option<&Output> {
        let is_blank = |part: &&Part| matches!(part, Part::Text(text) if text.trim().is_empty());
        let mut parts = self.parts.iter().filter(|part| !is_blank(part));
        match (parts.next(), parts.next()) {
            (Some(Part::Value(Expression { output, path, .. })), None) if path.is_empty() => Some(output),
            _ => None,
        }
    }

    /// How many bytes it holds, about.
    pub(super) fn size(&self) -> usize {
        /// What a part takes beside its text.
        const PART_BYTES: usize = 100;
        let text = |part: &Part| match part {
            Part::Text(text) => text.len(),
            Part::Value(expression) | Part::Require(expression) => {
                expression.path.iter().map(|step| step.len() + PART_BYTES).sum()
            }
        };
        PART_BYTES + self.parts.iter().map(|part| PART_BYTES + text(part)).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
