//! `plait export`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use plait_api::lens::{ExportSpans, ExportedSpans};

use super::runs::find;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait export otlp last --endpoint http://127.0.0.1:4318
  plait export otlp last --file run.otlp.json --content")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    command: ExportCommand,
}

#[derive(Debug, Subcommand)]
enum ExportCommand {
    /// Send the trace of a run and its child runs to OpenTelemetry (OTLP over HTTP, JSON).
    Otlp(OtlpArgs),
}

/// The spans follow the `GenAI` semantic conventions 1.41.0. Exporting a run again gives the same ids.
#[derive(Debug, Args)]
struct OtlpArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Where a collector listens; `/v1/traces` is added. If left out, the endpoint of the settings.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Write the spans to this file instead of sending them. An existing file is replaced.
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    file: Option<PathBuf>,
    /// Include messages, tool arguments and results.
    #[arg(long)]
    content: bool,
}

pub(crate) async fn execute(home: &Home, args: ExportArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    let ExportCommand::Otlp(OtlpArgs { run, endpoint, file, content }) = args.command;
    let run = find(&app, &run).await?;
    let file = file.map(|file| file.display().to_string());
    let ExportedSpans { spans, rejected } = app.call(ExportSpans { run, endpoint, file, content }).await?;
    let noun = if spans == 1 { "span" } else { "spans" };
    print_error(&format!("{spans} {noun} exported.\n"));
    if rejected > 0 {
        print_error(&format!("The server rejected {rejected}.\n"));
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}
