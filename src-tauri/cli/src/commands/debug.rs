//! `plait debug`: one command of the debugger's prompt, for a run that another process may drive.

use std::io::Write as _;

use clap::Args;
use plait_api::runs::{FindHeld, StopRun};
use plait_api::{Connection, ErrorReply};
use plait_core::id::{Epoch, NodeId, RunId};
use serde::Serialize;

use super::rerun::parse_fresh;
use super::runs;
use crate::codes;
use crate::debugger::{self, StopCommand};
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::stop_actions::{self, AtStop};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
The commands are those of the prompt at a stop: continue, continue all, stops, step, into, out, all, print, set, skip, retry, force, history, try, drop, accept, break, delete. \
Besides, `pause` stops a run where it is, `pause NODE` or `pause NODE#2` the branch of a node that runs, and `breakpoints` lists its breakpoints. Everybody who watches the run sees what is done.

Examples:
  plait debug last pause
  plait debug last break 'judge:after:when=value.score < 0.5'
  plait debug last breakpoints --json
  plait debug last print 'nodes.judge.reply.score + 1'
  plait debug last delete 1
  plait debug last 'try review.prompt=\"Is this polite and short? {{answer}}\"'
  plait debug last accept review
  plait debug last stops
  plait debug last step --stop 42
  plait debug last continue all")]
pub(crate) struct DebugArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// What to do.
    #[arg(required = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// The number of the stop that the command is for, as `stops` lists it: its event. Refused if the run does not stand there any
    /// more. Without it, the newest stop.
    #[arg(long, value_name = "EVENT")]
    stop: Option<u64>,
    /// Print what `breakpoints`, `stops` and `print` show to standard output, as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: DebugArgs) -> Result<ExitStatus, CliError> {
    let text = args.command.join(" ");
    let command = Command::parse(&text)?;
    if args.json && !command.only_shows() {
        let message = format!("`{text}` prints nothing that could be JSON.");
        return Err(ErrorReply::new(codes::USAGE_INPUT, message)
            .hint("`--json` is for `breakpoints`, `stops` and `print`.")
            .into());
    }
    let app = open_app::for_running(home, &[]).await?;
    let run = runs::find(&app, &args.run).await?;
    // Once it has ended, the runs around it go on.
    let root = runs::open_root(&app, &run).await?;
    let done = command.perform(&app, &run, args.stop, args.json).await;
    if app.here().is_some() {
        // Nobody else drives the run: it goes on here as far as it can.
        app.idle_tree(&root).await;
    }
    open_app::close(&app).await?;
    done.map(|()| ExitStatus::Success)
}

enum Command {
    /// The whole run, or the branch of a node in one of its iterations.
    Pause(Option<(NodeId, Option<Epoch>)>),
    ListBreakpoints,
    AtStop(Box<StopCommand>),
}

impl Command {
    /// `usage.input`.
    fn parse(text: &str) -> Result<Self, ErrorReply> {
        match text {
            "pause" => return Ok(Self::Pause(None)),
            "breakpoints" => return Ok(Self::ListBreakpoints),
            _ => {}
        }
        if let Some(place) = text.strip_prefix("pause ") {
            let at = parse_fresh(place.trim()).map_err(|problem| {
                ErrorReply::new(codes::USAGE_INPUT, format!("`{text}` can't be done: {problem}."))
            })?;
            return Ok(Self::Pause(Some((at.node, at.epoch))));
        }
        match debugger::parse_command(text) {
            Ok(StopCommand::Quit | StopCommand::Help | StopCommand::At(_)) => {
                Err(ErrorReply::new(codes::USAGE_INPUT, format!("`{text}` has a meaning only at a prompt."))
                    .hint("`plait debug --help` lists the commands."))
            }
            Ok(command) => Ok(Self::AtStop(Box::new(command))),
            Err(problem) => {
                Err(ErrorReply::new(codes::USAGE_INPUT, format!("`{text}` can't be done: {problem}."))
                    .hint("`plait debug --help` lists the commands."))
            }
        }
    }

    fn only_shows(&self) -> bool {
        match self {
            Self::Pause(_) => false,
            Self::ListBreakpoints => true,
            Self::AtStop(command) => matches!(**command, StopCommand::Print(_) | StopCommand::Stops),
        }
    }

    async fn perform(
        self,
        app: &Connection,
        run: &RunId,
        stop: Option<u64>,
        as_json: bool,
    ) -> Result<(), CliError> {
        match self {
            Self::Pause(at) => {
                let (node, epoch) = at.map(|(node, epoch)| (Some(node), epoch)).unwrap_or_default();
                Ok(app.call(StopRun { run: run.clone(), node, epoch }).await?)
            }
            Self::ListBreakpoints if as_json => print_json(&stop_actions::breakpoints(app, run).await?),
            Self::ListBreakpoints => list_breakpoints(app, run).await,
            Self::AtStop(command) => perform_at_stop(*command, app, run, stop, as_json).await,
        }
    }
}

async fn perform_at_stop(
    command: StopCommand,
    app: &Connection,
    run: &RunId,
    stop: Option<u64>,
    as_json: bool,
) -> Result<(), CliError> {
    match command {
        StopCommand::Break(breakpoint) => {
            stop_actions::put_breakpoint(app, run, breakpoint).await?;
            list_breakpoints(app, run).await
        }
        StopCommand::Delete(id) => {
            let id = stop_actions::drop_breakpoint(app, run, &id).await?;
            print_error(&format!("Removed breakpoint `{id}`.\n"));
            Ok(())
        }
        StopCommand::Accept(node) => {
            // Also of a run that has gone on.
            let held = app.call(FindHeld { run: run.clone() }).await?.into_iter().next();
            let run = held.map_or_else(|| run.clone(), |held| held.run);
            Ok(stop_actions::accept_trials(app, run, node).await?)
        }
        command => {
            let held = stop_actions::held(app, run, stop).await?;
            let mut at = AtStop::new(app, run.clone(), held);
            match command {
                StopCommand::Stops if as_json => print_json(&at.all().await?),
                StopCommand::Print(wanted) if as_json => print_json(&at.values(wanted).await?),
                command => at.perform(command).await.map(drop),
            }
        }
    }
}

async fn list_breakpoints(app: &Connection, run: &RunId) -> Result<(), CliError> {
    debugger::print_breakpoints(&stop_actions::breakpoints(app, run).await?)
}

fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    Ok(writeln!(stdout(), "{}", to_json(value)?)?)
}
