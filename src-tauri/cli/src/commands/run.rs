//! `plait run`.

mod published;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use plait_api::flows::{
    Installed, NodeNames, RunnableFlow, bundle_flow, choose_trigger, names_with_subflows,
};
use plait_api::runs::answers::Answers;
use plait_api::runs::{RerunRequest, RerunRun, RootInputs, RunRequest, StartRun, StartedRun};
use plait_api::{Connection, ErrorReply};
use plait_core::config;
use plait_core::exact_json;
use plait_core::flow::{Flow, TreeLimits};
use plait_core::id::NodeId;
use plait_journal::BreakpointText;
use plait_journal::InputOverrides;
use plait_run::node::Registry;
use serde_json::Value;

use super::conversations;
use super::recording;
use crate::attach::FilesToAttach;
use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::grant_rules::{GrantArgs, named_hosts};
use crate::need_list::list_needs;
use crate::open_app::{self, Home};
use crate::output_file;
use crate::printable::printable;
use crate::reply_source::ReplyArgs;
use crate::run_follower::RunFollower;
use crate::terminal::print_styled;

#[derive(Debug, Args)]
#[command(after_help = "\
In a terminal, questions are asked interactively: end a line with \\ to continue on the next one, press Ctrl+D to \
end the pause without an answer. Without a terminal, a run with an unanswered question stays waiting (exit code 3).
At a breakpoint, a terminal asks what to do (`help` lists the words); elsewhere the run stays there (exit code 4).

Examples:
  plait run hello
  plait run chat-loop --answer \"Hi there\" --answer \"What time is it?\"
  plait run my.flow.json --answer color=blue --answer size=12
  plait run my.flow.json --input \"Some text\" --set summary.style='\"terse\"'
  plait run my.flow.json --input \"What is this?\" --attach photo.png
  plait run my.flow.json --to draft --json
  plait run my.flow.json --from every-night
  plait run my.flow.json --no-pins
  plait run my.flow.json --replies any
  plait run imported.flow.json --confirm-import
  plait run my.flow.json --max-model-calls 20
  plait run my.flow.json --break chat --break 'judge:after:when=value.score < 0.5'
  plait run my.flow.json --allow host=localhost:8080,folder=notes --ask 'tool=files/*'
  plait run my.flow.json --record good.plait-recording
  plait run my.flow.json --replay good.plait-recording
  plait run hello --user ada
  plait --host team run support-bot --input \"My order is late\"
  plait run chat-loop --conversation new --answer \"I am Ada\"
  plait run chat-loop --conversation last --answer \"Who am I?\"")]
pub(crate) struct RunArgs {
    /// Flow file (`.flow.json`) or pipeline (`.yaml`), the ID of an example flow, or `-` for standard input. With `--host`, a file or
    /// the name of a flow that the host serves.
    flow: OsString,
    /// Text input of the run.
    #[arg(long, value_name = "TEXT")]
    input: Option<String>,
    /// Set the value of an input port that has no edge. Repeatable.
    #[arg(long, value_name = "NODE.PORT=JSON", value_parser = parse_override)]
    set: Vec<Override>,
    /// Answer to a question of the run. Repeatable. `NODE=TEXT` answers the question of that node; other answers are used in
    /// the order of the questions. A question about a tool call takes exactly `yes` or `no`, or
    /// JSON.
    #[arg(long, value_name = "[NODE=]TEXT", allow_hyphen_values = true)]
    answer: Vec<String>,
    /// Attach an image, a PDF or a text file to the message of a chat or the answer to a question. Repeatable. `NODE=FILE` names the node
    /// where several take files.
    #[arg(long, value_name = "[NODE=]FILE")]
    attach: Vec<String>,
    /// Run an imported flow though it differs from its original, as `plait check` says. Holds for this run; the file keeps the marks.
    #[arg(long)]
    confirm_import: bool,
    /// Begin at this trigger, in a flow with several ways in. Nodes that only other triggers reach are not run.
    #[arg(long, value_name = "TRIGGER")]
    from: Option<String>,
    /// Run only to this node.
    #[arg(long, value_name = "NODE")]
    to: Option<String>,
    /// Execute pinned nodes, also those of sub-flows, in place of delivering the values of their pins.
    #[arg(long)]
    no_pins: bool,
    #[command(flatten)]
    replies: ReplyArgs,
    /// Continue a conversation: an ID, a unique prefix of one, `last` (the latest of this flow, or a new one) or `new`.
    /// Its ID is printed on standard error.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Stop before a node, before each of its calls, or after it with its outputs not delivered yet; only where a condition over
    /// `value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost` and `trimmed` holds. With `log`, the text is noted
    /// and nothing stops. `SUBFLOW/NODE` is a node in a sub-flow. Repeatable.
    ///
    /// Written as `NODE[.PORT][:before|call|after][:context|data|tools][:branch][:when=CEL][:log=TEXT]`, with a kind of edge only where a
    /// value passes over one; `NODE.PORT->NODE.PORT` for one edge; and `[NODE:]event:EVENT` for `changed`, `changed=CONTEXT`, `memory`,
    /// `trimmed`, `untrusted`, `granted`, `retried` and `spent=USD`.
    #[arg(long = "break", value_name = "BREAKPOINT")]
    breakpoints: Vec<BreakpointText>,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Record the run in this file: what models, tools, people and the clock said. An existing file is replaced.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Take what models, tools, people and the clock say from this recording, and ask nobody. What it does not have fails with the words
    /// that differ (`run.not_recorded`).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["conversation", "attach"])]
    replay: Option<PathBuf>,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

/// Limits of the run and of all runs below it, in place of those that the flow sets.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the names are those of the options")]
struct LimitArgs {
    #[arg(long, value_name = "N", help = help_of("limits.maxRuns"), value_parser = number_of("limits.maxRuns"))]
    max_runs: Option<u64>,
    #[arg(long, value_name = "N", help = help_of("limits.maxModelCalls"), value_parser = number_of("limits.maxModelCalls"))]
    max_model_calls: Option<u64>,
    #[arg(long, value_name = "N", help = help_of("limits.maxEvents"), value_parser = number_of("limits.maxEvents"))]
    max_events: Option<u64>,
}

/// What the table of the configuration says of a key.
fn help_of(key: &str) -> &'static str {
    config::find(key).map_or("", |key| key.help)
}

/// Reads a number that a key of the configuration takes.
fn number_of(key: &'static str) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let value = config::find(key).and_then(|key| key.parse(text)).map_err(|problem| problem.hint)?;
        value.as_u64().ok_or_else(|| "It takes a whole number.".to_owned())
    }
}

impl LimitArgs {
    /// Sets the limits in the flow, as the run records it: so they hold when the run is resumed, too.
    fn apply(self, flow: &mut Flow) {
        let Self { max_runs, max_model_calls, max_events } = self;
        let limits = TreeLimits { max_runs, max_model_calls, max_events, ..TreeLimits::default() };
        if limits != TreeLimits::default() {
            let of_flow = flow.settings.limits.take().unwrap_or_default();
            flow.settings.limits = Some(TreeLimits { extra: of_flow.extra.clone(), ..limits.or(&of_flow) });
        }
    }
}

/// One `--set`.
#[derive(Clone, Debug, PartialEq)]
struct Override {
    node: String,
    port: String,
    value: Value,
}

fn parse_override(text: &str) -> Result<Override, String> {
    let (target, json) = text.split_once('=').ok_or("expected NODE.PORT=JSON, with an `=`")?;
    // Port names contain no dots, node names may.
    let (node, port) =
        target.rsplit_once('.').ok_or("expected NODE.PORT=JSON, with a `.` before the port")?;
    let value = exact_json::parse(json).map_err(|error| {
        format!("`{json}` is not valid JSON ({error}); quote text twice: --set '{target}=\"some text\"'")
    })?;
    Ok(Override { node: node.to_owned(), port: port.to_owned(), value })
}

pub(crate) async fn execute(home: &Home, args: RunArgs) -> Result<ExitStatus, CliError> {
    if home.host.is_some() && !Path::new(&args.flow).is_file() {
        return published::execute(home, args).await;
    }
    if let Some(file) = &args.record {
        output_file::check_folder(file)?;
    }
    let mut source = FlowSource::load(&args.flow)?;
    args.limits.apply(&mut source.flow);
    if args.confirm_import {
        source.flow.confirm_import();
    }
    if args.no_pins {
        source.flow.remove_pins();
    }
    if let Some(trigger) = args.from {
        choose_trigger(&mut source.flow, &trigger.into())?;
    }
    let to = args.to.as_deref().map(NodeId::from);
    let mut overrides = collect(args.set);
    let files = FilesToAttach::find(&args.attach, &source.flow)?;
    let registry = plait_nodes::registry();
    let runnable = check(&home.path, &source, &registry, to.as_ref(), &overrides)?;
    let path = source.path_text();
    let NodeNames { nodes, pins } = names_with_subflows(&source.flow, &runnable, path.as_deref(), &registry);
    if !args.no_pins {
        say_pins(&pins);
    }
    let resolve = |breakpoint| debugger::resolve(breakpoint, |node| nodes.contains(node));
    let breakpoints = args.breakpoints.into_iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    let mut answers = Answers::read(args.answer, nodes)?;
    let rules = args.grants.rules(path.as_deref().map(Path::new))?;
    let app = open_app::for_running(home, &named_hosts(&rules)).await?;
    let attached = files.store(&app).await?;
    answers.attachments = attached.answers;
    for (node, values) in attached.overrides {
        overrides.entry(node).or_default().extend(values);
    }
    let conversation = match &args.conversation {
        Some(name) => Some(conversations::open(&app, name, &source.flow, path.as_deref()).await?),
        None => None,
    };
    // A host has its own files: sub-flows go with the flow.
    let (flow, path) = if app.host_name().is_some() {
        (bundle_flow(source.into_flow(), path.as_deref(), &registry)?, None)
    } else {
        (source.into_flow(), path)
    };
    let request = RunRequest {
        flow,
        path,
        input: args.input,
        overrides,
        to,
        ignore_pins: args.no_pins,
        replies: args.replies.source(),
        conversation,
        grants: rules,
        breakpoints,
        runnable: Some(Box::new(runnable)),
        ..RunRequest::default()
    };
    let ctrl_c = CtrlC::listen()?;
    let started = match &args.replay {
        None => app.call(StartRun(request)).await,
        Some(file) => start_replay(&app, file, request).await,
    };
    let run = started.map_err(list_needs)?.run;
    let status = RunFollower::new(&app, run.clone(), ctrl_c, answers, args.json).follow().await;
    if let Some(file) = &args.record
        && status.is_ok()
    {
        recording::export(&app, run, file, Vec::new()).await?;
    }
    open_app::close(&app).await?;
    status
}

/// Starts a flow that asks nobody: a fork of the recorded run.
async fn start_replay(app: &Connection, file: &Path, request: RunRequest) -> Result<StartedRun, ErrorReply> {
    let RunRequest { flow, path, input, overrides, to, grants, breakpoints, .. } = request;
    let edit = |replay: RerunRequest| RerunRequest {
        flow: Some(flow),
        path,
        to,
        grants,
        breakpoints,
        inputs: Some(RootInputs { input, overrides }),
        ..replay
    };
    app.call(RerunRun(edit(recording::replay_of(app, file).await?))).await
}

/// Says that some nodes are not executed: what comes of the run is not all its own.
fn say_pins(pins: &[String]) {
    if !pins.is_empty() {
        let names: Vec<String> = pins.iter().map(|pin| format!("`{}`", printable(pin))).collect();
        print_styled(&format!("Uses pins: {}. `--no-pins` executes these nodes.\n", names.join(", ")));
    }
}

/// Rejects an invalid flow before the store is opened.
fn check(
    home: &Path,
    source: &FlowSource,
    registry: &Registry,
    to: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<RunnableFlow, CliError> {
    let path = source.path_text();
    // Files that cannot be read are reported when the store is opened. `run.start` checks the names: a flow may have a secret for a
    // name, and only its errors are redacted.
    let installed = Installed::read(home).0.without_names();
    RunnableFlow::check(&source.flow, path.as_deref(), registry, &installed, to, overrides)
        .map_err(|diagnostics| source.invalid(&diagnostics))
}

fn collect(values: Vec<Override>) -> InputOverrides {
    let mut overrides = InputOverrides::new();
    for Override { node, port, value } in values {
        overrides.entry(node.into()).or_default().insert(port.into(), Arc::new(value));
    }
    overrides
}

#[cfg(test)]
mod tests;
