//! `plait lens`: the prompts of models, and their results.

mod curl;
mod lineage;
mod list;
mod search;
mod show;
mod trace;

use clap::{Args, Subcommand};
use plait_api::lens::{LineageDirection, PromptsOfRun, ShowPrompts};
use plait_api::{Connection, ErrorReply};
use plait_core::id::RunId;
use plait_insight::lens::LensCall;

use super::runs::find;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait lens list                          Runs with model calls
  plait lens show last                     All prompts of the latest run
  plait lens show last --node answer --call 2
  plait lens trace last                    Tree with timings, tokens and cost
  plait lens search last \"parcel 7731\"
  plait lens from last answer.response --text 4711
                                           Where a text comes from
  plait lens to last read.text --text 4711 Where it went
  plait lens curl last --call 1            The request, to send it by hand")]
pub(crate) struct LensArgs {
    #[command(subcommand)]
    command: LensCommand,
}

#[derive(Debug, Subcommand)]
enum LensCommand {
    /// List runs with model calls, newest first.
    List(list::ListArgs),
    /// Show the messages of each model call as they were sent, with tokens, what was left out, and the reply.
    Show(show::ShowArgs),
    /// Show what ran inside of what, with timings, tokens and cost.
    Trace(trace::TraceArgs),
    /// Search all prompts and replies of a run and its child runs.
    Search(search::SearchArgs),
    /// Follow a text back to where it comes from.
    From(lineage::LineageArgs),
    /// Follow a text to where it went.
    To(lineage::LineageArgs),
    /// Print the request of a model call as a curl command, with a variable in place of the key.
    Curl(curl::CurlArgs),
}

/// Which model calls of a run.
#[derive(Debug, Args)]
struct CallArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Only calls of this node.
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Only this call, by its number in the list, from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    call: Option<u32>,
}

pub(crate) async fn execute(home: &Home, args: LensArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    match args.command {
        LensCommand::List(args) => list::execute(&app, &args).await?,
        LensCommand::Show(args) => show::execute(&app, &args).await?,
        LensCommand::Trace(args) => trace::execute(&app, &args).await?,
        LensCommand::Search(args) => search::execute(&app, &args).await?,
        LensCommand::From(args) => lineage::execute(&app, &args, LineageDirection::From).await?,
        LensCommand::To(args) => lineage::execute(&app, &args, LineageDirection::To).await?,
        LensCommand::Curl(args) => curl::execute(&app, &args).await?,
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

/// The calls that the arguments name, each with its number, and how many there are. `lens.no_call` if there is no call of that number.
async fn select_calls(
    app: &Connection,
    args: &CallArgs,
) -> Result<(PromptsOfRun, Vec<(usize, LensCall)>), ErrorReply> {
    let run: RunId = find(app, &args.run).await?;
    let node = args.node.as_deref().map(Into::into);
    let mut prompts = app.call(ShowPrompts { run, node, epoch: None, call: None }).await?;
    let numbered = (1..).zip(std::mem::take(&mut prompts.calls));
    let wanted = args.call.map(|call| usize::try_from(call).unwrap_or(usize::MAX));
    let calls: Vec<_> =
        numbered.filter(|(number, _)| wanted.is_none_or(|wanted| wanted == *number)).collect();
    if let (Some(wanted), true) = (wanted, calls.is_empty()) {
        return Err(no_call(&prompts.run, args.node.as_deref(), wanted));
    }
    Ok((prompts, calls))
}

fn no_call(run: &RunId, node: Option<&str>, number: usize) -> ErrorReply {
    let node = node.map(|node| format!(" of `{node}`")).unwrap_or_default();
    let message = format!("Run {run} has no model call {number}{node}.");
    ErrorReply::new(codes::LENS_NO_CALL, message).hint("`plait lens show RUN` lists the calls.")
}
