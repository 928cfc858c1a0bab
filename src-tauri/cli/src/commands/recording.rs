//! Recordings and replays, for the commands that write, read and start them.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use plait_api::flows::nodes_with_subflows;
use plait_api::runs::answers::Answers;
use plait_api::runs::{ExportRecording, ReadRecording, RerunRequest, RerunRun, ShowRun};
use plait_api::{Connection, ErrorReply};
use plait_core::id::{NodeId, RunId};
use plait_journal::BreakpointText;
use plait_journal::world_policy::{Misses, Pace, WorldPolicy};

use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus};
use crate::printable::printable;
use crate::run_follower::RunFollower;
use crate::terminal::print_error;

/// How a run is replayed.
#[derive(Debug, Args)]
pub(super) struct ReplayOptions {
    /// Stream replies as fast as the run gets to them, or as they arrived when they were recorded.
    #[arg(long, value_name = "PACE", default_value = "fast", value_parser = parse_pace)]
    pace: Pace,
    /// Stop there, as with `plait run --break`. Repeatable.
    #[arg(long = "break", value_name = "BREAKPOINT")]
    breakpoints: Vec<BreakpointText>,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

/// Starts a replay and follows it.
pub(super) async fn follow(
    app: &Connection,
    mut request: RerunRequest,
    options: ReplayOptions,
) -> Result<ExitStatus, CliError> {
    request.world.pace = options.pace;
    if !options.breakpoints.is_empty() {
        let nodes = recorded_nodes(app, &request).await?;
        let resolve = |breakpoint| debugger::resolve(breakpoint, |node| nodes.contains(node));
        request.breakpoints = options.breakpoints.into_iter().map(resolve).collect::<Result<_, _>>()?;
    }
    let earlier = request.run.clone();
    let ctrl_c = CtrlC::listen()?;
    let run = app.call(RerunRun(request)).await?.run;
    print_error(&format!("Replaying run {earlier} as run {run}\n"));
    RunFollower::new(app, run, ctrl_c, Answers::default(), options.json).follow().await
}

/// A replay of the run in a recording.
pub(super) async fn replay_of(app: &Connection, file: &Path) -> Result<RerunRequest, ErrorReply> {
    // The process that owns the data directory may be in another folder.
    let recording = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string();
    let run = app.call(ReadRecording { file: recording.clone() }).await?.run;
    Ok(RerunRequest { recording: Some(recording), world: asks_nobody(), ..RerunRequest::of(run) })
}

/// The nodes of the flow that is replayed, and of those that it runs.
async fn recorded_nodes(app: &Connection, request: &RerunRequest) -> Result<BTreeSet<NodeId>, ErrorReply> {
    if let Some(file) = &request.recording {
        return Ok(app.call(ReadRecording { file: file.clone() }).await?.nodes);
    }
    let detail = app.call(ShowRun { run: request.run.clone() }).await?;
    Ok(nodes_with_subflows(&detail.flow, detail.summary.path.as_deref(), &plait_nodes::registry()))
}

fn parse_pace(text: &str) -> Result<Pace, String> {
    match text {
        "fast" => Ok(Pace::Fast),
        "recorded" => Ok(Pace::Recorded),
        _ => Err("expected `fast` or `recorded`".to_owned()),
    }
}

/// What a replay does where nothing is recorded.
pub(super) fn asks_nobody() -> WorldPolicy {
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
