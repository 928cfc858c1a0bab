//! `plait forecast`: how prompts will grow, and what a run may cost, before it runs.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Args;
use plait_api::flows::bundle_flow;
use plait_api::runs::ForecastFlow;
use plait_insight::forecast::{
    Executions, FlowForecast, NodeForecast, Outlook, SizeSource, UnknownCost, UnknownReason,
};
use plait_llm::models::Cost;

use super::runs::find;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Calls no model and no tool. Replies count with their `maxTokens`, else with what earlier runs of the file reported, else with
300 tokens.

Examples:
  plait forecast chat.yaml
  plait forecast my.flow.json --input \"A long question\"
  plait forecast my.flow.json --run last    From what a run has sent so far
  plait forecast my.flow.json --json | jq '.cost'")]
pub(crate) struct ForecastArgs {
    /// Flow file (`.flow.json`) or pipeline (`.yaml`), the ID of an example flow, or `-` for standard input.
    flow: OsString,
    /// The text that the run is to be started with.
    #[arg(long, value_name = "TEXT")]
    input: Option<String>,
    /// A run of the flow that waits or goes on: ID, a unique prefix of one, or `last`.
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Print the forecast as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(home: &Home, args: ForecastArgs) -> Result<ExitStatus, CliError> {
    let source = FlowSource::load(&args.flow)?;
    let app = open_app::for_reading(home).await?;
    let run = match args.run.as_deref() {
        Some(run) => Some(find(&app, run).await?),
        None => None,
    };
    let path = source.path_text();
    // A host has its own files: sub-flows go with the flow.
    let (flow, path) = if app.host_name().is_some() {
        (bundle_flow(source.into_flow(), path.as_deref(), &plait_nodes::registry())?, None)
    } else {
        (source.into_flow(), path)
    };
    let command = ForecastFlow { flow, path, input: args.input, run };
    let forecast = app.call(command).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&forecast)?)?;
    } else {
        for line in describe(&forecast) {
            writeln!(out, "{line}")?;
        }
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

fn describe(forecast: &FlowForecast) -> Vec<String> {
    let mut lines: Vec<String> = forecast.nodes.iter().flat_map(describe_node).collect();
    if forecast.nodes.is_empty() {
        lines.push("No node calls a model.".to_owned());
    }
    if !forecast.branching.is_empty() {
        let nodes: Vec<String> = forecast.branching.iter().map(|node| format!("`{node}`")).collect();
        lines.push(format!("Every output counts of {}: only a run knows which it takes.", nodes.join(", ")));
    }
    if forecast.is_cut {
        lines.push("The flow is too large to look at all of it.".to_owned());
    }
    lines.push(cost_line(forecast));
    lines.extend(forecast.cost.unknown.iter().map(describe_unknown));
    lines
}

fn cost_line(forecast: &FlowForecast) -> String {
    let unknown = match forecast.cost.unknown.len() {
        0 => String::new(),
        count => format!("; {count} unknown"),
    };
    let spent = forecast.spent.map(|spent| format!("Spent so far {spent}. ")).unwrap_or_default();
    format!("{spent}Cost: at most {}{unknown}", dollars(forecast.cost.at_most_nano_usd))
}

fn describe_node(node: &NodeForecast) -> Vec<String> {
    let head =
        format!("{} · {}/{} · {}", node.node, node.provider, node.model, executions_text(node.executions));
    let mut details = vec![outlook_text(&node.outlook)];
    if node.growth > 0 {
        let limit = node.iteration_limit.map(|limit| format!(", limit {limit}")).unwrap_or_default();
        details.push(format!("{} tokens an iteration{limit}", node.growth));
    }
    let mut sizes = Vec::new();
    if let Some(first) = node.points.first() {
        sizes.push(format!("first prompt {} of {} tokens", first.tokens, node.window));
    }
    if let Some(reply) = node.reply {
        let source = match reply.source {
            SizeSource::MaxTokens => "`maxTokens`",
            SizeSource::Measured => "measured",
            SizeSource::Assumed => "assumed",
        };
        sizes.push(format!("replies of {} ({source})", reply.tokens));
    }
    if let Some(cost) = node.nano_usd_per_call.filter(|cost| *cost > 0) {
        sizes.push(format!("about {} a call", dollars(cost)));
    }
    vec![head, format!("  {}", details.join(" · ")), format!("  {}", sizes.join(", "))]
}

fn executions_text(executions: Executions) -> String {
    match executions {
        Executions { at_most: None, .. } => "until a person ends it".to_owned(),
        Executions { at_most: Some(1), is_exact: true } => "once".to_owned(),
        Executions { at_most: Some(count), is_exact: true } => format!("{count} times"),
        Executions { at_most: Some(1), is_exact: false } => "at most once".to_owned(),
        Executions { at_most: Some(count), is_exact: false } => format!("at most {count} times"),
    }
}

/// What becomes of the prompts, in a line.
fn outlook_text(outlook: &Outlook) -> String {
    match outlook {
        Outlook::Fits { percent, iteration: None } => format!("{percent} % of the window"),
        Outlook::Fits { percent, iteration: Some(iteration) } => {
            format!("at most {percent} % of the window, at iteration {iteration}")
        }
        Outlook::Bounded { percent } => format!("bounded: stays within {percent} % of the window"),
        Outlook::Overflows { iteration: None, fails: true, .. } => "does not fit the window".to_owned(),
        Outlook::Overflows { iteration: None, .. } => "overflows the window".to_owned(),
        Outlook::Overflows { iteration: Some(iteration), fails, before } => {
            let before = before.as_ref().map(|before| {
                format!("{} % of the window at iteration {}, ", before.percent, before.iteration)
            });
            let overflow = if *fails { "fails near" } else { "overflow near" };
            format!("{}{overflow} {iteration}", before.unwrap_or_default())
        }
    }
}

fn describe_unknown(unknown: &UnknownCost) -> String {
    let why = match &unknown.reason {
        UnknownReason::NoPrice { model } => format!("the price of {model} is not known"),
        UnknownReason::NoMaxTokens => "it sets no `maxTokens`, so a reply may have any length".to_owned(),
        UnknownReason::NoLimit => "only a person ends the cycle that it is in".to_owned(),
        UnknownReason::Subflow => "it runs another flow".to_owned(),
        UnknownReason::NoPrompt => "its prompt depends on values that only a run has".to_owned(),
        UnknownReason::TooLarge => "the flow is too large to look at all of it".to_owned(),
    };
    format!("  unknown: {}: {why}", unknown.node)
}

fn dollars(nano_usd: u64) -> Cost {
    Cost { nano_usd, unpriced: 0 }
}
