//! `plait watch`.

use clap::Args;
use plait_api::runs::answers::Answers;
use plait_api::runs::{RunDetail, ShowRun};

use super::runs;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::run_follower::RunFollower;

#[derive(Debug, Args)]
#[command(after_help = "\
Shows the run from its beginning, then what happens, until it ends: also a run of the window or of another terminal. In a terminal, \
questions and stops are asked here, too; the first one decides. Ctrl+C ends watching; the run goes on.

Examples:
  plait watch last
  plait watch 0197 --json")]
pub(crate) struct WatchArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: WatchArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let run = runs::find(&app, &args.run).await?;
    let RunDetail { entries, damage, .. } = app.call(ShowRun { run: run.clone() }).await?;
    if let Some(damage) = damage {
        return Err(damage.into());
    }
    let ctrl_c = CtrlC::listen()?;
    let follower = RunFollower::new(&app, run, ctrl_c, Answers::default(), args.json).watching(&entries)?;
    let status = follower.follow().await;
    open_app::close(&app).await?;
    status
}
