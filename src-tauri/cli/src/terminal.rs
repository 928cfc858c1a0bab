//! The terminal: its capabilities, and writing to it. Its texts come from flows, models, tools and files, so their
//! control characters are made visible; only [`print_styled`] passes them on. Messages may quote the command line and
//! files, so secrets in them are redacted; results come from the store, which holds none.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{LazyLock, OnceLock};

use plait_api::Redaction;

use crate::environment;
use crate::printable::printable;

/// When to use color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// In a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// The color choice of the command line. Set once, before anything is printed.
static COLOR: OnceLock<ColorChoice> = OnceLock::new();

/// Follows `--color` from now on. Only the first call counts.
pub(crate) fn set_color(choice: ColorChoice) {
    if COLOR.set(choice).is_ok() {
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        console::set_colors_enabled(uses_color(out));
        console::set_colors_enabled_stderr(uses_color(err));
    }
}

/// Whether to use color on a stream that is a terminal or not.
fn uses_color(is_terminal: bool) -> bool {
    match COLOR.get().copied().unwrap_or_default() {
        ColorChoice::Auto => is_terminal && !environment::is_color_off(),
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    }
}

/// Read when the first message is printed.
static REDACTION: LazyLock<Redaction> = LazyLock::new(Redaction::of_process);

/// How to draw on standard error.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) color: bool,
    /// The maximum width of text, in columns.
    pub(crate) width: usize,
}

/// The style for standard error.
pub(crate) fn style() -> Style {
    let color = uses_color(io::stderr().is_terminal());
    let width = match console::Term::stderr().size_checked() {
        Some((_, columns)) => usize::from(columns).clamp(40, 120),
        None => 100,
    };
    Style { color, width }
}

/// Whether to use color on standard output.
pub(crate) fn stdout_color() -> bool {
    uses_color(io::stdout().is_terminal())
}

/// Whether questions can be asked: standard input and standard error are a terminal.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Writes to standard error. Errors are ignored: there is nowhere left to report them.
pub(crate) fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(printable(&redact(text)).as_bytes());
}

/// The text without secrets.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    REDACTION.text(text)
}

/// The text with asterisks in the place of secrets, so that positions stay the same. For texts that are cut later: half
/// a secret is not recognized.
pub(crate) fn mask(text: &str) -> Cow<'_, str> {
    REDACTION.masked(text)
}

/// The value without secrets.
pub(crate) fn redact_value(mut value: serde_json::Value) -> serde_json::Value {
    REDACTION.value(&mut value);
    value
}

/// Writes text with escape sequences of our own to standard error. All other parts of it must be [`printable`].
pub(crate) fn print_styled(text: &str) {
    let _ = io::stderr().lock().write_all(redact(text).as_bytes());
}

/// Writes text with escape sequences of our own to standard output. Errors are ignored: the reader is gone.
pub(crate) fn print_styled_output(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Standard output. Scripts and files receive the unchanged text; a terminal receives it [`printable`].
pub(crate) fn stdout() -> Box<dyn Write> {
    let out = io::stdout();
    if out.is_terminal() { Box::new(PrintableWriter(out.lock())) } else { Box::new(out.lock()) }
}

/// Makes text printable. Each write must be whole characters, like the writes of the formatting macros.
struct PrintableWriter<W>(W);

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests;
