//! `plait runs export`.

use std::path::PathBuf;

use clap::Args;
use plait_api::Connection;

use super::find;
use crate::commands::recording;
use crate::exit::CliError;

/// The file has the journals of the run and the runs below it, their flows, the passages they used and their attachments. `plait replay
/// FILE` replays it on any machine, without network.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// The file to write. An existing one is replaced.
    file: PathBuf,
    /// Put the same placeholder in place of this name everywhere, in any case. Repeatable. Secrets are always removed.
    #[arg(long, value_name = "NAME")]
    mask: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: ExportArgs) -> Result<(), CliError> {
    let run = find(app, &args.run).await?;
    Ok(recording::export(app, run, &args.file, args.mask).await?)
}
