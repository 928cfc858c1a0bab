//! The entries of a run as lines of JSON on standard output.

use std::io::Write;

use plait_journal::Entry;

use crate::exit::CliError;
use crate::format::write_json;
use crate::terminal::stdout;

/// Maximum bytes of lines that are held back.
const MAX_HELD_BYTES: usize = 64 << 10;

/// Prints entries as lines of JSON. Lines are held back while more entries are there: a write for each costs more than the run
/// of a simple node.
pub(crate) struct JsonLines {
    out: Box<dyn Write>,
    lines: Vec<u8>,
}

impl JsonLines {
    pub(crate) fn new() -> Self {
        Self { out: stdout(), lines: Vec::new() }
    }

    /// Prints an entry, at the latest with the next [`flush`](Self::flush).
    pub(crate) fn print(&mut self, entry: &Entry) -> Result<(), CliError> {
        write_json(&mut self.lines, entry)?;
        self.lines.push(b'\n');
        if self.lines.len() < MAX_HELD_BYTES { Ok(()) } else { self.flush() }
    }

    /// Writes the held-back entries.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        Ok(self.out.flush()?)
    }
}
