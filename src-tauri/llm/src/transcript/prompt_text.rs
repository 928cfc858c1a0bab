//! Pieces of a prompt: a turn under its label, a summary, a passage, the instructions of a tool.

use std::ops::Deref;

use super::escape::{ContentEscape, one_line};

/// A piece of a prompt. A line of its content never starts at the beginning of a line, where turns, summaries and headings start, so
/// it cannot look like one of them. There is no other way to put a text into a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText(String);

impl PromptText {
    /// Something that was said: `label: text`.
    pub fn turn(label: &str, text: &str) -> Self {
        let label = one_line(label.trim_end());
        let colon = if label.ends_with(':') { "" } else { ":" };
        Self(format!("{label}{colon} {}", ContentEscape::within_lines().apply(text)))
    }

    /// The summary of what was said before the other turns.
    pub fn summary(text: &str) -> Self {
        Self::turn("Summary of what was said before", text)
    }

    /// A passage of a document under a title.
    pub fn passage(title: &str, text: &str) -> Self {
        Self::below(title, text)
    }

    /// The lines of [`passage`](Self::passage) below its title.
    pub fn passage_lines(text: &str) -> Self {
        Self(ContentEscape::below_heading().apply(text).into_owned())
    }

    /// A text under a heading, each of its lines indented.
    pub fn below(heading: &str, text: &str) -> Self {
        Self(format!("{}\n{}", one_line(heading), ContentEscape::below_heading().apply(text)))
    }

    pub fn instructions(tool: &str, text: &str) -> Self {
        Self(format!("- {}: {}", one_line(tool), ContentEscape::within_lines().apply(text)))
    }

    /// The message to answer, as it is: it stands under no label, and what it says is said by its author.
    pub fn message(text: String) -> Self {
        Self(text)
    }

    /// The message to answer where other pieces stand beside it. Its lines after the first are indented.
    pub fn beside_others(text: &str) -> Self {
        Self(ContentEscape::within_lines().apply(text).into_owned())
    }

    /// The beginning of the piece, up to `end`, with a mark that something is missing.
    pub fn truncate(&mut self, end: usize, ellipsis: &str) {
        self.0.truncate(end);
        self.0.push_str(ellipsis);
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for PromptText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests;
