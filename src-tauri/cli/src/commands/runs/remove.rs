//! `plait runs rm`.

use clap::Args;
use plait_api::Connection;
use plait_api::runs::RemoveRun;

use super::find;
use crate::exit::CliError;
use crate::terminal::print_error;

#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Run IDs, unique prefixes of them, or `last`.
    #[arg(required = true)]
    run: Vec<String>,
}

pub(super) async fn execute(app: &Connection, args: &RemoveArgs) -> Result<(), CliError> {
    // Every name is resolved before anything is removed, so that a typo removes nothing.
    let mut runs = Vec::new();
    for name in &args.run {
        runs.push(find(app, name).await?);
    }
    for run in runs {
        app.call(RemoveRun { run: run.clone() }).await?;
        print_error(&format!("Removed run {run}.\n"));
    }
    Ok(())
}
