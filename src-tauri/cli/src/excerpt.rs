//! Part of a text around a place in it, for diagnostics. A flow may be one line of many megabytes, and only the
//! neighborhood of the place is of use, and miette cannot address columns above 65,535.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::printable::{printable, printable_in_place};

/// How much of a line is shown, in bytes.
const MAX_LINE_BYTES: usize = 200;
/// How much of that may be before the place.
const MAX_BYTES_BEFORE: usize = 80;
/// Stands for the omitted text.
const ELLIPSIS: &str = "…";

/// The line of a place, with the line before and the line after it, each cut to a readable length.
#[derive(Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    /// The place within `text`.
    pub(crate) span: Range<usize>,
    /// Where `text` begins in the whole text, from 0.
    first_line: usize,
    /// The place in the whole text, from 0; the column in bytes.
    line: usize,
    column: usize,
}

impl Excerpt {
    /// The excerpt of `text` around the byte range `span`. The range is clamped to the text and to one line.
    pub(crate) fn around(name: &str, text: &str, span: Range<usize>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text.ceil_char_boundary(span.end.clamp(start, line_end));
        let line = text[..line_start].matches('\n').count();

        let mut shown = String::new();
        let mut first_line = line;
        if line_start > 0 {
            let before_start = text[..line_start - 1].rfind('\n').map_or(0, |at| at + 1);
            push_beginning(&mut shown, &text[before_start..line_start - 1]);
            shown.push('\n');
            first_line -= 1;
        }
        let fits = line_end - line_start <= MAX_LINE_BYTES;
        let from = if fits { line_start } else { start.saturating_sub(MAX_BYTES_BEFORE).max(line_start) };
        let from = text.ceil_char_boundary(from);
        let to = text.floor_char_boundary((from + MAX_LINE_BYTES).min(line_end));
        if from > line_start {
            shown.push_str(ELLIPSIS);
        }
        let shown_start = shown.len() + start - from;
        let shown_end = shown_start + (end.min(to) - start);
        shown.push_str(&text[from..to]);
        if to < line_end {
            shown.push_str(ELLIPSIS);
        }
        if line_end < text.len() {
            let after = &text[line_end + 1..];
            shown.push('\n');
            push_beginning(&mut shown, after.lines().next().unwrap_or_default());
        }
        Self {
            name: printable(name).into_owned(),
            text: printable_in_place(&shown),
            span: shown_start..shown_end,
            first_line,
            line,
            column: start - line_start,
        }
    }
}

fn push_beginning(shown: &mut String, line: &str) {
    let end = line.floor_char_boundary(MAX_LINE_BYTES);
    shown.push_str(&line[..end]);
    if end < line.len() {
        shown.push_str(ELLIPSIS);
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, context_lines_before, context_lines_after)?;
        // The heading names the place of the span itself, which is read without context.
        let is_place = context_lines_before == 0 && context_lines_after == 0;
        let (line, column) = if is_place {
            (self.line, self.column)
        } else {
            (self.first_line + contents.line(), contents.column())
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            line,
            column,
            contents.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests;
