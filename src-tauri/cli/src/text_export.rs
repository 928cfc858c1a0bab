//! The options of commands that export a text, and where the text goes.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use plait_api::ExportFormat;

use crate::exit::CliError;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Markdown,
    /// For programs, without loss.
    Json,
}

impl ExportOptions {
    pub(crate) fn format(&self) -> ExportFormat {
        match self.format {
            Format::Markdown => ExportFormat::Markdown,
            Format::Json => ExportFormat::Json,
        }
    }

    /// Prints the text, unless it was written to a file.
    pub(crate) fn print(&self, text: &str) -> Result<(), CliError> {
        if self.out.is_none() {
            stdout().write_all(text.as_bytes())?;
        }
        Ok(())
    }
}
