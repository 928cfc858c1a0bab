//! `plait runs rm`.

use clap::Args;
use plait_api::Plait;
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

pub(super) async fn execute(app: &Plait, args: &RemoveArgs) -> Result<(), CliError> {
    // Every name is resolved before anything is removed, so that a typo removes nothing.
    let runs = args.run.iter().map(|name| find(app, name)).collect::<Result<Vec<_>, _>>()?;
    for run in runs {
        app.call(RemoveRun { run: run.clone() }).await?;
        print_error(&format!("Removed run {run}.\n"));
    }
    Ok(())
}
