//! `plait runs draft`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use plait_api::runs::DraftProgram;
use plait_api::{Connection, ErrorReply, flow_files};
use plait_core::flow;
use plait_core::flow::Flow;

use super::find;
use crate::codes;
use crate::exit::CliError;
use crate::terminal::{mask, print_error, stdout};

#[derive(Debug, Args)]
pub(super) struct DraftArgs {
    /// The run of a recorded program: its ID, a unique prefix of it, or `last`.
    run: String,
    /// The flow file to write; it must not exist. `-` prints the flow instead.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) async fn execute(app: &Connection, args: &DraftArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    let draft = app.call(DraftProgram { run }).await?;
    if args.output == Path::new("-") {
        write!(stdout(), "{}", mask(&flow::write(&draft).unwrap_or_default()))?;
        return Ok(());
    }
    write_draft(&draft, &args.output)?;
    print_error(&format!("Wrote {0}. Check it: plait check {0}\n", args.output.display()));
    Ok(())
}

/// Writes a draft as a new file.
pub(in crate::commands) fn write_draft(draft: &Flow, file: &Path) -> Result<(), ErrorReply> {
    let text = flow::write(draft).map_err(|error| {
        ErrorReply::new(codes::FLOW_UNWRITABLE, format!("The flow could not be written. {error}"))
    })?;
    flow_files::create(file, &text).map_err(ErrorReply::from)
}
