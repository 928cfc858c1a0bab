//! `plait diff RUN RUN --why`: which differences make the difference.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::runs::{BeginInquiry, ContinueInquiry};
use plait_core::id::RunId;
use plait_insight::causes::{FoundCause, InquiryState, Swap, Trial, Verdict};
use plait_insight::flow_diff::ValueChange;
use plait_llm::grant::GrantRule;
use plait_llm::models::Cost;
use serde_json::Value;

use super::super::rerun::may_start;
use crate::exit::{CliError, ExitStatus};
use crate::format::{first_line, to_json};
use crate::grant_rules::GrantArgs;
use crate::need_list::list_needs;
use crate::printable::printable;
use crate::terminal::{print_error, stdout};

/// The longest value that is shown of a difference, in characters.
const MAX_SHOWN: usize = 40;

/// The arguments that belong to `--why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// Find which differences of the two runs' flows and inputs turn the outcome: the first run is forked with each of them alone, then with two together.
    #[arg(long)]
    pub why: bool,
    /// The outcome, as a condition in CEL that is true of one of the runs, over `outputs` by node, `value`, `error`, `tokens`, `cost` and `nodes.NAME.PORT`. Without it: the outputs are not those of the first run.
    #[arg(long, value_name = "CEL", requires = "why")]
    when: Option<String>,
    /// How often each fork is made: models do not say the same each time.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "why", value_parser = clap::value_parser!(u32).range(1..=50))]
    samples: u32,
    /// Start without asking.
    #[arg(long, requires = "why")]
    yes: bool,
    #[command(flatten)]
    pub grants: GrantArgs,
}

/// Finds what made the difference. The exit code is 0 if it is found.
pub(crate) async fn execute(
    app: &Connection,
    (before, after): (RunId, RunId),
    args: WhyArgs,
    grants: Vec<GrantRule>,
    as_json: bool,
) -> Result<ExitStatus, CliError> {
    let question = BeginInquiry { before, after, when: args.when, samples: args.samples };
    let mut state = app.call(question).await?;
    print_error(&plan(&state));
    if !args.yes && !may_start().await? {
        return Ok(ExitStatus::Canceled);
    }
    while let Some(next) = state.next {
        let step = ContinueInquiry { inquiry: state.inquiry, grants: grants.clone() };
        state = Box::pin(app.call(step)).await.map_err(list_needs)?;
        print_error(&progress(&state, &state.inquiry.trials[next]));
    }
    let text = if as_json { to_json(&state)? } else { conclusion(&state) };
    writeln!(stdout(), "{text}")?;
    Ok(if matches!(state.verdict, Verdict::Found { .. }) { ExitStatus::Success } else { ExitStatus::Failure })
}

/// The differences, and what it costs at most to try them.
fn plan(InquiryState { inquiry, at_most_nano_usd, unknown, .. }: &InquiryState) -> String {
    let mut lines = vec![format!("{}:", counted(inquiry.swaps.len(), "difference"))];
    lines.extend((1..).zip(&inquiry.swaps).map(|(number, swap)| format!("  {number}. {}", describe(swap))));
    for trial in inquiry.trials.iter().filter(|trial| trial.swaps.len() == 1) {
        if let Some(why) = &trial.refused {
            lines.push(format!("  {} can't be swapped alone: {why}", name(trial)));
        }
    }
    let forks = inquiry.trials.iter().filter(|trial| trial.refused.is_none()).count();
    let cost = Cost { nano_usd: *at_most_nano_usd, unpriced: 0 };
    let unknown = if *unknown > 0 {
        let what = if *unknown == 1 { "call or node" } else { "calls or nodes" };
        format!("; {unknown} {what} without an upper bound")
    } else {
        String::new()
    };
    let samples =
        if inquiry.samples == 1 { String::new() } else { format!(", {} times each", inquiry.samples) };
    lines.push(format!("At most {}{samples}: at most {cost}{unknown}.\n", counted(forks, "fork")));
    printable(&lines.join("\n")).into_owned()
}

fn progress(state: &InquiryState, trial: &Trial) -> String {
    let Some(last) = trial.runs.last() else { return String::new() };
    let outcome = match last.flipped {
        Some(true) => "as in the second run",
        Some(false) => "as in the first run",
        None => "undecided",
    };
    let unanswered =
        last.unanswered.as_ref().map(|asks| format!(", canceled: {asks}, which neither run answers"));
    let unanswered = unanswered.unwrap_or_default();
    let spent = Cost { nano_usd: state.spent_nano_usd, unpriced: 0 };
    printable(&format!("  {}: {outcome}{unanswered} ({}, {spent} so far)\n", name(trial), last.run))
        .into_owned()
}

fn conclusion(InquiryState { inquiry, verdict, .. }: &InquiryState) -> String {
    let Verdict::Found { causes } = verdict else {
        return "No difference, and no two together, turn the outcome. More of them work together, or it is chance, the world or what people answered.".to_owned();
    };
    let mut lines = vec!["What made the difference:".to_owned()];
    for FoundCause { swaps, rate } in causes {
        let swaps: Vec<String> = swaps.iter().map(|at| describe(&inquiry.swaps[*at])).collect();
        let percent = |part: f64| format!("{:.0}", part * 100.0);
        let interval = format!("{} to {} %", percent(rate.low), percent(rate.high));
        lines.push(format!(
            "  {}\n    in {} of {}; the true rate is {interval} with a confidence of 95 %",
            swaps.join("\n  together with\n  "),
            rate.passed,
            counted(rate.runs as usize, "fork"),
        ));
    }
    printable(&lines.join("\n")).into_owned()
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The numbers of a mixture's differences: `2 and 3`.
fn name(trial: &Trial) -> String {
    let numbers: Vec<String> = trial.swaps.iter().map(|at| (at + 1).to_string()).collect();
    numbers.join(" and ")
}

fn describe(swap: &Swap) -> String {
    match swap {
        Swap::Input { change } => format!("the input: {}", both(change)),
        Swap::Set { node, port, change } => format!("the value for `{node}.{port}`: {}", both(change)),
        Swap::Flow { change } => format!("the flow's `{}`: {}", change.pointer, both(change)),
        Swap::Node { node, change } => format!("`{}` of `{node}`: {}", change.pointer, both(change)),
        Swap::Structure { changes } => format!("nodes and edges: {} changes", changes.len()),
    }
}

fn both(change: &ValueChange) -> String {
    let shown = |value: &Option<Value>| match value {
        None => "nothing".to_owned(),
        Some(value) => first_line(&value.to_string(), MAX_SHOWN),
    };
    format!("{} → {}", shown(&change.before), shown(&change.after))
}
