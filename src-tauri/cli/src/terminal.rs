//! The terminal: its capabilities, and writing to standard error.

use std::io::{self, IsTerminal as _, Write as _};

/// How to draw on standard error.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) color: bool,
    /// The maximum width of text, in columns.
    pub(crate) width: usize,
}

/// The style for standard error.
pub(crate) fn style() -> Style {
    let color =
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = match console::Term::stderr().size_checked() {
        Some((_, columns)) => usize::from(columns).clamp(40, 120),
        None => 100,
    };
    Style { color, width }
}

/// Whether questions can be asked: standard input and standard error are a terminal.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Writes to standard error. Errors are ignored: there is nowhere left to report them.
pub(crate) fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
