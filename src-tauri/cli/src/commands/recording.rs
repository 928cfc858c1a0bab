//! `plait replay`; and recordings for the commands that write and read them.

use std::path::{Path, PathBuf};

use clap::Args;
use plait_api::runs::{ExportRecording, ReadRecording, RerunRequest, RerunRun};
use plait_api::{Connection, ErrorReply};
use plait_core::id::RunId;
use plait_run::journal::Breakpoint;
use plait_run::world_policy::{Misses, Pace, WorldPolicy};

use super::runs::find;
use crate::ctrl_c::CtrlC;
use crate::debugger::{self, BREAKPOINT, parse_breakpoint};
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::run_follower::{Answers, RunFollower};
use crate::terminal::print_error;

/// A replay is a new run that takes everything from the recorded one: replies, results of tools, passages, answers, the clock. It needs
/// no network, no keys and no providers. What is not recorded fails (`run.not_recorded`).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait replay last
  plait replay bug.plait-recording
  plait replay last --pace recorded
  plait replay bug.plait-recording --break chat:after
  plait replay bug.plait-recording --json")]
pub(crate) struct ReplayArgs {
    /// The file of a recording; or a run: its ID, a unique prefix of it, or `last`.
    source: PathBuf,
    /// Stream replies as fast as the run gets to them, or as they arrived when they were recorded.
    #[arg(long, value_name = "PACE", default_value = "fast", value_parser = parse_pace)]
    pace: Pace,
    /// Stop there, as with `plait run --break`. Repeatable.
    #[arg(long = "break", value_name = BREAKPOINT, value_parser = parse_breakpoint)]
    breakpoints: Vec<Breakpoint>,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: ReplayArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_running(home, &[]).await?;
    let mut request = if args.source.is_file() {
        replay_of(&app, &args.source).await?
    } else {
        let run = find(&app, &args.source.to_string_lossy()).await?;
        RerunRequest { world: asks_nobody(), ..RerunRequest::of(run) }
    };
    request.world.pace = args.pace;
    request.breakpoints = debugger::number(args.breakpoints);
    let earlier = request.run.clone();
    let ctrl_c = CtrlC::listen()?;
    let run = app.call(RerunRun(request)).await?.run;
    print_error(&format!("Replaying run {earlier} as run {run}\n"));
    let status = RunFollower::new(&app, run, ctrl_c, Answers::default(), args.json).follow().await;
    open_app::close(&app).await?;
    status
}

/// A replay of the run in a recording.
pub(super) async fn replay_of(app: &Connection, file: &Path) -> Result<RerunRequest, ErrorReply> {
    // The process that owns the data directory may be in another folder.
    let recording = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string();
    let run = app.call(ReadRecording { file: recording.clone() }).await?.run;
    Ok(RerunRequest { recording: Some(recording), world: asks_nobody(), ..RerunRequest::of(run) })
}

fn parse_pace(text: &str) -> Result<Pace, String> {
    match text {
        "fast" => Ok(Pace::Fast),
        "recorded" => Ok(Pace::Recorded),
        _ => Err("expected `fast` or `recorded`".to_owned()),
    }
}

fn asks_nobody() -> WorldPolicy {
    WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() }
}

/// Writes the recording of a run, and says what is not in it.
pub(super) async fn export(
    app: &Connection,
    run: RunId,
    file: &Path,
    mask: Vec<String>,
) -> Result<(), ErrorReply> {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string();
    let written = app.call(ExportRecording { run: run.clone(), file: path, mask }).await?;
    let runs = match written.runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    print_error(&format!("Recorded run {run} in {} ({runs}, {} bytes).\n", file.display(), written.bytes));
    for place in &written.unrecorded {
        print_error(&format!("A replay ends at `{}`, as the run did.\n", printable(&place.at.to_string())));
    }
    for name in &written.unmasked {
        print_error(&format!("`{}` is no text: names in it are not masked.\n", printable(name)));
    }
    Ok(())
}
