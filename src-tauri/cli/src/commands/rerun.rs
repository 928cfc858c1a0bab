//! `plait rerun`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use clap::Args;
use comfy_table::Table;
use plait_api::ErrorReply;
use plait_api::flows::nodes_with_subflows;
use plait_api::runs::answers::Answers;
use plait_api::runs::{BillRerun, RerunRequest, RerunRun, RunDetail, ShowRun};
use plait_core::id::{Epoch, NodeId};
use plait_insight::bill::{Bill, BillLine};
use plait_journal::world_policy::{LivePart, Misses, WorldPolicy};
use plait_journal::{BreakpointText, FreshFrom};
use serde_json::json;

use super::runs;
use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::{new_table, to_json};
use crate::grant_rules::{GrantArgs, named_hosts};
use crate::need_list::list_needs;
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::prompt::{self, PromptReply};
use crate::reply_source::ReplyArgs;
use crate::run_follower::RunFollower;
use crate::terminal::{is_interactive, print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
A new run begins from the start, with the inputs and settings of the earlier one, which stays as it is. Replies of models, results of \
tools and searches, and answers of people are taken from it where the same is asked again: also if a node has another name, stands in \
a loop now, or an item was inserted. Each is taken once.

The bill comes first: what is reused, what is bought and costs at most, what is done outside again, and what nobody knows before. If \
anything is bought or done outside, a terminal asks whether to go on; elsewhere `--yes` is needed.

`--from`, `--fresh`, `--only` and `--at` do again what the earlier run has: from a node on, at one node, at one node that the run ends with, or from an event on; `RUN` can be the run of a sub-flow then. All the rest is taken from it.

Results of tools, passages of knowledge bases and recalled memories are taken as they were recorded. `--live` asks for them again; to have a node give a fixed value, pin its output. `--misses fail` calls no model and no tool, searches and stores nothing: what is not recorded fails, and the bill names it. Questions to people stay.

Examples:
  plait rerun last
  plait rerun 0197 --flow my.flow.json
  plait rerun 0197 --flow my.flow.json --bill
  plait rerun last --flow my.flow.json --yes --answer \"Yes\"
  plait rerun last --from draft            New replies for `draft` and what follows from it
  plait rerun last --from 'review#2'       The same from its third iteration on
  plait rerun last --from 'each#2/draft'   `draft` in the sub-flow that `each` ran in its third iteration
  plait rerun last --fresh draft           A new reply for `draft`, and for what then asks otherwise
  plait rerun last --only draft            A new reply for `draft`; the run ends there
  plait rerun last --from draft --break draft
                                           The same, stopped before `draft`
  plait rerun last --at 112                All that came after event 112 again
  plait rerun last --live tool:weather     The weather as it is now, and what depends on it
  plait rerun last --live type:httpRequest All that nodes of this type request, also in sub-flows
  plait rerun last --misses fail           Nothing but what is recorded
  plait rerun last --replies any           Also replies that other runs of yours bought")]
pub(crate) struct RerunArgs {
    /// Run ID, a unique prefix of one, or `last`.
    run: String,
    /// Run this flow instead of the recorded one: a flow file, or a pipeline.
    #[arg(long, value_name = "FILE")]
    flow: Option<OsString>,
    /// Do this node again, and all that follows from it; with `#N` from that iteration on, with `/` in the sub-flow that a node runs.
    #[arg(long, value_name = "NODE[#N][/NODE…]", value_parser = parse_fresh)]
    from: Option<FreshFrom>,
    /// Do this node alone again: what comes after it is taken from the earlier run wherever it asks the same. `#N` and `/` are as for `--from`.
    #[arg(long, value_name = "NODE[#N][/NODE…]", value_parser = parse_alone, conflicts_with = "from")]
    fresh: Option<FreshFrom>,
    /// Run to this node.
    #[arg(long, value_name = "NODE")]
    to: Option<NodeId>,
    /// Do this node again, and run to it.
    #[arg(long, value_name = "NODE", conflicts_with_all = ["from", "fresh", "to"])]
    only: Option<NodeId>,
    /// Do again what the earlier run did after this many events.
    #[arg(long, value_name = "EVENTS")]
    at: Option<u64>,
    /// Ask again, although it is recorded: `all`, a node of the flow, all nodes of a type as `type:NAME`, or a tool as `tool:NAME`. Repeatable.
    #[arg(long, value_name = "PART", value_parser = parse_live)]
    live: Vec<LivePart>,
    /// What to do where nothing is recorded: ask the world, ask you before tools are called, or let the node fail.
    #[arg(long, value_name = "WHAT", default_value = "live", value_parser = parse_misses)]
    misses: Misses,
    #[command(flatten)]
    replies: ReplyArgs,
    /// Stop the new run there, as with `plait run`. Repeatable.
    #[arg(long = "break", value_name = "BREAKPOINT")]
    breakpoints: Vec<BreakpointText>,
    /// Start without asking.
    #[arg(long, conflicts_with = "bill")]
    yes: bool,
    /// Print the bill and start nothing; as JSON with `--json`.
    #[arg(long)]
    bill: bool,
    /// Answer to a question that the earlier run did not answer. Repeatable. `NODE=TEXT` answers the question of that node; other
    /// answers are used in the order of the questions.
    #[arg(long, value_name = "[NODE=]TEXT", allow_hyphen_values = true)]
    answer: Vec<String>,
    #[command(flatten)]
    grants: GrantArgs,
    /// Print one event per line as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: RerunArgs) -> Result<ExitStatus, CliError> {
    let source = args.flow.as_ref().map(|flow| FlowSource::load(flow)).transpose()?;
    let path = source.as_ref().and_then(FlowSource::path_text);
    let rules = args.grants.rules(path.as_deref().map(Path::new))?;
    let app = open_app::for_running(home, &named_hosts(&rules)).await?;
    let earlier = runs::find(&app, &args.run).await?;
    let RunDetail { summary, flow, .. } = app.call(ShowRun { run: earlier.clone() }).await?;
    let runs_flow = source.as_ref().map_or(&flow, |source| &source.flow);
    let path_of_run = path.as_deref().or(summary.path.as_deref());
    let nodes = nodes_with_subflows(runs_flow, path_of_run, &plait_nodes::registry());
    let resolve = |breakpoint| debugger::resolve(breakpoint, |node| nodes.contains(node));
    let breakpoints = args.breakpoints.into_iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    let answers = Answers::read(args.answer, nodes)?;
    let only = args
        .only
        .map(|node| (FreshFrom { node: node.clone(), epoch: None, inside: None, alone: false }, node));
    let (fresh, to) = match only {
        Some((fresh, to)) => (Some(fresh), Some(to)),
        None => (args.from.or(args.fresh), args.to),
    };
    let request = || RerunRequest {
        flow: source.as_ref().map(|source| source.flow.clone()),
        path: path.clone(),
        grants: rules.clone(),
        at: args.at,
        fresh: fresh.clone(),
        to: to.clone(),
        world: WorldPolicy { live: args.live.clone(), misses: args.misses, ..WorldPolicy::default() },
        replies: args.replies.source(),
        breakpoints: breakpoints.clone(),
        ..RerunRequest::of(earlier.clone())
    };
    let bill = app.call(BillRerun(request())).await?;
    if args.bill {
        open_app::close(&app).await?;
        if args.json {
            writeln!(stdout(), "{}", to_json(&bill)?)?;
        } else {
            print_bill(&bill);
            print_error(&format!("\n{}\n", by_node(&bill)));
        }
        return Ok(ExitStatus::Success);
    }
    print_bill(&bill);
    if !args.yes && needs_yes(&bill) && !may_start().await? {
        print_error("Nothing was started.\n");
        open_app::close(&app).await?;
        return Ok(ExitStatus::Canceled);
    }
    let ctrl_c = CtrlC::listen()?;
    let started = app.call(RerunRun(request())).await.map_err(list_needs)?;
    print_error(&format!("Repeating run {earlier} as run {}\n", started.run));
    let status = RunFollower::new(&app, started.run, ctrl_c, answers, args.json).follow().await;
    open_app::close(&app).await?;
    status
}

/// Reads `all`, `type:NAME`, `tool:NAME` or `NODE`.
fn parse_live(text: &str) -> Result<LivePart, String> {
    match text.split_once(':') {
        Some((kind @ ("tool" | "type"), "")) => Err(format!("expected a name after `{kind}:`")),
        Some(("tool", name)) => Ok(LivePart::Tool(name.to_owned())),
        Some(("type", name)) => Ok(LivePart::Type(name.to_owned())),
        _ if text == "all" => Ok(LivePart::All),
        _ => Ok(LivePart::Node(text.into())),
    }
}

fn parse_misses(text: &str) -> Result<Misses, String> {
    match text {
        "live" => Ok(Misses::Live),
        "ask" => Ok(Misses::Ask),
        "fail" => Ok(Misses::Fail),
        _ => Err("expected `live`, `ask` or `fail`".to_owned()),
    }
}

/// Reads `NODE[#N[.N]]`, and after a `/` a place in the sub-flow that this node runs.
pub(super) fn parse_fresh(text: &str) -> Result<FreshFrom, String> {
    let (text, inside) = match text.split_once('/') {
        None => (text, None),
        Some((node, inside)) => (node, Some(Box::new(parse_fresh(inside)?))),
    };
    let (node, epoch) = match text.split_once('#') {
        None => (text, None),
        Some((node, counters)) => {
            let counters: Result<Vec<u32>, _> = counters.split('.').map(str::parse).collect();
            let problem =
                "after `#` there are the numbers of iterations, from 0, as events have them: `#2` or `#2.0`";
            (node, Some(Epoch::from(&counters.map_err(|_| problem)?[..])))
        }
    };
    if node.is_empty() {
        return Err("expected the name of a node".to_owned());
    }
    Ok(FreshFrom { node: node.into(), epoch, inside, alone: false })
}

/// The same for a node that is done again alone.
fn parse_alone(text: &str) -> Result<FreshFrom, String> {
    let mut from = parse_fresh(text)?;
    let mut level = Some(&mut from);
    while let Some(place) = level {
        place.alone = true;
        level = place.inside.as_deref_mut();
    }
    Ok(from)
}

/// Whether the run would spend anything or act outside.
fn needs_yes(bill: &Bill) -> bool {
    let Bill { bought, outside, behind, .. } = bill;
    !bought.is_empty() || !outside.is_empty() || !behind.is_empty()
}

/// Whether the person wants what the bill says. `run.not_confirmed` where nobody can be asked.
pub(super) async fn may_start() -> Result<bool, CliError> {
    if !is_interactive() {
        let message = "Nothing was started: the run would buy replies or act outside.";
        return Err(ErrorReply::new(codes::RUN_NOT_CONFIRMED, message)
            .hint("Look at the bill, and add `--yes`.")
            .into());
    }
    let answer = prompt::ask("Start it?", &json!({ "enum": ["yes", "no"] })).await?;
    Ok(matches!(answer, PromptReply::Text(text) if matches!(text.trim(), "y" | "yes")))
}

/// The same by node.
fn by_node(bill: &Bill) -> Table {
    let mut table = new_table(&["Node", "What", "At most"]);
    for BillLine { subflow, node, what, cost, .. } in &bill.lines {
        let node = subflow.as_ref().map_or_else(|| node.to_string(), |path| format!("{path}/{node}"));
        table.add_row([&*printable(&node), what.as_str(), cost.as_deref().unwrap_or_default()]);
    }
    table
}

/// Prints what a fork reuses and buys.
pub(super) fn print_bill(bill: &Bill) {
    print_error(&format!("Bill: {}.\n{}\n", bill.summary, bill.sentences.join("\n")));
}
