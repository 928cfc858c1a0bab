//! `plait conversations export`.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use plait_api::Plait;
use plait_api::conversations::{ExportConversation, ExportFormat};

use super::find;
use crate::exit::CliError;
use crate::terminal::stdout;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Conversation ID, a unique prefix of one, or `last`.
    conversation: String,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Markdown,
    /// For programs, without loss.
    Json,
}

pub(super) async fn execute(app: &Plait, args: ExportArgs) -> Result<(), CliError> {
    let conversation = find(app, &args.conversation).await?;
    let format = match args.format {
        Format::Markdown => ExportFormat::Markdown,
        Format::Json => ExportFormat::Json,
    };
    let to_file = args.out.is_some();
    let exported = app.call(ExportConversation { conversation, format, path: args.out }).await?;
    if !to_file {
        stdout().write_all(exported.text.as_bytes())?;
    }
    Ok(())
}
