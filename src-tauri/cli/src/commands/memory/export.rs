//! `plait memory export`.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use plait_api::Plait;
use plait_api::memories::{ExportMemories, MemoryFormat};

use crate::exit::CliError;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
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
    let format = match args.format {
        Format::Markdown => MemoryFormat::Markdown,
        Format::Json => MemoryFormat::Json,
    };
    let to_file = args.out.clone();
    let exported = app.call(ExportMemories { user: None, format, path: args.out }).await?;
    match to_file {
        Some(path) => print_error(&format!("Wrote {} memories to {path}.\n", exported.count)),
        None => stdout().write_all(exported.text.as_bytes())?,
    }
    Ok(())
}
