//! What kind of terminal there is, if any.

use std::io::IsTerminal as _;

use crate::diagnostics::Style;

/// How to draw on standard error.
pub(crate) fn style() -> Style {
    let color =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let width = match console::Term::stderr().size_checked() {
        Some((_, columns)) => usize::from(columns).clamp(40, 120),
        None => 100,
    };
    Style { color, width }
}

/// Whether a person is there to be asked: standard input and standard error are a terminal.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}
