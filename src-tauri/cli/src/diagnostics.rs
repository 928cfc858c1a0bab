//! What is wrong with a flow file, shown in the style of rustc: file, line and column, the place underlined, what is
//! wrong there, and what to do.

use std::fmt::Write as _;
use std::sync::Arc;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use plait_api::engine::diagnostic::{Diagnostic, Severity};
use plait_api::engine::flow::ReadError;

use crate::locate::Located;

/// More findings than this are counted, not shown: nobody reads them, and each one searches the whole text.
const SHOWN: usize = 40;

/// How to draw.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// With colours.
    pub(crate) color: bool,
    /// How wide lines of prose may get.
    pub(crate) width: usize,
}

impl Style {
    fn handler(self) -> GraphicalReportHandler {
        let theme = if self.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        GraphicalReportHandler::new_themed(theme).with_width(self.width).with_links(false)
    }
}

/// Draws the findings, errors first, each with its place in the text.
pub(crate) fn render(name: &str, text: &str, found: &[Diagnostic], style: Style) -> String {
    let located = Located::new(text);
    let source = Arc::new(NamedSource::new(name, text.to_owned()).with_language("json"));
    let mut sorted: Vec<&Diagnostic> = found.iter().collect();
    sorted.sort_by_key(|one| one.severity);
    let mut out = String::new();
    for one in sorted.iter().take(SHOWN) {
        let span = located.span(&one.pointer);
        draw(&mut out, style, &Finding::new(one, Arc::clone(&source), span));
        out.push('\n');
    }
    if found.len() > SHOWN {
        let _ = writeln!(out, "… and {} more.", found.len() - SHOWN);
    }
    out
}

/// Draws why a text could not be read as a flow.
pub(crate) fn render_unreadable(name: &str, text: &str, error: &ReadError, style: Style) -> String {
    let located = Located::new(text);
    let span = if error.line > 0 {
        around(text, located.offset(error.line, error.column))
    } else {
        located.span(&error.diagnostic.pointer)
    };
    let source = Arc::new(NamedSource::new(name, text.to_owned()).with_language("json"));
    let mut out = String::new();
    draw(&mut out, style, &Finding::new(&error.diagnostic, source, span));
    out
}

/// What to underline at an offset: the string that ends there, else the character that stands there.
fn around(text: &str, at: usize) -> std::ops::Range<usize> {
    let string = text[..at].strip_suffix('"').and_then(|before| before.rfind('"'));
    match string {
        Some(start) => start..at,
        None => at..(at + text[at..].chars().next().map_or(0, char::len_utf8)),
    }
}

fn draw(out: &mut String, style: Style, finding: &Finding) {
    if style.handler().render_report(out, finding).is_err() {
        // Drawing into a string cannot fail; were it ever to, the bare sentence still gets through.
        let _ = writeln!(out, "{finding}");
    }
}

struct Finding {
    code: String,
    severity: Severity,
    message: String,
    hint: Option<String>,
    source: Arc<NamedSource<String>>,
    span: std::ops::Range<usize>,
}

impl Finding {
    fn new(one: &Diagnostic, source: Arc<NamedSource<String>>, span: std::ops::Range<usize>) -> Self {
        Self {
            code: one.code.clone(),
            severity: one.severity,
            message: one.message.clone(),
            hint: one.hint.clone(),
            source,
            span,
        }
    }
}

impl std::fmt::Debug for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Finding {}

impl miette::Diagnostic for Finding {
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
        Some(&*self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_primary_with_span(Some("here".to_owned()), self.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests;
