//! A problem in the text of a pipeline, with its place.

use std::ops::Range;

use plait_core::diagnostic::Diagnostic;
use plait_core::error::ErrorCode;
use plait_core::flow::ReadError;
use plait_core::similar_name::similar_name;

/// A problem, and the bytes of the text that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) diagnostic: Diagnostic,
    pub(super) range: Range<usize>,
}

impl Problem {
    pub(super) fn new(code: ErrorCode, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { diagnostic: Diagnostic::error(code, "", message), range }
    }

    /// Adds how to fix it.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.diagnostic = self.diagnostic.hint(hint);
        self
    }

    /// Adds its place as a JSON pointer into the document.
    pub(super) fn pointer(mut self, pointer: &str) -> Self {
        pointer.clone_into(&mut self.diagnostic.pointer);
        self
    }

    /// The same with line and column, as readers of flows report it.
    pub(super) fn locate(self, text: &str) -> ReadError {
        let (line, column) = line_and_column(text, self.range.start);
        ReadError { diagnostic: Box::new(self.diagnostic), line, column }
    }
}

/// The line and the column of a byte, both from 1; the column counts characters.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// `Did you mean …?`, or which names there are.
pub(super) fn suggest<'n>(
    name: &str,
    what: &str,
    known: impl IntoIterator<Item = &'n str> + Clone,
) -> String {
    /// More than these are not read in a hint.
    const MAX_LISTED: usize = 20;
    if let Some(known) = similar_name(name, known.clone()) {
        return format!("Did you mean `{known}`?");
    }
    let mut names: Vec<&str> = known.into_iter().take(MAX_LISTED + 1).collect();
    if names.is_empty() {
        return format!("There are no {what}.");
    }
    let more = if names.len() > MAX_LISTED { ", …" } else { "" };
    names.truncate(MAX_LISTED);
    format!("The {what} are: {}{more}.", names.join(", "))
}
