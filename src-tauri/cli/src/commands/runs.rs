//! `plait runs`. Also finds the run that an argument names.

mod draft;
mod export;
mod find;
mod forget_replies;
mod list;
mod open;
mod pin;
mod remove;
mod show;
mod turns;

use std::path::Path;

use clap::{Args, Subcommand};
use plait_api::runs::{ListRuns, PROGRAMS_FOLDER, ResolveRun, ShowRun};
use plait_api::{Connection, ErrorReply};
use plait_core::id::RunId;
use plait_journal::view::RunStatus;

pub(super) use draft::write_draft;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait runs list\n  plait runs show last\n  plait runs draft last -o agent.flow.json\n  plait runs find --node chat:after --when 'tokens > 5000'\n  plait runs export last bug.plait-recording --mask Ada --mask 'Analytical Engines Ltd'\n  plait runs rm 0197"
)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// List runs, newest first, with their child runs.
    List(list::ListArgs),
    /// Find the runs that a breakpoint would have stopped.
    Find(Box<find::FindArgs>),
    /// Show what happened in a run.
    Show(show::ShowArgs),
    /// List the turns of the loops with a conversation that are open in a run.
    Turns(turns::TurnsArgs),
    /// Pin a turn of a loop's conversation, so that models always get it.
    Pin(pin::PinArgs),
    /// Write the first draft of a flow that does what a recorded program did.
    Draft(draft::DraftArgs),
    /// Write a run and its child runs into one file, to be replayed elsewhere.
    Export(export::ExportArgs),
    /// Replay the recording in a file: the same as `plait replay FILE`.
    Open(open::OpenArgs),
    /// Forget bought replies, so that other runs no longer take them.
    ForgetReplies(forget_replies::ForgetRepliesArgs),
    /// Remove runs and their child runs.
    Rm(remove::RemoveArgs),
}

pub(crate) async fn execute(home: &Home, args: RunsArgs) -> Result<ExitStatus, CliError> {
    let command = match args.command {
        RunsCommand::Open(args) => return open::execute(home, args).await,
        command => command,
    };
    let app = match &command {
        // A recorder that was killed has left what it recorded.
        RunsCommand::List(_) if has_left_programs(home) => open_app::for_writing_now(home).await?,
        RunsCommand::List(_) | RunsCommand::Find(_) | RunsCommand::Show(_) | RunsCommand::Turns(_) => {
            open_app::for_reading(home).await?
        }
        RunsCommand::Draft(_) | RunsCommand::Export(_) => open_app::for_reading(home).await?,
        RunsCommand::Rm(_) | RunsCommand::ForgetReplies(_) => open_app::for_writing(home).await?,
        // Pinning continues the run, which only waits.
        RunsCommand::Pin(_) | RunsCommand::Open(_) => open_app::for_running(home, &[]).await?,
    };
    match command {
        RunsCommand::Open(_) => {}
        RunsCommand::Draft(args) => draft::execute(&app, &args).await?,
        RunsCommand::Export(args) => export::execute(&app, args).await?,
        RunsCommand::List(args) => list::execute(&app, &args).await?,
        RunsCommand::Find(args) => find::execute(&app, *args).await?,
        RunsCommand::Show(args) => show::execute(&app, &args).await?,
        RunsCommand::Turns(args) => turns::execute(&app, &args).await?,
        RunsCommand::Pin(args) => pin::execute(&app, &args).await?,
        RunsCommand::ForgetReplies(args) => forget_replies::execute(&app, &args).await?,
        RunsCommand::Rm(args) => remove::execute(&app, &args).await?,
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

/// Whether there are logs of programs that are no runs yet.
fn has_left_programs(home: &Home) -> bool {
    std::fs::read_dir(home.path.join(PROGRAMS_FOLDER)).is_ok_and(|mut logs| logs.next().is_some())
}

/// The run that an argument names: its ID, a unique prefix of it, or `last`.
pub(super) async fn find(app: &Connection, name: &str) -> Result<RunId, ErrorReply> {
    if name != "last" {
        return app.call(ResolveRun { prefix: name.to_owned() }).await;
    }
    let latest = app.call(ListRuns { limit: Some(1), ..ListRuns::default() }).await?;
    latest.into_iter().next().map(|run| run.run).ok_or_else(|| {
        ErrorReply::new(codes::RUN_NONE, "There are no runs yet.").hint("Start one: plait run hello")
    })
}

/// The run that this one is part of and that goes on with it: the outermost that has not ended, or the run itself.
pub(super) async fn open_root(app: &Connection, run: &RunId) -> Result<RunId, ErrorReply> {
    let above = app.call(ShowRun { run: run.clone() }).await?.above;
    Ok(above.into_iter().find(|above| !above.status.is_final()).map_or_else(|| run.clone(), |root| root.run))
}

/// The latest run of a flow file; nothing if there is no file of this name.
pub(super) async fn latest_of_file(app: &Connection, name: &str) -> Result<Option<RunId>, ErrorReply> {
    let Some(path) = Path::new(name).canonicalize().ok().filter(|path| path.is_file()) else {
        return Ok(None);
    };
    let flow_path = Some(path.display().to_string());
    let runs = app.call(ListRuns { user: None, flow_path, parent: None, limit: Some(1) }).await?;
    match runs.into_iter().next() {
        Some(run) => Ok(Some(run.run)),
        None => Err(ErrorReply::new(codes::RUN_NONE, format!("There are no runs of `{name}` yet."))
            .hint(format!("Start one: plait run {name}"))),
    }
}

/// The error of a command that needs a run that has not ended.
pub(super) fn already_ended(run: &RunId, status: RunStatus) -> ErrorReply {
    let ended = match status {
        RunStatus::Failed => "has failed",
        RunStatus::Cancelled => "was canceled",
        _ => "has finished",
    };
    ErrorReply::new(codes::RUN_ENDED, format!("Run {run} {ended} already."))
        .hint("`plait runs list` shows which runs are waiting or were interrupted.")
}

pub(crate) fn status_text(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::Waiting => "waiting",
        RunStatus::Stopped => "stopped",
        RunStatus::Finished => "finished",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "canceled",
        RunStatus::Interrupted => "interrupted",
    }
}
