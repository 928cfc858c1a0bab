//! `plait import otlp`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use plait_api::ErrorReply;
use plait_api::runs::ImportTraces;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

/// Reads traces by OpenTelemetry's conventions for generative AI, from a file that a collector's file exporter wrote, and makes a run of
/// their model calls, with their tools, tokens and cost. It is a run like any other: see `plait lens show last`.
#[derive(Debug, Args)]
pub(super) struct OtlpArgs {
    /// OTLP in JSON: one object, or one in each line.
    file: PathBuf,
    /// What people call the run. By default, the name of the service or of the outermost agent.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

pub(super) async fn execute(home: &Home, args: OtlpArgs) -> Result<ExitStatus, CliError> {
    let text = std::fs::read(&args.file).map_err(|error| {
        let message = format!("The file {} cannot be read: {error}.", args.file.display());
        ErrorReply::new(codes::USAGE_INPUT, message)
    })?;
    let text = String::from_utf8(text).map_err(|_| {
        ErrorReply::new(codes::TRACES_FORM, format!("{} is no text.", args.file.display())).hint(
            "Give a file of OTLP in JSON. Collectors write it with the file exporter and `format: json`.",
        )
    })?;
    let app = open_app::for_writing(home).await?;
    let imported = app.call(ImportTraces { text, name: args.name }).await;
    app.close().await?;
    let imported = imported?;
    for note in &imported.notes {
        print_error(&format!("note: {note}\n"));
    }
    writeln!(stdout(), "{}", imported.run)?;
    Ok(ExitStatus::Success)
}
