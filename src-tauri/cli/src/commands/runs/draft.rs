//! `plait runs draft`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use plait_api::Connection;
use plait_api::runs::DraftProgram;
use plait_core::flow;

use super::find;
use crate::commands::record::write_draft;
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
