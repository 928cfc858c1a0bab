//! Renders diagnostics like rustc: file, line and column, the text underlined, the message, and the hint.

use std::fmt::Write as _;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use plait_core::diagnostic::{Diagnostic, Severity};
use plait_core::error::ErrorCode;
use plait_core::flow::ReadError;
use plait_formats::positions::Positions;

use crate::codes;
use crate::excerpt::Excerpt;
use crate::printable::printable;
use crate::terminal::Style;

/// The maximum number of diagnostics that are rendered; the rest is counted. More than this is not read in a terminal.
const MAX_RENDERED: usize = 40;

fn report_handler(style: Style) -> GraphicalReportHandler {
    let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme).with_width(style.width).with_links(false)
}

/// Renders diagnostics, errors first, each with its position in the text.
pub(crate) fn render(
    name: &str,
    text: &str,
    positions: &Positions<'_>,
    diagnostics: &[Diagnostic],
    style: Style,
) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    let mut out = String::new();
    for diagnostic in sorted.iter().take(MAX_RENDERED) {
        let excerpt = Excerpt::around(name, text, positions.span(&diagnostic.pointer));
        render_report(&mut out, style, &Report::new(diagnostic, excerpt));
        out.push('\n');
    }
    if diagnostics.len() > MAX_RENDERED {
        let _ = writeln!(out, "… and {} more.", diagnostics.len() - MAX_RENDERED);
    }
    out
}

/// Renders why a text could not be read as a flow.
pub(crate) fn render_read_errors(
    name: &str,
    text: &str,
    positions: &Positions<'_>,
    errors: &[ReadError],
    style: Style,
) -> String {
    let mut out = String::new();
    for error in errors.iter().take(MAX_RENDERED) {
        let excerpt = Excerpt::around(name, text, positions.of_error(error));
        render_report(&mut out, style, &Report::new(&error.diagnostic, excerpt));
    }
    if errors.len() > MAX_RENDERED {
        let _ = writeln!(out, "… and {} more.", errors.len() - MAX_RENDERED);
    }
    out
}

fn render_report(out: &mut String, style: Style, report: &Report) {
    if report_handler(style).render_report(out, report).is_err() {
        // Not expected when writing to a `String`. Falls back to the message.
        let _ = writeln!(out, "{report}");
    }
}

struct Report {
    code: ErrorCode,
    severity: Severity,
    message: String,
    hint: Option<String>,
    excerpt: Excerpt,
}

impl Report {
    fn new(diagnostic: &Diagnostic, excerpt: Excerpt) -> Self {
        Self {
            code: diagnostic.code.clone(),
            severity: diagnostic.severity,
            message: printable(&diagnostic.message).into_owned(),
            hint: hint_of(diagnostic),
            excerpt,
        }
    }
}

/// The hint of a finding, with what only the terminal can do.
fn hint_of(diagnostic: &Diagnostic) -> Option<String> {
    let hint = printable(diagnostic.hint.as_deref()?);
    if [codes::IMPORT_NEVER_STARTED, codes::IMPORT_EDGE_LOST].contains(&diagnostic.code) {
        return Some(format!("{hint} `plait run --confirm-import` runs the flow as it is, once."));
    }
    Some(hint.into_owned())
}

impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_primary_with_span(Some("here".to_owned()), self.excerpt.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests;
