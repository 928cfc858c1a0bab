//! `plait cancel`.

use clap::Args;
use plait_api::runs::{CancelRun, ShowRun};
use plait_api::{Connection, ErrorReply};
use plait_core::id::RunId;
use plait_journal::view::RunStatus;

use super::runs;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plait cancel last")]
pub(crate) struct CancelArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
}

pub(crate) async fn execute(home: &Home, args: &CancelArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let run = runs::find(&app, &args.run).await?;
    let status = status_of(&app, &run).await?;
    if status.is_final() {
        return Err(runs::already_ended(&run, status).into());
    }
    app.call(CancelRun { run: run.clone() }).await?;
    app.settled(&run).await;
    let status = status_of(&app, &run).await?;
    app.close().await?;
    match status {
        RunStatus::Cancelled => print_error(&format!("Canceled run {run}.\n")),
        status if status.is_final() => return Err(runs::already_ended(&run, status).into()),
        _ => {
            return Err(ErrorReply::new(
                codes::RUN_NOT_CANCELED,
                format!("Run {run} could not be canceled."),
            )
            .hint("Check that the data directory is writable and the disk is not full, then try again.")
            .into());
        }
    }
    Ok(ExitStatus::Success)
}

async fn status_of(app: &Connection, run: &RunId) -> Result<RunStatus, ErrorReply> {
    Ok(app.call(ShowRun { run: run.clone() }).await?.summary.status)
}
